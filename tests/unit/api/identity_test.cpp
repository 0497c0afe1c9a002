// Loader::identity(): all that decides order and pixels, and nothing else.
#include <functional>

#include "support/catch.hpp"
#include "support/temporary_folder.hpp"
#include "weir/loader.hpp"

using namespace weir;

namespace {

Options identity_options() { return {.shape = {8, 8}, .batch = 2, .workers = 1}; }

std::vector<Property> identity_with(const std::function<void(Options&)>& change,
                                    const StreamOptions& stream = {}) {
  auto options = identity_options();
  change(options);
  return Loader(synthetic(6, {8, 8}), options).identity(stream);
}

/// The names of the properties that differ from those of identity_options().
std::vector<std::string> changed(const std::vector<Property>& now) {
  const auto before = identity_with([](Options&) {});
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(before.size(), now.size()); ++i)
    if (before[i] != now[i]) names.push_back(now[i].name);
  return names;
}

}  // namespace

TEST_CASE("each option for order or pixels changes its own property", "[ranks]") {
  const auto check = [](const char* name, const std::function<void(Options&)>& change) {
    CAPTURE(name);
    CHECK(changed(identity_with(change)) == std::vector<std::string>{name});
  };
  CHECK(changed(identity_with([](Options& o) { o.fit = Fit::letterbox; })) ==
        std::vector<std::string>{"fit", "short_side"});
  check("seed", [](Options& o) { o.seed = 7; });
  check("order", [](Options& o) { o.order = Order::blocks(8, 2); });
  check("order", [](Options& o) { o.order = Order::weighted(std::vector<double>(6, 1)); });
  check("batch", [](Options& o) { o.batch = 3; });
  check("ranks.world", [](Options& o) { o.ranks = Ranks::given(0, 2); });
  check("drop_last", [](Options& o) { o.drop_last = true; });
  check("short_side", [](Options& o) { o.short_side = 20; });
  check("pixels", [](Options& o) { o.pixels = PixelFormat::grey8; });
  check("filter", [](Options& o) { o.filter = Filter::antialiased; });
  check("flip.vertical", [](Options& o) { o.flip.vertical = 1e-9; });
  check("fill", [](Options& o) { o.fill = {0, 0, 1}; });
  check("decode", [](Options& o) { o.decode = Decode::fast; });
  check("exif", [](Options& o) { o.exif = Exif::ignore; });
  check("annotation_bytes", [](Options& o) { o.annotation_bytes = 4; });
  check("limits.max_pixels", [](Options& o) { o.limits.max_pixels = 1000; });
  check("limits.max_side", [](Options& o) { o.limits.max_side = 1000; });
  check("limits.max_scans", [](Options& o) { o.limits.max_scans = 7; });
  check("limits.max_markers", [](Options& o) { o.limits.max_markers = 7; });
  check("memory.max_sample_bytes", [](Options& o) { o.memory.max_sample_bytes = 8 << 20; });
  check("faults.policy", [](Options& o) { o.faults.policy = OnFault::skip; });
  check("faults.strict", [](Options& o) { o.faults.strict = false; });
  CHECK(changed(identity_with([](Options& o) {
          o.planes = {{.name = "drawn", .made = true}};
          o.transform.apply = [](DecodedSample&) {};
        })) == std::vector<std::string>{"transform.apply", "planes"});
}

TEST_CASE("a window function is part of the identity by its name", "[ranks]") {
  const auto with = [](const char* name) {
    return identity_with([=](Options& o) {
      o.window = {.choose = [](const WindowInput&, Random&) { return Window{}; }, .name = name};
    });
  };
  CHECK(changed(with("mine")) == std::vector<std::string>{"window.choose", "window.name"});
  CHECK(with("mine") == with("mine"));
  CHECK(with("mine") != with("yours"));
}

TEST_CASE("a size function is part of the identity by its name", "[ranks]") {
  const auto with = [](const char* name) {
    return identity_with([=](Options& o) {
      o.sizes.size = {.name = name, .of = [](const SizeInput&) { return ImageSize{8, 8}; }};
    });
  };
  CHECK(changed(with("mine")) == std::vector<std::string>{"sizes.size.name", "sizes.size.of"});
  CHECK(with("mine") == with("mine"));
  CHECK(with("mine") != with("yours"));
}

TEST_CASE("the draws of an epoch are a property", "[ranks]") {
  const auto with = [](std::uint64_t draws) {
    return identity_with([&](Options& o) { o.order = Order::with_replacement(draws); });
  };
  CHECK(with(0) == with(6));
  CHECK(changed(with(7)) == std::vector<std::string>{"positions", "order"});
}

TEST_CASE("what decides neither order nor pixels changes no property", "[ranks]") {
  CHECK(changed(identity_with([](Options& o) {
          o.workers = 2;
          o.queue = {.max_queue_size = 7, .max_leases = 2};
          o.io.read_ahead = 3;
          o.cache = {.keep = Cache::encoded, .max_bytes = 1 << 20};
          o.trace.events = 10;
        })).empty());
  auto of_two = [](std::uint32_t rank) {
    return identity_with([=](Options& o) { o.ranks = Ranks::given(rank, 2); });
  };
  CHECK(of_two(0) == of_two(1));
}

TEST_CASE("the extent of the stream is part of the identity", "[ranks]") {
  Loader loader(synthetic(6, {8, 8}), identity_options());
  const auto none = [](Options&) {};
  CHECK(changed(identity_with(none, {.epochs = 2})) == std::vector<std::string>{"epochs"});
  CHECK(changed(identity_with(none, {.first_epoch = 1, .epochs = 1})) ==
        std::vector<std::string>{"first_epoch"});
  const auto resumed = [&](std::uint64_t steps) {
    return identity_with(none, {.resume = loader.progress_after(steps)});
  };
  CHECK(changed(resumed(1)) == std::vector<std::string>{"resume"});
  CHECK(resumed(1) == resumed(1));
  CHECK(resumed(1) != resumed(2));
}

TEST_CASE("an identity depends on the names and the measured sizes", "[ranks]") {
  const test::TemporaryFolder folder;
  folder.write("one/a.jpg", std::string_view("not read"));
  folder.write("two/b.jpg", std::string_view("not read"));
  const auto of = [&](const char* name) {
    return Loader(image_folder((folder / name).string()), identity_options()).identity();
  };
  CHECK(of("one") == of("one"));
  CHECK(of("one") != of("two"));

  const auto sized = [](std::uint32_t height) {
    auto options = identity_options();
    options.sizes.mode = Sizes::padded;
    return Loader(synthetic(6, {height, 8}), options).identity();
  };
  CHECK(sized(8) == sized(8));
  const auto last = [](const std::vector<Property>& all) {
    return std::ranges::find(all, "sizes.index", &Property::name)->value;
  };
  CHECK(last(sized(8)) != last(sized(9)));
}
