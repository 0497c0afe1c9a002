#include "cli/messages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/terms.hpp"
#include "cli/output.hpp"

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

}  // namespace

std::string message_of(const std::exception& error, const std::vector<std::string>& arguments) {
  auto text = plain_text(error);
  for (const auto& [member, option] : members) name_option(text, member, option);
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
  say("weir: {}\n", error);
  if (settings.options.faults.policy == OnFault::stop && faults > 0)
    say("weir: three ways out: --ext names the extensions of images; --exclude leaves out what "
        "`weir probe DATA --list-bad FILE` lists; --on-fault skip takes other samples\n");
}

}  // namespace weir::cli
