#include "report/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "plan/resolve.hpp"
#include "report/bytes.hpp"
#include "report/fields.hpp"
#include "report/stats_text.hpp"
#include "report/table.hpp"
#include "source/order.hpp"
#include "weir/profile.hpp"

namespace weir::report {
namespace {

/// The shape of an image and the staging bytes.
std::string shape_text(const Plan& plan) {
  const auto& sizes = plan.sizes;
  if (sizes.mode == Sizes::fixed && sizes.size.empty())
    return fmt::format("{}x{}", plan.shape.height, plan.shape.width);
  if (!sizes.size.empty())
    return fmt::format("images of sizes that change ({}), up to {}x{}", sizes.size,
                       plan.shape.height, plan.shape.width);
  if (plan.decode == Decode::none)
    return fmt::format("encoded samples of up to {}", human_bytes(sizes.largest.width));
  const auto bound = sizes.bound == ImageSize{}
                         ? std::string()
                         : fmt::format(", bounded by {}x{}", sizes.bound.height, sizes.bound.width);
  return fmt::format("images at their own sizes, up to {}x{}{}", sizes.largest.height,
                     sizes.largest.width, bound);
}

std::string staging_text(const Plan& plan) {
  const auto& sizes = plan.sizes;
  if (sizes.mode == Sizes::fixed)
    return fmt::format("{} of {} = {}", plural(plan.slabs, "slab"), human_bytes(plan.slab_bytes),
                       human_bytes(plan.slabs * plan.slab_bytes));
  auto out = fmt::format("{}: a slab is at least {}, {} on average, at most {}", size_mode(plan),
                         human_bytes(sizes.least_slab_bytes), human_bytes(sizes.typical_slab_bytes),
                         human_bytes(plan.slab_bytes));
  if (sizes.mode == Sizes::padded)
    out += fmt::format("\n  padding {} of the first epoch's pixels", percent(sizes.padding));
  if (sizes.bucket_batches > 0)
    out += fmt::format(", {} without the buckets of {}", percent(sizes.padding_without_buckets),
                       plural(sizes.bucket_batches, "batch"));
  if (sizes.unknown > 0)
    out += fmt::format("\n  {} of unknown size: a fault whenever drawn",
                       plural(sizes.unknown, "sample"));
  return out;
}

/// The page-locked memory, known before the first batch. Empty for slabs in ordinary memory.
std::string pinned_text(const PinnedPlan& pinned) {
  if (pinned.slab_bytes == 0) return "";
  if (pinned.limit_bytes == 0) return fmt::format("\n  pinned  {}", pinned.note);
  return fmt::format("\n  pinned  {} of slabs, of {} that can be locked{}",
                     human_bytes(pinned.slab_bytes), human_bytes(pinned.limit_bytes),
                     pinned.slab_bytes > pinned.limit_bytes ? ": the rest will be pageable" : "");
}

/// What rows of several samples consist of. Empty: rows are samples.
std::string rows_text(std::uint64_t rows, std::uint32_t partners) {
  if (partners == 0) return "";
  return fmt::format("{} of {}", plural(rows, "row"),
                     plural(rows * (1 + std::uint64_t{partners}), "sample"));
}

/// The same, and the number of samples if rows are samples.
std::string delivered_text(std::uint64_t rows, std::uint32_t partners) {
  return partners == 0 ? plural(rows, "sample") : rows_text(rows, partners);
}

/// The bytes of the pixels of unused rows. Empty if rows differ in size.
std::string ahead_text(const Plan& plan, std::uint64_t rows) {
  if (rows == 0 || plan.sizes.mode != Sizes::fixed || !plan.sizes.size.empty()) return "";
  const auto value = value_bytes(plan.pixels);
  std::uint64_t bytes = 0;
  bool one_type = true, converts = true;
  for (const auto& column : plan.columns()) {
    if (!column.pixels) continue;
    bytes += rows * column.bytes;
    one_type = one_type && value_bytes(*column.pixels) == value;
    converts = converts && !is_stored(*column.pixels);
  }
  const auto held = "drawn ahead: " + human_bytes(bytes);
  if (!one_type) return held + " of pixels";
  return fmt::format(
      "{} as uint{}{}", held, 8 * value,
      converts ? fmt::format(", {} as float32", human_bytes(bytes / value * 4)) : "");
}

/// The reason why the queue is less deep than requested.
std::string queue_bound_text(const Plan& plan) {
  const bool by_bytes = plan.sizes.mode == Sizes::fixed && plan.max_queue_bytes &&
                        *plan.max_queue_bytes / plan.slab_bytes <= plan.max_queue_size;
  auto out = plan.max_queue_size < plan.max_queue_size_requested
                 ? fmt::format(" (requested {}; the {} no more)", plan.max_queue_size_requested,
                               by_bytes ? "bound on its bytes allows" : "budget holds")
                 : std::string();
  if (plan.max_queue_bytes) out += fmt::format(" and {}", human_bytes(*plan.max_queue_bytes));
  return out;
}

/// What a run may take: with this data where it is known, and with any data.
std::string ceiling_text(const Plan& plan) {
  const auto row = plan.partners == 0
                       ? "one sample"
                       : fmt::format("one row of {}", plural(1 + plan.partners, "sample"));
  const auto of_data = ", this data at most " + human_bytes(plan.data_ceiling_bytes.value_or(0));
  // A number may be the measured one.
  const bool to_measure =
      plan.epoch.batches > 0 && plan.origin && !plan.origin->options.memory.max_sample_bytes;
  return fmt::format("{}\n  any data: at most {}, {} {}{}", plan.data_ceiling_bytes ? of_data : "",
                     human_bytes(plan.ceiling_bytes), row, human_bytes(plan.max_sample_bytes),
                     !to_measure ? ""
                     : plan.budget_bytes
                         ? "; --max-sample-bytes measured reserves what the largest needs"
                         : "; --max-sample-bytes measured lowers both");
}

std::string cache_plan_text(const CachePlan& cache) {
  if (cache.keep == Cache::nothing) return "";
  const auto what = fmt::format("  cache of {} samples: ", to_string(cache.keep));
  if (cache.bytes > 0)
    return what + fmt::format("at most {}{}{}\n", human_bytes(cache.bytes),
                              cache.shared ? ", shared with other loaders" : "",
                              !cache.note.empty() ? ", which is less than one sample"
                              : cache.bytes < cache.requested.value_or(0)
                                  ? fmt::format(" (requested {}; the budget leaves no more)",
                                                human_bytes(*cache.requested))
                                  : "");
  return what + (cache.table_bytes > 0
                     ? fmt::format("none; its table of {} does not fit into the budget\n",
                                   human_bytes(cache.table_bytes))
                     : "none, the budget leaves no room\n");
}

/// How many positions an epoch has, for orders that draw other than all samples once.
std::string order_text(const Plan& plan) {
  if (source::draws_all(plan.order.kind)) return "";
  const auto draws = plan.epoch.positions;
  return fmt::format("  order {}{}\n", to_string(plan.order),
                     draws > 0 ? fmt::format(": {} an epoch", plural(draws, "draw")) : "");
}

/// What the ranks deliver and hold. Empty if this process trains alone.
std::string ranks_text(const Plan& plan) {
  const auto& [rank, world, local_world] = plan.ranks;
  const auto& epoch = plan.epoch;
  if (world == 1) return "";
  auto out = fmt::format("  rank {} of {}", rank, world);
  if (epoch.batches > 0)
    out += fmt::format(": {} an epoch with {}; all ranks: {}{}{}", plural(epoch.batches, "batch"),
                       delivered_text(epoch.samples, plan.partners),
                       delivered_text(epoch.all_samples, plan.partners),
                       epoch.omitted > 0 ? fmt::format(", {} omitted", grouped(epoch.omitted)) : "",
                       epoch.padding_rows > 0
                           ? fmt::format(", {}", plural(epoch.padding_rows, "padding row"))
                           : "");
  out += fmt::format("\n  host memory: at most {} for this rank, {} for {} on this machine\n",
                     human_bytes(plan.ceiling_bytes), human_bytes(node_bytes(plan)),
                     plural(local_world, "rank"));
  if (plan.cache.keep != Cache::nothing && !source::is_fixed(plan.order.kind))
    out +=
        "  with a shuffled order, a sample comes to any rank: cache hits are kept samples / all "
        "samples\n";
  return out;
}

/// Process memory compared with the ledger, and the parts of the difference.
std::string process_text(const Run& run) {
  Table table("<Process|start|peak|end|growth", 0);
  const auto add = [&](std::string_view what, std::uint64_t ProcessMemory::*bytes) {
    const auto growth =
        static_cast<std::int64_t>(run.process_peak.*bytes - run.process_before.*bytes);
    table.add({fmt::format("  {}", what), human_bytes(run.process_before.*bytes),
               human_bytes(run.process_peak.*bytes), human_bytes(run.process_after.*bytes),
               human_difference(growth)});
  };
  add("RSS", &ProcessMemory::rss);
  add("PSS", &ProcessMemory::pss);
  const auto part = [&](std::uint64_t ProcessParts::*of) {
    return human_difference(grown(run, of));
  };
  std::string split;
  const MemoryReport now{run.figures.memory, run.figures.process_now, run.parts_now};
  for (const auto& one : now.parts()) {
    if (one.bytes >= 0)
      split +=
          fmt::format("{}{} {}", split.empty() ? "" : ", ", one.name, human_difference(one.bytes));
    else
      split += "; at least " + human_bytes(static_cast<std::uint64_t>(-one.bytes)) +
               " of these are not resident";
  }
  std::ranges::replace(split, '_', ' ');
  return fmt::format(
      "{}  not counted: {} (RSS growth minus the peak of all accounts)\n"
      "  parts of it: thread stacks {}, libraries {}, malloc {}\n"
      "  RSS when the stream ended: {}\n",
      table.text(), human_difference(unaccounted(run)), part(&ProcessParts::stacks),
      part(&ProcessParts::libraries), part(&ProcessParts::heap), split);
}

/// The share of padding. Empty if all images have one shape.
std::string sizes_text(const Report& figures) {
  if (figures.plan.sizes.mode == Sizes::fixed) return "";
  const auto& sizes = figures.sizes;
  if (figures.plan.decode == Decode::none)
    return fmt::format("  delivered: {}, {} encoded\n", plural(sizes.images, "image"),
                       human_bytes(sizes.image_bytes));
  return fmt::format("  delivered: {}, {} of their own pixels in {}: {} padding\n",
                     plural(sizes.images, "image"), human_bytes(sizes.image_bytes),
                     human_bytes(sizes.block_bytes), percent(sizes.padding()));
}

/// Where automatic tuning left the knobs. Empty without it.
std::string moves_text(const Report& figures) {
  if (!is_tuned(figures.plan)) return "";
  const auto& now = figures.setting;
  return fmt::format("Tuned in {} to queue {}, {}, read-ahead {}\n",
                     plural(figures.moves.size(), "move"), now.max_queue_size,
                     plural(now.workers, "worker"), now.read_ahead);
}

/// The first texts of the watchdog: not each is of a stall.
std::string stalls_text(const Report& figures) {
  constexpr std::size_t most = 10;
  if (figures.stalls.empty()) return "";
  auto out = fmt::format("\nWatchdog, {}\n", plural(figures.stalls.size(), "text"));
  for (std::size_t i = 0; i < std::min(most, figures.stalls.size()); ++i)
    out += fmt::format("  {}\n", figures.stalls[i]);
  return out;
}

}  // namespace

std::string row_text(const Plan& plan) {
  if (plan.decode == Decode::none && plan.annotation_bytes == 0) return "";
  std::string out = plan.sizes.mode == Sizes::fixed ? "  a row:" : "  the largest row:";
  std::string_view before = " ";
  for (const auto& [name, pixels, size, bytes] : plan.columns()) {
    const auto of = pixels
                        ? fmt::format(" ({}, {}x{})", to_string(*pixels), size.height, size.width)
                        : std::string();
    out += fmt::format("{}{} {}{}", std::exchange(before, ", "), name, human_bytes(bytes), of);
  }
  return out + '\n';
}

std::string plan_text(const Plan& plan, std::string_view budget_how, std::string_view sample_how) {
  const auto note = [](std::string_view what, std::string_view how) {
    return how.empty() ? std::string() : fmt::format("  {} {}\n", what, how);
  };
  return fmt::format(
      "Plan\n"
      "  batch {} of {}, {}max_queue_size {}{}, {}, {}, read-ahead {}\n"
      "  {}\n"
      "{}"
      "  floor {}, budget {}{}\n{}{}{}",
      plan.batch, shape_text(plan), is_tuned(plan) ? "tuned to at most " : "", plan.max_queue_size,
      queue_bound_text(plan), plural(plan.max_leases, "lease"), plural(plan.workers, "worker"),
      plan.read_ahead, staging_text(plan) + pinned_text(plan.pinned), row_text(plan),
      human_bytes(plan.floor_bytes), human_bytes(plan.budget_bytes.value_or(UINT64_MAX)),
      ceiling_text(plan), order_text(plan) + cache_plan_text(plan.cache) + ranks_text(plan),
      note("measured:", sample_how), note("auto budget", budget_how));
}

std::string depth_text(const Plan& plan, std::span<const std::uint32_t> depths) {
  const bool encoded = plan.decode == Decode::none;
  const bool converts = plan.cost_of(1).float32_bytes.has_value();
  Table table(
      fmt::format("queue|slabs|bytes|{}MiB{}|<",
                  encoded ? std::string() : fmt::format("uint{} ", 8 * value_bytes(plan.pixels)),
                  converts ? "|float16 MiB|float32 MiB" : ""));
  for (const auto depth : depths) {
    const auto cost = plan.cost_of(depth);
    std::vector<std::string> cells{grouped(depth), grouped(std::uint64_t{depth} + plan.max_leases),
                                   grouped(cost.staging_bytes), mib_figure(cost.staging_bytes)};
    if (converts)
      cells.insert(cells.end(), {mib_figure(cost.float16_bytes.value_or(0)),
                                 mib_figure(cost.float32_bytes.value_or(0))});
    cells.emplace_back(depth == plan.max_queue_size ? "<- this plan" : "");
    table.add(std::move(cells));
  }
  const std::string_view bound = plan.sizes.mode == Sizes::fixed ? "Memory" : "Maximum memory";
  return fmt::format("{} of all slabs by queue depth{}\n{}", bound,
                     converts ? " and element type" : "", table.text());
}

std::string grid_text(const Grid& grid) {
  Table table("batch");
  for (const auto side : grid.sides) table.add_column(fmt::format("{0}x{0}", side));
  for (std::size_t i = 0; i < grid.batches.size(); ++i) {
    std::vector<std::string> cells{fmt::format("{}", grid.batches[i])};
    for (const auto bytes : grid.bytes[i]) cells.push_back(gibibytes(bytes));
    table.add(std::move(cells));
  }
  return fmt::format("GiB of the pixels of one batch as {}, three channels\n{}",
                     to_string(grid.type), table.text());
}

std::string rates_note(std::uint32_t partners, std::string_view counted) {
  if (counted == "samples") return "";
  if (partners == 0) return "samples/s: blank rows count, too\n";
  return fmt::format("samples/s: a row of {} samples counts once\n", 1 + std::uint64_t{partners});
}

std::string samples_text(const SampleTally& samples, const Plan& plan) {
  Table table("<Samples||<", 0);
  const auto add = [&](std::string_view word, std::uint64_t count, std::string note = "") {
    table.add({fmt::format("  {}", word), grouped(count), std::move(note)});
  };
  add("drawn", samples.drawn,
      samples.conserved() ? "" : "NOT CONSERVED: the counts below do not add up to this");
  add("consumed", samples.consumed, rows_text(samples.consumed, plan.partners));
  add("never used", unused(samples), ahead_text(plan, unused(samples)));
  for (const auto& field : sample_fields) {
    const bool shown = field.value == &SampleTally::drawn || field.value == &SampleTally::consumed;
    if (!shown && samples.*field.value > 0) add(field.name, samples.*field.value);
  }
  return table.text() + rates_note(plan.partners, counted(plan));
}

std::string memory_text(const Run& run) {
  const auto& memory = run.figures.memory;
  Table table("<Memory|now|at peak|bytes at peak", 0);
  for (std::size_t i = 0; i < account_count; ++i) {
    const auto now = memory.accounts[i], at_peak = memory.accounts_at_peak[i];
    if (now == 0 && at_peak == 0) continue;
    table.add({fmt::format("  {}", to_string(static_cast<Account>(i))), human_bytes(now),
               human_bytes(at_peak), grouped(at_peak)});
  }
  table.add({"  live", human_bytes(memory.live), human_bytes(memory.peak), grouped(memory.peak)});

  const auto& pinned = run.figures.pinned;
  const auto locked = pinned.locked + pinned.refused == 0
                          ? ""
                          : fmt::format("  pinned: {} of slabs, {} pageable\n",
                                        human_bytes(pinned.locked), human_bytes(pinned.refused));
  const auto note = run.slab_note.empty() ? "" : fmt::format("  slab memory: {}\n", run.slab_note);
  return table.text() + locked + note + process_text(run) +
         cost_text("accounting", "entries", books_cost(run));
}

std::string fault_text(const Fault& fault) {
  return fmt::format("{}: {} ({}): {}{}", fault.name, to_string(fault.kind), to_string(fault.stage),
                     fault.reason, fault.offset ? fmt::format(" at byte {}", *fault.offset) : "");
}

std::string faults_text(std::span<const Fault> faults, std::uint64_t fault_count,
                        std::size_t shown) {
  if (fault_count == 0) return "";
  auto out = fmt::format("Faults: {}\n", grouped(fault_count));
  std::size_t listed = 0;
  for (const auto& fault : faults) {
    if (listed == shown) break;
    if (!fault.plane.empty()) continue;  // its row has none; see planes_text()
    out += "  " + fault_text(fault) + '\n';
    ++listed;
  }
  if (fault_count > listed)
    out += fmt::format("  ... and {} more\n", grouped(fault_count - listed));
  return out;
}

std::string planes_text(std::span<const PlaneStats> planes, std::span<const Fault> faults,
                        std::uint32_t partners) {
  constexpr std::size_t most_listed = 5;
  if (planes.empty()) return "";
  const bool timed =
      std::ranges::any_of(planes, [](const PlaneStats& plane) { return plane.decode_s > 0; });
  Table table(
      timed ? "<Planes|ok|damaged|absent|broken|decoding|each" : "<Planes|ok|damaged|absent|broken",
      0);
  for (const auto& plane : planes) {
    std::vector<std::string> cells{"  " + plane.name};
    for (const auto& field : plane_fields) cells.push_back(grouped(plane.*field.value));
    if (timed && plane.decodes > 0)
      cells.insert(cells.end(), {duration(plane.decode_s),
                                 duration(plane.decode_s / static_cast<double>(plane.decodes))});
    else if (timed)
      cells.insert(cells.end(), {"-", "-"});
    table.add(std::move(cells));
  }
  auto out = table.text();
  // Not the number of rows with a broken plane: rows may show one file, and partners fail, too.
  std::size_t found = 0;
  for (const auto& fault : faults)
    if (!fault.plane.empty() && ++found <= most_listed)
      out += "  broken: " + fault_text(fault) + '\n';
  if (found > most_listed)
    out += fmt::format("  ... and {} more in the JSON\n", grouped(found - most_listed));
  if (found > 0 && partners > 0)
    out += "The table counts rows by their own samples; the list has partners, too.\n";
  return out;
}

std::string columns_text(const Report& figures) {
  const auto planes = planes_text(figures.planes, figures.faults, figures.plan.partners);
  if (planes.empty() && figures.plan.annotation_bytes == 0) return "";
  return row_text(figures.plan) + (planes.empty() ? "" : '\n' + planes);
}

std::string broken_text(const Report& figures) {
  const auto planes = planes_text(figures.planes, figures.faults, figures.plan.partners);
  const auto faults = faults_text(figures.faults, figures.fault_count);
  return (planes.empty() ? "" : '\n' + planes) + (faults.empty() ? "" : '\n' + faults);
}

std::string cache_text(const Report& figures) {
  if (figures.plan.cache.bytes == 0) return "";
  const auto& cache = figures.cache;
  return fmt::format("  cached: {} in {}; {} of {} draws were hits, {}{}\n",
                     plural(cache.samples, "sample"), human_bytes(cache.bytes), grouped(cache.hits),
                     grouped(cache.hits + cache.misses), percent(cache.hit_rate()),
                     cache.evicted == 0 ? "" : fmt::format("; {} evicted", grouped(cache.evicted)));
}

std::string run_text(const Run& run) {
  const auto& figures = run.figures;
  const auto first = figures.throughput.first_batch_s;
  auto out = fmt::format(
      "{}{} in {}: {:.1f} {}/s{}\n",
      delivered_text(figures.samples.consumed, figures.plan.partners),
      figures.samples.failed > 0 ? fmt::format(" ({} failed)", grouped(figures.samples.failed))
                                 : std::string(),
      duration(figures.throughput.seconds), figures.throughput.samples_per_s, counted(figures.plan),
      first > 0 ? ", first batch after " + duration(first) : std::string());
  if (run.interrupted) out += "Interrupted: the counts are of the moment it stopped.\n";
  out += regime_text(figures) + moves_text(figures) + '\n' +
         plan_text(figures.plan, run.budget_how, run.sample_how) + sizes_text(figures) +
         cache_text(figures) + '\n' + samples_text(figures.samples, figures.plan) + '\n' +
         memory_text(run) + queue_text(figures.queue) + stages_text(figures.stages) +
         cost_text("timing", "clock readings", stats_cost(run)) + broken_text(figures) +
         stalls_text(figures);
  if (!run.digest.empty())
    out += fmt::format("\nDigest {}\n  Its time is the consumer's, so there is no verdict.\n",
                       run.digest);
  return out;
}

}  // namespace weir::report
