#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "weir/weir.hpp"

namespace weir::test {

/// A delivered row that is not padding.
struct Row {
  std::uint64_t epoch, index;
  std::int64_t label;
  RowStatus status;
  std::vector<std::uint8_t> pixels;
  friend bool operator==(const Row&, const Row&) = default;
};

inline void add_rows(const Batch& batch, std::vector<Row>& rows) {
  for (std::uint32_t i = 0; i < batch.size(); ++i) {
    if (batch.statuses()[i] == RowStatus::padding) continue;
    const auto image = batch.image(i);
    Row row{batch.epoch(), batch.indices()[i], batch.labels()[i], batch.statuses()[i], {}};
    for (std::uint32_t y = 0; y < image.shape.height; ++y) {
      const auto* const line = image.data + y * image.row_stride;
      row.pixels.insert(row.pixels.end(), line, line + std::size_t{3} * image.shape.width);
    }
    rows.push_back(std::move(row));
  }
}

inline std::vector<Loader> job(const AnySource& source, Options options, std::uint32_t world) {
  std::vector<Loader> loaders;
  for (std::uint32_t rank = 0; rank < world; ++rank) {
    options.ranks = Ranks::given(rank, world);
    loaders.emplace_back(source, options);
  }
  return loaders;
}

/// What the ranks deliver, side by side in rank order, step by step.
inline std::vector<Row> side_by_side(std::vector<Loader>& loaders, const StreamOptions& extent) {
  std::vector<Stream> streams;
  for (auto& loader : loaders) streams.push_back(loader.stream(extent));
  std::vector<Row> rows;
  for (;;) {
    std::size_t ended = 0;
    std::uint64_t samples = 0, global = 0;
    for (auto& stream : streams) {
      const auto batch = stream.next();
      ended += !batch;
      if (!batch) continue;
      const auto before = rows.size();
      add_rows(*batch, rows);
      samples += rows.size() - before;
      global = batch->global_rows();
      REQUIRE(batch->size() >= 1);
    }
    if (ended == streams.size()) return rows;
    REQUIRE(ended == 0);  // every rank has the same number of batches
    REQUIRE(samples == global);
  }
}

}  // namespace weir::test
