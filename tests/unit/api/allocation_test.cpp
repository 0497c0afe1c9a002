#include "contract/laws/fixture.hpp"
#include "proof/configurations/images.hpp"
#include "support/allocations.hpp"
#include "support/catch.hpp"
#include "unit/source/fixture.hpp"
#include "weir/weir.hpp"

using namespace weir;
using namespace weir::test;

namespace {

/// Allocations of all threads during each of `epochs`.
std::vector<std::uint64_t> by_epoch(AnySource source, const Options& options, int epochs) {
  std::vector<std::uint64_t> made;
  made.reserve(static_cast<std::size_t>(epochs));
  Loader loader(std::move(source), options);
  const auto batches = loader.size() / options.batch;
  auto stream = loader.stream({.epochs = std::nullopt});
  for (int epoch = 0; epoch < epochs; ++epoch) {
    const auto before = allocations();
    std::uint64_t delivered = 0;
    while (delivered < batches && stream.next()) ++delivered;
    made.push_back(allocations() - before);
    REQUIRE(delivered == batches);
  }
  return made;
}

/// The files repeat the same two images, so each worker allocates its permanent memory in its first
/// few samples. On a busy machine a worker may start late.
void check_warm_epochs(Options options, bool with_parts = false) {
  const TemporaryFolder folder;
  fill_with_images(folder.path(), 64);
  options.shape = {64, 64};
  options.batch = 8;
  options.workers = 3;
  auto source = image_folder(folder.string());
  if (with_parts)
    source =
        with_annotations(with_plane(source, "mask", source),
                         std::vector<std::string>(static_cast<std::size_t>(source.size()), "box"));
  const auto made = by_epoch(std::move(source), options, 30);
  CAPTURE(made);
  CHECK(std::count(made.begin(), made.end(), 0) >= 15);
}

}  // namespace

TEST_CASE("a warm epoch of JPEG and PNG files allocates nothing") {
  Options options;
  options.fit = Fit::random;
  const bool shuffled = GENERATE(false, true);
  options.order = Order::shuffle(shuffled);
  options.io.read_ahead = GENERATE(0u, 8u);
  options.trace.events = shuffled ? 100'000 : 0;  // a trace allocates at the start
  CAPTURE(shuffled, options.io.read_ahead);
  check_warm_epochs(options);
}

TEST_CASE("a warm epoch with a transform of annotations allocates none") {
  Options options;
  add_steps(options);
  check_warm_epochs(options);
}

TEST_CASE("a warm epoch of rows of several samples allocates nothing") {
  Options options;
  options.order = Order::shuffle();
  options.planes = {{.name = "mask", .pixels = PixelFormat::grey8, .optional = true}};
  const bool whole = GENERATE(false, true);
  options.partners = {
      .count = 3, .pick = whole ? PartnerPick::any : PartnerPick::same_label, .repeat = true};
  options.io.read_ahead = whole ? 4 : 0;
  options.transform = {.apply =
                           [](DecodedSample& sample) {
                             for (const auto& partner : sample.partners)
                               sample.label += partner.label;
                           },
                       .input = whole ? TransformInput::decoded : TransformInput::fitted};
  check_warm_epochs(options, true);
}

TEST_CASE("a warm epoch with planes and windows allocates nothing") {
  Options options;
  options.planes = {{.name = "mask", .pixels = PixelFormat::grey8, .optional = true}};
  options.annotation_bytes = ByteBound::measured;
  options.window = {.choose =
                        [](const WindowInput& in, Random& random) {
                          return Window{.source = {random.uniform(-5, 5), 0, double(in.image.width),
                                                   double(in.image.height)}};
                        },
                    .name = "shifted"};
  check_warm_epochs(options, true);
}

