#include "cli/messages.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <new>
#include <optional>
#include <string_view>
#include <system_error>

#include "base/checked.hpp"
#include "base/machine/memory_room.hpp"
#include "base/terms.hpp"
#include "cli/next_command.hpp"
#include "cli/output.hpp"
#include "cli/parse.hpp"
#include "options/option_row.hpp"
#include "report/bytes.hpp"
#include "report/stats_text.hpp"

namespace weir::cli {
namespace {

/// What else messages of the library name, and the options of the program.
constexpr std::pair<std::string_view, std::string_view> members[] = {
    {"cache.max_bytes", "--cache"},
    {"MissingPlane::absent", "missing=absent"},
    {"MissingPlane::skip", "missing=skip"},
    {"sizes.max_width", "--max-size"},
    {"order.weights", "--order"},
    {"order.offset", "--order"},
    {"faults.tolerate_share", "--tolerate"},
    {"annotations", "--annotation"},
    {"classes", "--classes"},
    {"extensions", "--ext"},
    {"ranks", "--ranks"},
    {"follow_symlinks", "--follow-symlinks"},
    {"label", "--label"},
    {"label_file", "--label-file"},
    {"dali_index", "--dali-index"},
    {"ShardOptions::annotation", "--annotation"},
    {"needs_annotation = false", "missing=absent"},
    {"ShardOptions::image", "--image"},
    {"ShardOptions::label", "--label"},
    {"ShardOptions::label_file", "--label-file"},
    {"ShardOptions::dali_index", "--dali-index"},
    {"ShardOptions::verify", "--verify"},
    {"ShardOptions::planes", "a SOURCE as .mask.png of --plane"},
    {"StreamOptions::resume", "--resume"},
    {"StreamOptions::epochs", "--epochs"},
    {"std::nullopt", "--steps N without it"},
};

/// The option of the program for a name in a message of the library; empty: there is none.
std::string_view option_of(std::string_view member) {
  // One value of several, as fill[0].
  if (member.ends_with(']')) member = member.substr(0, member.find('['));
  const auto* const other =
      std::ranges::find(members, member, &std::pair<std::string_view, std::string_view>::first);
  if (other != std::end(members)) return other->second;
  const auto* const row = options::find(member);
  return row ? row->option : std::string_view();
}

/// Whether `text` has the word `option`, which is no other one's beginning.
bool names(std::string_view text, std::string_view option) {
  if (option.empty()) return false;
  for (auto at = text.find(option); at != text.npos; at = text.find(option, at + 1))
    if (text.substr(at + option.size()).find_first_of("-abcdefghijklmnopqrstuvwxyz") != 0)
      return true;
  return false;
}

/// How the text of Errc::too_many_faults begins, if not a row has failed too often.
constexpr std::string_view too_many_faults = "more faults than allowed by --tolerate";

/// The error with the option and the value that the user typed.
std::string message_of(const OptionProblem& problem, const Settings& settings) {
  const auto with_names = [&](std::string_view option, const std::string& value) {
    return with_option_names(fmt::format("{} {}: {}{}{}", option, value, problem.bound,
                                         problem.way_out.empty() ? "" : "; ", problem.way_out));
  };
  const auto& planes = settings.options.planes;
  for (std::size_t i = 0; i < planes.size(); ++i)
    if (const auto of = fmt::format("planes[{}].", i); problem.option.starts_with(of))
      return with_names(
          fmt::format("--plane {}: {}", planes[i].name, problem.option.substr(of.size())),
          problem.value);
  const auto option = option_of(problem.option);
  if (option.empty()) return with_names(problem.option + " =", problem.value);
  const auto value = typed(option, settings.arguments);
  const bool forgot_unit = option == "--memory-budget" && value.size() <= 6 && value != "0" &&
                           value.find_first_not_of("0123456789") == value.npos;
  return with_names(option, value.empty() ? problem.value
                            : forgot_unit
                                ? fmt::format("{0} ({0} bytes; did you mean {0}MiB?)", value)
                                : as_typed(value));
}

/// Whether the command line decides the size of the batches that are made or planned.
bool has_batches(const Settings& s) {
  using enum Command;
  const bool plans = s.command == plan && s.model.path.empty() && !s.grid;
  return plans || s.command == run || s.command == sweep || s.command == tune ||
         s.command == verify;
}

/// The plan without what depends on the data. Empty if the data decide it, or if there is none.
/// Throws what the Loader throws, except for a small budget: its floor depends on the data.
std::optional<Plan> plan_without_data(const Settings& settings) {
  if (!has_batches(settings) || settings.options.sizes.mode != Sizes::fixed) return std::nullopt;
  auto options = settings.options;
  // The data decide it.
  if (options.annotation_bytes == ByteBound::measured) options.annotation_bytes = 0;
  try {
    return resolve(options, 0);
  } catch (const Error& e) {
    if (e.code() != Errc::budget_too_small) throw;
    return std::nullopt;
  }
}

std::string batch_text(const Plan& plan) {
  return fmt::format("a batch takes {} (--batch {}, --size {}x{})",
                     report::human_bytes(plan.slab_bytes), plan.batch, plan.shape.height,
                     plan.shape.width);
}

std::string out_of_memory(const Settings& settings) {
  std::string text = "out of memory";
  const auto plan = plan_without_data(settings);
  if (!plan) return text;
  text +=
      fmt::format(": {}, all of them {} (--max-queue-size {}, --max-leases {})", batch_text(*plan),
                  report::human_bytes(mul_sat(plan->slabs, plan->slab_bytes)), plan->max_queue_size,
                  plan->max_leases);
  if (plan->trace_bytes > 0)
    text += fmt::format(", the trace {} (--trace-events {})",
                        report::human_bytes(plan->trace_bytes), settings.options.trace.events);
  return text + "; lower these, or bound the loader with --memory-budget";
}

std::string out_of_threads(const Settings& settings) {
  const auto plan = plan_without_data(settings);
  return fmt::format("cannot start a thread: {}; ",
                     std::make_error_code(std::errc::resource_unavailable_try_again).message()) +
         (plan ? fmt::format(
                     "--workers {} and --read-ahead {} take one thread each; lower them, or ",
                     plan->workers, plan->read_ahead)
               : std::string()) +
         "raise the limit of processes (ulimit -u) or of memory (ulimit -v)";
}

/// A thread that does not start throws this without a text of its own.
bool lacks_thread(const std::exception& error) {
  const auto* const failed = dynamic_cast<const std::system_error*>(&error);
  return failed != nullptr && failed->code() == std::errc::resource_unavailable_try_again &&
         failed->code().message() == failed->what();
}

/// Bytes that this process can still get. UINT64_MAX if nothing says so.
std::uint64_t memory_within_reach() {
  auto bytes = memory_room().left().value_or(UINT64_MAX);
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    bytes = std::min<std::uint64_t>(bytes, limit.rlim_cur);
  return bytes;
}

bool has_shards(const std::filesystem::path& data) {
  std::error_code failed;
  for (std::filesystem::directory_iterator entry(data, failed), end; !failed && entry != end;
       entry.increment(failed))
    if (entry->path().extension() == ".tar") return true;
  return data.extension() == ".tar";
}

bool is_folder_of_images(const std::filesystem::path& path) {
  std::error_code failed;
  return std::filesystem::is_directory(path, failed) && !has_shards(path);
}

}  // namespace

std::string reason_of(const std::exception& error, const Settings& settings) {
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) return out_of_memory(settings);
  return lacks_thread(error) ? out_of_threads(settings) : with_option_names(plain_text(error));
}

