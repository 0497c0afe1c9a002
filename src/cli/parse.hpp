#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "weir/image.hpp"
#include "weir/options.hpp"

namespace weir::cli {

// Parsers for values on the command line. All throw std::invalid_argument that names the value.

/// Throws std::invalid_argument with the message "'TEXT' WHY".
[[noreturn]] void refuse_word(std::string_view text, std::string_view why);

/// Parses all of `text` as a number. `what` describes the expected value in the error message.
template <class T>
T parse_number(std::string_view text, std::string_view what) {
  T value{};
  const auto* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || stop != end || error != std::errc{})
    refuse_word(text, "is not " + std::string(what));
  return value;
}

template <class T>
T at_least_1(T value) {
  if (value == 0) throw std::invalid_argument("must be 1 or more, not 0");
  return value;
}

/// "224x320": height, then width.
Shape parse_size(std::string_view text);
/// "1,2,4": each value is 1 or more.
std::vector<std::uint32_t> parse_depths(std::string_view text);
/// "12.5": 0 or more, at most a day.
double parse_milliseconds(std::string_view text);
/// The same in seconds.
double parse_seconds(std::string_view text);
/// "0.99" or "99%": above 0 and at most 1.
double parse_share(std::string_view text);
/// Reads a file of at most 64 MiB with one number of milliseconds on each line. Blank lines are
/// ignored. The error names the file and the line.
std::vector<double> read_trace(const std::string& path);
/// "50" or "50:20": mean and standard deviation in milliseconds. A deviation needs a mean above 0.
struct DelaySpec {
  double mean_ms = 0;
  double deviation_ms = 0;  ///< 0: constant; otherwise the delay is log-normal
};
DelaySpec parse_delay(std::string_view text);
/// "12" sets tolerate. "2.5%" sets tolerate_share.
void parse_tolerance(std::string_view text, FaultOptions& faults);
/// "auto" or "auto:P%": the share of the available memory. Empty for another text.
std::optional<double> parse_auto_share(std::string_view text);
/// "encoded", "decoded:64MiB" or "nothing".
CacheOptions parse_cache(std::string_view text);
/// ".jpg,png" gives .jpg and .png.
std::vector<std::string> parse_extensions(std::string_view text);

}  // namespace weir::cli
