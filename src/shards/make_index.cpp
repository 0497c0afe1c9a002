#include "shards/make_index.hpp"

#include <algorithm>
#include <cerrno>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "base/checksum.hpp"
#include "base/threads.hpp"
#include "codec/decoder.hpp"
#include "weir/error.hpp"

namespace weir::shards {
namespace {

constexpr std::size_t piece_bytes = 1 << 20;

/// Reads a shard from its begin to its end, and gives each sample that lies in it.
class WholeShard {
 public:
  WholeShard(const ShardFile& file, const ReadWhole& how) : file_(file), how_(how) {}

  /// Calls each(sample, checksum, bytes): its bytes are empty if there are more than limits allow.
  template <class Each>
  Checksum read(std::span<const Sample> samples, const Each& each) {
    for (const auto& sample : samples) {
      pass(sample.offset - at_, piece_bytes, nullptr);
      RunningChecksum sum;
      const bool whole = sample.bytes <= how_.limits.max_encoded_bytes;
      const auto bytes = pass(sample.bytes, whole ? sample.bytes : piece_bytes, &sum);
      each(sample, sum.value64(), whole ? bytes : std::span<const std::byte>());
    }
    pass(file_.bytes - at_, piece_bytes, nullptr);
    return sum_.value();
  }

 private:
  /// Reads `count` bytes, at most `at_once` of them at once. Returns the last of them.
  std::span<const std::byte> pass(std::uint64_t count, std::size_t at_once, RunningChecksum* sum) {
    std::span<const std::byte> piece;
    while (count > 0) {
      if (how_.stop.stop_requested()) throw Error(Errc::source_failed, Stage::read, "stopped");
      const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(count, at_once));
      if (buffer_.size() < size) buffer_.resize(size);
      const auto into = std::span(buffer_).first(size);
      const auto got = read_full(file_.file, into, at_);
      if (got < size)
        refuse_shard(file_, at_ + got,
                     errno == 0 ? "it was cut short while it was read"
                                : "cannot read: " + errno_text(errno));
      sum_.add(into);
      if (sum) sum->add(into);
      at_ += size;
      count -= size;
      if (how_.done) *how_.done += size;
      piece = into;
    }
    return piece;
  }

  const ShardFile& file_;
  const ReadWhole& how_;
  std::vector<std::byte> buffer_;
  std::uint64_t at_ = 0;
  RunningChecksum sum_;
};

ImageSize size_of(std::span<const std::byte> bytes, const DecodeLimits& limits) {
  if (bytes.empty()) return {};
  const auto info = codec::probe_image(bytes, {.limits = limits});
  return info ? codec::size_for_any_exif(*info) : ImageSize{};
}

}  // namespace

Index complete_index(const TarShards& shards, const ReadWhole& how) {
  auto index = shards.index();
  for_each_index(index.shards.size(), threads_for(0), [&] {
    return [&](std::uint64_t i) {
      auto* next = index.samples.data() + index.shards[i].first;
      const auto complete = [&](const Sample&, std::uint64_t sum,
                                std::span<const std::byte> bytes) {
        next->checksum = sum;
        set_size(*next++, size_of(bytes, how.limits));
      };
      index.shards[i].checksum =
          WholeShard(shards.files()[i], how).read(index.samples_of(i), complete);
    };
  });
  return index;
}

std::vector<WrongChecksum> wrong_checksums(const TarShards& shards, const ReadWhole& how) {
  const auto& index = shards.index();
  std::vector<std::vector<WrongChecksum>> wrong(index.shards.size());
  for_each_index(index.shards.size(), threads_for(0), [&] {
    return [&](std::uint64_t i) {
      const auto shard = static_cast<std::uint32_t>(i);
      const auto compare = [&](const Sample& sample, std::uint64_t sum,
                               std::span<const std::byte>) {
        if (sum != sample.checksum)
          wrong[i].push_back({shard, static_cast<std::uint64_t>(&sample - index.samples.data())});
      };
      const auto sum = WholeShard(shards.files()[i], how).read(index.samples_of(i), compare);
      if (wrong[i].empty() && sum != index.shards[i].checksum) wrong[i].push_back({shard, {}});
    };
  });
  std::vector<WrongChecksum> all;
  for (const auto& part : wrong) all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace weir::shards
