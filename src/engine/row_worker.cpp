#include "engine/row_worker.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <string>
#include <tuple>
#include <utility>

#include "base/checked.hpp"
#include "base/inline_list.hpp"
#include "base/text.hpp"
#include "codec/format.hpp"
#include "conductor/batch_sizes.hpp"
#include "engine/put_tiles.hpp"
#include "engine/reading.hpp"
#include "engine/row_window.hpp"
#include "engine/sample_sink.hpp"
#include "engine/transform_row.hpp"
#include "plan/pixel_plan.hpp"

namespace weir::engine {
namespace {

using conductor::most_attempts;

/// The index of a row for which the order has no sample.
constexpr std::uint64_t no_index = UINT64_MAX;

std::span<std::uint8_t> bytes_of(const MutableImageView& whole) {
  return {whole.data, static_cast<std::size_t>(whole.bytes())};
}

/// The fault as text. Empty if there is no memory for it. `plane`: an optional plane that is
/// broken. Of one without memory, the status of the plane tells, which is counted.
std::string record(LoaderState& loader, const Row& row, std::uint32_t number, const Defect& defect,
                   const std::string& plane = {}) noexcept {
  try {
    auto fault = fault_of(defect, loader.source, row.samples[number].index, row.epoch);
    if (number > 0)
      fault.reason =
          concat("partner ", number, " of the row of sample ", row.own().index, ": ", fault.reason);
    fault.plane = plane;
    auto text = concat(fault.name, ": ", to_string(fault.kind), " (", fault.reason,
                       fault.offset ? concat(" at byte ", *fault.offset) : "", ")");
    loader.faults.add(std::move(fault));
    return text;
  } catch (...) {
    if (plane.empty()) loader.faults.count(defect.kind);
    return {};
  }
}

}  // namespace

RowWorker::RowWorker(Shared& shared, Duty duty, ThreadStats& thread_stats, Trace::Track track,
                     ThreadActivity* activity)
    : shared_(shared),
      loader_(shared.loader),
      times_(shared.loader, thread_stats, duty == Duty::decode, track, activity),
      memory_(shared),
      plans_(duty == Duty::decode ? memory_.row().samples.size() : 0) {
  if (duty == Duty::decode) decoder_.emplace(loader_.rules.decoder);
}

RowOutcome RowWorker::begin(const conductor::RowRun& run, std::uint32_t number) {
  Row& row = memory_.row();
  const auto& supply = *shared_.supply;
  const auto batch = supply.at(run.sequence);
  row.row = {run.sequence, number};
  row.slot = buffer::SlabRow(loader_.pool->slab(run.slab), number);
  row.epoch = batch.epoch;
  row.position = supply.position(batch, batch.first + number);
  row.step = batch.step;
  row.has_bytes = row.ahead = false;
  for (auto& sample : row.samples) {
    sample.attempt = sample.draws = 0;
    sample.window.reset();
    sample.kept.release();
  }
  row.drawn = row.own().index = no_index;
  // If sizes differ, the strand has found an error, and has ended the stream.
  try {
    row.drawn =
        row.slot.sizes_differ() ? row.slot.planned_index() : supply.index(batch, row.position);
    if (row.drawn != no_index) {
      row.own().index = row.drawn;
      const auto partners = shared_.partners.of({row.epoch, row.position, row.drawn});
      for (std::size_t i = 0; i < partners.size(); ++i) row.samples[i + 1].index = partners[i];
      return RowOutcome::proceed;
    }
  } catch (...) {
    end_stream_here(std::current_exception());
  }
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
    current_ = 0;
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
    RowOutcome outcome = attempt();
    // An abandoned row must not hold a cache segment, because others may need its bytes.
    if (outcome == RowOutcome::abandoned) memory_.row().release_kept();
    const auto* const failure = outcome.failure();
    if (!failure) return outcome;
    if (!fail(*failure)) return RowOutcome::done;
  }
}

// ---- read -------------------------------------------------------------------------------------

