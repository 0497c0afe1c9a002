#include "pack/member.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <optional>
#include <utility>

#include "base/checked.hpp"
#include "base/text.hpp"
#include "codec/format.hpp"
#include "engine/failure.hpp"
#include "shards/checksum.hpp"
#include "source/jpeg_encoder.hpp"
#include "weir/error.hpp"

namespace weir::pack {

using source::Position;

namespace {

/// Charges what a source asks for, and waits where the budget has no room.
class Sink final : public ByteSink {
 public:
  Sink(Memory& memory, Position position, std::vector<Piece>& pieces) noexcept
      : memory_(memory), position_(position), pieces_(pieces) {}

  std::optional<std::span<std::byte>> try_take(std::size_t bytes) override {
    bytes_ = add_sat(bytes_, bytes);
    if (const auto defect = engine::too_large(bytes_, memory_.most_sample_bytes(), Stage::read))
      throw SampleError(defect->kind, defect->reason);
    pieces_.push_back(memory_.take(position_, Account::encoded, bytes));
    return pieces_.back().bytes();
  }
  std::uint64_t bytes() const noexcept { return bytes_; }

 private:
  Memory& memory_;
  const Position position_;
  std::vector<Piece>& pieces_;
  std::uint64_t bytes_ = 0;
};

/// Rows of decoded pixels, or one of their equal channels.
class PixelRows final : public source::Rows {
 public:
  PixelRows(std::span<const std::uint8_t> rgb, ImageSize size, PixelFormat format,
            const std::atomic<bool>& stopping) noexcept
      : rgb_(rgb), size_(size), format_(format), stopping_(stopping) {}
  void paint(std::uint32_t y, std::span<std::uint8_t> row) const noexcept override {
    const auto* const line = rgb_.data() + std::size_t{y} * size_.width * 3;
    if (format_ == PixelFormat::rgb8)
      std::memcpy(row.data(), line, row.size());
    else
      for (std::size_t x = 0; x < row.size(); ++x) row[x] = line[3 * x];
  }
  bool stopped() const noexcept override { return stopping_.load(std::memory_order_relaxed); }

