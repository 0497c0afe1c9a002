#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>
#include <weir/weir.hpp>

#include "boxes.hpp"

namespace detection {

/// A category of a COCO file.
struct CocoCategory {
  std::int32_t id;
  std::string name;
};

/// The text without control characters, and not longer than a line of a terminal.
inline std::string shown(std::string text) {
  if (text.size() > 200) text.replace(200, text.npos, "...");
  for (char& c : text)
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7F') c = '?';
  return text;
}

/// The images, boxes and categories of a COCO file. It is read piece by piece, and all else of it, such as
/// outlines, is never in memory.
class CocoFile final : public nlohmann::json_sax<nlohmann::json> {
 public:
  struct Image {
    std::int64_t id;
    std::string file_name;
  };
  struct Annotation {
    std::int64_t image_id;
    Box box;
  };
  std::vector<Image> images;
  std::vector<Annotation> annotations;
  std::vector<CocoCategory> categories;  // in the order of their ids

  /// Throws weir::Error{source_failed} with the file, the entry, the image's id and what is wrong.
  CocoFile(const std::string& path, std::uint64_t most_bytes) : path_(path) {
    std::error_code error;
    const auto bytes = std::filesystem::file_size(path, error);
    std::ifstream in(path, std::ios::binary);
    if (error || !in) fail("cannot be read");
    if (bytes > most_bytes)
      fail("has ", bytes, " bytes, more than CocoOptions::most_bytes = ", most_bytes);
    nlohmann::json::sax_parse(in, this);
    for (std::size_t i = 0; i < sections.size(); ++i)
      if (!seen_[i]) fail("there is no list '", sections[i].name, "'");
    std::ranges::sort(categories, {}, &CocoCategory::id);
    const auto twice = std::ranges::adjacent_find(categories, {}, &CocoCategory::id);
    if (twice != categories.end()) fail("category ", twice->id, " comes twice");
  }

  template <class... Parts>
  [[noreturn]] void fail(const Parts&... parts) const {
    std::ostringstream text;
    text << shown(path_) << ": ";
    if (section_ && depth_ > 1) {
      text << section_->name << '[' << entry_ << ']';
      const auto id = fields_.find(section_ == &sections[1] ? "image_id" : "id");
      if (id != fields_.end() && std::holds_alternative<std::int64_t>(id->second))
        text << (section_ == &sections[2] ? " of category " : " of image ")
             << std::get<std::int64_t>(id->second);
      text << ": ";
    }
    (text << ... << parts);
    throw weir::Error(weir::Errc::source_failed, weir::Stage::read, text.str());
  }

  // What the parser calls.
  bool null() override { return take({}); }
  bool boolean(bool) override { return take({}); }
  bool number_integer(std::int64_t value) override { return take(value); }
  bool number_unsigned(std::uint64_t value) override {
    if (value > std::uint64_t{INT64_MAX}) return take(static_cast<double>(value));
    return take(static_cast<std::int64_t>(value));
  }
  bool number_float(double value, const std::string&) override { return take(value); }
  bool string(std::string& value) override { return take(std::move(value)); }
  bool binary(nlohmann::json::binary_t&) override { return take({}); }
  bool start_object(std::size_t) override { return open(Kind::object); }
  bool start_array(std::size_t) override { return open(Kind::list); }
  bool key(std::string& name) override {
    const auto named = [&](const auto& known) { return known == name; };
    if (depth_ == 1) {
      const auto at = std::ranges::find(sections, name, &Section::name);
      section_ = at == sections.end() ? nullptr : &*at;
      entry_ = 0;
    } else if (depth_ == 3 && section_) {
      key_ = std::ranges::any_of(section_->keys, named) ? name : "";
    }
    return true;
  }
  bool end_object() override {
    if (depth_ == 3 && section_) {
      finish_entry();
      fields_.clear();
      ++entry_;
    }
    return end_array();
  }
  bool end_array() override {
    --depth_;
    return true;
  }
  bool parse_error(std::size_t, const std::string&,
                   const nlohmann::json::exception& error) override {
    const std::string_view text = error.what();  // begins with "[json.exception…] "
    fail(shown(std::string(text.substr(text.find(']') + 2))));
  }

