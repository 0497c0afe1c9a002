#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/text.hpp"
#include "contract/laws/breach.hpp"
#include "contract/laws/fixture.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"
#include "support/text.hpp"
#include "unit/codec/encoders.hpp"

using namespace weir;
using namespace weir::test;

namespace {

using codec::test::encode_jpeg;
using codec::test::encode_png;
using codec::test::pattern;
using codec::test::Pixels;
using Bytes = codec::test::Encoded;

constexpr std::uint32_t high = 24, wide = 40;
constexpr std::uint64_t sample_count = 12, bad_index = 5;
constexpr auto plenty = std::uint64_t{1} << 20;

std::string file_of(std::uint64_t i) { return concat(i / 10, i % 10, ".png"); }
std::uint8_t value_of(std::uint64_t i) { return static_cast<std::uint8_t>(20 * i + 1); }

/// A grey PNG of this size.
Bytes grey(std::uint32_t height, std::uint32_t width, int depth = 8) {
  return encode_png(width, height, Pixels(std::size_t{width} * height * (depth == 16 ? 2 : 1), 7),
                    {.depth = depth, .colour = 0});
}

/// A mask with bytes behind its end.
Bytes longer(std::size_t bytes) {
  auto file = grey(high, wide);
  file.resize(file.size() + bytes);
  return file;
}

Bytes cut(Bytes file) {
  file.resize(file.size() - 30);
  return file;
}

struct BadMask {
  const char* what;
  std::optional<Bytes> file;  ///< nothing: the sample has none
  FaultKind kind;
  std::string reason;
  std::uint64_t max_encoded_bytes = plenty;  ///< of the folder of masks
};

std::vector<BadMask> bad_masks() {
  const auto image = pattern(wide, high);
  using enum FaultKind;
  return {{"missing", std::nullopt, io, "plane mask: the sample has none; see optional"},
          {"empty", Bytes{}, corrupt, "plane mask: 05.png: empty file"},
          {"no image", Bytes(9), unsupported,
           "plane mask: 05.png: first bytes 00 00 00 00 00 00 00 00"},
          {"cut", cut(grey(high, wide)), truncated, "plane mask: 05.png: cut"},
          {"of another ratio", grey(2 * high, wide), unsupported,
           "plane mask: 05.png: it is 48x40 beside an image of 24x40: their ratios differ; see "
           "`match` = stretch"},
          {"turned", grey(wide, high), unsupported,
           "plane mask: 05.png: it is 40x24 beside an image of 24x40: one of them is turned; see "
           "`exif` = ignore"},
          {"a JPEG", encode_jpeg(image), unsupported,
           "plane mask: 05.png: JPEG is lossy, so it has no stored values; use PNG, or grey8"},
          {"of colours", encode_png(wide, high, image.values, {}), unsupported,
           "plane mask: 05.png: PNG has colours, and stored formats have one value; use rgb8"},
          {"of 16 bits", grey(high, wide, 16), unsupported,
           "plane mask: 05.png: PNG with values of 16 bits; use stored16"},
          {"of too many pixels", grey(4 * high, 4 * wide), limit,
           "plane mask: 05.png: 160x96 is above `max_pixels` 2000"},
          {"too long for its folder", longer(60'000), limit, "plane mask: 05.png: the file has ",
           50'000},
          {"too long for a sample", longer(100'000), memory, "plane mask: 05.png: needs 10"}};
}

/// Files of images, and of masks with the values of their images. The mask of `bad_index` is another.
class Pairs {
 public:
  explicit Pairs(const BadMask& mask) {
    for (std::uint64_t i = 0; i < sample_count; ++i) {
      Pixels red;
      for (std::uint32_t pixel = 0; pixel < high * wide; ++pixel)
        red.insert(red.end(), {value_of(i), 0, 9});
      folder_.write("images/" + file_of(i), encode_png(wide, high, red, {}));
      if (i != bad_index)
        folder_.write("masks/" + file_of(i),
                      encode_png(wide, high, Pixels(high * wide, value_of(i)), {.colour = 0}));
      else if (mask.file)
        folder_.write("masks/" + file_of(i), *mask.file);
    }
    masks_.max_encoded_bytes = mask.max_encoded_bytes;
  }
  /// The mask of a sample becomes right, or absent.
  void mend(std::uint64_t i) const {
    folder_.write("masks/" + file_of(i),
                  encode_png(wide, high, Pixels(high * wide, value_of(i)), {.colour = 0}));
  }
  void remove(std::uint64_t i) const { std::filesystem::remove(folder_ / ("masks/" + file_of(i))); }
  AnySource source() const {
    return with_plane(image_folder((folder_ / "images").string()), "mask",
                      image_folder((folder_ / "masks").string(), masks_), MissingPlane::absent);
  }

 private:
  TemporaryFolder folder_;
  FolderOptions masks_{};
};

Options masked(OnFault policy, bool optional) {
  auto options = small_options();
  options.shape = {high, wide};
  options.fit = Fit::stretch;
  options.planes = {{.name = "mask", .fill = {255}, .optional = optional}};
  options.order = Order::sequential();
  options.limits.max_pixels = 2000;
  options.memory.max_sample_bytes = 90'000;
  options.faults = {.policy = policy};
  return options;
}

/// All samples but `bad_index` have their image and their mask.
void check_row(const Batch& batch, std::uint32_t row) {
  const auto i = batch.indices()[row];
  CHECK(batch.image(row).data[0] == value_of(i));
  CHECK(batch.plane("mask").image(row).data[0] == value_of(i));
  CHECK(batch.plane("mask").statuses()[row] == PlaneStatus::ok);
}

}  // namespace

TEST_CASE("a bad mask is a fault of its sample and of no other", "[planes][faults]") {
  for (const auto& mask : bad_masks()) {
    const Pairs pairs(mask);
    for (const auto policy : {OnFault::blank, OnFault::skip}) {
      CAPTURE(mask.what, int(policy));
      Loader loader(pairs.source(), masked(policy, false));
      std::vector<std::uint64_t> seen;
      for (auto& batch : loader.stream({}))
        for (std::uint32_t row = 0; row < batch.size(); ++row) {
          const bool at_bad = 4 * batch.sequence() + row == bad_index;
          const auto status = batch.statuses()[row];
          seen.push_back(batch.indices()[row]);
          if (at_bad && policy == OnFault::blank) {
            CHECK(status == RowStatus::blank);
            CHECK(batch.plane("mask").statuses()[row] == PlaneStatus::absent);
            CHECK(batch.plane("mask").image(row).data[0] == 255);
          } else {
            CHECK(status == (at_bad ? RowStatus::replaced : RowStatus::ok));
            check_row(batch, row);
          }
        }
      REQUIRE(seen.size() == sample_count);
      for (std::uint64_t i = 0; i < sample_count; ++i)
        if (i != bad_index) CHECK(seen[i] == i);
      CHECK((seen[bad_index] == bad_index) == (policy == OnFault::blank));
      CHECK(breach_of(loader.snapshot(), loader.plan()).empty());
      const auto report = loader.report();
      CHECK(report.fault_count == 1);
      REQUIRE(report.faults.size() == 1);
      const auto& fault = report.faults[0];
      CHECK(fault.kind == mask.kind);
      CHECK(fault.name == file_of(bad_index));
      CHECK(contains(fault.reason, mask.reason));
    }
    const auto probed = probe(pairs.source(), masked(OnFault::blank, false));
    REQUIRE(probed.faults.size() == 1);
    CHECK(contains(probed.faults[0].reason, mask.reason));
    Loader loader(pairs.source(), masked(OnFault::stop, false));
    CHECK_THROWS_WITH(drain(loader), has_text(file_of(bad_index)) && has_text(mask.reason));
  }
}

TEST_CASE("a bad mask that is optional costs its sample nothing else", "[planes][faults]") {
  const auto keep = GENERATE(Cache::nothing, Cache::encoded, Cache::decoded);
  for (const auto& mask : bad_masks()) {
    CAPTURE(mask.what, int(keep));
    const Pairs pairs(mask);
    auto options = masked(OnFault::stop, true);
    options.cache = {.keep = keep};
    if (keep != Cache::nothing) options.cache.max_bytes = plenty;
    Loader loader(pairs.source(), options);
    std::uint64_t rows = 0;
    const auto shown = mask.file ? PlaneStatus::broken : PlaneStatus::absent;
    for (auto& batch : loader.stream({.epochs = 2}))
      for (std::uint32_t row = 0; row < batch.size(); ++row, ++rows) {
        CHECK(batch.statuses()[row] == RowStatus::ok);
        CHECK(batch.indices()[row] == rows % sample_count);
        if (batch.indices()[row] != bad_index) {
          check_row(batch, row);
          continue;
        }
        CHECK(batch.image(row).data[0] == value_of(bad_index));
        CHECK(batch.plane("mask").statuses()[row] == shown);
        CHECK(batch.plane("mask").image(row).data[0] == 255);
      }
    CHECK(rows == 2 * sample_count);
    CHECK(breach_of(loader.snapshot(), loader.plan()).empty());
    const auto report = loader.report();
    CHECK(report.fault_count == 0);
    CHECK(report.planes[0].ok == 2 * (sample_count - 1));
    CHECK(report.planes[0].broken == (mask.file ? 2 : 0));
    CHECK(report.planes[0].absent == (mask.file ? 0 : 2));
    const auto probed = probe(pairs.source(), options);
    CHECK(probed.sound == sample_count);
    CHECK(probed.planes[0].absent == (mask.file ? 0 : 1));
    REQUIRE(probed.broken.size() == (mask.file ? 1 : 0));
    if (!mask.file) continue;
    CHECK(contains(probed.broken[0].reason, mask.reason));
    REQUIRE(!report.faults.empty());
    CHECK(report.faults[0].plane == "mask");
    CHECK(report.faults[0].kind == mask.kind);
    CHECK(report.faults[0].name == file_of(bad_index));
    CHECK(contains(report.faults[0].reason, mask.reason));
  }
}

TEST_CASE("a plane that was not read is read again, whatever is kept", "[planes][faults]") {
  for (const auto keep : {Cache::nothing, Cache::encoded, Cache::decoded}) {
    CAPTURE(int(keep));
    const Pairs pairs({"too long for its folder", longer(60'000), FaultKind::limit, "", 50'000});
    pairs.remove(bad_index + 1);  // it is kept as it is
    auto options = masked(OnFault::stop, true);
    options.workers = 1;
    options.cache = {.keep = keep};
    if (keep != Cache::nothing) options.cache.max_bytes = plenty;
    Loader loader(pairs.source(), options);
    for (int epoch = 0; epoch < 3; ++epoch) {
      if (epoch == 2) pairs.mend(bad_index);
      for (auto& batch : loader.stream())
        for (std::uint32_t row = 0; row < batch.size(); ++row) {
          const auto i = batch.indices()[row];
          const auto shown = i == bad_index + 1            ? PlaneStatus::absent
                             : i == bad_index && epoch < 2 ? PlaneStatus::broken
                                                           : PlaneStatus::ok;
          CAPTURE(epoch, i);
          CHECK(batch.plane("mask").statuses()[row] == shown);
        }
    }
  }
}

TEST_CASE("names of planes that a source gives are checked", "[planes]") {
  class Named {
   public:
    explicit Named(std::vector<std::string> names) : names_(std::move(names)) {}
    std::uint64_t size() const { return 1; }
    Encoded read(std::uint64_t, ByteSink&) const { return {}; }
    std::string name(std::uint64_t) const { return "one"; }
    std::uint64_t index_bytes() const { return 0; }
    std::vector<std::string> planes() const { return names_; }

   private:
    std::vector<std::string> names_;
  };
  const auto refused = [](const std::vector<std::string>& names) {
    try {
      Loader loader(Named(names), small_options());
      return std::string("accepted");
    } catch (const Error& error) {
      CHECK(error.code() == Errc::bad_options);
      return std::string(error.what());
    }
  };
  const std::string rule = "the name of a plane has 1 to 32 characters of a-z, 0-9, '_' and '-'";
  CHECK(contains(refused({"mask", ""}), "Source::planes()[1] = '': " + rule));
  CHECK(contains(refused({std::string(40, 'm')}), "Source::planes()[0] = 'mmm"));
  CHECK(contains(refused({std::string(33, 'm')}), rule));
  CHECK(contains(refused({"Mask"}), "Source::planes()[0] = 'Mask': " + rule));
  CHECK(contains(refused({"a/b"}), rule));
  CHECK(contains(refused({"image"}), "this is the name of the image"));
  CHECK(contains(refused({"mask", "depth", "mask"}),
                 "Source::planes()[2] = 'mask': there is a plane of this name"));
  CHECK(contains(refused({"a", "b", "c", "d", "e", "f", "g", "h"}),
                 "Source::planes()[7] = 'h': a sample has at most 7 planes, and there are a, b"));
  CHECK(refused({std::string(32, 'm'), "b", "c", "d", "e", "f", "a_1-"}) == "accepted");
}
