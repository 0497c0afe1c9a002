#include "shards/labels.hpp"

#include <algorithm>
#include <stdexcept>

#include "base/numbers.hpp"
#include "base/sanitize.hpp"
#include "base/text.hpp"
#include "base/text_file.hpp"
#include "shards/keys.hpp"
#include "weir/error.hpp"

namespace weir::shards {
namespace {

/// Arrays and objects inside of one another. Deeper ones have no label, and are not kept.
constexpr int most_depth = 64;

/// The key without "./" at its begin, which `tar` keeps if it is given ".".
std::string_view plain(std::string_view key) {
  while (key.starts_with("./")) key.remove_prefix(2);
  return key;
}

}  // namespace

Labels::Labels(const ShardOptions& options) {
  if (!options.label_file.empty()) {
    read_file(options.label_file);
    return;
  }
  const auto refuse = [&](const std::string& why) {
    weir::refuse(Stage::read, "the label '", sanitize(options.label), "' ", why);
  };
  const auto colon = std::min(options.label.find(':'), options.label.size());
  extension_ = extension_of(options.label.substr(0, colon));
  if (extension_.empty()) refuse("must be an extension, as in cls, or json:/label");
  if (colon == options.label.size()) return;
  const auto pointer = options.label.substr(colon + 1);
  try {
    pointer_.emplace(pointer);
  } catch (const nlohmann::json::exception&) {
    refuse("must have a JSON pointer after the colon, as in json:/label");
  }
}

void Labels::read_file(const std::string& path) {
  const auto text = read_text_file(path, most_list_bytes);
  auto rest = without_byte_order_mark(text);
  for (std::uint64_t number = 1; !rest.empty(); ++number) {
    const auto line = take_line(rest);
    if (line.empty() || line.front() == '#') continue;
    const auto tab = line.rfind('\t');
    const auto label =
        tab == line.npos ? std::nullopt : parse_number<std::int64_t>(line.substr(tab + 1));
    const auto fail = [&](const std::string& why) {
      throw Error(Errc::source_failed, Stage::read,
                  "label_file " + sanitize(path) + ":" + std::to_string(number) + ": '" +
                      sanitize(line, 80) + "' " + why);
    };
    if (!label) fail("is not key<TAB>label with a whole number of 64 bits");
    if (!by_key_.emplace(plain(line.substr(0, tab)), *label).second)
      fail("has a key that came before");
  }
}

std::int64_t Labels::parse(std::string_view content) const {
  if (!pointer_) {
    const auto label = parse_number<std::int64_t>(trimmed(content));
    if (!label) throw std::invalid_argument("is not a whole number of 64 bits");
    return *label;
  }
  using nlohmann::json;
  const auto shallow = [](int depth, json::parse_event_t, json&) { return depth <= most_depth; };
  const auto parsed = json::parse(content, shallow, false);
  if (parsed.is_discarded()) throw std::invalid_argument("is not JSON");
  // contains() itself throws for some pointers into arrays.
  const json* found = nullptr;
  try {
    found = &parsed.at(*pointer_);
  } catch (const json::exception&) {
    throw std::invalid_argument("has nothing at " + pointer_->to_string());
  }
  const auto& value = *found;
  if (!value.is_number_integer() ||
      (value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX))
    throw std::invalid_argument("has no whole number of 64 bits at " + pointer_->to_string());
  return value.get<std::int64_t>();
}

std::optional<std::int64_t> Labels::of(std::string_view key) const {
  const auto found = by_key_.find(std::string(plain(key)));
  if (found == by_key_.end()) return std::nullopt;
  return found->second;
}

}  // namespace weir::shards