RowOutcome RowWorker::read() {
  Row& row = memory_.row();
  const auto missing =
      std::ranges::count_if(row.samples, [this](auto& sample) { return !find_kept(sample); });
  ++reads_.rows;
  if (missing == 0) {
    SampleSink sink(memory_, shared_, false);
    auto outcome = read_samples(sink);
    row.has_bytes = outcome == RowOutcome::proceed;
    return outcome;
  }
  post_copied();  // so that this row can be the oldest, which alone may use the reserve
  const auto begun = Clock::now();
  Reading reading(times_.worker_stats(), begun);
  const auto at = times_.at(Stage::read, row, begun);
  times_.read_begins();
  RowOutcome outcome = RowOutcome::proceed;
  bool exact = false;
  for (bool again = true; again;) {
    SampleSink sink(memory_, shared_, exact);
    outcome = read_samples(sink);
    if (sink.refused()) return memory_.park();
    again = sink.again();
    if (again || outcome != RowOutcome::proceed || !memory_.keeps_scratch_out()) continue;
    // The reserve must still have room for the scratch. Now the bytes of all parts are known.
    exact = again = true;
    row.encoded.trim();
    if (!memory_.admit_encoded(row.used)) return memory_.park();
  }
  if (outcome == RowOutcome::parked) outcome = gave_nothing();
  const auto ended = Clock::now();
  reading.end(ended);
  reads_.took_ns += std::chrono::nanoseconds(ended - begun).count();
  row.has_bytes = outcome == RowOutcome::proceed;
  if (loader_.plan.cache.keep != Cache::nothing)
    times_.stats().count_misses(static_cast<std::uint64_t>(missing));
  times_.read_ends(row, begun, ended);
  return outcome;
}

RowOutcome RowWorker::read_samples(SampleSink& sink) {
  const std::span samples(memory_.row().samples);
  // The largest sample of a row that is too large has the fault.
  const auto blamed = [&](RowOutcome outcome) {
    const auto before = samples.first(current_);
    const auto most = std::ranges::max_element(before, {}, &RowSample::charged);
    if (most != before.end() && sink.too_large() > 0 && most->charged >= sink.too_large())
      current_ = static_cast<std::uint32_t>(most - before.begin());
    return outcome;
  };
  for (current_ = 0; current_ < samples.size(); ++current_) {
    auto& sample = samples[current_];
    if (sample.kept) {
      if (auto defect = sink.keep(sample)) return blamed(*std::move(defect));
      continue;
    }
    sink.begin(sample);
    try {
      const auto encoded = loader_.source.try_read(sample.index, sink);
      if (!encoded) return RowOutcome::parked;
      sample.data = *encoded;
    } catch (...) {
      return blamed(failure_of(Stage::read));
    }
    sink.end();
  }
  current_ = 0;
  return RowOutcome::proceed;
}

bool RowWorker::find_kept(RowSample& sample) noexcept {
  const Row& row = memory_.row();
  if (!loader_.cache || sample.kept) return bool(sample.kept);
  if (!loader_.cache->find(sample.index, sample.kept)) return false;
  const auto kept = sample.kept.sample();
  // Another loader with a larger bound may have kept it. Reading it again gives the fault.
  bool fits = kept.charged <= loader_.plan.max_sample_bytes;
  if (keeps_rows() && row.slot.sizes_differ()) {
    const auto room = row.slot.room();
    // A sample that replaces a smaller one must be scaled to that one's extent. The row's own sample
    // has the measured size.
    fits = fits && kept.size == (sample.attempt == 0 ? room : scaled_within(kept.size, room));
  }
  if (!fits) {
    sample.kept.release();
    return false;
  }
  times_.stats().count_hit();
  sample.unread.clear();
  sample.data = kept.data;
  sample.charged = kept.charged;
  sample.status = kept.status;
  return true;
}

// ---- plan -------------------------------------------------------------------------------------

