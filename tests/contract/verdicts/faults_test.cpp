#include <algorithm>
#include <array>
#include <set>

#include "contract/verdicts/judge.hpp"
#include "support/catch.hpp"
#include "unit/codec/encoders.hpp"

namespace weir::test {
namespace {

using codec::test::Encoded;

struct BadImage {
  const char* what;
  Encoded encoded;
  FaultKind kind;
  bool has_offset;
  bool delivered_leniently;
};

Encoded text(std::string_view words) {
  const auto bytes = std::as_bytes(std::span(words));
  return {bytes.begin(), bytes.end()};
}
Encoded first(const Encoded& encoded, std::size_t bytes) {
  return {encoded.begin(), encoded.begin() + static_cast<std::ptrdiff_t>(bytes)};
}

std::vector<BadImage> bad_images() {
  using namespace codec::test;
  const auto jpeg = encode_jpeg(pattern(40, 30));
  const auto png = encode_png(40, 30, pattern(40, 30).values, {});
  const auto webp = encode_webp(pattern(40, 30), 80.f);
  auto hole = jpeg;
  const auto three_quarters = static_cast<std::ptrdiff_t>(jpeg.size() * 3 / 4);
  hole.erase(hole.begin() + three_quarters, hole.end() - 2);
  auto huge = jpeg;
  const std::array marker{std::byte{0xff}, std::byte{0xc0}};
  const auto frame = std::search(jpeg.begin(), jpeg.end(), marker.begin(), marker.end());
  std::fill_n(huge.begin() + (frame - jpeg.begin()) + 5, 4, std::byte{0xfe});
  auto wrong_crc = png;
  wrong_crc[png.size() - 17] ^= std::byte{1};
  return {{"cut JPEG", first(jpeg, jpeg.size() * 3 / 4), FaultKind::truncated, true, true},
          {"JPEG with a hole", hole, FaultKind::corrupt, true, true},
          {"JPEG of 65278 x 65278", huge, FaultKind::limit, false, false},
          {"cut PNG", first(png, png.size() / 2), FaultKind::truncated, true, true},
          {"PNG with a wrong CRC", wrong_crc, FaultKind::corrupt, true, true},
          {"cut WebP", first(webp, webp.size() - 20), FaultKind::truncated, true, true},
          {"text", text("hello, \x1b[31mworld"), FaultKind::unsupported, false, false},
          {"nothing", {}, FaultKind::corrupt, true, false}};
}

std::string name_of(std::size_t i) { return "bad\n\x1b[31m\xff" + std::to_string(i); }

/// Each bad image after three valid ones.
AnySource mixed() {
  std::vector<MemorySample> samples;
  const auto sound = codec::test::encode_jpeg(codec::test::pattern(40, 30));
  for (const auto& bad : bad_images()) {
    for (int i = 0; i < 3; ++i) samples.push_back({"sound", sound, 1});
    samples.push_back({name_of(samples.size()), bad.encoded, 1});
  }
  return in_memory(std::move(samples));
}

bool printable(const std::string& text) {
  return std::ranges::all_of(text, [](unsigned char c) { return c >= 0x20 && c != 0x7f; });
}

}  // namespace

TEST_CASE("a bad image is a fault with its kind, name, offset and cause",
          "[verdicts][faults][I1][I3][I10][I12][I13]") {
  const bool strict = GENERATE(true, false);
  const auto bad = bad_images();
  const auto verdicts = judge(mixed(), whole(pattern_size, strict));
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    const auto& verdict = verdicts[i];
    if (!is_bad(i)) {
      CHECK(verdict.status == RowStatus::ok);
      continue;
    }
    const auto& expected = bad[i / 4];
    CAPTURE(expected.what, strict, verdict.text());
    if (!strict && expected.delivered_leniently) {
      CHECK(verdict.status == RowStatus::damaged);
      continue;
    }
    REQUIRE(verdict.fault);
    const auto& fault = *verdict.fault;
    CHECK(fault.kind == expected.kind);
    CHECK(fault.stage == Stage::decode);
    CHECK(fault.index == i);
    CHECK(fault.name == "bad\\x0a\\x1b[31m\\xff" + std::to_string(i));
    CHECK(fault.offset.has_value() == expected.has_offset);
    if (fault.offset) CHECK(*fault.offset <= expected.encoded.size());
    CHECK_FALSE(fault.reason.empty());
    CHECK(printable(fault.reason));
  }
}

