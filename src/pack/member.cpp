#include "pack/member.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <new>
#include <optional>
#include <utility>

#include "base/checked.hpp"
#include "base/checksum.hpp"
#include "base/text.hpp"
#include "codec/format.hpp"
#include "codec/jpeg_tiles.hpp"
#include "codec/png_encoder.hpp"
#include "engine/failure.hpp"
#include "source/jpeg_encoder.hpp"
#include "weir/error.hpp"

namespace weir::pack {

using source::Position;

namespace {

/// Charges what a source asks for, and waits where the budget has no room.
class Sink final : public ByteSink {
 public:
  Sink(Memory& memory, Position position, const Recipe& recipe, std::vector<Piece>& pieces) noexcept
      : memory_(memory), position_(position), recipe_(recipe), pieces_(pieces) {}

  std::optional<std::span<std::byte>> try_take(std::size_t bytes) override {
    bytes_ = add_sat(bytes_, bytes);
    if (const auto defect = engine::too_large(bytes_, memory_.most_sample_bytes(), Stage::read))
      throw SampleError(defect->kind, defect->reason);
    pieces_.push_back(memory_.take(position_, Account::encoded, bytes));
    return pieces_.back().bytes();
  }
  bool wants(std::size_t plane) const noexcept override {
    return engine::wants(recipe_.planes, plane);
  }
  bool wants_annotation() const noexcept override { return !recipe_.annotation.empty(); }
  std::uint64_t bytes() const noexcept { return bytes_; }

 private:
  Memory& memory_;
  const Position position_;
  const Recipe& recipe_;
  std::vector<Piece>& pieces_;
  std::uint64_t bytes_ = 0;
};

class ImageRows final : public source::Rows {
 public:
  ImageRows(const ImageView& image, const std::atomic<bool>& stopping) noexcept
      : image_(image), stopping_(stopping) {}
  void paint(std::uint32_t y, std::span<std::uint8_t> row) const noexcept override {
    std::memcpy(row.data(), image_.data + y * image_.row_stride, row.size());
  }
  bool stopped() const noexcept override { return stopping_.load(std::memory_order_relaxed); }

