#pragma once

#include "buffer/sample_cache.hpp"

namespace weir::test {

/// A Hold that has searched the cache once.
struct Found : buffer::SampleCache::Hold {
  Found(buffer::SampleCache& cache, std::uint64_t index) noexcept { cache.find(index, *this); }
};

}  // namespace weir::test
