#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "cli/commands.hpp"
#include "cli/data.hpp"
#include "cli/messages.hpp"
#include "cli/output.hpp"
#include "cli/parse.hpp"
#include "cli/progress.hpp"
#include "plan/order_plan.hpp"
#include "plan/pixel_plan.hpp"
#include "report/bytes.hpp"
#include "report/stats_text.hpp"
#include "source/extension.hpp"
#include "source/name_list.hpp"
#include "source/order.hpp"
#include "source/plane_names.hpp"
#ifdef WEIR_SHARDS
#include "engine/plan_planes.hpp"
#include "findings/pack.hpp"
#endif

namespace weir::cli {

#ifdef WEIR_SHARDS
namespace {

/// The shards in DATA would be samples, or a class, when it is read again.
void refuse_out_in_data(const Settings& s) {
  namespace fs = std::filesystem;
  std::error_code failed;
  if (!fs::is_directory(s.data, failed)) return;
  const auto data = fs::weakly_canonical(s.data, failed).string() + '/';
  const auto out = fs::weakly_canonical(s.pack.out, failed).string() + '/';
  if (out.starts_with(data))
    throw std::invalid_argument(
        fmt::format("{} lies in {}; write to another folder", s.pack.out, s.data));
}

/// The planes to store. Without --plane, --keep takes all of the source.
std::vector<engine::PlaneRule> plane_rules(const AnySource& source, const Settings& s,
                                           Options options) {
  const auto offered = source.planes();
  for (std::size_t i = 0; i < s.planes.size(); ++i) {
    auto& plane = options.planes[i];
    if (!is_stored(plane.pixels)) plane.filter = options.filter;
  }
  if (s.planes.empty() && !offered.empty() && s.pack.short_side)
    throw std::invalid_argument(fmt::format(
        "{} has planes ({}), and --short-side must know their pixel formats; write --plane "
        "{},format=FORMAT for each one that is stored",
        as_typed(s.data), source::list_of(offered), offered[0]));
  // A decoder gives any file in this format.
  if (s.planes.empty())
    for (const auto& name : offered)
      options.planes.push_back({.name = name, .pixels = PixelFormat::rgb16, .optional = true});
  return engine::plane_rules(options, offered).planes;
}

/// Extension of the annotations' members. Empty if there are none.
std::string annotation_of(const AnySource& source, const Settings& s) {
  constexpr std::size_t longest = 80;  // a name in a shard has 100 characters
  const auto& from = s.annotation.from;
  if (from.empty() && source.annotation_bytes().value_or(0) == 0) return {};
  const auto found = from.empty()                          ? "annotation"
                     : std::filesystem::is_directory(from) ? s.annotation.file_extension()
                                                           : from;
  const auto plain = found.substr(std::min(found.find_first_not_of('.'), found.size()));
  if (plain.empty() || plain.size() > longest)
    throw std::invalid_argument(
        fmt::format("--annotation {}: in a shard, an extension has 1 to {} characters, not {}",
                    as_typed(from), longest, plain.size()));
  const auto lower = source::lower_case(plain);
  if (lower == "cls" || source::may_be_image('.' + lower))
    throw std::invalid_argument(
        fmt::format("--annotation {}: in a shard, members of this extension are {}", as_typed(from),
                    lower == "cls" ? "labels" : "images"));
  return plain;
}

pack::Job job_of(const AnySource& source, const Settings& s) {
  auto options = s.options;
  const auto& p = s.pack;
  if (p.short_side) options.filter = Filter::antialiased;
  if (!p.short_side) options.decode = Decode::fast;  // it shows as much damage
  const bool files = !p.files_to.empty();
  return {.out = p.out,
          .recipe = {.short_side = p.short_side.value_or(0),
                     .quality = static_cast<int>(p.quality.value_or(usual_quality)),
                     .tiles = p.tiles.value_or(0),
                     .decoder = plan::decoder_options(options),
                     .planes =
                         files ? std::vector<engine::PlaneRule>{} : plane_rules(source, s, options),
                     .annotation = files ? std::string() : annotation_of(source, s)},
          .files = files,
          .order = options.order,
          .seed = options.seed,
          .shard_bytes = p.shard_bytes.value_or(pack::Job{}.shard_bytes),
          .skip_faults = options.faults.policy == OnFault::skip,
          .workers = options.workers,
          .budget_bytes = options.memory.budget_bytes.value_or(UINT64_MAX),
          .max_sample_bytes = options.memory.max_sample_bytes.value_or(0).bytes().value_or(0)};
}

pack::Packed pack_data(const AnySource& source, pack::Job job, const Settings& settings) {
  std::optional<OutputFile> bad;
  if (!settings.list_bad.empty()) bad.emplace(settings.list_bad);
  job.on_fault = [&](const Fault& fault) {
    if (bad) bad->stream() << source::name_line(source.name(fault.index));
  };
  pack::Counts counts;
  const auto positions = source::positions_of(job.order, source.size());
  const auto begun = Clock::now();
  const Progress progress(settings, [&] {
    const auto done = counts.done.load();
    const std::chrono::duration<double> elapsed = Clock::now() - begun;
    return ProgressLine{
        {fmt::format("pack: {} of {} samples", report::grouped(done), report::grouped(positions))},
        {fmt::format("{:.0f} samples/s", static_cast<double>(done) / elapsed.count()), 1},
        {report::human_bytes(counts.live.load()), 2}};
  });
  try {
    auto packed = pack::pack(source, job, counts);
    if (bad) bad->close();
    return packed;
  } catch (const Error& e) {
    if (e.code() != Errc::sample_failed) throw;
    throw Error(Errc::sample_failed, e.stage(),
                plain_text(e) +
                    "; --on-fault skip leaves bad samples out, and what is complete is kept "
                    "when you run it again");
  }
}

}  // namespace

int pack_command(const Settings& settings, const Interrupt& interrupt) {
  refuse_out_in_data(settings);
  const auto source = open_data(settings, interrupt.token());
  plan::check_order(settings.options.order, source.size());
  auto job = job_of(source, settings);
  job.stop = interrupt.token();
  const auto packed = pack_data(source, std::move(job), settings);
  const auto& out = settings.pack.out;
  emit(settings, findings::to_json(packed, out, settings.data), findings::to_text(packed, out));
  if (packed.stopped) return interrupted_exit;
  return done_exit;
}
#else
int pack_command(const Settings&, const Interrupt&) {
  throw misuse("this weir was built without libarchive, which pack needs");
}
#endif

}  // namespace weir::cli