TEST_CASE("skip replaces each bad image by a sound one, and counts", "[verdicts][faults]") {
  auto options = whole(pattern_size);
  options.faults.policy = OnFault::skip;
  Loader loader(mixed(), options);
  auto stream = loader.stream();
  std::uint64_t rows = 0, replaced = 0;
  for (auto& batch : stream)
    for (std::uint32_t i = 0; i < batch.size(); ++i, ++rows) {
      CHECK_FALSE(is_bad(batch.indices()[i]));
      CHECK((batch.statuses()[i] == RowStatus::replaced) == is_bad(rows));
      if (batch.statuses()[i] == RowStatus::replaced) ++replaced;
    }
  const auto samples = loader.snapshot().samples;
  CHECK(rows == 32);
  CHECK(replaced == 8);
  CHECK(samples.replaced == 8);
  CHECK(samples.failed == loader.report().fault_count);
  CHECK(samples.drawn == rows + samples.failed);
  CHECK(samples.conserved());
}

TEST_CASE("stop delivers what came before a bad image and names it", "[verdicts][faults]") {
  for (std::size_t i = 0; i < bad_images().size(); ++i) {
    const auto bad = bad_images()[i];
    CAPTURE(bad.what);
    std::vector<MemorySample> samples;
    const auto sound = codec::test::encode_jpeg(codec::test::pattern(40, 30));
    for (int n = 0; n < 9; ++n) samples.push_back({"sound", sound, 1});
    samples[6] = {name_of(6), bad.encoded, 1};
    auto options = whole(pattern_size);
    options.batch = 2;
    options.faults.policy = OnFault::stop;
    Loader loader(in_memory(std::move(samples)), options);
    auto stream = loader.stream();
    for (int n = 0; n < 3; ++n) REQUIRE(stream.next());
    try {
      static_cast<void>(stream.next());
      FAIL("the stream should have stopped");
    } catch (const Error& error) {
      CHECK(error.code() == Errc::sample_failed);
      CHECK_THAT(error.what(), has_text("bad\\x0a\\x1b[31m\\xff6: "));
      CHECK(printable(error.what()));
    }
    CHECK_FALSE(stream.next());
    CHECK(loader.snapshot().samples.conserved());
  }
}

TEST_CASE("bad images are tolerated up to a count and up to a share", "[verdicts][faults]") {
  const auto policy = GENERATE(OnFault::skip, OnFault::blank);
  const auto ends = [&](std::uint64_t count, double share) {
    auto options = whole(pattern_size);
    options.faults.policy = policy;
    options.faults.tolerate = count;
    options.faults.tolerate_share = share;
    Loader loader(mixed(), options);
    auto stream = loader.stream();
    try {
      while (stream.next()) {
      }
      return false;
    } catch (const Error& error) {
      CHECK(error.code() == Errc::too_many_faults);
      return true;
    }
  };
  // 32 samples, of which 8 are bad. Replacements may be bad, too.
  CHECK_FALSE(ends(UINT64_MAX, 1));
  CHECK_FALSE(ends(64, 1));
  CHECK(ends(7, 1));
  CHECK(ends(UINT64_MAX, 0.2));
  if (policy == OnFault::blank) {
    CHECK_FALSE(ends(8, 1));
    CHECK_FALSE(ends(UINT64_MAX, 0.25));
  }
}

}  // namespace weir::test
