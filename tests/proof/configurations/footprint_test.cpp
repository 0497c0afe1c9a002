#include "proof/configurations/footprint.hpp"

#include "proof/configurations/images.hpp"
#include "support/catch.hpp"

using namespace weir;
using namespace weir::test;

namespace {

AnySource photographs(std::size_t count) {
  static const std::vector<Bytes> images{make_jpeg(500, 375, false), make_jpeg(375, 500, false),
                                         make_jpeg(480, 360, false)};
  std::vector<const Bytes*> files;
  for (std::size_t i = 0; i < count; ++i) files.push_back(&images[i % images.size()]);
  return Files(std::move(files));
}

/// Postings for each of 600 samples, without `per_batch` for each batch and `at_start`.
double postings_a_sample(Options options, std::uint64_t spare) {
  options.shape = {32, 32};
  options.batch = 20;
  options.workers = 4;
  options.memory.max_sample_bytes = 4 << 20;
  options.memory.budget_bytes =
      spare == UINT64_MAX ? spare : resolve(options, 0).floor_bytes + spare;
  constexpr std::uint64_t samples = 600, batches = 30, per_batch = 8, at_start = 8;
  Loader loader(photographs(300), options);
  auto stream = loader.stream({.epochs = 2});
  std::uint64_t rows = 0;
  for (auto& batch : stream) rows += batch.size();
  CHECK(rows == samples);
  const auto rest = loader.ledger().postings() - per_batch * batches - at_start;
  return static_cast<double>(rest) / static_cast<double>(samples);
}

}  // namespace

TEST_CASE("half of a budget and more is slabs at the peak", "[footprint]") {
  const std::uint64_t budget = GENERATE(48u, 96u);
  const auto seen = footprint(photographs(400), budget << 20, 4);
  CAPTURE(seen.max_queue_size, seen.peak);
  CHECK(seen.peak <= seen.budget);
  CHECK(2 * seen.slabs_at_peak >= seen.budget);
}

TEST_CASE("the books cost a posting a sample", "[footprint]") {
  Options options;
  const double roomy = postings_a_sample(options, UINT64_MAX);
  const double tight = postings_a_sample(options, 0);
  options.io.read_ahead = 8;
  const double ahead = postings_a_sample(options, UINT64_MAX);
  WARN("postings a sample: " << roomy << ", " << ahead << " with read-ahead, " << tight
                             << " at the floor");
  CHECK(roomy <= 1.5);
  CHECK(ahead <= 1.5);
  CHECK(roomy >= 0.5);
  // At the floor a sample is refused, waits, is tried again when bytes are freed, and returns its
  // own bytes. The number of tries depends on the threads.
  CHECK(tight <= 24);
}
