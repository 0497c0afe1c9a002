#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/sanitize.hpp"
#include "base/text.hpp"
#include "options/size_schedule.hpp"
#include "options/values.hpp"
#include "weir/options.hpp"
#include "weir/order.hpp"

namespace weir::cli {

// Parsers for values on the command line. All throw std::invalid_argument, or Error{bad_options}, that says
// what the value must be. The caller adds the option and the value. A file that cannot be read is another
// std::system_error.

using options::read_size;
using options::refuse_text;

/// Whether `name` is one of `names`, which have blanks between them.
bool lists(std::string_view names, std::string_view name);

/// "1,2,4": each value is 1 or more.
std::vector<std::uint32_t> parse_depths(std::string_view text);
/// "12.5": 0 or more, at most a day.
double parse_milliseconds(std::string_view text);
/// The same in seconds.
double parse_seconds(std::string_view text);
/// Reads a file of at most 64 MiB with one number of milliseconds on each line. Blank lines are
/// ignored. The error names the line.
std::vector<double> read_trace(const std::string& path);
/// Reads files of Progress::save() with commas between their names, and merges them.
weir::Progress read_progress(const std::string& paths);
/// "50" or "50:20": mean and standard deviation in milliseconds. A deviation needs a mean above 0.
struct DelaySpec {
  double mean_ms = 0;
  double deviation_ms = 0;  ///< 0: constant; otherwise the delay is log-normal
};
DelaySpec parse_delay(std::string_view text);
/// The share of --memory-budget auto.
inline constexpr double usual_budget_share = 0.5;
/// "auto" or "auto:P%": the share of the available memory. Empty for a text without auto.
std::optional<double> parse_auto_share(std::string_view text);
/// "shuffle", "blocks:64:16", "every:8" or "weighted:FILE", whose file it reads.
Order parse_order(std::string_view text);
/// Reads a schedule, or a FILE with a part on each line. The error names the part.
std::vector<options::SizeChange> read_schedule(const std::string& text);
/// ".jpg,png" gives .jpg and .png.
std::vector<std::string> parse_extensions(std::string_view text);
/// Names that are separated by commas.
std::vector<std::string> parse_names(std::string_view text);

}  // namespace weir::cli
