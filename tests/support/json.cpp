#include "support/json.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>
#include <stdexcept>

namespace weir::test {
namespace {

const Json nothing;

}  // namespace

template <class Value>
Json Json::from(const Value& value) {
  Json json;
  if (value.is_discarded()) {
    json.kind_ = Kind::discarded;
  } else if (value.is_boolean()) {
    json.kind_ = Kind::boolean;
    json.number_ = value.template get<bool>() ? 1 : 0;
  } else if (value.is_number()) {
    json.kind_ = Kind::number;
    json.number_ =
        value.is_number_unsigned()  ? static_cast<long double>(value.template get<std::uint64_t>())
        : value.is_number_integer() ? static_cast<long double>(value.template get<std::int64_t>())
                                    : static_cast<long double>(value.template get<double>());
  } else if (value.is_string()) {
    json.kind_ = Kind::string;
    json.string_ = value.template get<std::string>();
  } else if (value.is_structured()) {
    json.kind_ = value.is_object() ? Kind::object : Kind::array;
    for (const auto& [key, member] : value.items()) {
      if (value.is_object()) json.keys_.push_back(key);
      json.values_.push_back(from(member));
    }
  }
  return json;
}

Json Json::parse(const std::string& text) { return from(nlohmann::ordered_json::parse(text)); }

Json Json::try_parse(const std::string& text) {
  return from(nlohmann::ordered_json::parse(text, nullptr, false));
}

const Json& Json::operator[](std::string_view key) const {
  const auto found = std::find(keys_.begin(), keys_.end(), key);
  return found == keys_.end() ? nothing : values_[static_cast<std::size_t>(found - keys_.begin())];
}

const Json& Json::operator[](std::size_t index) const {
  return index < values_.size() ? values_[index] : nothing;
}

std::vector<std::pair<std::string, Json>> Json::items() const {
  std::vector<std::pair<std::string, Json>> all;
  for (std::size_t i = 0; i < keys_.size(); ++i) all.emplace_back(keys_[i], values_[i]);
  return all;
}

long double Json::number() const {
  if (!is_number()) throw std::runtime_error("no number: " + dump());
  return number_;
}

const std::string& Json::string() const {
  if (!is_string()) throw std::runtime_error("no text: " + dump());
  return string_;
}

std::string Json::dump() const {
  switch (kind_) {
    case Kind::discarded: return "(no JSON)";
    case Kind::null: return "null";
    case Kind::boolean: return number_ != 0 ? "true" : "false";
    case Kind::number: {
      const auto number = std::to_string(number_);
      return number_ == static_cast<long double>(static_cast<std::int64_t>(number_))
                 ? number.substr(0, number.find('.'))
                 : number;
    }
    case Kind::string: return '"' + string_ + '"';
    case Kind::array:
    case Kind::object: break;
  }
  std::string text;
  for (std::size_t i = 0; i < values_.size(); ++i) {
    text += (i > 0 ? "," : "") + (is_object() ? '"' + keys_[i] + "\":" : "") + values_[i].dump();
  }
  return is_object() ? '{' + text + '}' : '[' + text + ']';
}

std::ostream& operator<<(std::ostream& out, const Json& json) { return out << json.dump(); }

}  // namespace weir::test
