#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "weir/shards.hpp"

namespace weir::shards {

/// Where labels come from: ShardOptions::label and label_file. Thread-safe.
class Labels {
 public:
  /// The most bytes of a member with a label.
  static constexpr std::uint64_t most_bytes = 1 << 20;

  /// Throws Error{bad_options} for a wrong option, Error{source_failed} for a wrong file.
  explicit Labels(const ShardOptions& options);

  /// The extension of the member that parse() takes, in lower case. Empty if a file has the labels.
  const std::string& extension() const noexcept { return extension_; }
  /// The label in the content of that member. Throws std::invalid_argument with what is wrong.
  std::int64_t parse(std::string_view content) const;
  /// The label of a key in the file. Empty if the file lacks it. "./a" and "a" are one key.
  std::optional<std::int64_t> of(std::string_view key) const;

 private:
  void read_file(const std::string& path);

  std::string extension_;
  std::optional<nlohmann::json::json_pointer> pointer_;
  std::unordered_map<std::string, std::int64_t> by_key_;
};

}  // namespace weir::shards
