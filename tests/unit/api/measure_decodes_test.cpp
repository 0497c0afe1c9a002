// measure_decodes(): whose samples it reads, which options it keeps, and what it leaves empty.
#include <array>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

#include "support/catch.hpp"
#include "weir/weir.hpp"

using namespace weir;

namespace {

bool is_empty(const DecodeTimes& times) {
  return !times.fast && !times.bilinear && !times.tiles && !times.tile_s;
}

}  // namespace

TEST_CASE("decodes of other kinds are measured for advise()", "[advice]") {
  const auto images = synthetic(10, {600, 800});
  const Options options{.shape = {64, 64}, .filter = Filter::antialiased, .batch = 4};
  const auto times = measure_decodes(images, options);
  // At an eighth of the size. It is about 0.3.
  CHECK(times.fast.value() < 0.9);
  CHECK(times.fast.value() > 0.01);
  CHECK(times.bilinear.value() < 2);
  CHECK(times.tiles.value() < 2);
  CHECK(times.tile_s.value() > 0);

  Loader loader(images, options);
  for ([[maybe_unused]] auto& batch : loader.stream({.epochs = 4})) {
  }
  const auto advice = advise(interval(loader.report()), {.decodes = times});
  for (const auto& lever : advice.levers)
    if (lever.change == Change::decode) CHECK(lever.basis == Basis::predicted);
}

TEST_CASE("a change that the options have is not measured", "[advice]") {
  Options options{.shape = {64, 64}, .filter = Filter::bilinear, .batch = 4};
  options.decode = Decode::fast;
  const auto times = measure_decodes(synthetic(4, {300, 400}), options);
  CHECK_FALSE(times.fast);
  CHECK_FALSE(times.bilinear);
}

TEST_CASE("options of a whole training allow measuring a few samples", "[advice]") {
  const auto images = synthetic(400, {120, 160});
  Options options{.shape = {32, 32}, .batch = 128};
  options.drop_last = true;
  options.ranks = Ranks::given(3, 8);
  options.partners.count = 3;
  options.transform.apply = [](DecodedSample&) { throw std::runtime_error("is called"); };
  options.faults.tolerate = 0;
  CHECK(measure_decodes(images, options).fast);

  Options padded{.batch = 16};
  padded.sizes = {.mode = Sizes::padded, .index = measure_sizes(images, padded)};
  CHECK(measure_decodes(images, padded).fast);
}

TEST_CASE("a window is chosen for the sample that is measured", "[advice]") {
  struct Seen {
    std::mutex mutex;
    std::set<std::uint64_t> indices;
    bool right = true;
  };
  const auto seen = std::make_shared<Seen>();
  const auto images = synthetic(240, {120, 160});
  Options options{.shape = {32, 32}, .batch = 16};
  options.window = {.choose =
                        [seen, images](const WindowInput& input, Random&) {
                          const std::lock_guard lock(seen->mutex);
                          seen->indices.insert(input.index);
                          MemorySink sink;
                          seen->right =
                              seen->right && images.read(input.index, sink).label == input.label;
                          return Window{.source = {0, 0, 60, 60}};
                        },
                    .name = "corner"};
  const auto times = measure_decodes(images, options);
  CHECK(times.fast);
  CHECK_FALSE(times.tiles);
  CHECK(seen->right);
  CHECK(seen->indices.size() == 24);
  CHECK(*seen->indices.rbegin() == 230);
}

TEST_CASE("nothing is measured without an image, or after a stop", "[advice]") {
  const Options options{.shape = {32, 32}, .batch = 4};
  CHECK(is_empty(measure_decodes(synthetic(0, {30, 40}), options)));
  const Options encoded{.decode = Decode::none, .batch = 4};
  CHECK(is_empty(measure_decodes(synthetic(4, {30, 40}), encoded)));
  const std::array<std::byte, 3> text{};
  CHECK(is_empty(measure_decodes(in_memory({{"a", {text.begin(), text.end()}}}), options)));
  std::stop_source stop;
  stop.request_stop();
  CHECK(is_empty(measure_decodes(synthetic(40, {30, 40}), options, stop.get_token())));
}

TEST_CASE("measuring refuses the options that a loader refuses", "[advice]") {
  CHECK_THROWS_AS(measure_decodes(synthetic(4, {30, 40}), {.shape = {0, 0}}), Error);
}