Result<RowPlan> RowWorker::plan(RowSample& sample) {
  const auto info = decoder_->probe(sample.data.bytes);
  if (!info) return info.defect();
  if (memory_.row().slot.encoded()) return plan_encoded(*info);
  const auto upright = decoder_->upright(*info);
  const auto& row = memory_.row();
  const auto& slot = row.slot;
  auto fit = loader_.size ? plan::fit_of(loader_.options, slot.canvas())
                          : Result(loader_.rules.decoder.fit);
  if (slot.sizes_differ()) fit = current_ == 0 ? own_size(upright) : row_size();
  if (!fit) return fit.defect();
  if (!sample.window) {
    auto window = row_window(
        loader_.options, *fit,
        {.image = upright,
         .label = sample.data.label,
         .annotation = sample.data.annotation,
         .index = sample.index,
         .epoch = row.epoch,
         .position = row.position.value(),
         .partner = current_},
        shared_.sampler.draw(row.epoch, row.position, current_, sample.attempt), sample.attempt);
    if (!window) return window.defect();
    sample.window = *window;
    if (loader_.rules.decoder.exif == Exif::apply) sample.window->orientation = info->orientation;
  }
  return plan_planes(loader_.rules, sample.data, *info, *sample.window, fit->out, sample.unread,
                     current_ == 0 ? Part::own : Part::partner);
}

Result<codec::FitSpec> RowWorker::own_size(ImageSize found) {
  const Row& row = memory_.row();
  const auto measured = (*loader_.size_index)[row.own().index], room = row.slot.room();
  if (found != measured || room.height == 0)
    return Defect{FaultKind::corrupt, Stage::decode,
                  "the image is " + sides(found) + "; when sizes were measured it was " +
                      (measured.height == 0 ? "none" : sides(measured))};
  const auto& rule = loader_.size;
  auto size = rule ? room : scaled_within(measured, loader_.plan.sizes.bound);
  try {
    if (rule && row.own().attempt > 0)
      size = rule.of({row.epoch, row.step, row.own().index, measured});
  } catch (...) {
    return failure_of(Stage::decode).defect;
  }
  size = scaled_within(size, room);
  row.slot.resize(size);
  return codec::FitSpec{.out = row.slot.canvas(),
                        .flip = loader_.rules.decoder.fit.flip,
                        .into = {0, 0, size.width, size.height}};
}

codec::FitSpec RowWorker::row_size() {
  const auto row = memory_.row().slot.image().shape;
  return {
      .out = row, .flip = loader_.rules.decoder.fit.flip, .into = {0, 0, row.width, row.height}};
}

Result<RowPlan> RowWorker::plan_encoded(const codec::ImageInfo& info) {
  const Row& row = memory_.row();
  // Under `skip`, such a sample has no measured size.
  if (auto defect = too_long(row.own().data.annotation, loader_.plan.annotation_bytes))
    return *std::move(defect);
  const auto bytes = row.own().data.bytes.size();
  const auto measured = (*loader_.size_index)[row.own().index].width;
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
  const bool copied = row.own().kept && keeps_rows();
  if (copied) {
    row.slot.copy(row.own().kept.sample());
  } else {
    const auto begun = Clock::now();
    times_.decode_begins(begun);
    const auto at = times_.at(Stage::decode, row, begun);
    for (current_ = 0; auto& sample : row.samples) {
      auto planned = plan(sample);
      if (!planned) return std::move(planned.defect());
      plans_.set(current_++, *std::move(planned));
    }
    current_ = 0;
    if (auto admitted = memory_.admit(plans_.need()); admitted != RowOutcome::proceed) {
      if (admitted.failure()) current_ = plans_.largest(row.samples);
      return admitted;
    }
    if (auto written = write(); written != RowOutcome::proceed) return written;
    decoded_ns_ += times_.decode_ends(row, row.slot.image_bytes()).count();
    keep();
  }
  const bool damaged = std::ranges::any_of(
      row.samples, [](const auto& sample) { return sample.status == RowStatus::damaged; });
  finish(true,
         row.own().attempt > 0 ? RowStatus::replaced
         : damaged             ? RowStatus::damaged
                               : row.own().status,
         copied);
  return RowOutcome::done;
}

RowOutcome RowWorker::write() {
  Row& row = memory_.row();
  for (current_ = 0; auto& sample : row.samples) {
    auto decoded = decode_images(sample, plans_[current_]);
    if (stopping()) return RowOutcome::abandoned;
    if (decoded.failure()) return decoded;
    if (auto defect = too_long(sample.data.annotation, loader_.plan.annotation_bytes))
      return *std::move(defect);
    ++current_;
  }
  current_ = 0;
  const auto& own = row.own();
  if (row.slot.encoded())
    std::ranges::copy(own.data.bytes, std::as_writable_bytes(row.slot.pixels()).begin());
  row.slot.annotate(own.data.annotation);
  row.slot.label() = own.data.label;
  if (!row.slot.encoded()) row.slot.window() = *own.window;
  if (loader_.options.transform.apply) {
    const auto begun = Clock::now();
    const auto at = times_.at(Stage::fit, row, begun);
    auto transformed = transform_row(row, plans_, shared_, scratch());
    times_.fitted(Clock::now() - begun);
    if (stopping()) return RowOutcome::abandoned;
    if (transformed.failure()) return transformed;
  }
  row.slot.clear_rest();
  return RowOutcome::proceed;
}

