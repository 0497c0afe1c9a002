#include "engine/row_steps.hpp"

#include <algorithm>

#include "buffer/transform_arena.hpp"

namespace weir::engine {
namespace {

/// The pixels of a whole image in scratch.
std::span<std::uint8_t> pixels(const PlannedImage& image, std::span<std::byte> scratch) {
  return {reinterpret_cast<std::uint8_t*>(scratch.data() + image.offset),
          static_cast<std::size_t>(image.decode.out().values())};
}

ImageView view(const PlannedImage& image, std::span<std::byte> scratch) {
  const auto& shape = image.decode.out();
  return {pixels(image, scratch).data(), shape, std::size_t{shape.width} * shape.channels};
}

std::span<std::byte> behind_images(const RowPlan& plan, std::span<std::byte> scratch) {
  return scratch.subspan(static_cast<std::size_t>(plan.whole_images));
}

RowOutcome decode(const RowPlan& plan, codec::Decoder& decoder, std::span<std::byte> scratch,
                  const std::atomic<bool>& stopping, Sample& s, RowTimes& times) {
  s.status = plan.status;
  for (std::size_t i = 0; i < plan.count; ++i) {
    const auto& image = plan.image[i];
    if (image.blank) {
      std::ranges::fill(pixels(image, scratch), std::uint8_t{0});
      continue;
    }
    const auto decoded =
        decoder.decode(image.encoded, image.decode, behind_images(plan, scratch), stopping,
                       image.whole ? pixels(image, scratch) : s.slot.pixels());
    if (!decoded) return i == 0 ? decoded.defect() : of_other(decoded.defect(), i);
    if (decoded->status != RowStatus::ok) s.status = decoded->status;
    times.fitted(std::chrono::nanoseconds(decoded->fit_ns));
  }
  return RowOutcome::proceed;
}

RowOutcome transform(const Shared& shared, const RowPlan& plan, std::span<std::byte> scratch,
                     const Sample& s, RowTimes& times) {
  const auto begun = Clock::now();
  const auto at = times.at(Stage::fit, s, begun);
  const auto& [first, second, third] = plan.image;
  // Clear the pixels of an older batch, because a transform may not write all of the row.
  if (first.whole) std::ranges::fill(s.slot.pixels(), std::uint8_t{0});
  buffer::TransformArena arena(
      behind_images(plan, scratch)
          .first(static_cast<std::size_t>(shared.core.plan.transform_bytes)));
  const auto row = s.slot.image();
  const auto position = s.position.value();
  DecodedSample given{.image = first.whole ? view(first, scratch) : ImageView(row),
                      .second = plan.count > 1 ? view(second, scratch) : ImageView{},
                      .third = plan.count > 2 ? view(third, scratch) : ImageView{},
                      .row = row,
                      .side = s.slot.side(),
                      .label = s.data.label,
                      .index = s.index,
                      .epoch = s.epoch,
                      .position = position,
                      .attempt = s.attempt,
                      .random = Random(shared.plan.sampler.seed(), s.epoch, position, s.attempt),
                      .scratch = &arena,
                      .stop = &shared.stopping};
  try {
    shared.plan.transform(given);
  } catch (...) {
    return failure_of(Stage::fit);
  }
  s.slot.label() = given.label;
  times.fitted(Clock::now() - begun);
  return RowOutcome::proceed;
}

}  // namespace

RowOutcome write_row(const Shared& shared, const RowPlan& plan, codec::Decoder& decoder,
                     std::span<std::byte> scratch, Sample& s, RowTimes& times) {
  const auto stopping = [&] { return shared.stopping.load(std::memory_order_relaxed); };
  auto decoded = decode(plan, decoder, scratch, shared.stopping, s, times);
  if (stopping()) return RowOutcome::abandoned;
  if (decoded.failure()) return decoded;
  if (s.slot.encoded())
    std::ranges::copy(s.data.bytes, std::as_writable_bytes(s.slot.pixels()).begin());
  if (auto defect = s.slot.fill_side(s.data.side)) return *std::move(defect);
  s.slot.label() = s.data.label;
  if (shared.plan.transform) {
    auto transformed = transform(shared, plan, scratch, s, times);
    if (stopping()) return RowOutcome::abandoned;
    if (transformed.failure()) return transformed;
  }
  s.slot.clear_rest();
  return RowOutcome::proceed;
}

}  // namespace weir::engine
