#include "options/values.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "base/byte_text.hpp"
#include "base/numbers.hpp"
#include "base/text.hpp"
#include "source/fingerprint.hpp"
#include "source/order.hpp"

namespace weir::options {
namespace {

constexpr double thousandth = 0.001;

}  // namespace

std::string range_text(std::uint64_t least, std::uint64_t most) {
  return most == UINT64_MAX ? concat(least, " or more") : concat(least, " to ", most);
}

void refuse_text(const std::string& why) { throw std::invalid_argument(why); }

std::uint64_t read_whole(std::string_view text, std::uint64_t least, std::uint64_t most) {
  const auto value = parse_number<std::uint64_t>(text);
  if (value && *value >= least && *value <= most) return *value;
  const auto digits = text.substr(text.starts_with('-') ? 1 : 0);
  if (!digits.empty() && digits.find_first_not_of("0123456789") == digits.npos) {
    // Only numbers above 2^64 exceed a bound that range_text() does not name.
    const bool too_large = most == UINT64_MAX && digits.size() == text.size() && !value;
    refuse_text("must be " + (too_large ? concat("at most ", most) : range_text(least, most)));
  }
  constexpr double largest_exact = 1e15;
  const auto written = parse_number<double>(text).value_or(-1);
  const bool whole = written == std::floor(written) &&
                     is_within(written, static_cast<double>(least),
                               std::min(largest_exact, static_cast<double>(most)));
  refuse_text(concat("must be a whole number, ", range_text(least, most),
                     whole ? format("; write %.0f", written) : ""));
}

ImageSize read_size(std::string_view text) {
  Options read;
  const auto& row = *find("shape");
  row.read(row, text, read);
  return read.shape;
}

std::optional<double> read_share(std::string_view text) {
  const bool percent = text.ends_with('%');
  const auto number = parse_number<double>(text.substr(0, text.size() - (percent ? 1 : 0)));
  return number ? std::optional(*number / (percent ? 100 : 1)) : std::nullopt;
}

std::string number_text(double value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

std::string whole_text(const Spec& row, std::uint64_t value) {
  return row.bytes ? byte_text(value) : std::to_string(value);
}

std::uint64_t read_number(const Spec& row, std::string_view text) {
  if (!row.bytes) return read_whole(text, row.least, row.most);
  const auto bytes = parse_bytes(text);
  if (bytes < row.least || bytes > row.most)
    refuse_text(concat("must be ", range_text(row.least, row.most), " bytes"));
  return bytes;
}

std::string bound_of_number(const Spec& row, std::uint64_t value) {
  return value >= row.least && value <= row.most ? ""
                                                 : "must be " + range_text(row.least, row.most);
}

std::size_t read_name(const Spec& row, std::string_view text) {
  const auto at = std::ranges::find(row.enumerators, text) - row.enumerators.begin();
  if (static_cast<std::size_t>(at) == row.enumerators.size()) refuse_text(form_of(row));
  return static_cast<std::size_t>(at);
}

std::string value_text(const Spec&, bool value) { return value ? "true" : "false"; }
void read_value(const Spec&, std::string_view text, bool& value) {
  if (text != "true" && text != "false") refuse_text("must be true or false");
  value = text == "true";
}

std::string value_text(const Spec&, double value) { return number_text(value); }
void read_value(const Spec&, std::string_view text, double& value) {
  value = read_share(text).value_or(-1);
}
std::string bound_of(const Spec& row, double value) {
  if (is_within(value, 0, 1) && (row.least == 0 || value > 0)) return "";
  return row.least == 0 ? "must be 0 to 1, as in 0.5 or 50%"
                        : "must be above 0 and at most 1, as in 0.99 or 99%";
}

std::string value_text(const Spec&, ByteBound value) {
  return value.bytes() ? byte_text(*value.bytes()) : "measured";
}
void read_value(const Spec& row, std::string_view text, ByteBound& value) {
  value = text == "measured" ? ByteBound::measured : ByteBound(read_number(row, text));
}
std::string bound_of(const Spec& row, ByteBound value) {
  return value.bytes() ? bound_of_number(row, *value.bytes()) : "";
}

std::string value_text(const Spec&, const Range& value) {
  return concat(number_text(value[0]), ':', number_text(value[1]));
}
void read_value(const Spec&, std::string_view text, Range& value) {
  const auto ends = split(text, text.find(',') == text.npos ? ':' : ',');
  const auto end = [&](std::size_t i) {
    return ends.size() == 2 ? parse_number<double>(ends[i]).value_or(-1) : -1;
  };
  value = {end(0), end(1)};
}
std::string bound_of(const Spec& row, const Range& value) {
  const auto most = static_cast<double>(row.most);
  if (is_within(value[0], thousandth, most) && is_within(value[1], value[0], most)) return "";
  return concat("must be A:B, each 0.001 to ", row.most, ", and A no more than B");
}

std::string value_text(const Spec&, ImageSize value) {
  return concat(value.height, 'x', value.width);
}
void read_value(const Spec&, std::string_view text, ImageSize& value) {
  const auto parts = split(text, 'x');
  const auto side = [&](std::size_t i) {
    return parts.size() == 2 ? parse_number<std::uint32_t>(parts[i]).value_or(UINT32_MAX)
                             : UINT32_MAX;
  };
  value = {.height = side(0), .width = side(1)};
}
std::string bound_of(const Spec& row, ImageSize value) {
  const auto fits = [&](std::uint32_t side) { return side >= row.least && side <= row.most; };
  return fits(value.height) && fits(value.width)
             ? ""
             : concat("must be HxW, each ", range_text(row.least, row.most), ", as in 224x224");
}

std::string value_text(const Spec&, const Fill& value) {
  std::vector<std::string> channels;
  for (const auto channel : value) channels.push_back(std::to_string(channel));
  // One value alone would be that of all channels.
  const std::size_t least = channels.front() == "0" ? 1 : 2;
  while (channels.size() > least && channels.back() == "0") channels.pop_back();
  return joined(channels, ":");
}
void read_value(const Spec&, std::string_view text, Fill& value) {
  const auto parts = split(text, text.find(',') == text.npos ? ':' : ',');
  if (parts.size() > value.size()) refuse_text("must have at most 4 values");
  value = {};
  for (std::size_t i = 0; i < parts.size(); ++i)
    value[i] = static_cast<std::uint16_t>(read_whole(parts[i], 0, UINT16_MAX));
  if (parts.size() == 1) value.fill(value[0]);
}

std::string value_text(const Spec&, std::chrono::milliseconds value) {
  return std::to_string(value.count());
}
void read_value(const Spec& row, std::string_view text, std::chrono::milliseconds& value) {
  // bound_of() names the unit.
  const auto count = parse_number<std::int64_t>(text);
  value = std::chrono::milliseconds(
      count ? *count : static_cast<std::int64_t>(read_whole(text, row.least, row.most)));
}
std::string bound_of(const Spec& row, std::chrono::milliseconds value) {
  const auto least = static_cast<std::int64_t>(row.least);
  return value.count() >= least ? "" : concat("must be ", row.least, " ms or more");
}

std::string value_text(const Spec&, const Order& value) {
  if (value.kind > Order::Kind::own) return std::to_string(static_cast<int>(value.kind));
  const bool draws = source::repeats(value.kind) && value.draws > 0;
  return to_string(value) + (draws ? concat(':', value.draws) : "");
}
void read_value(const Spec& row, std::string_view text, Order& value) {
  auto order = source::parse_order(text);
  if (!order) refuse_text(form_of(row));
  value = std::move(*order);
}
std::string bound_of(const Spec& row, const Order& value) {
  return value.kind > Order::Kind::own ? form_of(row) : "";
}

std::string value_text(const Spec&, Ratio value) {
  return concat(value.numerator, '/', value.denominator);
}
void read_value(const Spec&, std::string_view text, Ratio& value) {
  const auto sides = split(text, '/');
  const auto side = [&](std::size_t i) {
    return i < sides.size() ? parse_number<std::uint32_t>(sides[i]).value_or(0) : 1;
  };
  value = {side(0), sides.size() > 2 ? 0 : side(1)};
}
std::string bound_of(const Spec& row, Ratio value) {
  const auto fits = [&](std::uint32_t side) { return side >= 1 && side <= row.most; };
  return fits(value.numerator) && fits(value.denominator)
             ? ""
             : concat("must be A or A/B, each 1 to ", row.most, ", as in 1/8");
}

std::string value_text(const Spec&, const std::vector<PlaneOptions>& value) {
  std::string all;
  for (const auto& plane : value) {
    all += all.empty() ? "" : "; ";
    for (const auto& row : plane_rows())
      if (&row == &plane_rows().front())
        all += row.text(row, plane);
      else if (is_set(row, plane))
        all += concat(' ', row.name, '=', row.text(row, plane));
  }
  return all;
}
void read_value(const Spec&, std::string_view text, std::vector<PlaneOptions>& value) {
  value.clear();
  if (text.empty()) return;
  for (auto part : split(text, ';')) {
    part.remove_prefix(std::min(part.find_first_not_of(' '), part.size()));
    const auto words = split(part, ' ');
    auto& plane = value.emplace_back();
    plane.name = words[0];
    for (std::size_t i = 1; i < words.size(); ++i) {
      const auto name = words[i].substr(0, words[i].find('='));
      const auto row = std::ranges::find(plane_rows(), name, &Spec::name);
      if (row == plane_rows().end() || name.size() == words[i].size())
        refuse_text(
            concat("must be NAME key=value ...; NAME key=value ..., and not '", words[i], "'"));
      row->read(*row, words[i].substr(name.size() + 1), plane);
    }
  }
}

std::string value_text(const Spec&, const std::vector<std::string>& value) {
  return joined(value, ":");
}
void read_value(const Spec&, std::string_view text, std::vector<std::string>& value) {
  value.clear();
  if (text.empty()) return;
  for (const auto part : split(text, ':')) value.emplace_back(part);
}

std::string value_text(const Spec&, const std::shared_ptr<const SizeIndex>& value) {
  if (!value) return "";
  std::string all;
  all.reserve(value->size() * 12);
  for (std::uint64_t i = 0; i < value->size(); ++i) all += sides((*value)[i]) + ' ';
  return source::fingerprint_of_text(all);
}
std::string value_text(const Spec&, const std::vector<std::shared_ptr<const ForeignCodec>>& value) {
  return value.empty() ? "" : std::to_string(value.size());
}
std::string value_text(const Spec&, const std::string& value) { return value; }
void read_value(const Spec&, std::string_view text, std::string& value) { value = text; }

}  // namespace weir::options
