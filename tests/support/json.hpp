#pragma once

#include <compare>
#include <concepts>
#include <iosfwd>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weir::test {

template <class T>
concept Number = (std::integral<T> || std::floating_point<T>)&&!std::same_as<T, bool>;

/// A read-only JSON value. Tests that use it compile without the JSON library, which takes longer
/// than the test. A missing value is null.
class Json {
 public:
  /// Throws if `text` is not JSON.
  static Json parse(const std::string& text);
  /// Discarded if `text` is not JSON.
  static Json try_parse(const std::string& text);

  const Json& operator[](std::string_view key) const;
  const Json& operator[](std::size_t index) const;
  std::size_t size() const { return values_.size(); }
  bool empty() const { return values_.empty(); }
  const Json& back() const { return values_.back(); }
  auto begin() const { return values_.begin(); }
  auto end() const { return values_.end(); }
  /// An object's members, in the order of the text.
  std::vector<std::pair<std::string, Json>> items() const;

  bool is_discarded() const { return kind_ == Kind::discarded; }
  bool is_null() const { return kind_ == Kind::null; }
  bool is_number() const { return kind_ == Kind::number; }
  bool is_string() const { return kind_ == Kind::string; }
  bool is_object() const { return kind_ == Kind::object; }

  /// The number or text of this value. Throws if it is of another kind.
  template <Number T>
  T get() const {
    return static_cast<T>(number());
  }
  template <std::same_as<std::string> T>
  const T& get() const {
    return string();
  }
  std::string dump() const;

  friend bool operator==(const Json&, const Json&) = default;
  template <Number T>
  friend bool operator==(const Json& json, T value) {
    return json.is_number() && json.number_ == static_cast<long double>(value);
  }
  /// Compares numbers.
  friend std::partial_ordering operator<=>(const Json& a, const Json& b) {
    return a.number() <=> b.number();
  }
  template <Number T>
  friend std::partial_ordering operator<=>(const Json& json, T value) {
    return json.number() <=> static_cast<long double>(value);
  }
  template <std::same_as<bool> T>
  friend bool operator==(const Json& json, T value) {
    return json.kind_ == Kind::boolean && json.number_ == static_cast<long double>(value);
  }
  friend bool operator==(const Json& json, const char* value) {
    return json == std::string_view(value);
  }
  friend bool operator==(const Json& json, const std::string& value) {
    return json == std::string_view(value);
  }
  friend bool operator==(const Json& json, std::string_view value) {
    return json.is_string() && json.string_ == value;
  }
  friend std::ostream& operator<<(std::ostream& out, const Json& json);

 private:
  enum class Kind : unsigned char { discarded, null, boolean, number, string, array, object };
  template <class Value>
  static Json from(const Value& value);
  long double number() const;
  const std::string& string() const;

  Kind kind_ = Kind::null;
  long double number_ = 0;  ///< holds every integer of 64 bits and every double
  std::string string_;
  std::vector<std::string> keys_;
  std::vector<Json> values_;
};

}  // namespace weir::test
