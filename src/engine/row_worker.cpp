#include "engine/row_worker.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <string>
#include <utility>

#include "base/checked.hpp"
#include "base/random.hpp"
#include "base/text.hpp"
#include "buffer/transform_arena.hpp"
#include "codec/format.hpp"
#include "conductor/batch_sizes.hpp"
#include "engine/put_tiles.hpp"
#include "engine/row_window.hpp"
#include "plan/pixel_plan.hpp"

namespace weir::engine {
namespace {

using conductor::most_attempts;

/// The index of a row for which the order has no sample.
constexpr std::uint64_t no_index = UINT64_MAX;

/// Admits bytes before they are read. `exact`: never more than the parts need.
class Sink final : public ByteSink {
 public:
  Sink(RowMemory& memory, const Shared& shared, bool exact) noexcept
      : memory_(memory), row_(memory.row()), shared_(shared), exact_(exact) {}
  bool wants(std::size_t plane) const noexcept override {
    return engine::wants(shared_.plan.planes, plane);
  }
  bool wants_annotation() const noexcept override {
    return shared_.loader.plan.annotation_bytes > 0;
  }
  bool may_lack(std::size_t plane, const SampleError& why) override {
    row_.unread.push_back({why.kind(), Stage::read, why.what(), {}, plane});
    return true;
  }
  std::optional<std::span<std::byte>> try_take(std::size_t bytes) override {
    if (refused_ || again_) return std::nullopt;
    const auto start = round_up(row_.charged, buffer::Block::alignment);
    const auto end = add_sat(start, bytes);
    if (const auto defect = memory_.exceeds(end, Stage::read))
      throw SampleError(defect->kind, defect->reason);
    // A block that grows loses its content: the earlier parts of the sample.
    again_ = parts_++ > 0 && end > row_.encoded.size();
    constexpr int many = 3;  // a pair has two
    const bool grows = again_ && parts_ >= many && !exact_;
    refused_ = !(grows ? memory_.admit_many_parts(end) : memory_.admit_encoded(end));
    if (refused_ || again_) return std::nullopt;
    row_.charged = end;
    return row_.encoded.first(end).subspan(static_cast<std::size_t>(start));
  }
  bool refused() const noexcept { return refused_; }
  /// There is now room for all parts: read the sample again.
  bool again() const noexcept { return again_; }

