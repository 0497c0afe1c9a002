#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/tar.hpp"
#include "support/temporary_folder.hpp"
#include "unit/source/fixture.hpp"
#include "weir/loader.hpp"
#include "weir/shards.hpp"
#include "weir/source.hpp"

namespace weir::test {

/// All pixels, labels and indices of two epochs, of all ranks side by side.
inline std::vector<std::byte> delivered(const AnySource& source, Options options,
                                        std::uint32_t world = 1) {
  std::vector<std::byte> all;
  const auto add = [&](const auto& part) {
    const auto bytes = std::as_bytes(std::span(part));
    all.insert(all.end(), bytes.begin(), bytes.end());
  };
  options.batch /= world;
  std::vector<Loader> loaders;
  std::vector<Stream> streams;
  for (std::uint32_t rank = 0; rank < world; ++rank) {
    options.ranks = Ranks::given(rank, world);
    loaders.emplace_back(source, options);
  }
  for (auto& loader : loaders) streams.push_back(loader.stream({.epochs = 2}));
  for (bool more = true; more;) {
    more = false;
    // Side by side: first the pixels of each rank, then the rest.
    std::vector<Batch> step;
    for (auto& stream : streams)
      if (auto batch = stream.next()) step.push_back(std::move(*batch));
    more = !step.empty();
    for (const auto& batch : step) add(batch.pixel_bytes());
    for (const auto& batch : step) add(batch.labels());
    for (const auto& batch : step) add(batch.indices());
    for (const auto& batch : step)
      for (std::uint32_t i = 0; i < batch.size(); ++i) add(batch.annotation(i));
  }
  for (const auto& loader : loaders) {
    const auto seen = loader.snapshot();
    CHECK(seen.memory.peak <= seen.memory.budget.value_or(UINT64_MAX));
    CHECK(seen.samples.failed == 0);
  }
  return all;
}

/// Writes the samples of a folder into `count` shards, with their labels, in the same order.
inline void write_shards(const AnySource& folder, const TemporaryFolder& into,
                         std::uint64_t count) {
  for (std::uint64_t s = 0, i = 0; s < count; ++s) {
    std::string content;
    for (; i < folder.size() * (s + 1) / count; ++i) {
      const auto name = folder.name(i);
      MemorySink sink;
      const auto encoded = folder.read(i, sink);
      content += tar_member(name, text_of(encoded));
      content +=
          tar_member(name.substr(0, name.rfind('.')) + ".cls", std::to_string(encoded.label));
    }
    into.write("s" + std::to_string(s) + ".tar", content + tar_end());
  }
}

/// Compares shards with the folder that they were made of, in many settings.
inline void compare_with_folder(const AnySource& folder, const AnySource& shards,
                                const Options& options) {
  REQUIRE(shards.size() == folder.size());
  CHECK(balanced(shards) == balanced(folder));
  for (const auto& order : {Order::sequential(), Order::shuffle(), Order::blocks(4, 2)}) {
    auto o = options;
    o.order = order;
    const auto expected = delivered(folder, o);
    REQUIRE(expected.size() > 2 * folder.size());
    CHECK(delivered(shards, o) == expected);
    o.workers = 3;
    o.io.read_ahead = 5;
    CHECK(delivered(shards, o) == expected);
    for (const auto keep : {Cache::encoded, Cache::decoded}) {
      auto cached = o;
      cached.cache = {.keep = keep, .max_bytes = 4 << 20};
      CHECK(delivered(shards, cached) == expected);
    }
    if (options.batch % 2 == 0) CHECK(delivered(shards, o, 2) == delivered(folder, o, 2));
  }
}

}  // namespace weir::test
