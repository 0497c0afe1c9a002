#include "shards/tar_shards.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>
#include <utility>

#include "base/checksum.hpp"
#include "base/text.hpp"
#include "shards/keys.hpp"
#include "source/name_table.hpp"
#include "source/plane_names.hpp"
#include "weir/error.hpp"

namespace weir::shards {

TarShards::TarShards(std::vector<ShardFile> files, Scan scan, bool has_checksums,
                     const ShardOptions& options)
    : files_(std::move(files)),
      scan_(std::move(scan)),
      max_encoded_bytes_(options.max_encoded_bytes),
      has_checksums_(has_checksums),
      verify_(options.verify),
      planes_(options.planes),
      annotation_(options.annotation) {}

void TarShards::check_size(std::uint64_t bytes) const {
  if (bytes == 0) throw SampleError(FaultKind::corrupt, "empty member");
  if (bytes > max_encoded_bytes_)
    throw SampleError(FaultKind::limit, "the member has " + std::to_string(bytes) +
                                            " bytes, `max_encoded_bytes` is " +
                                            std::to_string(max_encoded_bytes_));
}

std::optional<std::span<std::byte>> TarShards::read(const ShardFile& file, const Range& range,
                                                    ByteSink& sink) const {
  const auto bytes = sink.try_take(static_cast<std::size_t>(range.bytes));
  if (!bytes) return std::nullopt;
  const auto got = read_full(file.file, *bytes, range.offset);
  if (got < bytes->size() && errno != 0)
    throw SampleError(FaultKind::io, "cannot read the shard: " + errno_text(errno));
  if (got < bytes->size())
    throw SampleError(FaultKind::truncated,
                      concat("the shard was cut short: it has ", got, " of the ", range.bytes,
                             " bytes from byte ", range.offset, " on"));
  return bytes;
}

std::string TarShards::member_name(const Sample& sample, const std::string& extension) const {
  const std::string_view image = index().name(sample);  // of an index, so it may have no key
  const auto key = split(image).value_or(MemberName{image, {}}).key;
  return index().shards[sample.shard].name + '/' + std::string(key) + '.' + extension_of(extension);
}

std::optional<EncodedPlanes::Plane> TarShards::read_plane(std::uint64_t i, std::size_t plane,
                                                          ByteSink& sink) const {
  const auto& range = scan_.planes[i * planes_.size() + plane];
  if (range.offset == 0 || !sink.wants(plane)) return EncodedPlanes::Plane();
  try {
    check_size(range.bytes);
    return read(files_[index().samples[i].shard], range, sink);
  } catch (const SampleError& error) {
    return source::without_plane(sink, plane, planes_[plane].name, plane_name(i, plane), error);
  }
}

std::string TarShards::plane_name(std::uint64_t i, std::size_t plane) const {
  return member_name(index().samples[i], planes_[plane].extension);
}

std::optional<std::span<const std::byte>> TarShards::read_annotation(std::uint64_t i,
                                                                     ByteSink& sink) const {
  const auto& range = scan_.annotations[i];
  if (range.bytes == 0) return std::span<const std::byte>();
  const auto& sample = index().samples[i];
  try {
    check_size(range.bytes);
    return read(files_[sample.shard], range, sink);
  } catch (const SampleError& error) {
    throw source::fault_of_annotation(member_name(sample, annotation_), error);
  }
}

std::optional<std::uint64_t> TarShards::annotation_bytes() const {
  std::uint64_t most = 0;
  for (const auto& range : scan_.annotations)
    most = std::max(most, source::counted_annotation(range.bytes, max_encoded_bytes_));
  return most;
}

std::optional<Encoded> TarShards::try_read(std::uint64_t i, ByteSink& sink) const {
  const auto& sample = index().samples[i];
  const auto& file = files_[sample.shard];
  check_size(sample.bytes);
  const auto image = read(file, {sample.offset, sample.bytes}, sink);
  if (!image) return std::nullopt;
  if (verify_ && checksum_of(*image) != sample.checksum)
    throw SampleError(FaultKind::corrupt,
                      "its checksum is " + hex(checksum_of(*image)) + " where the index says " +
                          hex(sample.checksum) + "; " + std::to_string(sample.bytes) +
                          " bytes at byte " + std::to_string(sample.offset) + " of the shard");
  Encoded encoded{*image, sample.label};
  for (std::size_t plane = 0; plane < planes_.size(); ++plane) {
    const auto bytes = read_plane(i, plane, sink);
    if (!bytes) return std::nullopt;
    (void)encoded.planes.add(*bytes);
  }
  if (!scan_.annotations.empty() && sink.wants_annotation()) {
    const auto bytes = read_annotation(i, sink);
    if (!bytes) return std::nullopt;
    encoded.annotation = *bytes;
  }
  return encoded;
}

std::string TarShards::name(std::uint64_t i) const {
  const auto& sample = index().samples[i];
  return index().shards[sample.shard].name + '/' + index().name(sample);
}

std::vector<std::string> TarShards::planes() const {
  std::vector<std::string> names;
  for (const auto& plane : planes_) names.push_back(plane.name);
  return names;
}

std::optional<ImageSize> TarShards::image_size(std::uint64_t i) const {
  const auto& sample = index().samples[i];
  if (sample.height == 0) return std::nullopt;
  return ImageSize{sample.height, sample.width};
}

std::uint64_t TarShards::index_bytes() const noexcept {
  auto bytes = sizeof(*this) + scan_.held_bytes() + files_.capacity() * sizeof(ShardFile) +
               planes_.capacity() * sizeof(ShardPlane) + source::held_bytes(annotation_);
  for (const auto& plane : planes_)
    bytes += source::held_bytes(plane.name) + source::held_bytes(plane.extension);
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
  return "shards " + sum.value().hex();
}

}  // namespace weir::shards

weir::AnySource weir::tar_shards(const std::vector<std::string>& paths,
                                 const ShardOptions& options) {
  return shards::open_shards(paths, options);
}
