#pragma once

#include <map>
#include <string>
#include <vector>

namespace weir::cli {

/// An option of a file of options, with its values as text.
struct ConfigItem {
  std::string name;
  std::vector<std::string> values;
};

/// The options of a TOML text by the section that they are in; "" has those before the first one. Throws
/// std::runtime_error with the line that is wrong.
std::map<std::string, std::vector<ConfigItem>> read_config(const std::string& text);

}  // namespace weir::cli
