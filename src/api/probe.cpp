#include "weir/probe.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <new>
#include <utility>

#include "api/sample_reader.hpp"
#include "base/checked.hpp"
#include "base/mutex.hpp"
#include "base/threads.hpp"
#include "codec/decoder.hpp"
#include "codec/format.hpp"
#include "engine/failure.hpp"
#include "engine/plan_planes.hpp"
#include "engine/row_window.hpp"
#include "plan/pixel_plan.hpp"
#include "weir/plan.hpp"

namespace weir {
namespace {

/// Throws for options that a Loader would refuse.
Plan plan_of(const Options& options, const AnySource& source) {
  if (options.decode == Decode::none)
    throw Error(Errc::bad_options, Stage::wait, "decode = none: probe() decodes images");
  if (options.sizes.mode != Sizes::fixed)
    throw Error(Errc::bad_options, Stage::wait, "sizes.mode: probe() takes images of one shape");
  auto plan = resolve(options, source.index_bytes(), 0, source.size());
  // A Loader reserves what the largest sample needs, so it refuses none of these.
  if (options.memory.max_sample_bytes == ByteBound::measured) plan.max_sample_bytes = unlimited;
  return plan;
}

ProbedFile file_of(const codec::ImageInfo& info, PixelFormat pixels) {
  return {.format = info.format->name,
          .width = info.width,
          .height = info.height,
          .bits = info.bit_depth == 0 ? std::nullopt : std::optional(info.bit_depth),
          .colour = info.channels > 2,
          .alpha = info.alpha,
          .palette = info.palette,
          .drops = codec::dropped(info, pixels)};
}

/// Checks one sample at a time. Not thread-safe.
class Prober {
 public:
  Prober(const Options& options, const Plan& plan, const std::vector<std::string>& offered)
      : plan_(plan),
        window_(options.window),
        seed_(options.seed),
        planes_(engine::plane_rules(options, offered)),
        decoder_(plan::decoder_options(options)) {}

  ProbedImage look_at(const AnySource& source, std::uint64_t index) {
    auto found = judge(source, index);
    auto image = found ? std::move(*found) : ProbedImage{};
    image.index = index;
    image.name = engine::name_of(source, index);
    if (!found) image.fault = engine::fault_of(found.defect(), source, index, 0);
    if (found)
      for (auto& [plane, defect] : broken_) {
        image.broken.push_back(engine::fault_of(defect, source, index, 0));
        image.broken.back().plane = planes_[plane].options.name;
      }
    return image;
  }

 private:
  Result<ProbedImage> judge(const AnySource& source, std::uint64_t index) {
    try {
      const auto encoded = reader_.read(source, index);
      if (!encoded) return encoded.defect();
      return judge(*encoded, index);
    } catch (const std::bad_alloc&) {
      scratch_ = {};
      return Defect{FaultKind::memory, Stage::decode, {}};
    }
  }

  /// As in epoch 0, with the index as the position.
  Result<Window> window_of(const Encoded& encoded, ImageSize image, std::uint64_t index) const {
    const auto& fit = decoder_.options().fit;
    if (!window_.choose) return codec::choose_window(image, fit, 0);
    return engine::own_window(window_,
                              {.image = image,
                               .row = fit.out,
                               .label = encoded.label,
                               .annotation = encoded.annotation,
                               .index = index,
                               .position = index},
                              seed_, 0);
  }

  Result<ProbedImage> judge(const Encoded& encoded, std::uint64_t index) {
    const auto first = decoder_.probe(encoded.bytes);
    if (!first) return first.defect();
    const auto& options = decoder_.options();
    const auto window = window_of(encoded, decoder_.upright(*first), index);
    if (!window) return window.defect();
    const auto planned =
        engine::plan_planes({.decoder = options,
                             .whole = plan_.whole_images,
                             .transform_bytes = plan_.transform_bytes,
                             .planes = planes_},
                            encoded, *first, *window, options.fit.out, reader_.unread());
    if (!planned) return planned.defect();
    const auto& row = *planned;
    const auto needs = add_sat(row.need().scratch, row.need().reserved);
    if (auto defect = engine::too_large(add_sat(reader_.charged(), needs), plan_.max_sample_bytes,
                                        Stage::wait))
      return *std::move(defect);

    broken_ = row.broken;
    ProbedImage probed{file_of(*first, options.pixels)};
    const auto status = decode(row.images[0], options);
    if (!status) return status.defect();
    for (std::size_t p = 0; p < planes_.size(); ++p) {
      const auto& plane = row.images[p + 1];
      probed.planes.push_back({{}, plane.status});
      auto& found = probed.planes.back();
      if (plane.filled) continue;
      static_cast<ProbedFile&>(found) = file_of(plane.decode.info, planes_[p].options.pixels);
      const auto decoded = decode(plane, planes_[p].decoder);
      if (!decoded && !planes_[p].options.optional)
        return engine::of_plane(decoded.defect(), planes_[p]);
      if (!decoded) {
        found.status = PlaneStatus::broken;
        broken_.emplace_back(p, engine::of_plane(decoded.defect(), planes_[p]));
      } else if (*decoded == RowStatus::damaged) {
        found.status = PlaneStatus::damaged;
      }
    }
    if (auto defect = engine::too_long(encoded.annotation, plan_.annotation_bytes))
      return *std::move(defect);
    probed.encoded_bytes = encoded.image_bytes();
    probed.scratch_bytes = needs;
    probed.damaged = *status == RowStatus::damaged;
    return probed;
  }

