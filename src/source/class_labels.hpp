#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weir::source {

/// The classes of a folder, by label, and the label of each by binary search. Thread-safe once made.
class ClassLabels {
 public:
  ClassLabels() = default;
  /// Throws Error{bad_options} if a name is empty or occurs twice.
  explicit ClassLabels(std::vector<std::string> names);

  const std::vector<std::string>& names() const noexcept { return names_; }
  /// -1 if there is no such class.
  std::int64_t label_of(std::string_view name) const noexcept;
  /// Heap bytes.
  std::uint64_t bytes() const noexcept;

 private:
  std::vector<std::string> names_;      ///< by label
  std::vector<std::uint32_t> by_name_;  ///< labels in byte order of the names; empty: names_ are
};

/// "12: there are 10 classes", or empty if the label is -1 or the position of a class, or if there
/// are no classes.
std::string not_a_class(std::int64_t label, const std::vector<std::string>& classes);

}  // namespace weir::source