std::string typed(std::string_view option, const std::vector<std::string>& arguments) {
  std::string value;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view argument(arguments[i]);
    if (argument == option && i + 1 < arguments.size() && !arguments[i + 1].starts_with("--"))
      value = arguments[i + 1];
    if (argument.starts_with(option) && argument.substr(option.size()).starts_with('='))
      value = argument.substr(option.size() + 1);
  }
  return value;
}

std::string typed_option(std::string_view option, const std::vector<std::string>& arguments) {
  const auto value = typed(option, arguments);
  return value.empty() ? std::string(option) : fmt::format("{} {}", option, as_typed(value));
}

void check_settings(const Settings& settings) {
  const auto plan = plan_without_data(settings);
  if (!plan) return;
  const auto available = memory_within_reach();
  const auto available_text = report::human_bytes(available) + " are available";
  const auto refuse = [&](const std::string& what, const std::string& options) {
    const auto text = fmt::format("{}; {}; lower {}", what, available_text, options);
    // A plan may be for another machine.
    if (settings.command != Command::plan) throw misuse("{}", text);
    hint(settings, "{}", text);
  };
  const auto batches = std::uint64_t{1} + plan->max_leases;
  const auto all = mul_sat(plan->slabs, plan->slab_bytes);
  if (plan->trace_bytes > available)
    refuse(fmt::format("--trace-events {}: the events take {}", settings.options.trace.events,
                       report::human_bytes(plan->trace_bytes)),
           "it");
  else if (mul_sat(plan->slab_bytes, batches) > available)
    refuse(fmt::format("{}, and there are at least {}", batch_text(*plan), batches),
           "--batch, --size or --max-leases");
  else if (all > available && !settings.only_depth)
    hint(settings, "--max-queue-size {} may take {}; {}; --memory-budget auto bounds it",
         plan->max_queue_size, report::human_bytes(all), available_text);
}

