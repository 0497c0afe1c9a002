#pragma once

/// \file
/// All headers of the loader that need only the standard library. Include the adapters
/// (weir/interop) and the component footprint (weir/footprint.hpp, weir/model_json.hpp) separately.

/// \namespace weir
/// The public API. Of its nested namespaces, only weir::layer is public.

#include "weir/advice.hpp"
#include "weir/annotation.hpp"
#include "weir/batch.hpp"
#include "weir/byte_bound.hpp"
#include "weir/cache.hpp"
#include "weir/codec.hpp"
#include "weir/convert.hpp"
#include "weir/counting.hpp"
#include "weir/element_type.hpp"
#include "weir/epochs.hpp"
#include "weir/error.hpp"
#include "weir/export.hpp"
#include "weir/image.hpp"
#include "weir/interval.hpp"
#include "weir/ledger.hpp"
#include "weir/loader.hpp"
#include "weir/memory.hpp"
#include "weir/memory_report.hpp"
#include "weir/options.hpp"
#include "weir/order.hpp"
#include "weir/partners.hpp"
#include "weir/pixel_files.hpp"
#include "weir/plan.hpp"
#include "weir/probe.hpp"
#include "weir/profile.hpp"
#include "weir/progress.hpp"
#include "weir/random.hpp"
#include "weir/ranks.hpp"
#include "weir/receipt.hpp"
#include "weir/report.hpp"
#include "weir/requests.hpp"
#include "weir/source.hpp"
#include "weir/sources.hpp"
#include "weir/stream.hpp"
#include "weir/tally.hpp"
#include "weir/transform.hpp"
#include "weir/version.hpp"
#include "weir/window.hpp"
