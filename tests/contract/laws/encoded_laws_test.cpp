// The laws with rows that are encoded samples: Decode::none.
#include <algorithm>
#include <numeric>

#include "contract/laws/breach.hpp"
#include "contract/laws/various.hpp"
#include "support/catch.hpp"
#include "support/text.hpp"

using namespace weir;
using namespace weir::test;

namespace {

const std::set<std::uint64_t> bad_indices{11, 40};

/// Images of different sizes; two are no images.
Various encoded_source(bool with_bad = true, std::uint64_t key = 1) {
  return Various(drawn_sizes(60, 40, key), with_bad ? bad_indices : std::set<std::uint64_t>());
}

/// The same, and the source knows the sizes of its files.
struct KnowsSizes : Various {
  explicit KnowsSizes(bool with_bad) : Various(encoded_source(with_bad)) {}
  std::optional<std::uint64_t> encoded_bytes(std::uint64_t i) const { return encoded_size(i); }
};

Options encoded_options() {
  Options options;
  options.decode = Decode::none;
  options.batch = 4;
  options.workers = 3;
  options.order = Order::shuffle();
  options.memory.max_sample_bytes = 256 << 10;
  return options;
}

std::vector<std::byte> file_of(const AnySource& source, std::uint64_t i) {
  MemorySink sink;
  const auto encoded = source.read(i, sink);
  return {encoded.bytes.begin(), encoded.bytes.end()};
}

/// Empty if the rows are the files with what their headers state.
std::string wrong_rows(const Batch& batch, const Various& source) {
  if (batch.encoded().size() != batch.size()) return "not as many rows";
  if (!batch.sizes().empty()) return "sizes of images";
  for (std::uint32_t row = 0; row < batch.size(); ++row) {
    const auto at = " of row " + std::to_string(row);
    const auto& image = batch.encoded()[row];
    if (batch.statuses()[row] == RowStatus::blank) {
      if (!image.bytes.empty() || !image.format.empty() || image.height + image.width != 0)
        return "content" + at;
      continue;
    }
    const auto index = batch.indices()[row];
    if (!std::ranges::equal(std::as_bytes(image.bytes), file_of(source, index)))
      return "bytes" + at;
    if (image.bytes.data() != batch.pixel_bytes().data() + batch.offsets()[row])
      return "offset" + at;
    const auto size = source.size_of(index);
    if (image.format != "png" || image.height != size.height || image.width != size.width ||
        image.orientation != 1)
      return "header" + at;
    if (batch.labels()[row] != static_cast<std::int64_t>(index)) return "label" + at;
  }
  return {};
}

}  // namespace

TEST_CASE("encoded rows are the files, from the floor of the budget on", "[law][encoded]") {
  const auto source = encoded_source();
  const std::uint32_t read_ahead = GENERATE(0u, 3u);
  const auto policy = GENERATE(OnFault::blank, OnFault::skip);
  for (const std::uint64_t spare : {0u, 1u, 9'000u, 400'000u}) {
    CAPTURE(read_ahead, spare);
    auto upstream = std::make_shared<CountingUpstream>();
    auto options = encoded_options();
    options.memory.upstream = upstream;
    options.io.read_ahead = read_ahead;
    options.queue = {.max_queue_size = 12, .max_leases = 2};
    options.faults.policy = policy;
    options.sizes.index = measure_sizes(source, options);
    options.memory.budget_bytes = resolve(options, 0).floor_bytes + spare;
    Loader loader(source, options);
    Monitor monitor(loader, lease_breach_of);
    std::uint64_t rows = 0, bytes = 0;
    for (auto& batch : loader.stream({.epochs = 2})) {
      rows += batch.size();
      CHECK(wrong_rows(batch, source) == "");
      for (const auto& image : batch.encoded()) bytes += image.bytes.size();
    }
    CHECK(monitor.complaint() == "");
    CHECK(rows == 120);
    CHECK(upstream->peak() <= options.memory.budget_bytes);
    const auto report = loader.report();
    CHECK(staging(report.memory) == upstream->outstanding());
    CHECK(report.samples.failed == 4);
    CHECK(report.samples.replaced == (policy == OnFault::skip ? 4 : 0));
    CHECK(report.fault_kinds[static_cast<std::size_t>(FaultKind::unsupported)] == 4);
    CHECK(report.sizes.image_bytes == bytes);
    CHECK(report.samples.conserved());
  }
}