RowOutcome RowWorker::decode_images(RowSample& sample, RowPlan& plan) {
  sample.status = plan.status;
  for (const auto& [p, defect] : plan.broken) broken(p, defect);
  for (std::size_t i = 0; i < plan.images.size(); ++i) {
    auto& image = plan.images[i];
    if (i == 0) {
      const auto to = image.in_scratch ? bytes_of(RowPlans::image(plan, image, scratch()))
                                       : memory_.row().slot.pixels();
      const auto decoded = decode(image, to);
      if (!decoded) return decoded.defect();
      if (decoded->status != RowStatus::ok) sample.status = decoded->status;
    } else if (auto decoded = decode_plane(i, image, plan); decoded != RowOutcome::proceed) {
      return decoded;
    }
  }
  return RowOutcome::proceed;
}

Result<codec::Decoded> RowWorker::decode(const PlannedPlane& image, std::span<std::uint8_t> to) {
  auto decoded = decoder_->decode(image.encoded, image.decode, plans_.work_memory(scratch()),
                                  shared_.stopping, to);
  if (decoded) times_.fitted(std::chrono::nanoseconds(decoded->fit_ns));
  return decoded;
}

RowOutcome RowWorker::decode_plane(std::size_t i, PlannedPlane& plane, const RowPlan& plan) {
  const auto p = i - 1;
  const auto& slot = memory_.row().slot;
  const bool own = current_ == 0;
  const auto shows = [&](PlaneStatus status) {
    plane.status = status;
    if (own) slot.plane_status(i) = status;
  };
  shows(plane.status);
  if (own && (plane.filled || plane.in_scratch)) slot.fill(i);
  if (plane.filled) return RowOutcome::proceed;
  const auto begun = Clock::now();
  const auto to =
      plane.in_scratch ? bytes_of(RowPlans::image(plan, plane, scratch())) : slot.pixels(i);
  const auto decoded = decode(plane, to);
  loader_.planes.decoded(p, Clock::now() - begun);
  const auto& rule = loader_.rules.planes[p];
  if (decoded) {
    shows(decoded->status == RowStatus::ok ? PlaneStatus::ok : PlaneStatus::damaged);
  } else if (rule.options.optional) {
    shows(PlaneStatus::broken);
    if (own) slot.fill(i);
    broken(p, of_plane(decoded.defect(), rule));
  } else {
    return of_plane(decoded.defect(), rule);
  }
  return RowOutcome::proceed;
}

void RowWorker::broken(std::size_t p, const Defect& defect) noexcept {
  if (stopping()) return;  // the defect may be that of a cancelled decode
  record(loader_, memory_.row(), current_, defect, loader_.rules.planes[p].options.name);
}

void RowWorker::keep() noexcept {
  if (!loader_.cache) return;
  for (const auto& sample : memory_.row().samples) {
    // A plane that was not read may be read in a later epoch.
    if (sample.kept || !sample.unread.empty()) continue;
    const buffer::KeptSample kept{.index = sample.index,
                                  .data = sample.data,
                                  .charged = sample.charged,
                                  .status = sample.status};
    if (keeps_rows())
      keep_row(kept);
    else
      keep_tiled(kept);
  }
}

void RowWorker::keep_row(buffer::KeptSample kept) noexcept {
  const Row& row = memory_.row();
  const auto needed = plans_.need();
  kept.charged = add_sat(kept.charged, add_sat(needed.scratch, needed.reserved));
  buffer::KeptImages images;
  row.slot.keep(kept, images);
  // The image was scaled to the extent of another sample, so it is not this sample's own row.
  if (row.slot.sizes_differ() &&
      kept.size != scaled_within((*loader_.size_index)[kept.index], loader_.plan.sizes.bound))
    return;
  loader_.cache->keep(kept, {images.begin(), images.size()});
}

