#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/sanitize.hpp"
#include "cli/commands.hpp"
#include "cli/data.hpp"
#include "cli/drive.hpp"
#include "cli/messages.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/rows.hpp"
#include "findings/verify.hpp"
#include "report/bytes.hpp"
#ifdef WEIR_SHARDS
#include "shards/make_index.hpp"
#endif

namespace weir::cli {
namespace {

/// Reads all shards and compares them with their index. Empty if DATA is no shards, or if no index
/// lists them all.
#ifdef WEIR_SHARDS
std::optional<findings::ChecksumFindings> compare_checksums(const Settings& settings,
                                                            const std::stop_token& stop) {
  if (!data::are_shards(settings.paths())) return {};
  const auto opened = data::open_tars(settings.paths(), how_to_open(settings, stop));
  if (!opened.has_checksums()) return {};
  std::atomic<std::uint64_t> done{0};
  const Progress progress(settings, [&] {
    return fmt::format("verify: {} of the shards read", report::human_bytes(done.load()));
  });
  const auto& index = opened.index();
  findings::ChecksumFindings findings{index.shards.size(), index.samples.size()};
  const auto wrong = shards::wrong_checksums(
      opened, {.limits = settings.options.limits, .stop = stop, .done = &done});
  for (const auto& [shard, sample] : wrong) {
    const auto name = sanitize(index.shards[shard].name);
    findings.wrong.push_back(
        sample ? fmt::format("{}: the checksum of sample {} differs, {} at byte {}",
                             sanitize(opened.name(*sample)), *sample,
                             report::human_bytes(index.samples[*sample].bytes),
                             index.samples[*sample].offset)
               : name + ": its checksum differs, outside of the images");
  }
  return findings;
}
#else
std::optional<findings::ChecksumFindings> compare_checksums(const Settings&,
                                                            const std::stop_token&) {
  return {};
}
#endif

std::uint64_t batches_in_all(const Loader& loader, const Settings& settings) {
  return std::min(settings.steps.value_or(UINT64_MAX),
                  schedule_of(settings, loader.plan().ranks, loader.size()).end());
}

observe::SecondDelivery delivered_again(const AnySource& source, const Settings& settings,
                                        const Report& did, const observe::Delivered& delivered,
                                        const std::stop_token& stop) {
  std::atomic<std::uint64_t> done{0};
  const Progress progress(settings, [&] {
    return fmt::format("verify: batch {} of {} delivered once more", done.load(),
                       delivered.pieces().size());
  });
  return observe::deliver_again(source, settings.options, settings.world.value_or(1), did,
                                delivered, stop, done);
}

/// --world: one process delivers what all ranks deliver, with the memory of all.
Settings for_all_ranks(Settings settings) {
  const std::uint64_t world = settings.world.value_or(1);
  auto& options = settings.options;
  options.batch =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(options.batch * world, UINT32_MAX));
  auto &budget = options.memory.budget_bytes, &queue = options.queue.max_bytes;
  // That of auto is a share of the machine's memory.
  if (budget && settings.budget_how.empty()) budget = mul_sat(*budget, world);
  if (queue) queue = mul_sat(*queue, world);
  return settings;
}

}  // namespace

int verify_command(const Settings& settings, const Interrupt& interrupt) {
  findings::VerifyFindings found;
  found.world = settings.world.value_or(1);
  found.checksums = compare_checksums(settings, interrupt.token());
  data::Notes notes;
  const auto source = open_undelayed(settings, interrupt.token(), &notes);
  if (notes.open_files > 0 && !found.checksums)
    hint(settings,
         "no index.weir has all these samples, so there are no checksums to verify; "
         "`weir index` makes it");
  const auto known = surveyed(for_all_ranks(settings), source, interrupt.token());
  std::optional<observe::Delivered> delivered;
  found.run = drive(delayed(source, known, interrupt.token()), known, interrupt, "verify",
                    [&](const Taken& now) {
                      if (!delivered)
                        delivered.emplace(now.loader, batches_in_all(now.loader, known));
                      delivered->note(now.held.back());
                      found.laws.check(now.loader, now.held);
                      if (!interrupt.raised()) found.laws.check_resume(now.loader, now.stream);
                      return true;
                    });
  if (delivered)
    found.second = delivered_again(source, known, found.run.figures, *delivered, interrupt.token());
  else
    found.second.skipped = "no batch was delivered";
  const auto& second = found.second;
  if (second.skipped.empty())
    found.laws.count(found.world == 1 ? "determinism" : "ranks", second.compared - second.same,
                     second.compared, second.difference);

  emit(settings, to_json(found, settings.data), to_text(found));
  say_error(settings, found.run.error, found.run.figures.fault_count);
  const bool damaged = found.checksums && !found.checksums->wrong.empty();
  return found.laws.breaches() > 0 || damaged ? failed_exit : exit_code(found.run);
}

}  // namespace weir::cli