TEST_CASE("a budget a byte below the encoded rows' floor is refused", "[law][encoded]") {
  const auto source = encoded_source(false);
  auto options = encoded_options();
  options.sizes.index = measure_sizes(source, options);
  const auto plan = resolve(options, 0);
  // The largest batch has the largest files, whatever the order.
  std::vector<std::uint64_t> files;
  for (std::uint64_t i = 0; i < source.size(); ++i) files.push_back(source.encoded_size(i));
  std::ranges::sort(files, std::greater());
  CHECK(plan.sizes.most_pixel_bytes ==
        std::accumulate(files.begin(), files.begin() + 4, std::uint64_t{0}));
  options.memory.budget_bytes = plan.floor_bytes - 1;
  CHECK_THROWS_WITH(Loader(source, options),
                    has_text("exactly " + std::to_string(plan.floor_bytes) + " bytes"));
}

TEST_CASE("encoded rows are the same on any machine and after a resume", "[law][encoded]") {
  const auto source = encoded_source(true, 4);
  auto options = encoded_options();
  options.faults.policy = OnFault::skip;
  options.seed = 5;
  options.sizes.index = measure_sizes(source, options);
  const auto wanted = [&] {
    Loader loader(source, options);
    return drain(loader, {.epochs = 2});
  }();
  CHECK(wanted.sequences.size() == 30);
  for (const auto& other : on_other_machines(options)) {
    Loader loader(source, other);
    CHECK(drain(loader, {.epochs = 2}) == wanted);
  }
  for (const std::uint64_t stop_at : {0u, 7u, 15u, 22u}) {
    Loader loader(source, options);
    Log log;
    Progress progress;
    {
      auto stream = loader.stream({.epochs = 2});
      for (std::uint64_t i = 0; i < stop_at; ++i) log.add(*stream.next());
      progress = stream.progress();
    }
    auto rest = drain(loader, {.resume = progress, .epochs = 2});
    log.pixels.insert(log.pixels.end(), rest.pixels.begin(), rest.pixels.end());
    log.indices.insert(log.indices.end(), rest.indices.begin(), rest.indices.end());
    CHECK(log.pixels == wanted.pixels);
    CHECK(log.indices == wanted.indices);
  }
}

TEST_CASE("ranks share the encoded samples, and each row is right", "[law][encoded]") {
  const auto source = encoded_source(false);
  std::vector<std::uint64_t> indices;
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    auto options = encoded_options();
    options.ranks = Ranks::given(rank, 3);
    options.batch = 8;
    Loader loader(source, options);
    for (auto& batch : loader.stream()) {
      for (std::uint32_t row = 0; row < batch.size(); ++row)
        if (batch.statuses()[row] == RowStatus::ok) indices.push_back(batch.indices()[row]);
      if (batch.statuses()[0] == RowStatus::padding) {
        CHECK(batch.encoded()[0].bytes.empty());
        continue;
      }
      CHECK(wrong_rows(batch, source) == "");
    }
  }
  std::ranges::sort(indices);
  std::vector<std::uint64_t> all(60);
  std::iota(all.begin(), all.end(), 0u);
  CHECK(indices == all);
}

TEST_CASE("measuring a source that knows its files reads only for skip", "[law][encoded]") {
  auto options = encoded_options();
  const auto reads = [&](OnFault policy) {
    const KnowsSizes source(false);
    options.faults.policy = policy;
    const auto sizes = measure_sizes(source, options);
    CHECK((*sizes)[7] == ImageSize{1, static_cast<std::uint32_t>(source.encoded_size(7))});
    return source.reads();
  };
  CHECK(reads(OnFault::stop) == 0);
  CHECK(reads(OnFault::blank) == 0);
  CHECK(reads(OnFault::skip) == 60);
}