 private:
  enum class Kind : std::uint8_t { object, list, value };
  using Value = std::variant<std::monostate, std::int64_t, double, std::string>;
  struct Section {
    std::string_view name;
    std::array<std::string_view, 5> keys;  // that matter in an entry
  };
  static constexpr std::array<Section, 3> sections{
      {{"images", {"id", "file_name"}},
       {"annotations", {"id", "image_id", "category_id", "bbox", "iscrowd"}},
       {"categories", {"id", "name"}}}};
  static constexpr int most_depth = 64;
  static constexpr int most_pixels = 1 << 24;  // a float holds whole pixels up to here

  /// The file is an object of lists of objects.
  void expect(Kind kind) const {
    if (depth_ > 2 || (depth_ > 0 && !section_)) return;
    if (depth_ == 1 && kind != Kind::list) fail("'", section_->name, "' is not a list");
    if (depth_ != 1 && kind != Kind::object)
      fail(depth_ == 0 ? "the file is not an object" : "it is not an object");
  }
  bool open(Kind kind) {
    expect(kind);
    if (depth_ == 1 && section_) seen_[static_cast<std::size_t>(section_ - sections.data())] = true;
    if (depth_ == 2) key_.clear();
    take_part(kind == Kind::list, {});
    if (++depth_ > most_depth) fail("lists and objects are nested more than ", most_depth, " deep");
    return true;
  }
  bool take(Value value) {
    expect(Kind::value);
    take_part(false, std::move(value));
    return true;
  }
  /// A value of an entry, or one of the numbers of its box.
  void take_part(bool begins_list, Value value) {
    if (!section_ || key_.empty()) return;
    if (depth_ == 4 && key_ == "bbox" && sides_.size() < 5) {
      const auto* const whole = std::get_if<std::int64_t>(&value);
      const auto* const real = std::get_if<double>(&value);
      sides_.push_back(whole  ? static_cast<double>(*whole)
                       : real ? *real
                              : std::numeric_limits<double>::quiet_NaN());
    }
    if (depth_ != 3) return;
    if (key_ == "bbox") sides_.assign(begins_list ? 0 : 5, 0);
    fields_.insert_or_assign(key_, std::move(value));
  }

  const Value& field(const std::string& name) const {
    const auto found = fields_.find(name);
    if (found == fields_.end()) fail(name, " is missing");
    return found->second;
  }
  std::int64_t integer(const std::string& name, std::int64_t least = INT64_MIN,
                       std::int64_t most = INT64_MAX) const {
    const auto* const value = std::get_if<std::int64_t>(&field(name));
    if (!value || *value < least || *value > most)
      fail(name, " is not a whole number from ", least, " to ", most);
    return *value;
  }
  std::int32_t small_integer(const std::string& name, std::int32_t least, std::int32_t most) const {
    return static_cast<std::int32_t>(integer(name, least, most));
  }
  const std::string& text(const std::string& name) const {
    const auto* const value = std::get_if<std::string>(&field(name));
    if (!value) fail(name, " is not a text");
    return *value;
  }
  void finish_entry() {
    if (section_ == &sections[0]) {
      images.push_back({integer("id"), text("file_name")});
    } else if (section_ == &sections[2]) {
      categories.push_back({small_integer("id", INT32_MIN, INT32_MAX), text("name")});
    } else {
      field("bbox");
      if (sides_.size() != 4) fail("bbox is not a list of 4 numbers");
      for (const double side : sides_)
        if (!(std::abs(side) <= most_pixels))
          fail("bbox has a value that is not a number from -", most_pixels, " to ", most_pixels);
      if (sides_[2] < 0 || sides_[3] < 0)
        fail("bbox has a negative side: ", sides_[2], " x ", sides_[3]);
      const auto side = [&](std::size_t i) { return static_cast<float>(sides_[i]); };
      annotations.push_back({integer("image_id"),
                             {side(0), side(1), side(2), side(3), integer("id"),
                              small_integer("category_id", INT32_MIN, INT32_MAX),
                              fields_.contains("iscrowd") ? small_integer("iscrowd", 0, 1) : 0}});
    }
  }

  std::string path_;
  int depth_ = 0;
  const Section* section_ = nullptr;
  std::array<bool, sections.size()> seen_{};
  std::size_t entry_ = 0;
  std::string key_;  // of the entry; empty if it does not matter
  std::unordered_map<std::string, Value> fields_;
  std::vector<double> sides_;  // of the box; any other number than 4 is wrong
};

}  // namespace detection
