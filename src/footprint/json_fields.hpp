#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "weir/model.hpp"

namespace weir {

/// Reads the fields of one JSON object. A field that is missing, unknown, out of bounds or of the
/// wrong type throws Error{bad_options} "PLACE: FIELD = VALUE: BOUND".
class JsonFields {
 public:
  /// The largest integer that every JSON reader represents exactly (RFC 8259, section 6).
  static constexpr std::uint64_t most = (1ull << 53) - 1;
  enum class Need : std::uint8_t { optional, required };
  static constexpr auto required = Need::required;

  /// `position` is empty for the outermost object.
  JsonFields(const nlohmann::json& object, std::string position);

  bool has(const char* field) const { return object_.contains(field); }
  /// Null if the field is missing and optional.
  const nlohmann::json* value(const char* field, Need need = Need::optional,
                              const char* example = nullptr);

  void whole(const char* field, std::uint64_t& target, std::uint64_t least,
             Need need = Need::optional);
  /// Reads an integer for both sides, or [rows, columns].
  void extent(const char* field, Extent& target, std::uint64_t least, Need need = Need::optional);
  void dims(const char* field, Dims& target);
  void flag(const char* field, bool& target) {
    plain(field, target, &nlohmann::json::is_boolean, "must be true or false");
  }
  void text(const char* field, std::string& target) {
    plain(field, target, &nlohmann::json::is_string, "must be a string");
  }
  /// Reads one of the given words.
  template <class T>
  void word(const char* field, T& target, const std::vector<T>& choices) {
    const auto* found = value(field);
    if (found == nullptr) return;
    std::string text;
    for (const T choice : choices) {
      const std::string name(to_string(choice));
      if (found->is_string() && found->get_ref<const std::string&>() == name) {
        target = choice;
        return;
      }
      text += (text.empty() ? "" : ", ") + name;
    }
    refuse(field, *found, "must be one of " + text);
  }

  /// Throws if the object has a field that was not read.
  void done() const;

  [[noreturn]] void refuse(const std::string& field, const nlohmann::json& value,
                           const std::string& bound) const;
  [[noreturn]] void refuse(const std::string& what) const;

 private:
  template <class T>
  void plain(const char* field, T& target, bool (nlohmann::json::*is)() const noexcept,
             const char* bound) {
    const auto* found = value(field);
    if (found == nullptr) return;
    if (!(found->*is)()) refuse(field, *found, bound);
    target = found->get<T>();
  }
  std::uint64_t number(const std::string& field, const nlohmann::json& value,
                       std::uint64_t least) const;

  const nlohmann::json& object_;
  std::string position_;
  std::vector<const char*> known_;
};

}  // namespace weir
