#include <algorithm>
#include <utility>

#include "base/checked.hpp"
#include "buffer/transform_arena.hpp"
#include "engine/failure.hpp"
#include "engine/row_work.hpp"

namespace weir::engine {

namespace {

/// An image that the transform is given, and where in the scratch it lies.
struct Given {
  std::span<const std::byte> encoded;
  codec::DecodePlan plan;
  std::uint64_t offset = 0;
};

ImageView view(const std::uint8_t* pixels, const Shape& shape) {
  return {pixels, shape, std::size_t{shape.width} * shape.channels};
}

std::uint8_t* pixels(std::span<std::byte> memory) {
  return reinterpret_cast<std::uint8_t*>(memory.data());
}

}  // namespace

/// Scratch of a row: the whole images that the transform is given, then what decoders and transform
/// work in, one after the other.
std::optional<Turn> RowWork::transform_row(std::optional<Defect>& defect,
                                           std::exception_ptr& thrown) {
  const bool whole = core_.plan.whole_images;
  Sample& s = sample();
  auto& slab = core_.pool->slab(s.slab);
  const auto begun = Clock::now();
  const AtPost at(post_, Stage::decode, s.row, s.index, begun);
  const auto key = draw();

  std::uint64_t images = 0;
  codec::MemoryNeed work{core_.plan.transform_bytes, 0};
  const auto look = [&](bool at_own_size, std::span<const std::byte> encoded,
                        Given& given) -> bool {
    const auto info = decoder_->probe(encoded);
    if (!info) {
      defect = info.defect();
      return false;
    }
    if (at_own_size) {
      given = {encoded, decoder_->plan_whole(*info), images};
    } else {
      const auto fit = fit_in_place(*info, defect);
      if (!fit) return false;
      given = {encoded, decoder_->plan(*info, *fit, key), images};
    }
    const auto& need = given.plan.memory;
    work.scratch = std::max(work.scratch, need.scratch);
    work.reserved = std::max(work.reserved, need.reserved);
    if (at_own_size)
      images = add_sat(images, round_up(given.plan.out().values(), buffer::Block::alignment));
    return true;
  };
  Given first, second;
  if (!look(whole, s.bytes, first)) return std::nullopt;
  if (!s.second.empty() && !look(true, s.second, second)) {
    defect = of_second(*std::move(defect));
    return std::nullopt;
  }
  const codec::MemoryNeed need{add_sat(images, work.scratch), work.reserved};
  if (const auto turn = admit(need, defect); turn || defect) return turn;

  const auto scratch = memory_.scratch.first(need.scratch);
  const auto behind = scratch.subspan(static_cast<std::size_t>(images));
  const auto row = slab.pixels(s.row.row, 1);
  RowStatus status = RowStatus::ok;
  std::uint64_t fit_ns = 0;
  const auto decode = [&](const Given& image, std::span<std::uint8_t> target) -> bool {
    const auto decoded =
        decoder_->decode(image.encoded, image.plan, behind, shared_.stopping, target);
    if (!decoded) {
      defect = decoded.defect();
      return false;
    }
    fit_ns += decoded->fit_ns;
    if (decoded->status != RowStatus::ok) status = decoded->status;
    return true;
  };
  const auto place = [&](const Given& image) {
    const auto at_offset = scratch.subspan(static_cast<std::size_t>(image.offset));
    return std::span(pixels(at_offset), static_cast<std::size_t>(image.plan.out().values()));
  };
  bool sound = decode(first, whole ? place(first) : row);
  if (sound && !s.second.empty() && !decode(second, place(second))) {
    sound = false;
    defect = of_second(*std::move(defect));
  }
  if (shared_.stopping.load(std::memory_order_relaxed)) return Turn::abandoned;
  if (sound) fill_side(defect);
  if (defect) return std::nullopt;

  const auto fitting = Clock::now();
  if (whole) std::ranges::fill(row, std::uint8_t{0});
  buffer::TransformArena arena(behind.first(static_cast<std::size_t>(core_.plan.transform_bytes)));
  const auto out = row_view();
  DecodedSample given{.image = whole ? view(place(first).data(), first.plan.out()) : ImageView(out),
                      .second = {},
                      .row = out,
                      .side = slab.side(s.row.row, 1),
                      .label = s.label,
                      .index = s.index,
                      .epoch = s.epoch,
                      .position = s.position,
                      .attempt = s.attempt,
                      .random = Random(shared_.plan.sampler.seed(), s.epoch, s.position, s.attempt),
                      .scratch = &arena,
                      .stop = &shared_.stopping};
  if (!s.second.empty()) given.second = view(place(second).data(), second.plan.out());
  apply(given, defect, thrown);
  if (shared_.stopping.load(std::memory_order_relaxed)) return Turn::abandoned;
  if (defect) return std::nullopt;
  note_decoded(begun, std::chrono::nanoseconds(fit_ns) + (Clock::now() - fitting));
  slab.labels()[s.row.row] = given.label;
  keep(status);
  finish(true, s.attempt > 0 ? RowStatus::replaced : status);
  return Turn::done;
}

void RowWork::apply(DecodedSample& given, std::optional<Defect>& defect,
                    std::exception_ptr& thrown) {
  const AtPost at(post_, Stage::fit, sample().row, sample().index, Clock::now());
  try {
    shared_.plan.transform(given);
  } catch (...) {
    auto failure = failure_of(Stage::fit);
    defect = std::move(failure.defect);
    thrown = std::move(failure.thrown);
  }
}

}  // namespace weir::engine
