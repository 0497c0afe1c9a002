#include "cli/messages.hpp"

#include <fmt/format.h>

#include <sys/resource.h>

#include <algorithm>
#include <new>
#include <optional>
#include <string_view>
#include <system_error>

#include "base/checked.hpp"
#include "base/memory_room.hpp"
#include "base/terms.hpp"
#include "cli/output.hpp"
#include "report/bytes.hpp"
#include "weir/plan.hpp"

namespace weir::cli {
namespace {

/// Members of Options, and the command-line options that set them.
constexpr struct {
  std::string_view member, option;
} members[] = {
    {"memory.budget_bytes", "--memory-budget"},
    {"memory.max_sample_bytes", "--max-sample-bytes"},
    {"queue.max_queue_size", "--max-queue-size"},
    {"queue.max_leases", "--max-leases"},
    {"io.read_ahead", "--read-ahead"},
    {"cache.keep", "--cache"},
    {"cache.max_bytes", "--cache"},
    {"shape.height", "--size"},
    {"shape.width", "--size"},
    {"sizes.max_height, max_width", "--max-size"},
    {"sizes.max_height", "--max-size"},
    {"sizes.max_width", "--max-size"},
    {"sizes.bucket_batches", "--bucket"},
    {"short_side", "--short-side"},
    {"side_bytes", "--side-bytes"},
    {"trace.events", "--trace-events"},
    {"target_readiness", "--target-readiness"},
    {"batch", "--batch"},
    {"fit", "--fit"},
    {"tuning.mode", "--tuning"},
    {"faults.tolerate_share", "--tolerate"},
    {"faults.tolerate", "--tolerate"},
    {"extensions", "--ext"},
    {"follow_symlinks", "--follow-symlinks"},
    {"workers", "--workers"},
};

/// The last value of an option on the command line. Empty if there is none.
std::string typed(std::string_view option, const std::vector<std::string>& arguments) {
  std::string value;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view argument(arguments[i]);
    if (argument == option && i + 1 < arguments.size()) value = arguments[i + 1];
    if (argument.starts_with(option) && argument.substr(option.size()).starts_with('='))
      value = argument.substr(option.size() + 1);
  }
  return value;
}

/// Replaces `member` by `option`, and "batch = 3" by "--batch 3". A member without a dot may be an
/// ordinary word, so it is replaced only before an equals sign.
void name_option(std::string& text, std::string_view member, std::string_view option) {
  constexpr std::string_view in_names = "abcdefghijklmnopqrstuvwxyz_.";
  for (std::size_t at = 0; (at = text.find(member, at)) != text.npos; at += option.size()) {
    const auto rest = std::string_view(text).substr(at + member.size());
    const bool equals = rest.starts_with(" = ");
    const bool whole = (at == 0 || in_names.find(text[at - 1]) == in_names.npos) &&
                       (rest.empty() || in_names.find(rest.front()) == in_names.npos);
    if (whole && (equals || member.find('.') != member.npos))
      text.replace(at, member.size() + (equals ? 2 : 0), option);
  }
}

std::string with_option_names(std::string text) {
  for (const auto& [member, option] : members) name_option(text, member, option);
  return text;
}

/// Whether the command makes batches.
bool has_loader(const Settings& s) {
  using enum Command;
  return s.command == run || s.command == sweep || s.command == tune || s.command == verify;
}

/// The plan without what depends on the data. Empty if the data decide it, or if there is none.
std::optional<Plan> plan_without_data(const Settings& settings) {
  if (!has_loader(settings) || settings.options.sizes.mode != Sizes::fixed) return std::nullopt;
  try {
    return resolve(settings.options, 0);
  } catch (const Error&) {
    return std::nullopt;  // the Loader says why
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
  const auto room = memory_room();
  auto bytes = room.machine == 0 ? UINT64_MAX : room.machine;
  if (room.cgroup) bytes = std::min(bytes, room.cgroup->left());
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    bytes = std::min<std::uint64_t>(bytes, limit.rlim_cur);
  return bytes;
}

}  // namespace

std::string reason_of(const std::exception& error, const Settings& settings) {
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) return out_of_memory(settings);
  return lacks_thread(error) ? out_of_threads(settings) : plain_text(error);
}

void refuse_beyond_memory(const Settings& settings) {
  const auto plan = plan_without_data(settings);
  if (!plan) return;
  const auto available = memory_within_reach();
  const auto refuse = [available](const std::string& what, const std::string& options) {
    throw Refusal{2, fmt::format("weir: {}; {} are available; lower {}\n", what,
                                 report::human_bytes(available), options)};
  };
  if (plan->trace_bytes > available)
    refuse(fmt::format("--trace-events {}: the events take {}", settings.options.trace.events,
                       report::human_bytes(plan->trace_bytes)),
           "it");
  const auto batches = std::uint64_t{1} + plan->max_leases;
  if (mul_sat(plan->slab_bytes, batches) > available)
    refuse(fmt::format("{}, and there are at least {}", batch_text(*plan), batches),
           "--batch, --size or --max-leases");
}

std::string message_of(const std::exception& error, const Settings* settings,
                       const std::vector<std::string>& arguments) {
  const auto text = with_option_names(settings ? reason_of(error, *settings) : plain_text(error));
  const auto name_end = text.find(' ');
  if (!text.starts_with("--") || name_end == text.npos) return text;
  const auto option = text.substr(0, name_end);
  const auto value_end = std::min(text.find_first_of(": ", name_end + 1), text.size());
  const auto value = typed(option, arguments);
  if (value.empty()) return text;
  const bool forgot_unit = option == "--memory-budget" && value.size() <= 6 &&
                           value.find_first_not_of("0123456789") == value.npos;
  return fmt::format("{} {}{}{}", option, value,
                     forgot_unit ? fmt::format(" ({0} bytes; did you mean {0}MiB?)", value) : "",
                     text.substr(value_end));
}

void say_error(const Settings& settings, const std::string& error, std::uint64_t faults) {
  if (error.empty()) return;
  say("weir: {}\n", with_option_names(error));
  if (settings.options.faults.policy == OnFault::stop && faults > 0)
    say("weir: three ways out: --ext names the extensions of images; --exclude leaves out what "
        "`weir probe DATA --list-bad FILE` lists; --on-fault skip takes other samples\n");
}

}  // namespace weir::cli
