#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>

#include "base/checked.hpp"
#include "base/text.hpp"
#include "cli/messages.hpp"
#include "cli/option_group.hpp"
#include "cli/parse.hpp"
#include "options/option_row.hpp"
#include "weir/memory.hpp"
#include "weir/options.hpp"

namespace weir::cli {
namespace {

bool one_shape(const Settings& s) { return s.options.sizes.mode == Sizes::fixed; }
bool own_sizes(const Settings& s) { return !one_shape(s); }

bool encoded(const Settings& s) { return s.options.decode == Decode::none; }

bool measures(const Settings& s) {
  return s.options.memory.max_sample_bytes == ByteBound::measured;
}

bool tunes(const Settings& s) { return s.options.tuning.mode == Tuning::automatic; }

bool stops(const Settings& s) { return s.options.faults.policy == OnFault::stop; }

/// Commands that do the work of one rank.
bool one_rank(const Settings& s) {
  return s.command == Command::run || s.command == Command::sweep || s.command == Command::tune;
}

constexpr std::uint32_t most_soaked = 64, most_listed = 65536;

constexpr auto one_shape_only = "takes images of one shape, which --sizes fixed makes";

/// Conditions under which options and their values are refused, and the reason.
constexpr struct {
  std::string_view options;  ///< with blanks between; also members as in the text of --options
  bool (*where)(const Settings&);
  const char* why;
} rules[] = {
    {"--decode decode",
     [](const Settings& s) {
       return encoded(s) && (s.command == Command::probe || s.command == Command::tune);
     },
     "must be exact or fast here, because this command measures decodes"},
    {"--decode decode", [](const Settings& s) { return encoded(s) && s.data.empty(); },
     "needs DATA, because the samples are measured"},
    {"--dtype --layout --sizes", encoded,
     "is for decoded images; --decode none delivers encoded samples"},
    {"--dtype", [](const Settings& s) { return is_stored(s.options.pixels); },
     "is for pixels that are colours; --pixels stored8 and stored16 are not converted"},
    {"--layout", [](const Settings& s) { return s.dtype == ElementType::u8; },
     "needs --dtype float32, float16 or bfloat16; uint8 is not converted"},
    {"--model", own_sizes, one_shape_only},
    {"--tuning tuning.mode", [](const Settings& s) { return own_sizes(s) && tunes(s); },
     one_shape_only},
    {"tuning.mode",
     [](const Settings& s) {
       return tunes(s) && (s.command == Command::sweep || s.command == Command::tune);
     },
     "must be off here, because this command measures settings that do not change"},
    {"tuning.most_queue tuning.most_workers tuning.most_read_ahead tuning.interval",
     [](const Settings& s) { return !tunes(s); }, "needs tuning.mode=automatic"},
    {"sizes.mode",
     [](const Settings& s) {
       return own_sizes(s) && (s.command == Command::probe || s.command == Command::tune);
     },
     "must be fixed here, because this command takes images of one shape"},
    {"--sizes sizes.mode", [](const Settings& s) { return own_sizes(s) && s.data.empty(); },
     "needs DATA, because the images are measured"},
    {"--ext --follow-symlinks --classes --image --label --label-file --dali-index --exclude "
     "--annotation",
     [](const Settings& s) { return s.command == Command::plan && s.data.empty(); }, "needs DATA"},
    {"--max-sample-bytes memory.max_sample_bytes",
     [](const Settings& s) { return measures(s) && s.data.empty(); },
     "needs DATA, because the samples are measured"},
    {"--max-sample-bytes",
     [](const Settings& s) { return measures(s) && s.command == Command::pack; },
     "must be bytes here; measured is for the plan of a loader, and pack has none"},
    {"--max-queue-size",
     [](const Settings& s) {
       return s.depths.size() > 1 && s.command != Command::sweep && s.command != Command::plan;
     },
     "must be one number; weir sweep and weir plan take a list"},
    {"--dtype", [](const Settings& s) { return s.command == Command::plan && !s.grid; },
     "is for --grid; without it, a plan lists each element type"},
    {"--micro-batch",
     [](const Settings& s) { return s.command == Command::plan && s.model.path.empty(); },
     "needs --model"},
    {"--tolerate faults.tolerate faults.tolerate_share", stops,
     "is for --on-fault skip and --on-fault blank; with stop, the first fault ends the run"},
    {"--list-bad", [](const Settings& s) { return s.command == Command::pack && stops(s); },
     "needs --on-fault skip, because otherwise the first bad sample ends the pack"},
    {"--shuffle --order",
     [](const Settings& s) {
       const auto kind = s.options.order.kind;
       return !s.pack.files_to.empty() &&
              (kind == Order::Kind::shuffle || kind == Order::Kind::blocks);
     },
     "has no effect on --jpegs-to, whose files have the names of DATA; leave it out"},
    {"--jpegs-to", [](const Settings& s) { return !s.pack.keep; },
     "needs --keep, because the files have the names of DATA"},
    {"--trace-events", [](const Settings& s) { return s.trace.empty(); }, "needs --trace FILE"},
    {"--trace-events", [](const Settings& s) { return s.options.trace.events == 0; },
     "must be 1 or more"},
    {"--metrics-address", [](const Settings& s) { return !s.metrics_port; },
     "needs --metrics-port"},
    {"--rank", [](const Settings& s) { return !s.world; }, "needs --world W, the number of ranks"},
    {"--world", [](const Settings& s) { return one_rank(s) && !s.rank; },
     "needs --rank R, the number of this process; --ranks auto takes both from the launcher"},
    {"--world",
     [](const Settings& s) { return s.command == Command::verify && s.world > most_soaked; },
     "must be 1 to 64, because all ranks run in this process"},
    {"--world",
     [](const Settings& s) {
       return s.command == Command::order && !s.rank && s.world > most_listed;
     },
     "must be 1 to 65536; for more, --rank R lists one rank"},
    {"--ranks-per-node", [](const Settings& s) { return !s.world; }, "needs --world W"},
    {"--annotation", [](const Settings& s) { return s.options.annotation_bytes == 0; },
     "needs --annotation-bytes above 0"},
};

/// Why `order` does not read options of this part. Empty if it does.
std::string_view why_unread(options::Part part, const Settings& s) {
  if (s.command != Command::order || !s.windows.empty()) return "";
  if (part == options::Part::window) return "is for --windows FILE";
  const bool sorts = s.options.sizes.bucket_batches > 0;
  return part == options::Part::sizes && own_sizes(s) && !sorts
             ? "is for --windows FILE and --bucket N"
             : "";
}

constexpr struct {
  const char *one, *other;
} exclusive[] = {{"--order", "--shuffle"},       {"--ranks", "--rank"},
                 {"--ranks", "--world"},         {"--strict", "--lenient"},
                 {"--label", "--label-file"},    {"--consumer-ms", "--consumer-trace"},
                 {"--keep", "--short-side"},     {"--keep", "--quality"},
                 {"--jpegs-to", "--plane"},      {"--jpegs-to", "--annotation"},
                 {"--jpegs-to", "--shard-bytes"}};

/// Sets sizes.size to the schedule. What bounds the sizes is their largest, unless it is `bounded`. Throws
/// std::invalid_argument if a size is beyond that.
void apply_schedule(const std::vector<options::SizeChange>& schedule, bool bounded,
                    Options& options) {
  ImageSize largest;
  for (const auto& change : schedule)
    largest = {std::max(largest.height, change.size.height),
               std::max(largest.width, change.size.width)};
  auto& sizes = options.sizes;
  const bool fixed = sizes.mode == Sizes::fixed;
  if (!bounded && fixed) options.shape = largest;
  if (!bounded && !fixed) {
    sizes.max_height = largest.height;
    sizes.max_width = largest.width;
  }
  const auto bound = fixed ? options.shape : sizes.bound();
  for (const auto& change : schedule)
    if (change.size.height > bound.height || change.size.width > bound.width)
      refuse_text(fmt::format("{} is beyond {}, which {} gives; leave that option out",
                              text_of(change), sides(bound), fixed ? "--size" : "--max-size"));
  sizes.size = function_of(schedule, sizes.mode);
}

/// The largest size that these epochs reach; without `epochs`, of all.
ImageSize largest_of(const std::vector<options::SizeChange>& schedule,
                     std::optional<std::uint64_t> epochs) {
  const auto pixels = [epochs](const options::SizeChange& change) {
    return !epochs || change.epoch < *epochs ? mul_sat(change.size.height, change.size.width) : 0;
  };
  return std::ranges::max(schedule, {}, pixels).size;
}

/// Whether mpirun has started these ranks, and this program was built with WEIR_MPI.
bool started_by_mpirun([[maybe_unused]] const Ranks& ranks) {
#ifdef WEIR_MPI
  const char* const size = std::getenv("OMPI_COMM_WORLD_SIZE");
  return ranks.world > 1 && size && std::to_string(ranks.world) == size;
#else
  return false;
#endif
}

/// Puts the rank into the names of files.
void name_files(Settings& s) {
  constexpr std::string_view mark = "{rank}";
  const auto& ranks = s.options.ranks;
  const auto rank = std::to_string(ranks.rank);
  s.joint = s.command == Command::run && started_by_mpirun(ranks);
  s.save_progress_by_rank = !s.joint || s.save_progress.find(mark) != s.save_progress.npos;
  for (const auto& [option, path, by_rank, joint] : output_files) {
    auto& name = s.*path;
    if (!by_rank || (joint && s.joint && name.find(mark) == name.npos)) continue;
    if (ranks.world > 1 && !name.empty() && name != "-" && name.find(mark) == name.npos)
      throw misuse("{}: {} ranks would write the same file; write {} in its name, for the rank",
                   typed_option(option, s.arguments), ranks.world, mark);
    for (std::size_t at = 0; (at = name.find(mark, at)) != name.npos; at += rank.size())
      name.replace(at, mark.size(), rank);
  }
}

void apply_ranks(Settings& s) {
  if (s.command == Command::verify) return;  // it makes the ranks itself
  try {
    if (s.rank || s.world)
      s.options.ranks = resolved(
          Ranks::given(s.rank.value_or(0), s.world.value_or(1), s.ranks_per_node.value_or(1)));
    else if (s.launcher)
      s.options.ranks = plan::ranks_of(*s.launcher);
  } catch (const Error& e) {
    throw misuse("{}", message_of(e, &s));
  }
  if (one_rank(s)) name_files(s);
}

/// `share` of the free memory, divided by the ranks of this machine.
void take_budget(Settings& s, double share) {
  auto budget = auto_budget(share);
  const auto ranks = s.options.ranks.local_world;
  s.options.memory.budget_bytes = budget.bytes / ranks;
  s.budget_how = std::move(budget.how);
  if (ranks > 1) s.budget_how += fmt::format(", divided by {} ranks on this machine", ranks);
}

void take_slabs_from(Settings& s) {
  const auto take = [&s](const auto& memory) {
    s.options.memory.upstream = memory;
    s.slab_note = [memory] { return memory->note(); };
  };
  if (s.slab_memory == SlabMemory::pinned)
    take(std::make_shared<PinnedMemory>());
  else if (s.slab_memory != SlabMemory::pages)
    take(std::make_shared<PageMemory>(
        PageOptions{.huge = true, .lock = s.slab_memory == SlabMemory::locked}));
}

}  // namespace

bool exclude_each_other(std::string_view a, std::string_view b) {
  return std::ranges::any_of(exclusive, [&](const auto& pair) {
    return (pair.one == a && pair.other == b) || (pair.one == b && pair.other == a);
  });
}

void apply_rules(const CLI::App& command, Settings& s) {
  const auto given = [&](std::string_view option) {
    const auto* const found = command.get_option_no_throw(std::string(option));
    return found != nullptr && found->count() > 0;
  };
  const auto refuse = [&](std::string_view option, const std::string& why) {
    throw misuse("{} {}", typed_option(option, s.arguments), why);
  };
  // A sweep gives its children what it has computed once, after what the user typed.
  for (const auto* option : command.get_options())
    if (option->get_expected_max() <= 1 && option->count() > 1 && !s.only_depth)
      throw misuse("{} is given {} times; give it once", option->get_name(), option->count());
  for (const auto* option : command.get_options())
    if (s.grid && option->count() > 0 &&
        !lists("--grid --dtype --json --quiet", option->get_name()))
      throw misuse(
          "{} has no effect on --grid, whose table has many batches and sizes and three channels "
          "of --dtype; leave it out",
          option->get_positional() ? "DATA " + as_typed(s.data)
                                   : typed_option(option->get_name(), s.arguments));
  for (const auto& [names, where, why] : rules)
    for (const auto name : split(names, ' ')) {
      if (given(name) && where(s)) refuse(name, why);
      for (const auto& [member, text] : s.in_options)
        if (member == name && where(s)) throw misuse("--options {} {}", as_typed(text), why);
    }
  for (const auto& output : output_files)
    if (s.*output.path == "-" && output.path != &Settings::json)
      refuse(output.option,
             "is not written to stdout; name a file, or ./- for a file of this name");
  for (const auto& row : options::rows()) {
    if (row.option.empty() || !given(row.option)) continue;
    // The library takes a shape that has no effect, because a trainer may have one for all its loaders.
    const auto need = row.name == "shape" ? options::Need::fixed : row.need;
    for (const auto why : {why_unread(row.part, s), options::unmet(need, s.options)})
      if (!why.empty()) refuse(row.option, with_option_names(why));
  }
  for (const auto& [one, other] : exclusive)
    if (given(one) && given(other)) throw misuse("{} and {} exclude each other", one, other);

  if (s.command == Command::pack && !s.pack.keep && !s.pack.short_side)
    throw misuse(
        "pack needs --short-side N, to store smaller images, or --keep, to copy them as they are");

  const auto named = [&](std::string_view member) {
    return std::ranges::any_of(s.in_options, [&](const auto& one) { return one.first == member; });
  };
  s.batch_given = given("--batch") || named("batch");
  s.size_given = given("--size") || named("shape");
  // Rows of encoded samples are ragged.
  if (encoded(s)) s.options.sizes.mode = Sizes::ragged;
  if (!s.schedule.empty()) {
    try {
      apply_schedule(s.schedule, own_sizes(s) ? given("--max-size") : s.size_given, s.options);
      // Figures of a mixture of sizes describe none of them, and depths would differ in their sizes.
      if (s.command == Command::tune || s.command == Command::sweep) {
        s.measured_size = largest_of(s.schedule, s.epochs);
        s.options.sizes.size.of =
            options::function_of({{.size = *s.measured_size}}, s.options.sizes.mode).of;
      }
    } catch (const std::invalid_argument& e) {
      refuse("--schedule", e.what());
    }
  }
  options::trim_fills(s.options);
  apply_ranks(s);
  take_slabs_from(s);
  auto& o = s.options;
  // The default size of a cache is what the budget leaves, so it needs a budget.
  if (o.cache.keep != Cache::nothing && !o.cache.max_bytes && !o.memory.budget_bytes)
    s.budget_share = s.budget_share.value_or(usual_budget_share);
  if (s.budget_share) take_budget(s, *s.budget_share);
  auto& events = s.options.trace.events;
  constexpr std::uint64_t usual_events = 1u << 18;
  if (s.trace.empty())
    events = 0;
  else if (events == 0)
    events = usual_events;
  if (s.command == Command::sweep && s.depths.empty()) s.depths = {1, 2, 4, 8, 16};
  if (s.only_depth) s.depths = {*s.only_depth};
  if (!s.depths.empty()) s.options.queue.max_queue_size = std::ranges::max(s.depths);
}

}  // namespace weir::cli