 private:
  const ImageView& image_;
  const std::atomic<bool>& stopping_;
};

Result<std::span<const std::byte>> encode_jpeg(const ImageView& image, int quality,
                                               std::span<std::byte> out,
                                               const std::atomic<bool>& stopping) {
  try {
    return std::span<const std::byte>(
        source::encode_jpeg(ImageRows(image, stopping), image.shape, image.format, quality, out));
  } catch (const SampleError& error) {
    return Defect{error.kind(), Stage::decode, error.what()};
  }
}

/// What libjpeg allocates for an image of this width: rows of one MCU, and tables.
std::uint64_t jpeg_encoder_bytes(std::uint32_t width) noexcept {
  return (128 << 10) + std::uint64_t{width} * 64;
}

std::string_view extension_of(const codec::ImageInfo& info) noexcept {
  const auto name = info.format->name;
  return name == "jpeg" ? "jpg" : name == "pgm" || name == "ppm" ? "pnm" : name;
}

/// A member that is not made yet.
Member member_of(const Encoded& encoded) {
  auto checksum = checksum_of(encoded.bytes);
  const auto add = [&](std::span<const std::byte> part) {
    const std::array both{checksum, checksum_of(part)};
    checksum = checksum_of(std::as_bytes(std::span(both)));
  };
  for (const auto& plane : encoded.planes) add(plane);
  if (!encoded.annotation.empty()) add(encoded.annotation);
  return {.label = encoded.label,
          .source_bytes = encoded.image_bytes() + encoded.annotation.size(),
          .source_checksum = checksum};
}

}  // namespace

ImageSize shrunk(ImageSize size, std::uint32_t short_side) noexcept {
  const auto least = std::min(size.height, size.width);
  if (short_side == 0 || least <= short_side) return size;
  return {scaled_side(size.height, short_side, least), scaled_side(size.width, short_side, least)};
}

Maker::Maker(const AnySource& source, const Recipe& recipe, Memory& memory,
             const std::atomic<bool>& stopping)
    : source_(source),
      recipe_(recipe),
      memory_(memory),
      stopping_(stopping),
      decoder_(recipe.decoder) {}

Result<Member> Maker::make(Position position, std::uint64_t index) {
  auto making = take(position, index);
  if (!making) return std::move(making.defect());
  try {
    return made_of(std::move(*making));
  } catch (const std::bad_alloc&) {
    return Defect{FaultKind::memory, Stage::decode, {}};
  }
}

Result<Member> Maker::read(Position position, std::uint64_t index) {
  auto making = take(position, index);
  if (!making) return std::move(making.defect());
  return member_of(making->encoded);
}

Result<Maker::Making> Maker::take(Position position, std::uint64_t index) {
  Making making{.position = position};
  Sink sink(memory_, position, recipe_, making.given);
  std::optional<Encoded> encoded;
  try {
    encoded = source_.try_read(index, sink);
  } catch (const Stopped&) {
    throw;
  } catch (...) {
    return engine::failure_of(Stage::read).defect;
  }
  if (!encoded) return engine::gave_nothing();
  making.encoded = *encoded;
  making.bytes = sink.bytes();
  return making;
}

Result<Member> Maker::made_of(Making&& making) {
  const auto& encoded = making.encoded;
  const auto info = decoder_.probe(encoded.bytes);
  if (!info) return info.defect();
  const auto before = decoder_.upright(*info), after = shrunk(before, recipe_.short_side);
  // A second compression would lose detail and save little.
  const bool keeps =
      recipe_.short_side == 0 || (after == before && info->format == &codec::jpeg_format);
  auto options = recipe_.decoder;
  if (!keeps && info->channels < 3) options.pixels = PixelFormat::grey8;
  auto image =
      store(making, encoded.bytes, *info, options, after, keeps ? Coding::as_read : Coding::jpeg);
  const auto untiled = image ? image->bytes.size() : 0;
  if (image && recipe_.tiles != 0) image = tile(making, *image);
  if (!image) return image.defect();
  auto member = member_of(encoded);
  member.tiles = image->tiles;
  member.untiled_bytes = untiled;
  member.narrowed = !keeps && (info->bit_depth > 8 || info->alpha);
  member.bytes = image->bytes;
  member.extension = image->extension;
  member.checksum = checksum_of(member.bytes);
  member.size = keeps ? codec::size_for_any_exif(*info) : after;
  for (const auto& plane : recipe_.planes) {
    const bool there =
        plane.offered < encoded.planes.size() && !encoded.planes[plane.offered].empty();
    if (!there && plane.options.optional) continue;
    auto stored = there ? store_plane(making, plane, before, after)
                        : Defect{FaultKind::io, Stage::read, "the sample has none"};
    if (!stored) return engine::of_plane(std::move(stored.defect()), plane);
    member.others.push_back({stored->bytes, concat(plane.options.name, '.', stored->extension)});
  }
  // An empty one is stored, too: a run of the pack asks each sample for its annotation.
  if (!recipe_.annotation.empty()) {
    member.others.push_back({encoded.annotation, recipe_.annotation});
    member.unfit = after != before && !encoded.annotation.empty();
    making.keeps_given = true;
  }
  member.need = making.need;
  member.held = std::move(making.made);
  if (making.keeps_given) std::ranges::move(making.given, std::back_inserter(member.held));
  return member;
}

Result<Maker::Stored> Maker::tile(Making& making, Stored stored) {
  const auto info = decoder_.probe(stored.bytes);
  if (!info || info->format != &codec::jpeg_format) return stored;
  const auto plan = codec::plan_tiles(*info, stored.bytes.size(), recipe_.tiles);
  const auto out_at = round_up(plan.work_bytes, 64), work_bytes = add_sat(out_at, plan.most_bytes);
  const auto wanted = add_sat(add_sat(making.bytes, plan.most_bytes), work_bytes);
  if (auto defect = engine::too_large(wanted, memory_.most_sample_bytes(), Stage::wait))
    return *std::move(defect);
  making.need = std::max(making.need, wanted);

  const auto work = memory_.take(making.position, Account::scratch, work_bytes);
  const auto out = work.bytes().subspan(static_cast<std::size_t>(out_at));
  const auto tiled = codec::write_tiles(
      stored.bytes, plan, work.bytes().first(static_cast<std::size_t>(plan.work_bytes)), out,
      stopping_);
  if (stopping_) throw Stopped{};
  if (!tiled) return stored;
  // The image is the first that is stored, so these can only be its bytes without tiles.
  making.made.clear();
  making.keeps_given = false;
  auto& copy =
      making.made.emplace_back(memory_.take(making.position, Account::encoded, tiled->size()));
  std::ranges::copy(*tiled, copy.bytes().begin());
  making.bytes = add_sat(making.bytes, tiled->size());
  return Stored{copy.bytes(), stored.extension, plan.tiles};
}

Result<Maker::Stored> Maker::store_plane(Making& making, const engine::PlaneRule& plane,
                                         ImageSize before, ImageSize after) {
  const auto& encoded = making.encoded.planes[plane.offered];
  const auto info = codec::probe_image(encoded, plane.decoder);
  if (!info) return info.defect();
  const auto own = decoder_.upright(*info);
  const ImageSize size{scaled_side(own.height, after.height, before.height),
                       scaled_side(own.width, after.width, before.width)};
  const bool keeps = recipe_.short_side == 0 || (size == own && info->format == &codec::png_format);
  return store(making, encoded, *info, plane.decoder, size, keeps ? Coding::as_read : Coding::png);
}

Result<Maker::Stored> Maker::store(Making& making, std::span<const std::byte> encoded,
                                   const codec::ImageInfo& info,
                                   const codec::DecoderOptions& options, ImageSize size,
                                   Coding coding) {
  // Bytes that are kept are decoded at a small size, which shows as much damage.
  if (coding == Coding::as_read) size = {64, 64};
  std::uint64_t most = 0, encoder = 0;
  if (coding == Coding::jpeg) {
    most = source::most_jpeg_bytes(size);
    encoder = jpeg_encoder_bytes(size.width);
  } else if (coding == Coding::png) {
    most = codec::most_png_bytes(options.pixels, size);
    encoder = codec::png_encoder_bytes(options.pixels, size.width);
  }
  if (std::max<std::uint64_t>(encoded.size(), most) > UINT32_MAX)
    return codec::over_limit("an image in a shard has less than 4 GiB");
  const auto plan = codec::plan_whole(info, size, options);
  const auto pixels_at = round_up(plan.memory.scratch, 64);
  const auto out_at = round_up(add_sat(pixels_at, plan.out_bytes()), 64);
  const auto work_bytes = add_sat(out_at, most);
  const auto beside = add_sat(plan.memory.reserved, encoder);
  // The encoding is copied when its size is known.
  const auto wanted = add_sat(add_sat(making.bytes, most), add_sat(work_bytes, beside));
  if (auto defect = engine::too_large(wanted, memory_.most_sample_bytes(), Stage::wait))
    return *std::move(defect);
  making.need = std::max(making.need, wanted);

  const auto work = memory_.take(making.position, Account::scratch, work_bytes, beside);
  const auto part = [&](std::uint64_t from, std::uint64_t count) {
    return work.bytes().subspan(static_cast<std::size_t>(from), static_cast<std::size_t>(count));
  };
  const std::span pixels(reinterpret_cast<std::uint8_t*>(part(pixels_at, plan.out_bytes()).data()),
                         static_cast<std::size_t>(plan.out_bytes()));
  const auto done = decoder_.decode(encoded, plan, part(0, plan.memory.scratch), stopping_, pixels);
  if (stopping_) throw Stopped{};
  if (!done) return done.defect();
  if (coding == Coding::as_read) {
    making.keeps_given = true;
    return Stored{encoded, extension_of(info)};
  }
  const ImageView image{pixels.data(), size, std::size_t{size.width} * pixel_bytes(options.pixels),
                        options.pixels};
  const auto out = coding == Coding::jpeg
                       ? encode_jpeg(image, recipe_.quality, part(out_at, most), stopping_)
                       : codec::encode_png(image, part(out_at, most), &stopping_);
  if (stopping_) throw Stopped{};
  if (!out) return out.defect();
  auto& copy =
      making.made.emplace_back(memory_.take(making.position, Account::encoded, out->size()));
  std::ranges::copy(*out, copy.bytes().begin());
  making.bytes = add_sat(making.bytes, out->size());
  return Stored{copy.bytes(), coding == Coding::jpeg ? "jpg" : "png"};
}

}  // namespace weir::pack
