#include "weir/probe.hpp"

#include <algorithm>
#include <memory>

#include "api/examiner.hpp"
#include "base/checked.hpp"
#include "base/mutex.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"
#include "plan/pixel_plan.hpp"
#include "weir/plan.hpp"

namespace weir {
namespace {

/// max_sample_bytes. Throws for options that a Loader would refuse.
std::uint64_t bound_of(const Options& options, const AnySource& source) {
  if (options.decode == Decode::none)
    refuse(Stage::wait, "`decode` = none: probe() decodes images");
  if (options.sizes.mode != Sizes::fixed)
    refuse(Stage::wait,
           "`sizes.mode` = ", options.sizes.mode == Sizes::padded ? "padded" : "ragged",
           ": probe() takes images of one shape; set fixed");
  const auto plan = resolve(options, source.index_bytes(), 0, source.size());
  // A Loader reserves what the largest sample needs, so it refuses none of these.
  const bool measured = options.memory.max_sample_bytes == ByteBound::measured;
  return measured ? unlimited : plan.max_sample_bytes;
}

void widen(ProbedRange& range, std::uint64_t value, bool first) {
  range.least = first ? value : std::min(range.least, value);
  range.most = std::max(range.most, value);
}

/// By PlaneStatus.
constexpr std::uint64_t PlaneStats::*plane_counts[] = {&PlaneStats::ok, &PlaneStats::damaged,
                                                       &PlaneStats::absent, &PlaneStats::broken};

void add(ProbedKinds& kinds, const ProbedFile& file) {
  if (file.format.empty()) return;
  ++kinds.pixels[pixels_text(file)];
  for (const auto what : file.drops) ++kinds.drops[std::string(what)];
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
  report.tiled += image.tiles > 0;
  add(report.kinds, image);
  for (std::size_t i = 0; i < image.planes.size(); ++i) {
    ++(report.planes[i].*plane_counts[static_cast<std::size_t>(image.planes[i].status)]);
    add(report.plane_kinds[i], image.planes[i]);
  }
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

std::string pixels_text(const ProbedFile& file) {
  if (!file.bits) return "unknown";
  return concat(file.palette  ? "palette"
                : file.colour ? "colour"
                              : "grey",
                file.alpha ? " with alpha" : "", " of ", int{*file.bits},
                *file.bits == 1 ? " bit" : " bits");
}

ProbedImage probe(std::span<const std::byte> encoded, const Options& requested) {
  const AnySource source = OneFile{encoded};
  const auto options = plan::with_annotation_bytes(requested, source);
  MemoryLedger uncharged(unlimited);
  return api::Examiner(source, options, uncharged, bound_of(options, source)).probe(0);
}

ProbeReport probe(const AnySource& source, const Options& requested, const ProbeOptions& how) {
  const auto options = plan::with_annotation_bytes(requested, source);
  const auto bound = bound_of(options, source);
  MemoryLedger uncharged(unlimited);
  Mutex mutex;
  ProbeReport report;
  for (const auto& plane : options.planes) report.planes.push_back({.name = plane.name});
  report.plane_kinds.resize(options.planes.size());
  const auto examine = [&] {
    return [&, examiner = std::make_unique<api::Examiner>(source, options, uncharged, bound)](
               std::uint64_t index) {
      const auto image = examiner->probe(index);
      const Lock lock(mutex);
      add(report, image);
      if (how.on_image) how.on_image(image);
    };
  };
  for_each_index(source.size(), threads_for(options.workers), examine, how.stop);
  std::ranges::sort(report.faults, {}, &Fault::index);
  std::ranges::stable_sort(report.broken, {}, &Fault::index);
  return report;
}

}  // namespace weir
