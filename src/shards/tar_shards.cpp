#include "shards/tar_shards.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <span>
#include <utility>

#include "shards/checksum.hpp"
#include "source/name_table.hpp"
#include "weir/error.hpp"

namespace weir::shards {
namespace {

std::string hex(std::uint64_t value) {
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(value));
  return text.data();
}

}  // namespace

TarShards::TarShards(std::vector<ShardFile> files, Scan scan, bool has_checksums,
                     const ShardOptions& options)
    : files_(std::move(files)),
      scan_(std::move(scan)),
      max_encoded_bytes_(options.max_encoded_bytes),
      side_bytes_(options.side_bytes),
      has_checksums_(has_checksums),
      verify_(options.verify),
      second_(options.second),
      side_(options.side) {}

std::optional<std::span<std::byte>> TarShards::read(const ShardFile& file, const Range& range,
                                                    ByteSink& sink, std::size_t room) const {
  const auto taken = sink.try_take(room);
  if (!taken) return std::nullopt;
  const auto bytes = taken->first(static_cast<std::size_t>(range.bytes));
  const auto got = read_full(file.file, bytes, range.offset);
  if (got < bytes.size() && errno != 0)
    throw SampleError(FaultKind::io, "cannot read the shard: " + errno_text(errno));
  if (got < bytes.size())
    throw SampleError(
        FaultKind::truncated,
        "the shard ended at byte " + std::to_string(range.offset + got) + ", inside of the member");
  std::memset(taken->data() + bytes.size(), 0, taken->size() - bytes.size());
  return taken;
}

std::optional<Encoded> TarShards::try_read(std::uint64_t i, ByteSink& sink) const {
  const auto& sample = index().samples[i];
  const auto& file = files_[sample.shard];
  if (sample.bytes == 0) throw SampleError(FaultKind::corrupt, "empty member");
  if (sample.bytes > max_encoded_bytes_)
    throw SampleError(FaultKind::limit, "the member has " + std::to_string(sample.bytes) +
                                            " bytes, max_encoded_bytes is " +
                                            std::to_string(max_encoded_bytes_));
  const auto image = read(file, {sample.offset, sample.bytes}, sink, sample.bytes);
  if (!image) return std::nullopt;
  if (verify_ && checksum_of(*image) != sample.checksum)
    throw SampleError(FaultKind::corrupt,
                      "its checksum is " + hex(checksum_of(*image)) + " where the index says " +
                          hex(sample.checksum) + "; " + std::to_string(sample.bytes) +
                          " bytes at byte " + std::to_string(sample.offset) + " of the shard");
  Encoded encoded{*image, sample.label};
  if (!scan_.second.empty()) {
    const auto& range = scan_.second[i];
    if (range.bytes == 0)
      throw SampleError(FaultKind::corrupt, "the sample has no second image, '" + second_ + "'");
    if (range.bytes > max_encoded_bytes_)
      throw SampleError(FaultKind::limit, "the second image has " + std::to_string(range.bytes) +
                                              " bytes, max_encoded_bytes is " +
                                              std::to_string(max_encoded_bytes_));
    const auto second = read(file, range, sink, static_cast<std::size_t>(range.bytes));
    if (!second) return std::nullopt;
    (void)encoded.planes.add(*second);
  }
  if (!scan_.side.empty() && scan_.side[i].offset != 0) {
    const auto& range = scan_.side[i];
    if (range.bytes > side_bytes_)
      throw SampleError(FaultKind::limit,
                        "the member '" + side_ + "' has " + std::to_string(range.bytes) +
                            " bytes, side_bytes is " + std::to_string(side_bytes_));
    const auto side = read(file, range, sink, side_bytes_);
    if (!side) return std::nullopt;
    encoded.annotation = *side;
  }
  return encoded;
}

std::string TarShards::name(std::uint64_t i) const {
  const auto& sample = index().samples[i];
  return index().shards[sample.shard].name + '/' + index().name(sample);
}

std::optional<std::uint64_t> TarShards::encoded_bytes(std::uint64_t i) const {
  std::uint64_t bytes = index().samples[i].bytes;
  if (!scan_.second.empty()) bytes += scan_.second[i].bytes;
  if (!scan_.side.empty() && scan_.side[i].offset != 0) bytes += side_bytes_;
  return bytes;
}

std::optional<ImageSize> TarShards::image_size(std::uint64_t i) const {
  const auto& sample = index().samples[i];
  if (sample.height == 0) return std::nullopt;
  return ImageSize{sample.height, sample.width};
}

std::uint64_t TarShards::index_bytes() const noexcept {
  auto bytes = sizeof(*this) + scan_.held_bytes() + files_.capacity() * sizeof(ShardFile) +
               source::held_bytes(second_) + source::held_bytes(side_);
  for (const auto& file : files_)
    bytes += source::held_bytes(file.path) + source::held_bytes(file.name);
  return bytes;
}

std::string TarShards::fingerprint() const {
  RunningChecksum sum;
  const auto add = [&](const auto& value) { sum.add(std::as_bytes(std::span(&value, 1))); };
  for (const auto& shard : index().shards) {
    add(shard.name.size());
    sum.add(std::as_bytes(std::span(shard.name)));
    add(shard.bytes);
  }
  for (const auto& sample : index().samples) {
    add(sample.offset);
    add(sample.bytes);
    add(sample.shard);
  }
  const auto value = sum.value();
  return "shards " + hex(value.high) + hex(value.low);
}

}  // namespace weir::shards

weir::AnySource weir::tar_shards(const std::vector<std::string>& paths,
                                 const ShardOptions& options) {
  return shards::open_shards(paths, options);
}
