#pragma once

/// \file
/// All of the loader that needs the standard library alone. Included by themselves are the adapters
/// (weir/interop) and the headers of the component footprint (weir/footprint.hpp, weir/model_json.hpp).

/// \namespace weir
/// The public API. Of the namespaces in it only weir::layer has anything to use.

#include "weir/advice.hpp"
#include "weir/batch.hpp"
#include "weir/cache.hpp"
#include "weir/codec.hpp"
#include "weir/convert.hpp"
#include "weir/counting.hpp"
#include "weir/element_type.hpp"
#include "weir/error.hpp"
#include "weir/export.hpp"
#include "weir/image.hpp"
#include "weir/ledger.hpp"
#include "weir/loader.hpp"
#include "weir/memory.hpp"
#include "weir/options.hpp"
#include "weir/plan.hpp"
#include "weir/probe.hpp"
#include "weir/profile.hpp"
#include "weir/random.hpp"
#include "weir/report.hpp"
#include "weir/source.hpp"
#include "weir/tally.hpp"
#include "weir/transform.hpp"
#include "weir/version.hpp"
#include "weir/window.hpp"
