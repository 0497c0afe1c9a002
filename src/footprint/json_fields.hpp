#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "weir/model.hpp"

namespace weir {

/// The fields of one JSON object, read one by one. What is missing, of another kind, out of bounds or
/// unknown throws Error{bad_options} "PLACE: FIELD = VALUE: BOUND".
class JsonFields {
 public:
  /// Whole numbers end where every reader of JSON still has them exactly (RFC 8259, section 6).
  static constexpr std::uint64_t most = (1ull << 53) - 1;
  enum class Need : std::uint8_t { optional, required };
  static constexpr auto required = Need::required;

  /// `place` is empty for the outermost object.
  JsonFields(const nlohmann::json& object, std::string position);

  bool has(const char* field) const { return object_.contains(field); }
  /// null: the field is missing, and need not be there.
  const nlohmann::json* value(const char* field, Need need = Need::optional);

  void whole(const char* field, std::uint64_t& target, std::uint64_t least,
             Need need = Need::optional);
  /// A whole number for both sides, or [rows, columns].
  void extent(const char* field, Extent& target, std::uint64_t least, Need need = Need::optional);
  void dims(const char* field, Dims& target);
  void flag(const char* field, bool& target) {
    plain(field, target, &nlohmann::json::is_boolean, "must be true or false");
  }
  void text(const char* field, std::string& target) {
    plain(field, target, &nlohmann::json::is_string, "must be a string");
  }
  /// One of a few words.
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

  /// Refuses every field that was not asked for.
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
