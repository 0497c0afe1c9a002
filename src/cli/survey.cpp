#include "cli/survey.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <iterator>
#include <mutex>
#include <new>
#include <thread>
#include <utility>

#include "base/checked.hpp"
#include "base/defect.hpp"
#include "base/no_memory.hpp"
#include "base/sanitize.hpp"
#include "cli/progress.hpp"
#include "cli/vector_sink.hpp"
#include "codec/decoder.hpp"
#include "codec/format.hpp"
#include "report/bytes.hpp"
#include "weir/plan.hpp"

namespace weir::cli {
namespace {

constexpr std::size_t scratch_alignment = 64;

codec::DecoderOptions decoder_options(const Options& options, const Plan& plan, Fit fit) {
  return {.fit = {.out = options.shape, .fit = fit, .short_side = plan.short_side},
          .exif = options.exif,
          .strict = options.faults.strict,
          .antialias = options.antialias,
          .decode = options.decode,
          .limits = options.limits,
          .codecs = options.codecs};
}

class Surveyor {
 public:
  Surveyor(const AnySource& source, const Settings& settings, const Plan& plan)
      : source_(source),
        max_sample_bytes_(plan.max_sample_bytes),
        each_(settings.each),
        whole_(decoder_options(settings.options, plan, Fit::stretch)),
        as_asked_(decoder_options(settings.options, plan, settings.options.fit)),
        row_(plan.shape.values()) {}

  void look_at(std::uint64_t index) {
    ++found_.files;
    if (auto defect = defect_of(index))
      found_.faults.push_back({.index = index,
                               .epoch = 0,
                               .name = sanitize(source_.name(index)),
                               .kind = defect->kind,
                               .stage = defect->stage,
                               .reason = sanitize(defect->reason),
                               .offset = defect->offset});
    else
      ++found_.sound;
  }
  Survey&& found() && { return std::move(found_); }

 private:
  std::optional<Defect> defect_of(std::uint64_t index) {
    std::span<const std::byte> encoded;
    try {
      encoded = source_.read(index, sink_).bytes;
    } catch (const SampleError& e) {
      return Defect{e.kind(), Stage::read, e.what()};
    } catch (const std::bad_alloc&) {
      sink_ = {};
      return Defect{FaultKind::memory, Stage::read, no_memory};
    } catch (const std::exception& e) {
      return Defect{FaultKind::io, Stage::read, e.what()};
    }
    try {
      return defect_of(index, encoded);
    } catch (const std::bad_alloc&) {
      scratch_ = {};
      return Defect{FaultKind::memory, Stage::decode, no_memory};
    }
  }

  std::optional<Defect> defect_of(std::uint64_t index, std::span<const std::byte> encoded) {
    const auto info = whole_.probe(encoded);
    if (!info) return info.defect();
    const auto need = as_asked_.plan(*info, 0).memory;
    const auto needs = add_sat(need.scratch, need.reserved);
    if (add_sat(needs, encoded.size()) > max_sample_bytes_)
      return Defect{FaultKind::memory, Stage::wait,
                    fmt::format("needs {} bytes of encoded and scratch memory, max_sample_bytes "
                                "is {}",
                                add_sat(needs, encoded.size()), max_sample_bytes_)};
    const auto whole = whole_.plan(*info, 0);
    const auto decoded = whole_.decode(encoded, whole, scratch(whole.memory.scratch), never_, row_);
    if (!decoded) return decoded.defect();
    note(index, *info, encoded.size(), needs, decoded->status == RowStatus::damaged);
    return std::nullopt;
  }

  std::span<std::byte> scratch(std::uint64_t bytes) {
    if (scratch_.size() < bytes + scratch_alignment) {
      scratch_ = {};  // else both are held while it grows
      scratch_.resize(bytes + scratch_alignment);
    }
    void* start = scratch_.data();
    std::size_t space = scratch_.size();
    return {static_cast<std::byte*>(std::align(scratch_alignment, bytes, start, space)), bytes};
  }

  void note(std::uint64_t index, const codec::ImageInfo& info, std::size_t encoded_bytes,
            std::uint64_t needs, bool damaged) {
    if (damaged) ++found_.damaged;
    if (each_)
      found_.each.push_back({.index = index,
                             .name = sanitize(source_.name(index)),
                             .format = info.format->name,
                             .width = info.width,
                             .height = info.height,
                             .damaged = damaged});
    ++found_.formats[std::string(info.format->name)];
    found_.width.add(info.width);
    found_.height.add(info.height);
    found_.encoded_bytes.add(encoded_bytes);
    if (needs <= found_.worst_scratch) return;
    found_.worst_scratch = needs;
    found_.worst_scratch_name = sanitize(source_.name(index));
  }

  const AnySource& source_;
  std::uint64_t max_sample_bytes_;
  bool each_;
  codec::Decoder whole_, as_asked_;
  VectorSink sink_;
  std::vector<std::byte> scratch_;
  std::vector<std::uint8_t> row_;
  const std::atomic<bool> never_{false};
  Survey found_;
};

}  // namespace

void Range::add(std::uint64_t value) noexcept {
  least = empty_ ? value : std::min(least, value);
  most = std::max(most, value);
  empty_ = false;
}

void Range::merge(const Range& other) noexcept {
  if (other.empty_) return;
  add(other.least);
  add(other.most);
}

void Survey::merge(Survey&& other) {
  files += other.files;
  sound += other.sound;
  damaged += other.damaged;
  for (const auto& [format, count] : other.formats) formats[format] += count;
  width.merge(other.width);
  height.merge(other.height);
  encoded_bytes.merge(other.encoded_bytes);
  if (std::pair(other.worst_scratch, worst_scratch_name) >
      std::pair(worst_scratch, other.worst_scratch_name)) {
    worst_scratch = other.worst_scratch;
    worst_scratch_name = std::move(other.worst_scratch_name);
  }
  std::ranges::move(other.faults, std::back_inserter(faults));
  std::ranges::sort(faults, {}, &Fault::index);
  std::ranges::move(other.each, std::back_inserter(each));
  std::ranges::sort(each, {}, &Sound::index);
}

Survey survey(const AnySource& source, const Settings& settings, const Interrupt& interrupt) {
  const auto plan = resolve(settings.options, source.index_bytes());
  const auto asked = settings.options.workers != 0 ? settings.options.workers
                                                   : std::thread::hardware_concurrency();
  const auto workers = std::clamp<std::uint64_t>(source.size(), 1, std::max(asked, 1u));
  std::atomic<std::uint64_t> next{0};
  std::mutex mutex;
  Survey all;
  const Progress progress(settings, [&] {
    return ProgressLine{
        ProgressField{.text = fmt::format("probe: {} of {} files",
                                          report::grouped(std::min(next.load(), source.size())),
                                          report::grouped(source.size()))}};
  });
  std::exception_ptr error;
  const auto work = [&] {
    try {
      Surveyor surveyor(source, settings, plan);
      for (auto index = next++; index < source.size() && !interrupt.raised(); index = next++)
        surveyor.look_at(index);
      const std::lock_guard lock(mutex);
      all.merge(std::move(surveyor).found());
    } catch (...) {
      const std::lock_guard lock(mutex);
      error = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    others.reserve(static_cast<std::size_t>(workers));
    try {
      for (std::uint64_t i = 1; i < workers; ++i) others.emplace_back(work);
    } catch (const std::exception&) {
      // Those that could start do it.
    }
    work();
  }
  if (error) std::rethrow_exception(error);
  return all;
}

}  // namespace weir::cli