  /// Decodes the whole image, because a crop may miss the damaged part.
  Result<RowStatus> decode(const engine::PlannedPlane& image,
                           const codec::DecoderOptions& options) {
    const auto& info = image.decode.info;
    const auto size = codec::upright_size(info, options.exif);
    const auto out = image.decode.out();
    auto crop = codec::whole_crop(size);
    crop.target = {0, 0, out.width, out.height};
    const auto plan = codec::plan_decode(info, crop, out, options);
    row_.resize(static_cast<std::size_t>(plan.out_bytes()));
    const auto decoded =
        decoder_.decode(image.encoded, plan, scratch(plan.memory.scratch), never_, row_);
    if (!decoded) return decoded.defect();
    return decoded->status;
  }

  std::span<std::byte> scratch(std::uint64_t bytes) {
    const auto lines = static_cast<std::size_t>(bytes / sizeof(Line) + 1);
    if (scratch_.size() < lines) {
      scratch_ = {};  // free first, so that old and new are never held together
      scratch_.resize(lines);
    }
    return std::as_writable_bytes(std::span(scratch_)).first(static_cast<std::size_t>(bytes));
  }

  const Plan& plan_;
  const WindowOptions& window_;
  const std::uint64_t seed_;
  const std::vector<engine::PlaneRule> planes_;
  codec::Decoder decoder_;
  std::vector<std::pair<std::size_t, Defect>> broken_;  ///< planes of the sample, and why
  MemoryLedger ledger_{unlimited};                      ///< unlimited and private
  api::SampleReader reader_{ledger_, plan_.max_sample_bytes, planes_, plan_.annotation_bytes > 0};
  struct alignas(buffer::Block::alignment) Line {
    std::byte bytes[buffer::Block::alignment];
  };
  std::vector<Line> scratch_;
  std::vector<std::uint8_t> row_;
  const std::atomic<bool> never_{false};
};

void widen(ProbedRange& range, std::uint64_t value, bool first) {
  range.least = first ? value : std::min(range.least, value);
  range.most = std::max(range.most, value);
}

std::uint64_t PlaneStats::*count_of(PlaneStatus status) noexcept {
  switch (status) {
    case PlaneStatus::ok: return &PlaneStats::ok;
    case PlaneStatus::damaged: return &PlaneStats::damaged;
    case PlaneStatus::absent: return &PlaneStats::absent;
    default: return &PlaneStats::broken;
  }
}

void add(ProbeReport& report, const ProbedImage& image) {
  ++report.samples;
  if (image.fault) {
    report.faults.push_back(*image.fault);
    return;
  }
  const bool first = report.sound++ == 0;
  report.damaged += image.damaged;
  ++report.formats[std::string(image.format)];
  for (std::size_t i = 0; i < image.planes.size(); ++i)
    ++(report.planes[i].*count_of(image.planes[i].status));
  report.broken.insert(report.broken.end(), image.broken.begin(), image.broken.end());
  widen(report.width, image.width, first);
  widen(report.height, image.height, first);
  widen(report.encoded_bytes, image.encoded_bytes, first);
  const auto& worst = report.worst_scratch;
  if (first || image.scratch_bytes > worst.scratch_bytes ||
      (image.scratch_bytes == worst.scratch_bytes && image.index < worst.index))
    report.worst_scratch = image;
}

/// The bytes of one file.
struct OneFile {
  std::span<const std::byte> bytes;

  std::uint64_t size() const { return 1; }
  std::optional<Encoded> try_read(std::uint64_t, ByteSink& sink) const {
    const auto memory = sink.try_take(bytes.size());
    if (!memory) return std::nullopt;
    std::ranges::copy(bytes, memory->begin());
    return Encoded{.bytes = *memory};
  }
  std::string name(std::uint64_t) const { return {}; }
  std::uint64_t index_bytes() const { return 0; }
  std::optional<std::uint64_t> annotation_bytes() const { return 0; }
};

}  // namespace

ProbedImage probe(std::span<const std::byte> encoded, const Options& requested) {
  const AnySource source = OneFile{encoded};
  const auto options = plan::with_annotation_bytes(requested, source);
  const auto plan = plan_of(options, source);
  return Prober(options, plan, {}).look_at(source, 0);
}

ProbeReport probe(const AnySource& source, const Options& requested, const ProbeOptions& how) {
  const auto options = plan::with_annotation_bytes(requested, source);
  const auto plan = plan_of(options, source);
  Mutex mutex;
  ProbeReport report;
  for (const auto& plane : options.planes) report.planes.push_back({.name = plane.name});
  for_each_index(source.size(), threads_for(options.workers), [&] {
    return [&, prober =
                   std::make_unique<Prober>(options, plan, source.planes())](std::uint64_t index) {
      if (how.stop.stop_requested()) return;
      const auto image = prober->look_at(source, index);
      const Lock lock(mutex);
      add(report, image);
      if (how.on_image) how.on_image(image);
    };
  });
  std::ranges::sort(report.faults, {}, &Fault::index);
  std::ranges::stable_sort(report.broken, {}, &Fault::index);
  return report;
}

}  // namespace weir