void hint_short_queue(const Settings& settings, const Plan& plan) {
  if (plan.max_queue_size >= plan.max_queue_size_requested) return;
  const bool by_bytes = plan.sizes.mode == Sizes::fixed && plan.max_queue_bytes &&
                        *plan.max_queue_bytes / plan.slab_bytes <= plan.max_queue_size;
  hint(settings,
       "{} allows a queue of {}, not the {} of --max-queue-size; `weir plan` shows what each depth "
       "costs",
       typed_option(by_bytes ? "--max-queue-bytes" : "--memory-budget", settings.arguments),
       plan.max_queue_size, plan.max_queue_size_requested);
}

std::string with_option_names(std::string_view text) {
  std::string out;
  for (std::size_t open = 0, close; (open = text.find('`')) != text.npos;) {
    if ((close = text.find('`', open + 1)) == text.npos) break;
    const auto option = option_of(text.substr(open + 1, close - open - 1));
    out += text.substr(0, open);
    out += option.empty() ? text.substr(open, close - open) : option;
    text.remove_prefix(option.empty() ? close : close + 1);
    if (!option.empty() && text.starts_with(" = ")) text.remove_prefix(2);
  }
  return out += text;
}

std::string rank_in_job(const Settings* settings) {
  return settings && settings->joint ? fmt::format("rank {}: ", settings->options.ranks.rank) : "";
}

std::string message_of(const std::exception& error, const Settings* settings) {
  if (!settings) return with_option_names(plain_text(error));
  const auto* const own = dynamic_cast<const Error*>(&error);
  if (own && own->problem()) return message_of(*own->problem(), *settings);
  auto text = reason_of(error, *settings);
  // An error that is about an option and not about its value: "--resume: nothing is left".
  const auto end = std::min(text.find_first_of(" :"), text.size());
  if (text.starts_with("--") && text.substr(end, 1) == ":")
    text.replace(0, end, typed_option(text.substr(0, end), settings->arguments));
  return text;
}

std::string ways_out(const Settings& settings, const std::string& error) {
  const bool stops = settings.options.faults.policy == OnFault::stop;
  const bool too_many = error.starts_with(too_many_faults), same_row = error.starts_with("row ");
  const bool no_fault_of_data = error.find("`ulimit -n`") != error.npos;
  if (no_fault_of_data || !(stops || too_many || same_row)) return "";

  std::vector<std::string> ways;
  // `weir probe` finds nothing in such a file.
  const bool changed = error.find("when sizes were measured") != error.npos;
  if (changed)
    ways.emplace_back(has_shards(settings.data) ? "run `weir index` again"
                                                : "run again: the file has changed");
  if (too_many) ways.push_back("raise " + typed_option("--tolerate", settings.arguments));
  for (const auto& row : options::rows()) {
    using options::Part;
    if ((row.part != Part::limit && row.part != Part::sample) || !names(error, row.option))
      continue;
    const auto option = typed_option(row.option, settings.arguments);
    ways.push_back(option.ends_with(" measured")
                       ? "run again: the file changed after " + option + " read it"
                       : "raise " + option);
  }
  if (ways.empty() && is_folder_of_images(settings.data))
    ways.emplace_back("--ext names the extensions of images");
  const auto typed_of = [&](std::string_view name) { return typed(name, settings.arguments); };
  const auto excluded = typed_of("--exclude");
  // The data set of a state has what the command has excluded.
  const bool has_state = !typed_of("--resume").empty() || !typed_of("--save-progress").empty();
  if (!changed)
    ways.push_back(fmt::format(
        "{} what `{}` finds{}",
        excluded.empty() ? "--exclude bad.txt leaves out" : "add to " + as_typed(excluded),
        next_command(settings, Command::probe, "--list-bad bad.txt"),
        has_state ? ", for a run from the start" : ""));
  if (stops) ways.emplace_back("--on-fault skip takes other samples");
  return fmt::format("{}", fmt::join(ways, "; "));
}

void say_error(const Settings& settings, const std::string& error, std::uint64_t faults) {
  if (error.empty()) return;
  const auto whole = with_option_names(error);
  auto text = whole;
  const bool too_many = whole.starts_with(too_many_faults);
  if (too_many)
    text = text.substr(0, text.find("--tolerate")) + typed_option("--tolerate", settings.arguments);
  const auto rank = rank_in_job(&settings);
  say_line(
      fmt::format("weir: {}{}{}", rank, text,
                  too_many ? fmt::format(": {} failed", report::plural(faults, "sample")) : ""));
  const auto ways = faults > 0 ? ways_out(settings, whole) : "";
  if (!ways.empty()) say_line(fmt::format("weir: {}ways out: {}", rank, ways));
}

}  // namespace weir::cli