TEST_CASE("a warm epoch with a full or partial cache allocates nothing") {
  Options options;
  options.order = Order::shuffle();
  options.cache.keep = GENERATE(Cache::encoded, Cache::decoded);
  options.cache.max_bytes = GENERATE(100'000u, 4u << 20);
  check_warm_epochs(options);
}

TEST_CASE("a resting loader holds under 64 KiB besides its index") {
  const TemporaryFolder folder;
  fill_with_images(folder.path(), 16);
  Options options;
  options.shape = {128, 128};
  options.batch = 8;
  options.workers = 3;
  options.io.read_ahead = 4;
  const auto before = held_bytes();
  Loader loader(image_folder(folder.string()), options);
  auto epochs = loader.epochs(StreamOptions{.epochs = std::nullopt}, {.rest = true});
  std::int64_t most = 0;
  for (int i = 0; i < 3; ++i) {
    std::uint64_t rows = 0;
    for (const Batch& batch : epochs.next()) {
      rows += batch.size();
      CHECK(held_bytes() - before > 2 * 8 * 128 * 128 * 3);
    }
    CHECK(rows == 16);
    const auto index = static_cast<std::int64_t>(loader.snapshot().memory[Account::index]);
    most = std::max(most, held_bytes() - before - index);
  }
  CHECK(most < 64 << 10);
}

TEST_CASE("the index of lists and combined sources is their heap size") {
  // Below the size from which malloc maps pages.
  constexpr std::uint64_t count = 3000;
  std::vector<std::string> paths;
  std::vector<std::int64_t> labels;
  std::vector<std::uint64_t> some;
  std::map<std::int64_t, std::int64_t> map;
  for (std::uint64_t i = 0; i < count; ++i) {
    paths.push_back("folder/" + std::to_string(i) + ".jpg");
    labels.push_back(static_cast<std::int64_t>(i % 7));
    map[static_cast<std::int64_t>(i)] = 1;
    if (i % 2 == 0) some.push_back(i);
  }
  const std::vector<std::string> classes(7, "a name that is too long for the string itself");
  auto seven = classes;
  for (std::size_t i = 0; i < seven.size(); ++i) seven[i] += std::to_string(i);
  const auto files = image_files(paths, labels);
  const auto check = [](std::uint64_t below, const auto& make) {
    const auto before = held_bytes();
    const AnySource made = make();
    const auto held = held_bytes() - before;
    const auto own = static_cast<std::int64_t>(made.index_bytes() - below);
    CAPTURE(held, own);
    // An object of a source has a control block, and malloc rounds each piece up to 16 bytes.
    CHECK(std::abs(held - own) <= 256);
  };
  const auto one = files.index_bytes();
  check(0, [&] { return image_files(paths, labels, {.classes = seven}); });
  check(one, [&] { return subset(files, some); });
  check(one, [&] {
    return subset(files, [](std::string_view name) { return name.ends_with("7.jpg"); });
  });
  check(one, [&] { return split(files, 8).training; });
  check(one, [&] { return relabelled(files, map, seven); });
  check(2 * one, [&] { return concatenated({files, files}); });
  check(2 * one, [&] { return with_plane(files, "mask", files); });
  const auto half = subset(files, some);
  check(one + half.index_bytes(),
        [&] { return with_plane(files, "mask", half, MissingPlane::absent); });
  check(one, [&] { return with_plane(files, "mask", paths); });
}

TEST_CASE("reading a hostile state takes a small multiple of its text") {
  const std::string head =
      R"({"version":1,"fingerprint":"f","samples":9999999,"seed":0,"order":"","x":)";
  std::string nested, keys, runs, same;
  for (std::uint64_t i = 0; i < 30'000; ++i) {
    nested += "[[],{}],";
    keys += '"' + std::to_string(i) + "\":0,";
    runs +=
        '[' + std::to_string(100 * i) + ',' + std::to_string(100 * i + 1 + i % 7 * (i % 5)) + "],";
    same += "[0,1],";
  }
  const auto done = [&](const std::string& list) {
    return head + R"(0,"epochs":[{"epoch":0,"end":9999999,"done":[)" + list +
           "[9999998,9999999]]}]}";
  };
  for (const auto& text : {head + '[' + nested + "0]}", head + std::string(100'000, '['),
                           head + '{' + keys + "\"y\":0}}", done(runs), done(same)}) {
    const auto before = allocated_bytes();
    try {
      static_cast<void>(Progress::parse(text));
    } catch (const Error&) {
    }
    CAPTURE(text.substr(0, 120), text.size());
    CHECK(allocated_bytes() - before < 8 * text.size());
  }
}