TEST_CASE("a bad encoded sample is met as the policy says", "[law][encoded]") {
  auto options = encoded_options();
  SECTION("stop") {
    Loader loader(KnowsSizes(true), options);
    auto stream = loader.stream();
    CHECK_THROWS_WITH(
        [&] {
          while (stream.next()) {
          }
        }(),
        has_text("unsupported (first bytes 78 78"));
  }
  SECTION("blank") {
    options.faults.policy = OnFault::blank;
    Loader loader(KnowsSizes(true), options);
    for (auto& batch : loader.stream()) {
      CHECK(wrong_rows(batch, encoded_source()) == "");
      for (std::uint32_t row = 0; row < batch.size(); ++row)
        CHECK((batch.statuses()[row] == RowStatus::blank) ==
              bad_indices.contains(batch.indices()[row]));
    }
  }
  SECTION("a limit is checked in the header") {
    options.faults.policy = OnFault::blank;
    options.limits.max_side = 35;
    const auto source = encoded_source();
    Loader loader(source, options);
    for (auto& batch : loader.stream()) static_cast<void>(batch);
    std::uint64_t large = 0;
    for (std::uint64_t i = 0; i < source.size(); ++i)
      large += !bad_indices.contains(i) &&
               std::max(source.size_of(i).height, source.size_of(i).width) > 35;
    CHECK(large > 0);
    CHECK(loader.report().fault_kinds[static_cast<std::size_t>(FaultKind::limit)] == large);
  }
  SECTION("pixels are not looked at") {
    Loader loader(Various(drawn_sizes(12, 40, 2), {}, {3}), options);
    CHECK(drain(loader).indices.size() == 12);
    CHECK(loader.report().fault_count == 0);
  }
  SECTION("skip: a sample that fails at its draw is replaced by one that fits") {
    // The index was made of sound files, and one fails at each read of the stream.
    const auto sound = encoded_source(false);
    options.faults.policy = OnFault::skip;
    options.sizes.index = measure_sizes(sound, options);
    const auto changed = encoded_source(true);
    Loader loader(changed, options);
    for (auto& batch : loader.stream()) CHECK(wrong_rows(batch, changed) == "");
    CHECK(loader.report().samples.replaced == 2);
    CHECK(loader.report().fault_count == 2);
  }
}

TEST_CASE("skip replaces a small encoded sample if another one fits", "[law][encoded]") {
  // The sizes are measured, and then one sample fails. Of 400, only the smallest fits in its room.
  std::vector<ImageSize> sizes(400, {20, 20});
  const std::uint64_t least = 100, second = 300;
  sizes[least] = {2, 2};
  sizes[second] = {8, 8};
  const Various sound(sizes);
  auto options = encoded_options();
  options.faults.policy = OnFault::skip;
  options.sizes.index = measure_sizes(sound, options);
  const Various without_second(sizes, {second});
  Loader loader(without_second, options);
  const auto log = drain(loader);
  CHECK(std::ranges::count(log.indices, least) == 2);
  CHECK(loader.report().samples.replaced == 1);
  CHECK(loader.report().fault_count == 1);
  Loader fails(Various(sizes, {least}), options);
  CHECK_THROWS_WITH(drain(fails), has_text(" failed 1 time, and no other sample that was drawn for "
                                           "it has at most " +
                                           std::to_string(sound.encoded_size(least)) + " bytes"));
}

TEST_CASE("skip gives a row with too long an annotation another room", "[law][encoded]") {
  const auto source = encoded_source(false);
  std::vector<std::string> annotations(60, "ab");
  annotations[7] = "abcdef";
  auto options = encoded_options();
  options.annotation_bytes = 4;
  options.faults.policy = OnFault::skip;
  Loader loader(with_annotations(source, annotations), options);
  for (auto& batch : loader.stream()) CHECK(wrong_rows(batch, source) == "");
  const auto report = loader.report();
  CHECK(report.samples.replaced == 1);
  CHECK(report.faults.at(0).kind == FaultKind::limit);
  CHECK((*measure_sizes(with_annotations(source, annotations), options))[7] == ImageSize{});
}

