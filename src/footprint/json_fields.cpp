#include "footprint/json_fields.hpp"

#include <algorithm>
#include <cmath>

#include "base/sanitize.hpp"
#include "footprint/layer_rules.hpp"

namespace weir {
namespace {

using nlohmann::json;

constexpr std::size_t most_shown = 64;

std::string shown(const json& value) {
  if (value.is_structured()) return value.is_array() ? "an array" : "an object";
  return sanitize(value.dump(-1, ' ', false, json::error_handler_t::replace), most_shown);
}

}  // namespace

JsonFields::JsonFields(const json& object, std::string position)
    : object_(object), position_(std::move(position)) {
  if (!object.is_object())
    throw model_error(position_, (position_.empty() ? "the model is " : "is ") + shown(object) +
                                     ": must be an object");
}

const json* JsonFields::value(const char* field, Need need, const char* example) {
  known_.push_back(field);
  const auto found = object_.find(field);
  if (found != object_.end()) return &*found;
  if (need == required)
    refuse(std::string(field) + " is missing" +
           (example ? std::string(R"(; write ")") + field + R"(": )" + example : ""));
  return nullptr;
}

void JsonFields::whole(const char* field, std::uint64_t& target, std::uint64_t least, Need need) {
  if (const auto* found = value(field, need)) target = number(field, *found, least);
}

void JsonFields::extent(const char* field, Extent& target, std::uint64_t least, Need need) {
  const auto* found = value(field, need);
  if (found == nullptr) return;
  if (!found->is_array()) {
    target.height = target.width = number(field, *found, least);
    return;
  }
  if (found->size() != 2) refuse(field, *found, "must be one number, or two: [rows, columns]");
  target = {number(field, (*found)[0], least), number(field, (*found)[1], least)};
}

void JsonFields::dims(const char* field, Dims& target) {
  const auto* found = value(field);
  if (found == nullptr) return;
  if (!found->is_array() || found->empty() || found->size() > 3)
    refuse(field, *found, "must be [channels, height, width], [tokens, features] or [features]");
  target.clear();
  for (const auto& extent : *found) target.push_back(number(field, extent, 1));
}

void JsonFields::done() const {
  for (const auto& [field, value] : object_.items()) {
    const auto is_field = [&name = field](const char* known) { return name == known; };
    if (std::any_of(known_.begin(), known_.end(), is_field)) continue;
    std::string fields;
    for (const auto* known : known_) fields += (fields.empty() ? "" : ", ") + std::string(known);
    refuse(sanitize(field, most_shown) + " is no field of it; those are " + fields);
  }
}

void JsonFields::refuse(const std::string& field, const json& value,
                        const std::string& bound) const {
  refuse(field + " = " + shown(value) + ": " + bound);
}

void JsonFields::refuse(const std::string& what) const { throw model_error(position_, what); }

std::uint64_t JsonFields::number(const std::string& field, const json& value,
                                 std::uint64_t least) const {
  const auto bound = [&] {
    return "must be a whole number, " + std::to_string(least) + " to " + std::to_string(most);
  };
  if (!value.is_number()) refuse(field, value, bound());
  // In JSON Schema, 3.0 is also an integer.
  if (value.is_number_float()) {
    const auto number = value.get<double>();
    if (!(number >= static_cast<double>(least) && number <= static_cast<double>(most)) ||
        number != std::floor(number))
      refuse(field, value, bound());
    return static_cast<std::uint64_t>(number);
  }
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() < least ||
      value.get<std::uint64_t>() > most)
    refuse(field, value, bound());
  return value.get<std::uint64_t>();
}

}  // namespace weir
