#include <algorithm>
#include <array>

#include "contract/verdicts/judge.hpp"
#include "contract/verdicts/listed.hpp"
#include "support/allocations.hpp"
#include "support/catch.hpp"
#include "support/cpu_time.hpp"
#include "unit/codec/encoders.hpp"

namespace weir::test {
namespace {

constexpr std::uint64_t most_bytes = 1 << 20;
/// In CPU times of a sound image, which takes 50 ms or more.
constexpr double most_cpu = 0.1, most_scans_cpu = 2.5;

struct Cost {
  double ms;
  std::uint64_t bytes;
};

/// The cost of the whole process from the start of the stream to the verdict, with threads and
/// reads. Other processes may evict this one from the CPU caches, so the best of three counts.
Cost cost_of(const AnySource& source) {
  Cost best{1e9, UINT64_MAX};
  for (int attempt = 0; attempt < 3; ++attempt) {
    auto options = whole({8, 8});
    options.batch = 1;
    options.workers = 1;
    options.queue.max_queue_size = 1;
    Loader loader(source, options);
    const auto bytes = allocated_bytes();
    const auto ms = cpu_ms();
    auto stream = loader.stream();
    const auto batch = stream.next();
    best = {std::min(best.ms, cpu_ms() - ms), std::min(best.bytes, allocated_bytes() - bytes)};
    REQUIRE(batch);
    REQUIRE(batch->statuses()[0] == RowStatus::blank);
  }
  return best;
}

AnySource one_file(const Listed& file) {
  return in_memory({{file.name, codec::test::read_file(file.path), 0}});
}

}  // namespace

TEST_CASE("each file beyond a limit is refused at a small cost", "[verdicts][I3][I4][I11]") {
  std::size_t hostile = 0, odd = 0;
  auto files = hostile_images();
  for (auto& file : odd_images()) files.push_back(std::move(file));
  for (const auto& file : files) {
    const bool is_odd = file.expect.starts_with("limit-error");
    if (file.expect != "limit" && file.alternative != "limit" && !is_odd) continue;
    const auto verdict = judge_one(codec::test::read_file(file.path), whole({8, 8}));
    if (is_odd) CHECK_FALSE(verdict.delivered());
    if (verdict.delivered()) continue;
    ++(is_odd ? odd : hostile);
    const auto cost = cost_of(one_file(file));
    CAPTURE(file.name, verdict.text(), cost.ms, cost.bytes);
    CHECK(cost.ms <= (file.name.find("scans") == file.name.npos ? most_cpu : most_scans_cpu) *
                         sound_image_ms());
    CHECK(cost.bytes <= most_bytes);
  }
  if (files.empty()) return;
  CHECK(hostile >= 12);
  CHECK(odd == 6);
}

TEST_CASE("absurd sizes are decided at a tenth of a sound image's cost", "[I3]") {
  const auto jpeg = codec::test::encode_jpeg(codec::test::pattern(64, 48), {.progressive = true});
  const std::array marker{std::byte{0xff}, std::byte{0xc2}};
  const auto frame = std::search(jpeg.begin(), jpeg.end(), marker.begin(), marker.end());
  const auto at = static_cast<std::size_t>(frame - jpeg.begin()) + 5;
  struct Size {
    std::uint32_t height, width;
    FaultKind kind;
  };
  for (const auto& [height, width, kind] :
       {Size{65500, 65500, FaultKind::limit}, Size{65535, 65535, FaultKind::limit},
        Size{0, 64, FaultKind::corrupt}, Size{48, 0, FaultKind::corrupt},
        Size{16, 65500, FaultKind::corrupt}, Size{65500, 16, FaultKind::corrupt},
        Size{9000, 9000, FaultKind::corrupt}}) {
    auto changed = jpeg;
    changed[at] = static_cast<std::byte>(height >> 8);
    changed[at + 1] = static_cast<std::byte>(height);
    changed[at + 2] = static_cast<std::byte>(width >> 8);
    changed[at + 3] = static_cast<std::byte>(width);
    CAPTURE(height, width);
    CHECK(judge_one(changed, whole({8, 8})).fault->kind == kind);
    const auto cost = cost_of(in_memory({{"changed", changed, 0}}));
    CHECK(cost.ms <= most_cpu * sound_image_ms());
    CHECK(cost.bytes <= most_bytes);
  }
}

TEST_CASE("floods of scans or markers cost a tenth of a sound image", "[I4]") {
  using codec::test::Encoded;
  const auto jpeg = sound_image();
  // The last scan is repeated after the first: valid, and decoders do not warn.
  const auto scan =
      std::ranges::find_end(jpeg, std::array{std::byte{0xff}, std::byte{0xda}}).begin();
  const Encoded last(scan, jpeg.end() - 2);
  Encoded scans(jpeg.begin(), jpeg.end() - 2);
  for (int i = 0; i < 200; ++i) scans.insert(scans.end(), last.begin(), last.end());
  scans.insert(scans.end(), jpeg.end() - 2, jpeg.end());
  Encoded markers = jpeg;
  const Encoded empty = codec::test::to_bytes(std::array<std::uint8_t, 4>{0xff, 0xe1, 0, 2});
  Encoded flood;
  for (int i = 0; i < 80'000; ++i) flood.insert(flood.end(), empty.begin(), empty.end());
  markers.insert(markers.begin() + 2, flood.begin(), flood.end());
  for (const auto& bomb : {scans, markers}) {
    CHECK(judge_one(bomb, whole({8, 8})).fault->kind == FaultKind::limit);
    const auto cost = cost_of(in_memory({{"bomb", bomb, 0}}));
    CHECK(cost.ms <= most_cpu * sound_image_ms());
    CHECK(cost.bytes <= most_bytes);
  }
}

TEST_CASE("the bytes are counted: a sound image takes more", "[I3][I4]") {
  const auto options = whole({8, 8});
  const auto jpeg = sound_image();
  const auto before = allocated_bytes();
  CHECK(judge_one(jpeg, options).delivered());
  CHECK(allocated_bytes() - before > most_bytes);
}

}  // namespace weir::test
