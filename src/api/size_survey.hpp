#pragma once

#include <memory>

#include "weir/loader.hpp"

namespace weir::api {

/// measure_sizes() with the bytes of its reads on `ledger`.
std::shared_ptr<const SizeIndex> survey_sizes(const AnySource& source, const Options& options,
                                              MemoryLedger& ledger);

}  // namespace weir::api
