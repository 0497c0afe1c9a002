#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/sanitize.hpp"

namespace weir::report {

/// Whether a key may be there twice in one object. JSON readers differ in which one they use.
enum class Keys : std::uint8_t { any, once };

/// Checks the form of a JSON text, without making values of it.
template <class J>
class JsonForm final : public nlohmann::json_sax<J> {
 public:
  explicit JsonForm(Keys keys) : keys_(keys) {}

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(typename J::number_integer_t) override { return true; }
  bool number_unsigned(typename J::number_unsigned_t) override { return true; }
  bool number_float(typename J::number_float_t, const typename J::string_t&) override {
    return true;
  }
  bool string(typename J::string_t&) override { return true; }
  bool binary(typename J::binary_t&) override { return true; }
  bool start_object(std::size_t) override { return open(); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(); }
  bool end_array() override { return close(); }
  bool key(typename J::string_t& name) override {
    if (keys_ == Keys::once && !levels_.back().insert(name).second)
      throw std::invalid_argument(sanitize(name, 64) + " is there twice in one object");
    return true;
  }
  bool parse_error(std::size_t, const std::string&,
                   const typename nlohmann::detail::exception&) override {
    return false;  // J::parse will say it
  }

 private:
  bool open() {
    constexpr std::size_t most_levels = 100;
    if (levels_.size() == most_levels)
      throw std::invalid_argument("is nested more than " + std::to_string(most_levels) +
                                  " levels deep");
    levels_.emplace_back();
    return true;
  }
  bool close() {
    levels_.pop_back();
    return true;
  }

  Keys keys_;
  std::vector<std::set<std::string>> levels_;  ///< the keys of each open object
};

/// Parses untrusted JSON as `J`. Use only this function to make a `J` of it. It bounds the depth. nlohmann's
/// parser accepts any depth, but writing or copying the result is recursive, so a deep file would
/// overflow the stack. (J::parse with a callback would take quadratic time: at each end of an object
/// it looks at all elements of the array around it.) Throws J::exception if the text is not JSON, and
/// std::invalid_argument if it is nested too deep or has a key twice.
template <class J>
J read_json(std::string_view text, Keys keys = Keys::any) {
  JsonForm<J> form(keys);
  J::sax_parse(text, &form);
  return J::parse(text);
}

}  // namespace weir::report
