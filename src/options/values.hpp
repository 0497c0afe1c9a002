#pragma once

#include <array>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "options/option_row.hpp"

namespace weir::options {

// Each type of a member has value_text(), read_value() and bound_of(). read_value() throws
// std::invalid_argument that says what the value must be, or gives a value that bound_of() refuses.
// bound_of() says what the value must be, if it is not; otherwise it is empty. Both are what the
// row says.

/// "1 to 64", or "1 or more".
std::string range_text(std::uint64_t least, std::uint64_t most);
/// Throws std::invalid_argument.
[[noreturn]] void refuse_text(const std::string& why);
/// A whole number. The error names the bounds, and for "1e3" the number to write.
std::uint64_t read_whole(std::string_view text, std::uint64_t least, std::uint64_t most);
/// "224x320": height, then width. Throws std::invalid_argument.
ImageSize read_size(std::string_view text);
/// "0.5" or "50%"; empty for other text.
std::optional<double> read_share(std::string_view text);
/// False for NaN.
constexpr bool is_within(double value, double low, double high) noexcept {
  return value >= low && value <= high;
}
/// The shortest text of the number.
std::string number_text(double value);

std::string whole_text(const Spec& row, std::uint64_t value);
std::uint64_t read_number(const Spec& row, std::string_view text);
std::string bound_of_number(const Spec& row, std::uint64_t value);
std::size_t read_name(const Spec& row, std::string_view text);

template <class T>
concept Number = std::unsigned_integral<T> && !std::same_as<T, bool>;
template <class T>
concept Enumeration = std::is_enum_v<T>;

/// The value of a member in the program's help; empty: a flag.
template <class T>
constexpr std::string_view form_of_type() {
  if constexpr (Number<T>) return "N";
  if constexpr (std::same_as<T, double>) return "P";
  if constexpr (std::same_as<T, ByteBound>) return "BYTES|measured";
  if constexpr (std::same_as<T, std::array<double, 2>>) return "A:B";
  if constexpr (std::same_as<T, ImageSize>) return "HxW";
  if constexpr (std::same_as<T, Fill>) return "V[,V...]";
  if constexpr (std::same_as<T, std::chrono::milliseconds>) return "N";
  return "";
}
template <class T>
struct Present {
  using Type = T;
  static constexpr bool optional = false;
};
template <class T>
struct Present<std::optional<T>> {
  using Type = T;
  static constexpr bool optional = true;
};

template <Number T>
std::string value_text(const Spec& row, T value) {
  return whole_text(row, value);
}
template <Number T>
void read_value(const Spec& row, std::string_view text, T& value) {
  value = static_cast<T>(read_number(row, text));
}
template <Number T>
std::string bound_of(const Spec& row, T value) {
  return bound_of_number(row, value);
}

template <Enumeration T>
std::string value_text(const Spec& row, T value) {
  const auto at = static_cast<std::size_t>(value);
  return at < row.enumerators.size() ? std::string(row.enumerators[at]) : std::to_string(at);
}
template <Enumeration T>
void read_value(const Spec& row, std::string_view text, T& value) {
  value = static_cast<T>(read_name(row, text));
}
template <Enumeration T>
std::string bound_of(const Spec& row, T value) {
  return static_cast<std::size_t>(value) < row.enumerators.size() ? "" : form_of(row);
}

std::string value_text(const Spec&, bool value);
void read_value(const Spec&, std::string_view text, bool& value);
inline std::string bound_of(const Spec&, bool) { return ""; }

/// A share, 0 to 1.
std::string value_text(const Spec&, double value);
void read_value(const Spec&, std::string_view text, double& value);
std::string bound_of(const Spec&, double value);

/// Bytes, or "measured".
std::string value_text(const Spec&, ByteBound value);
void read_value(const Spec& row, std::string_view text, ByteBound& value);
std::string bound_of(const Spec& row, ByteBound value);

/// A range: "0.08:1".
using Range = std::array<double, 2>;
std::string value_text(const Spec&, const Range& value);
void read_value(const Spec&, std::string_view text, Range& value);
std::string bound_of(const Spec& row, const Range& value);

std::string value_text(const Spec&, ImageSize value);
void read_value(const Spec&, std::string_view text, ImageSize& value);
std::string bound_of(const Spec& row, ImageSize value);

/// One value for all channels, or one of each: "114:114:114".
std::string value_text(const Spec&, const Fill& value);
void read_value(const Spec&, std::string_view text, Fill& value);
inline std::string bound_of(const Spec&, const Fill&) { return ""; }

std::string value_text(const Spec& row, std::chrono::milliseconds value);
void read_value(const Spec& row, std::string_view text, std::chrono::milliseconds& value);
std::string bound_of(const Spec& row, std::chrono::milliseconds value);

/// As in "blocks:64:64". weighted and own need an object.
std::string value_text(const Spec&, const Order& value);
void read_value(const Spec&, std::string_view text, Order& value);
std::string bound_of(const Spec&, const Order& value);

/// As in "mask pixels=grey8 scale=1/2 optional=true; depth pixels=stored16".
std::string value_text(const Spec&, const std::vector<PlaneOptions>& value);
void read_value(const Spec&, std::string_view text, std::vector<PlaneOptions>& value);
inline std::string bound_of(const Spec&, const std::vector<PlaneOptions>&) { return ""; }

/// As in "1/2".
std::string value_text(const Spec&, Ratio value);
void read_value(const Spec&, std::string_view text, Ratio& value);
std::string bound_of(const Spec& row, Ratio value);

/// As in "image:mask".
std::string value_text(const Spec&, const std::vector<std::string>& value);
void read_value(const Spec&, std::string_view text, std::vector<std::string>& value);
inline std::string bound_of(const Spec&, const std::vector<std::string>&) { return ""; }

// A value, or `absent` of the row.
template <class T>
std::string value_text(const Spec& row, const std::optional<T>& value) {
  return value ? value_text(row, *value) : std::string(row.absent);
}
template <class T>
void read_value(const Spec& row, std::string_view text, std::optional<T>& value) {
  if (text == row.absent) return value.reset();
  read_value(row, text, value.emplace(T(0)));
}
template <class T>
std::string bound_of(const Spec& row, const std::optional<T>& value) {
  return value ? bound_of(row, *value) : "";
}

// Objects. Their texts identify them, if anything does.
template <class Signature>
std::string value_text(const Spec&, const std::function<Signature>& value) {
  return value ? "set" : "";
}
template <class T>
std::string value_text(const Spec&, const std::shared_ptr<T>& value) {
  return value ? "set" : "";
}
std::string value_text(const Spec&, const std::shared_ptr<const SizeIndex>& value);
std::string value_text(const Spec&, const std::vector<std::shared_ptr<const ForeignCodec>>& value);

// The name of a plane. Other texts belong to objects.
std::string value_text(const Spec&, const std::string& value);
void read_value(const Spec&, std::string_view text, std::string& value);
inline std::string bound_of(const Spec&, const std::string&) { return ""; }

}  // namespace weir::options
