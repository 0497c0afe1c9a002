#pragma once

/// \file
/// All headers of the loader that need only the standard library. Include the adapters
/// (weir/interop) and the component footprint (weir/footprint.hpp) separately.

/// \namespace weir
/// The public API. Of its nested namespaces, only weir::layer (weir/footprint.hpp) and weir::mpi
/// (weir/interop/mpi.hpp) are public.

#include "weir/advice.hpp"     // Interval, predict(), advise()
#include "weir/batch.hpp"      // Batch, Receipt
#include "weir/codec.hpp"      // DecodeLimits, ForeignCodec
#include "weir/convert.hpp"    // Converter, Normalize
#include "weir/error.hpp"      // Error, Fault, SampleError
#include "weir/export.hpp"     // WEIR_API
#include "weir/image.hpp"      // Encoded, PixelFormat, ImageView, Window
#include "weir/ledger.hpp"     // MemoryLedger, SampleTally, Setting
#include "weir/loader.hpp"     // Loader
#include "weir/memory.hpp"     // PinnedMemory, CountingResource, CacheStore, auto_budget()
#include "weir/options.hpp"    // Options, Ranks
#include "weir/order.hpp"      // Order, Progress, PartnerOptions
#include "weir/plan.hpp"       // Plan, resolve()
#include "weir/probe.hpp"      // probe()
#include "weir/profile.hpp"    // MemoryProfile, memory_report()
#include "weir/random.hpp"     // Random
#include "weir/report.hpp"     // Report
#include "weir/rows.hpp"       // Fit, WindowOptions, PlaneOptions, SizeOptions, annotations
#include "weir/source.hpp"     // Source, AnySource, image_folder(), subset(), with_plane()
#include "weir/stream.hpp"     // Stream, Epochs, Requests
#include "weir/transform.hpp"  // DecodedSample, TransformOptions
#include "weir/version.hpp"    // WEIR_VERSION
