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

// What the words of a command line mean. All throw std::invalid_argument naming the word.

/// Throws "'TEXT' WHY".
[[noreturn]] void refuse_word(std::string_view text, std::string_view why);

/// All of `text` as a number; `what` says what it should have been.
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
/// "1,2,4", none of them 0.
std::vector<std::uint32_t> parse_depths(std::string_view text);
/// "12.5": 0 or more, at most a day.
double parse_milliseconds(std::string_view text);
/// "0.99" or "99%": above 0 and at most 1.
double parse_share(std::string_view text);
/// A file of milliseconds, one a line; blank lines count for nothing. Throws naming file and line.
std::vector<double> read_trace(const std::string& path);
/// "50" or "50:20", a mean and a standard deviation, each as above. Only a mean above 0 has one.
struct DelaySpec {
  double mean_ms = 0;
  double deviation_ms = 0;  ///< 0: constant, else log-normal
};
DelaySpec parse_delay(std::string_view text);
/// "12" sets tolerate, "2.5%" tolerate_share.
void parse_tolerance(std::string_view text, FaultOptions& faults);
/// "auto" or "auto:P%": the share of the memory left; empty where `text` is neither.
std::optional<double> parse_auto_share(std::string_view text);
/// "encoded", "decoded:64MiB", "nothing".
CacheOptions parse_cache(std::string_view text);
/// ".jpg,png" is .jpg and .png.
std::vector<std::string> parse_extensions(std::string_view text);

}  // namespace weir::cli