 private:
  RowMemory& memory_;
  Row& row_;
  const Shared& shared_;
  const bool exact_;
  int parts_ = 0;
  bool refused_ = false, again_ = false;
};

/// The pixels of a whole image in scratch.
MutableImageView whole_image(const PlannedPlane& image, std::span<std::byte> scratch) {
  const auto& [shape, format] = std::pair(image.decode.out(), image.decode.placement.format);
  return {reinterpret_cast<std::uint8_t*>(scratch.data() + image.offset), shape,
          std::size_t{shape.width} * pixel_bytes(format), format};
}

std::span<std::uint8_t> bytes_of(const MutableImageView& whole) {
  return {whole.data, static_cast<std::size_t>(whole.bytes())};
}

std::span<std::byte> behind_images(const RowPlan& plan, std::span<std::byte> scratch) {
  return scratch.subspan(static_cast<std::size_t>(plan.whole_images));
}

/// The fault as text. Empty if there is no memory for it.
std::string record(LoaderState& loader, const Row& row, const Defect& defect) noexcept {
  try {
    const auto fault = fault_of(defect, loader.source, row.index, row.epoch);
    auto text = concat(fault.name, ": ", to_string(fault.kind), " (", fault.reason,
                       fault.offset ? concat(" at byte ", *fault.offset) : "", ")");
    loader.faults.add(fault);
    return text;
  } catch (...) {
    loader.faults.count(defect.kind);
    return {};
  }
}

}  // namespace

RowWorker::RowWorker(Shared& shared, Duty duty, ThreadStats& thread_stats, Trace::Track track,
                     ThreadActivity* activity)
    : shared_(shared),
      loader_(shared.loader),
      times_(shared.loader, thread_stats, duty == Duty::decode, track, activity),
      memory_(shared) {
  if (duty == Duty::decode) decoder_.emplace(shared.plan.decoder);
}

RowOutcome RowWorker::begin(const conductor::RowRun& run, std::uint32_t number) {
  Row& row = memory_.row();
  const auto& supply = *shared_.plan.supply;
  const auto batch = supply.at(run.sequence);
  row.row = {run.sequence, number};
  row.slot = buffer::SlabRow(loader_.pool->slab(run.slab), number);
  row.epoch = batch.epoch;
  row.position = supply.position(batch, batch.first + number);
  row.step = batch.step;
  row.attempt = 0;
  row.has_bytes = row.ahead = false;
  row.window.reset();
  row.kept.release();
  row.index = row.drawn = no_index;
  if (row.slot.sizes_differ()) {
    // The strand has found the error, and has ended the stream.
    row.index = row.drawn = row.slot.planned_index();
  } else {
    try {
      row.index = row.drawn = supply.index(batch, row.position);
    } catch (...) {
      end_stream_here(std::current_exception());
    }
  }
  if (row.index != no_index) return RowOutcome::proceed;
  finish(false, RowStatus::blank);
  return RowOutcome::done;
}

void RowWorker::take_over(RowPtr next) {
  memory_.take_over(std::move(next));
  if (memory_.row().granted.bytes == 0) return;
  times_.waited(memory_.row());
  memory_.take_grant();
}

RowOutcome RowWorker::run() {
  const auto attempt = [this]() -> RowOutcome {
    try {
      if (stopping()) return RowOutcome::abandoned;
      if (!memory_.row().has_bytes)
        if (auto outcome = read(); outcome != RowOutcome::proceed) return outcome;
      return decoder_ ? decode() : RowOutcome::proceed;
    } catch (const std::bad_alloc&) {
      return Defect{FaultKind::memory, Stage::decode, {}};  // record() adds the text
    }
  };
  for (;;) {
    const RowOutcome outcome = attempt();
    // An abandoned row must not hold a cache segment, because others may need its bytes.
    if (outcome == RowOutcome::abandoned) memory_.row().kept.release();
    const auto* const failure = outcome.failure();
    if (!failure) return outcome;
    if (!fail(*failure)) return RowOutcome::done;
  }
}

// ---- read -------------------------------------------------------------------------------------

RowOutcome RowWorker::read() {
  Row& row = memory_.row();
  row.unread.clear();
  if (find_kept()) {
    row.has_bytes = true;
    return RowOutcome::proceed;
  }
  const auto begun = Clock::now();
  Reading reading(times_.worker_stats(), begun);
  const auto at = times_.at(Stage::read, row, begun);
  RowOutcome outcome = RowOutcome::proceed;
  bool exact = false;
  for (bool again = true; again;) {
    row.charged = 0;
    row.unread.clear();
    Sink sink(memory_, shared_, exact);
    times_.read_begins();
    outcome = RowOutcome::parked;
    try {
      if (const auto encoded = loader_.source.try_read(row.index, sink)) {
        row.data = *encoded;
        outcome = RowOutcome::proceed;
      }
    } catch (...) {
      outcome = failure_of(Stage::read);
    }
    if (sink.refused()) return memory_.park();
    again = sink.again();
    if (again || outcome != RowOutcome::proceed || !memory_.keeps_scratch_out()) continue;
    // The reserve must still have room for the scratch. Now the bytes of all parts are known.
    exact = again = true;
    row.encoded.trim();
    if (!memory_.admit_encoded(row.charged)) return memory_.park();
  }
  if (outcome == RowOutcome::parked)
    outcome =
        Defect{FaultKind::io, Stage::read, "the source gave nothing, though no bytes were refused"};
  const auto ended = Clock::now();
  reading.end(ended);
  row.has_bytes = outcome == RowOutcome::proceed;
  if (loader_.cache) ++loader_.cache_misses;
  times_.read_ends(row, begun, ended);
  return outcome;
}

bool RowWorker::find_kept() noexcept {
  Row& row = memory_.row();
  if (!loader_.cache) return false;
  row.kept = loader_.cache->find(row.index);
  if (!row.kept) return false;
  const auto kept = row.kept.sample();
  // Another loader with a larger bound may have kept it. Reading it again gives the fault.
  bool fits = kept.charged <= loader_.plan.max_sample_bytes;
  if (keeps_rows() && row.slot.sizes_differ()) {
    const auto room = row.slot.room();
    // A sample that replaces a smaller one must be scaled to that one's extent. The row's own sample
    // has the measured size.
    fits = fits && kept.size == (row.attempt == 0 ? room : scaled_within(kept.size, room));
  }
  if (!fits) {
    row.kept.release();
    return false;
  }
  ++loader_.cache_hits;
  row.data = kept.data;
  row.charged = kept.charged;
  row.status = kept.status;
  return true;
}

// ---- plan -------------------------------------------------------------------------------------

Result<RowPlan> RowWorker::plan() {
  Row& row = memory_.row();
  const auto& stream = shared_.plan;
  const PlaneRules rules{.decoder = stream.decoder,
                         .whole = loader_.plan.whole_images,
                         .transform_bytes = loader_.plan.transform_bytes,
                         .planes = stream.planes};
  const auto info = decoder_->probe(row.data.bytes);
  if (!info) return info.defect();
  if (row.slot.encoded()) return plan_encoded(*info);
  const auto upright = decoder_->upright(*info);
  auto fit = row.slot.sizes_differ() ? own_size(upright)
             : stream.size           ? plan::fit_of(loader_.options, row.slot.canvas())
                                     : Result(stream.decoder.fit);
  if (!fit) return fit.defect();
  if (!row.window) {
    auto window = choose_window(upright, *fit);
    if (!window) return window.defect();
    row.window = *window;
    if (stream.decoder.exif == Exif::apply) row.window->orientation = info->orientation;
  }
  return plan_planes(rules, row.data, *info, *row.window, fit->out, row.unread);
}

Result<Window> RowWorker::choose_window(ImageSize upright, const codec::FitSpec& fit) {
  const Row& row = memory_.row();
  const auto& stream = shared_.plan;
  if (stream.window.choose)
    return own_window(
        stream.window,
        {.image = upright,
         .row = fit.into.width > 0 ? ImageSize{fit.into.height, fit.into.width} : fit.out,
         .label = row.data.label,
         .annotation = row.data.annotation,
         .index = row.index,
         .epoch = row.epoch,
         .position = row.position.value()},
        stream.sampler.seed(), row.attempt);
  // A replacement draws a new crop.
  const auto draw = stream.sampler.draw(row.epoch, row.position);
  return codec::choose_window(upright, fit, row.attempt == 0 ? draw : mix_key({draw, row.attempt}));
}

Result<codec::FitSpec> RowWorker::own_size(ImageSize found) {
  const Row& row = memory_.row();
  const auto measured = (*shared_.plan.size_index)[row.index], room = row.slot.room();
  if (found != measured || room.height == 0)
    return Defect{FaultKind::corrupt, Stage::decode,
                  "the image is " + sides(found) + "; when sizes were measured it was " +
                      (measured.height == 0 ? "none" : sides(measured))};
  const auto& rule = shared_.plan.size;
  auto size = rule ? room : scaled_within(measured, loader_.plan.sizes.bound);
  try {
    if (rule && row.attempt > 0) size = rule.of({row.epoch, row.step, row.index, measured});
  } catch (...) {
    return failure_of(Stage::decode).defect;
  }
  size = scaled_within(size, room);
  row.slot.resize(size);
  return codec::FitSpec{.out = row.slot.canvas(),
                        .flip = shared_.plan.decoder.fit.flip,
                        .into = {0, 0, size.width, size.height}};
}

Result<RowPlan> RowWorker::plan_encoded(const codec::ImageInfo& info) {
  const Row& row = memory_.row();
  const auto bytes = row.data.bytes.size();
  const auto measured = (*shared_.plan.size_index)[row.index].width;
  if (bytes != measured || bytes > row.slot.room().width)
    return Defect{FaultKind::corrupt, Stage::decode,
                  concat("the sample has ", bytes, " bytes; when sizes were measured it had ",
                         measured == 0 ? "no header" : std::to_string(measured))};
  row.slot.describe({.bytes = {},
                     .format = info.format->name,
                     .height = info.height,
                     .width = info.width,
                     .orientation = info.orientation},
                    bytes);
  RowPlan plan;
  if (info.damaged) plan.status = RowStatus::damaged;
  return plan;
}

// ---- write ------------------------------------------------------------------------------------

RowOutcome RowWorker::decode() {
  Row& row = memory_.row();
  if (row.kept && keeps_rows()) {
    row.slot.copy(row.kept.sample());
  } else {
    const auto begun = Clock::now();
    times_.decode_begins(begun);
    const auto at = times_.at(Stage::decode, row, begun);
    const auto planned = plan();
    if (!planned) return planned.defect();
    if (auto admitted = memory_.admit(planned->need()); admitted != RowOutcome::proceed)
      return admitted;
    if (auto written = write(*planned); written != RowOutcome::proceed) return written;
    times_.decode_ends(row, row.slot.bytes());
    keep(planned->need());
  }
  finish(true, row.attempt > 0 ? RowStatus::replaced : row.status);
  return RowOutcome::done;
}

RowOutcome RowWorker::write(const RowPlan& plan) {
  Row& row = memory_.row();
  const auto scratch = memory_.scratch(plan.need().scratch);
  auto decoded = decode_images(plan, scratch);
  if (stopping()) return RowOutcome::abandoned;
  if (decoded.failure()) return decoded;
  if (row.slot.encoded())
    std::ranges::copy(row.data.bytes, std::as_writable_bytes(row.slot.pixels()).begin());
  if (auto defect = too_long(row.data.annotation, loader_.plan.annotation_bytes))
    return *std::move(defect);
  row.slot.annotate(row.data.annotation);
  row.slot.label() = row.data.label;
  if (!row.slot.encoded()) row.slot.window() = *row.window;
  if (shared_.plan.transform) {
    auto transformed = transform(plan, scratch);
    if (stopping()) return RowOutcome::abandoned;
    if (transformed.failure()) return transformed;
  }
  row.slot.clear_rest();
  return RowOutcome::proceed;
}

RowOutcome RowWorker::decode_images(const RowPlan& plan, std::span<std::byte> scratch) {
  Row& row = memory_.row();
  row.status = plan.status;
  for (const auto& [p, defect] : plan.broken) broken(p, defect);
  for (std::size_t i = 0; i < plan.images.size(); ++i) {
    const auto& image = plan.images[i];
    if (i == 0) {
      const auto to = image.whole ? bytes_of(whole_image(image, scratch)) : row.slot.pixels();
      const auto decoded = decode(image, behind_images(plan, scratch), to);
      if (!decoded) return decoded.defect();
      if (*decoded != RowStatus::ok) row.status = *decoded;
    } else if (auto decoded = decode_plane(i - 1, image, plan, scratch);
               decoded != RowOutcome::proceed) {
      return decoded;
    }
  }
  return RowOutcome::proceed;
}

Result<RowStatus> RowWorker::decode(const PlannedPlane& image, std::span<std::byte> scratch,
                                    std::span<std::uint8_t> to) {
  const auto decoded = decoder_->decode(image.encoded, image.decode, scratch, shared_.stopping, to);
  if (!decoded) return decoded.defect();
  times_.fitted(std::chrono::nanoseconds(decoded->fit_ns));
  return decoded->status;
}

RowOutcome RowWorker::decode_plane(std::size_t p, const PlannedPlane& plane, const RowPlan& plan,
                                   std::span<std::byte> scratch) {
  const auto& slot = memory_.row().slot;
  auto& status = slot.plane_status(p) = plane.status;
  if (plane.filled || plane.whole) slot.fill_plane(p);
  if (plane.filled) return RowOutcome::proceed;
  const auto begun = Clock::now();
  const auto to = plane.whole ? bytes_of(whole_image(plane, scratch)) : slot.plane_pixels(p);
  const auto decoded = decode(plane, behind_images(plan, scratch), to);
  loader_.planes.decoded(p, Clock::now() - begun);
  const auto& rule = shared_.plan.planes[p];
  if (decoded) {
    status = *decoded == RowStatus::ok ? PlaneStatus::ok : PlaneStatus::damaged;
  } else if (rule.options.optional) {
    status = PlaneStatus::broken;
    slot.fill_plane(p);
    broken(p, of_plane(decoded.defect(), rule));
  } else {
    return of_plane(decoded.defect(), rule);
  }
  return RowOutcome::proceed;
}

void RowWorker::broken(std::size_t p, const Defect& defect) noexcept {
  const Row& row = memory_.row();
  if (stopping()) return;  // the defect may be that of a cancelled decode
  try {
    auto fault = fault_of(defect, loader_.source, row.index, row.epoch);
    fault.plane = shared_.plan.planes[p].options.name;
    loader_.faults.add(std::move(fault));
  } catch (...) {
    // There is no memory for the text. The status of the plane, which is counted, tells of it.
    return;
  }
}

RowOutcome RowWorker::transform(const RowPlan& plan, std::span<std::byte> scratch) {
  const Row& row = memory_.row();
  const auto begun = Clock::now();
  const auto at = times_.at(Stage::fit, row, begun);
  const auto& first = plan.images[0];
  // Replaces the pixels of an older batch, because a transform may not write all of the row.
  if (first.whole) row.slot.fill();
  buffer::TransformArena arena(
      behind_images(plan, scratch).first(static_cast<std::size_t>(loader_.plan.transform_bytes)));
  const auto image = row.slot.image();
  const auto position = row.position.value();
  std::array<SamplePlane, EncodedPlanes::most> planes;
  for (std::size_t p = 0; p < row.slot.planes(); ++p) {
    const auto& planned = plan.images[p + 1];
    const auto to = row.slot.plane(p);
    const auto status = row.slot.plane_status(p);
    const bool shown = !planned.filled && status != PlaneStatus::broken;
    planes[p] = {.name = shared_.plan.planes[p].options.name,
                 .image = !shown          ? ImageView{}
                          : planned.whole ? ImageView(whole_image(planned, scratch))
                                          : ImageView(to),
                 .row = to,
                 .status = status};
  }
  DecodedSample given{
      .image = first.whole ? whole_image(first, scratch) : image,
      .planes = std::span(planes).first(row.slot.planes()),
      .row = image,
      .annotation = row.slot.annotation(),
      .window = row.slot.window(),
      .label = row.data.label,
      .index = row.index,
      .epoch = row.epoch,
      .position = position,
      .attempt = row.attempt,
      .random = Random(shared_.plan.sampler.seed(), row.epoch, position, row.attempt),
      .scratch = &arena,
      .stop = &shared_.stopping};
  try {
    shared_.plan.transform(given);
  } catch (...) {
    return failure_of(Stage::fit);
  }
  row.slot.label() = given.label;
  row.slot.window() = given.window;
  row.slot.annotate(given.annotation.bytes());
  times_.fitted(Clock::now() - begun);
  return RowOutcome::proceed;
}

void RowWorker::keep(const codec::MemoryNeed& need) noexcept {
  const Row& row = memory_.row();
  if (!loader_.cache || row.kept) return;
  buffer::KeptSample kept{
      .index = row.index, .data = row.data, .charged = row.charged, .status = row.status};
  if (!keeps_rows()) {
    // A plane that was not read would be absent in later epochs.
    if (row.unread.empty()) keep_tiled(kept);
    return;
  }
  kept.charged = add_sat(row.charged, add_sat(need.scratch, need.reserved));
  const auto image = row.slot.image();
  kept.size = image.shape;
  kept.window = row.slot.window();
  // The image was scaled to the extent of another sample, so it is not this sample's own row.
  if (row.slot.sizes_differ() &&
      kept.size != scaled_within((*shared_.plan.size_index)[row.index], loader_.plan.sizes.bound))
    return;
  InlineList<ImageView, 1 + EncodedPlanes::most> images;
  images.push_back(image);
  const auto bytes_of_view = [](const ImageView& view) {
    return std::as_bytes(std::span(view.data, static_cast<std::size_t>(view.bytes())));
  };
  kept.data = {.bytes = bytes_of_view(image), .label = row.data.label};
  kept.data.annotation = row.slot.annotation().bytes();
  for (std::size_t p = 0; p < row.slot.planes(); ++p) {
    const auto& plane = images.push_back(row.slot.plane(p));
    (void)kept.data.planes.add(bytes_of_view(plane));
    kept.plane_statuses[p] = row.slot.plane_status(p);
  }
  loader_.cache->keep(kept, {images.begin(), images.size()});
}

void RowWorker::keep_tiled(buffer::KeptSample kept) noexcept {
  // When the cache is full, no file is written again for nothing.
  const auto tiles = loader_.tiles_fit ? loader_.plan.cache.tiles : 0;
  const bool tiled =
      tiles != 0 && put_tiles(kept, tiles, shared_.plan.decoder, memory_, shared_.stopping);
  const bool fits = loader_.cache->keep(kept);
  if (tiled && !fits) loader_.tiles_fit = false;
  // Coefficients take more than a decode, and later rows need no tiles.
  if (tiles != 0) memory_.trim_scratch();
}

// ---- finish -----------------------------------------------------------------------------------

bool RowWorker::fail(const Failure& failure) noexcept {
  Row& row = memory_.row();
  const auto& [defect, thrown] = failure;
  const auto described = record(loader_, row, defect);
  ++row.attempt;
  row.has_bytes = false;
  row.window.reset();
  switch (shared_.plan.on_fault) {
    case OnFault::blank: row.slot.blank(); break;
    case OnFault::skip:
      try {
        if (!redraw(row)) {
          end_stream_here(error_of(Errc::too_many_faults, defect.stage, [&] {
            return concat("row ", row.row.row, " of batch ", row.row.sequence, " failed ",
                          most_attempts, " times, last with ", described);
          }));
          break;
        }
      } catch (...) {
        end_stream_here(std::current_exception());
        break;
      }
      // The failed attempt may hold the reserve, and the replacement may need all of it.
      memory_.release();
      loader_.book->fail_and_redraw(row.slot.slab());
      return true;
    case OnFault::stop:
      end_stream_here(thrown ? thrown : error_of(Errc::sample_failed, defect.stage, [&] {
        if (described.empty()) throw std::bad_alloc();
        return described;
      }));
      break;
  }
  finish(false, RowStatus::blank);
  return false;
}

bool RowWorker::redraw(Row& row) const {
  for (; row.attempt < most_attempts; ++row.attempt) {
    row.index =
        shared_.plan.sampler.replacement_of(row.drawn, row.epoch, row.position, row.attempt);
    if (!row.slot.encoded() || (*shared_.plan.size_index)[row.index].width <= row.slot.room().width)
      return true;
  }
  return false;
}

void RowWorker::end_stream_here(const std::exception_ptr& error) {
  // Set the error first. The conductor may end the stream as soon as it sees the stop.
  shared_.error.offer(memory_.row().row, error);
  loader_.book->stop_at(memory_.row().row);
}

void RowWorker::finish(bool ok, RowStatus status) {
  const Row& row = memory_.row();
  for (std::size_t p = 0; ok && p < row.slot.planes(); ++p)
    loader_.planes.add(p, row.slot.plane_status(p));
  row.slot.end(row.index, status);
  memory_.release();
  times_.bytes();
  loader_.book->finish_row(row.slot.slab(), row.row.row, ok, status == RowStatus::replaced);
}

}  // namespace weir::engine