TEST_CASE("a blank row has the same room however its bytes are known", "[law][encoded]") {
  auto options = encoded_options();
  options.order = Order::sequential();
  options.faults.policy = OnFault::blank;
  const auto second_offset = [&](const AnySource& source, ByteBound max_sample_bytes) {
    options.memory.max_sample_bytes = max_sample_bytes;
    Loader loader(source, options);
    auto stream = loader.stream();
    for (int i = 0; i < 10; ++i) REQUIRE(stream.next());
    const auto batch = *stream.next();  // samples 40 to 43; 40 is bad
    CHECK(batch.statuses()[0] == RowStatus::blank);
    return batch.offsets()[1];
  };
  for (const auto bytes : {ByteBound(256 << 10), ByteBound::measured}) {
    CHECK(second_offset(KnowsSizes(true), bytes) == encoded_source().encoded_size(40));
    CHECK(second_offset(encoded_source(), bytes) == encoded_source().encoded_size(40));
  }
}

TEST_CASE("a file of another size than measured is a fault naming both", "[law][encoded]") {
  auto options = encoded_options();
  options.sizes.index = measure_sizes(encoded_source(false, 1), options);
  Loader loader(encoded_source(false, 2), options);
  auto stream = loader.stream();
  CHECK_THROWS_WITH(stream.next(), has_text("bytes; when sizes were measured it had"));
}

TEST_CASE("a cache keeps encoded samples for encoded rows", "[law][encoded]") {
  const auto source = encoded_source(false);
  auto options = encoded_options();
  options.annotation_bytes = 3;
  Loader plain(source, options);
  const auto wanted = drain(plain, {.epochs = 3});
  options.cache = {.keep = Cache::encoded, .max_bytes = 1 << 20};
  Loader loader(source, options);
  CHECK(drain(loader, {.epochs = 3}) == wanted);
  CHECK(loader.report().cache.hits == 120);
}

TEST_CASE("options without meaning for encoded rows are refused by name", "[law][encoded]") {
  const auto refusal = [](const std::function<void(Options&)>& change) {
    auto options = encoded_options();
    change(options);
    try {
      Loader loader(encoded_source(false), options);
    } catch (const Error& error) {
      CHECK(error.code() == Errc::bad_options);
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  const auto check = [&](const char* name, const std::function<void(Options&)>& change) {
    const auto text = refusal(change);
    CAPTURE(name, text);
    CHECK(contains(text, "`decode` = none"));
    CHECK(contains(text, name));
  };
  check("fit", [](Options& o) { o.fit = Fit::random; });
  check("short_side", [](Options& o) { o.short_side = 256; });
  check("filter", [](Options& o) { o.filter = Filter::antialiased; });
  check("exif", [](Options& o) { o.exif = Exif::ignore; });
  check("transform", [](Options& o) { o.transform.apply = [](DecodedSample&) {}; });
  check("`sizes.mode` = padded", [](Options& o) { o.sizes.mode = Sizes::padded; });
  check("max_width", [](Options& o) { o.sizes.max_width = 9; });
  check("`cache.keep` = decoded", [](Options& o) { o.cache = {Cache::decoded, 1 << 20}; });
  check("tuning.mode", [](Options& o) { o.tuning.mode = Tuning::automatic; });
  CHECK(refusal([](Options& o) { o.sizes.mode = Sizes::ragged; }) == "accepted");
  CHECK_THROWS_WITH(probe(encoded_source(false), encoded_options()), has_text("`decode` = none"));
  CHECK(contains(refusal([](Options& o) { o.planes = {{.name = "mask"}}; }), "planes"));
  check("`fill` = 1", [](Options& o) { o.fill = {1}; });
  check("`flip.horizontal` = 0.5", [](Options& o) { o.flip.horizontal = 0.5; });
}

TEST_CASE("an encoded batch has no pixels, and says where its rows are", "[law][encoded]") {
  Loader loader(encoded_source(false), encoded_options());
  auto stream = loader.stream();
  const auto batch = stream.next();
  CHECK_THROWS_WITH(batch->pixels(), has_text("Batch::encoded()"));
  CHECK_THROWS_WITH(batch->image(0), has_text("Batch::image: the loader has `decode` = none"));
  CHECK_THROWS_WITH(batch->window(0), has_text("Batch::window: the loader has `decode`"));
  std::vector<float> floats;
  CHECK_THROWS_WITH(Converter<float>()(*batch, floats), has_text("use Batch::encoded()"));
  CHECK(batch->padding() == 0);
  Options images;
  images.shape = {8, 8};
  Loader decoded(encoded_source(false), images);
  auto pixels = decoded.stream();
  CHECK(pixels.next()->encoded().empty());
}