void RowWorker::keep_tiled(buffer::KeptSample kept) noexcept {
  // When the cache is full, no file is written again for nothing.
  const auto tiles = loader_.tiles_fit ? loader_.plan.cache.tiles : 0;
  const bool tiled =
      tiles != 0 && put_tiles(kept, tiles, loader_.rules.decoder, memory_, shared_.stopping);
  const bool fits = loader_.cache->keep(kept);
  if (tiled && !fits) loader_.tiles_fit = false;
  // Coefficients take more than a decode, and later rows need no tiles.
  if (tiles != 0) memory_.trim_scratch();
}

// ---- finish -----------------------------------------------------------------------------------

bool RowWorker::fail(const Failure& failure) noexcept {
  Row& row = memory_.row();
  const auto& [defect, thrown] = failure;
  auto described = record(loader_, row, current_, defect);
  ++row.samples[current_].attempt;
  // A replacement of the row's own sample may change the size of the row, which all windows fill.
  for (auto& sample : row.samples) sample.window.reset();
  row.has_bytes = false;
  switch (loader_.options.faults.policy) {
    case OnFault::blank: row.slot.blank(); break;
    case OnFault::skip:
      try {
        if (!redraw(row)) {
          end_stream_here(error_of(Errc::too_many_faults, defect.stage, [&] {
            const auto failures = row.samples[current_].attempt;
            return concat("row ", row.row.row, " of batch ", row.row.sequence, " failed ", failures,
                          failures == 1 ? " time" : " times",
                          failures < most_attempts
                              ? concat(", and no other sample that was drawn for it has at most ",
                                       row.slot.room().width, " bytes")
                              : "",
                          "; `faults.policy` = blank shows `fill` in such rows; last with ",
                          described);
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
  const auto& [sampler, partners] = std::tie(shared_.sampler, shared_.partners);
  InlineList<std::uint64_t, PartnerOptions::most> others;
  for (std::uint32_t number = 0; number < row.samples.size(); ++number)
    if (number != current_) others.push_back(row.samples[number].index);
  auto& sample = row.samples[current_];
  if (sample.attempt == most_attempts) return false;
  const auto fits = [&] {
    if (!row.slot.encoded()) return true;
    const auto bytes = (*loader_.size_index)[sample.index].width, room = row.slot.room().width;
    return bytes <= room && (bytes > 0 || room == 0);
  };
  // What does not fit is not read, and is no attempt. After so many draws, an order without weights
  // has given every other sample.
  auto left = std::max<std::uint64_t>({most_attempts, sampler.samples(), sampler.positions()});
  for (; left > 0; --left) {
    const auto draw = ++sample.draws;
    sample.index = others.empty() ? sampler.replacement_of(row.drawn, row.epoch, row.position, draw)
                                  : partners.draw({row.epoch, row.position, row.drawn}, current_,
                                                  draw, {others.begin(), others.size()});
    if (fits() || stopping()) return true;
  }
  return false;
}

void RowWorker::end_stream_here(const std::exception_ptr& error) {
  // Set the error first. The conductor may end the stream as soon as it sees the stop.
  shared_.error.offer(memory_.row().row, error);
  loader_.book->stop_at(memory_.row().row);
}

void RowWorker::finish(bool ok, RowStatus status, bool copied) {
  const Row& row = memory_.row();
  for (std::size_t i = 1; ok && i < row.slot.images(); ++i)
    loader_.planes.add(i - 1, row.slot.plane_status(i));
  row.slot.end(row.own().index, status);
  memory_.release();
  times_.bytes();
  const books::EndedRows ended{.slab = row.slot.slab(),
                               .first = row.row.row,
                               .ok = ok,
                               .replaced = status == RowStatus::replaced,
                               .partners = static_cast<std::uint32_t>(row.samples.size() - 1)};
  if (copied && !ended.replaced) {
    if (copied_.count++ == 0) copied_ = ended;
    return;
  }
  post_copied();
  post(ended);
}

void RowWorker::post_copied() noexcept {
  if (copied_.count > 0) post(copied_);
  copied_ = {.count = 0};
}

}  // namespace weir::engine