 private:
  std::span<const std::uint8_t> rgb_;
  ImageSize size_;
  PixelFormat format_;
  const std::atomic<bool>& stopping_;
};

/// What libjpeg allocates for an image of this width: rows of one MCU, and tables.
std::uint64_t encoder_bytes(std::uint32_t width) noexcept {
  return (128 << 10) + std::uint64_t{width} * 64;
}

std::string_view extension_of(const codec::ImageInfo& info) noexcept {
  const auto name = info.format->name;
  return name == "jpeg" ? "jpg" : name == "pgm" || name == "ppm" ? "pnm" : name;
}

/// A member that is not made yet.
Member member_of(const Encoded& encoded) {
  auto checksum = shards::checksum_of(encoded.bytes);
  for (const auto& plane : encoded.planes) {
    const std::array both{checksum, shards::checksum_of(plane)};
    checksum = shards::checksum_of(std::as_bytes(std::span(both)));
  }
  return {
      .label = encoded.label, .source_bytes = encoded.image_bytes(), .source_checksum = checksum};
}

}  // namespace

ImageSize shrunk(ImageSize size, std::uint32_t short_side) noexcept {
  const std::uint64_t least = std::min(size.height, size.width);
  if (least <= short_side) return size;
  const auto scaled = [&](std::uint32_t side) {
    return static_cast<std::uint32_t>((std::uint64_t{side} * short_side + least / 2) / least);
  };
  return {scaled(size.height), scaled(size.width)};
}

Maker::Maker(const AnySource& source, const Recipe& recipe, Memory& memory,
             const std::atomic<bool>& stopping)
    : source_(source),
      recipe_(recipe),
      memory_(memory),
      stopping_(stopping),
      plane_names_(source.planes()),
      decoder_(recipe.decoder) {}

Result<Member> Maker::make(Position position, std::uint64_t index) {
  auto given = take(position, index);
  if (!given) return std::move(given.defect());
  try {
    return made_of(position, std::move(*given));
  } catch (const std::bad_alloc&) {
    return Defect{FaultKind::memory, Stage::decode, {}};
  }
}

Result<Member> Maker::read(Position position, std::uint64_t index) {
  auto given = take(position, index);
  if (!given) return std::move(given.defect());
  return member_of(given->encoded);
}

Result<Maker::Given> Maker::take(Position position, std::uint64_t index) {
  Given given;
  Sink sink(memory_, position, given.held);
  std::optional<Encoded> encoded;
  try {
    encoded = source_.try_read(index, sink);
  } catch (const Stopped&) {
    throw;
  } catch (...) {
    return engine::failure_of(Stage::read).defect;
  }
  if (!encoded)
    return Defect{FaultKind::io, Stage::read, "the source gave nothing, though it had memory"};
  given.encoded = *encoded;
  given.bytes = sink.bytes();
  return given;
}

Result<Member> Maker::made_of(Position position, Given&& given) {
  const auto& encoded = given.encoded;
  const auto info = decoder_.probe(encoded.bytes);
  if (!info) return info.defect();
  if (encoded.bytes.size() > UINT32_MAX)
    return codec::over_limit("a sample of a shard has less than 4 GiB");
  const auto upright = decoder_.upright(*info);
  const ImageSize before{upright.height, upright.width};
  const auto size = shrunk(before, recipe_.short_side);
  // A second compression would lose detail and save little.
  const bool keeps =
      recipe_.short_side == 0 || (size == before && info->format == &codec::jpeg_format);
  if (!keeps) return encoded_again(position, given, *info, size);

  // Decoded at a small size, which shows as much damage.
  constexpr ImageSize small{64, 64};
  const auto decoded = decode(position, given, *info, small, 0);
  if (!decoded) return decoded.defect();
  auto member = member_of(encoded);
  member.bytes = encoded.bytes;
  member.checksum = shards::checksum_of(encoded.bytes);
  member.need = decoded->need;
  auto planes = planes_of(encoded);
  if (!planes) return std::move(planes.defect());
  member.planes = std::move(*planes);
  member.extension = extension_of(*info);
  member.size = codec::size_for_any_exif(*info);
  member.held = std::move(given.held);
  return member;
}

Result<std::vector<PlaneMember>> Maker::planes_of(const Encoded& encoded) const {
  std::vector<PlaneMember> planes;
  for (std::size_t p = 0; p < encoded.planes.size() && p < plane_names_.size(); ++p) {
    const auto& plane = encoded.planes[p];
    if (plane.empty()) continue;
    const auto info = decoder_.probe(plane);
    if (!info) {
      auto defect = info.defect();
      defect.reason = concat("plane ", plane_names_[p], ": ", defect.reason);
      return defect;
    }
    planes.push_back({plane, concat(plane_names_[p], '.', extension_of(*info))});
  }
  return planes;
}

Result<Maker::Decoded> Maker::decode(Position position, const Given& given,
                                     const codec::ImageInfo& info, ImageSize size,
                                     std::uint64_t jpeg_bytes) {
  const auto plan = decoder_.plan(info, {.out = size, .fit = Fit::stretch}, 0);
  const auto pixels = plan.out_bytes();
  const auto pixels_at = round_up(plan.memory.scratch, 64);
  const auto jpeg_at = round_up(add_sat(pixels_at, pixels), 64);
  const auto work_bytes = add_sat(jpeg_at, jpeg_bytes);
  const auto beside =
      add_sat(plan.memory.reserved, jpeg_bytes == 0 ? 0 : encoder_bytes(size.width));
  // The JPEG is copied when its size is known.
  const auto wanted = add_sat(add_sat(given.bytes, jpeg_bytes), add_sat(work_bytes, beside));
  if (auto defect = engine::too_large(wanted, memory_.most_sample_bytes(), Stage::wait))
    return *std::move(defect);

  Decoded decoded{.work = memory_.take(position, Account::scratch, work_bytes, beside),
                  .need = wanted};
  const auto part = [&](std::uint64_t from, std::uint64_t count) {
    return decoded.work.bytes().subspan(static_cast<std::size_t>(from),
                                        static_cast<std::size_t>(count));
  };
  const auto rgb = part(pixels_at, pixels);
  decoded.rgb = {reinterpret_cast<std::uint8_t*>(rgb.data()), rgb.size()};
  decoded.jpeg = part(jpeg_at, jpeg_bytes);
  const auto done = decoder_.decode(given.encoded.bytes, plan, part(0, plan.memory.scratch),
                                    stopping_, decoded.rgb);
  if (stopping_) throw Stopped{};
  if (!done) return done.defect();
  return decoded;
}

Result<Member> Maker::encoded_again(Position position, const Given& given,
                                    const codec::ImageInfo& info, ImageSize size) {
  const auto format = info.channels < 3 ? PixelFormat::grey8 : PixelFormat::rgb8;
  const auto decoded = decode(position, given, info, size, source::most_jpeg_bytes(size));
  if (!decoded) return decoded.defect();
  std::span<const std::byte> jpeg;
  try {
    jpeg = source::encode_jpeg(PixelRows(decoded->rgb, size, format, stopping_), size, format,
                               recipe_.quality, decoded->jpeg);
  } catch (const SampleError& error) {
    if (stopping_) throw Stopped{};
    return Defect{error.kind(), Stage::decode, error.what()};
  }
  auto copy = memory_.take(position, Account::encoded, jpeg.size());
  std::ranges::copy(jpeg, copy.bytes().begin());
  auto member = member_of(given.encoded);
  member.bytes = copy.bytes();
  member.checksum = shards::checksum_of(member.bytes);
  member.need = decoded->need;
  member.extension = "jpg";
  member.size = size;
  member.held.push_back(std::move(copy));
  return member;
}

}  // namespace weir::pack
