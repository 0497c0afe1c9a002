#pragma once

#include <cstdlib>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>

namespace weir::test {

/// A strict reader for Prometheus's text format 0.0.4. Each family has HELP, then TYPE, then its
/// samples, and no series occurs twice. Throws std::runtime_error with the line.
class Exposition {
 public:
  explicit Exposition(const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) read(line);
    if (text.empty() || text.back() != '\n') throw std::runtime_error("no newline at the end");
  }

  /// The value of a series, written as `name{label="value"}`. Throws std::out_of_range.
  double operator[](const std::string& series) const { return values_.at(series); }
  bool has(const std::string& series) const { return values_.contains(series); }
  const std::map<std::string, std::string>& types() const noexcept { return types_; }
  const std::map<std::string, double>& values() const noexcept { return values_; }

 private:
  void read(const std::string& line) {
    std::istringstream words(line);
    std::string hash, what, name;
    if (line.starts_with('#')) {
      words >> hash >> what >> name;
      if (what == "HELP") {
        family_ = name;
        require(words.rdbuf()->in_avail() > 1, line);
      } else {
        require(what == "TYPE" && name == family_, line);
        std::string type;
        words >> type;
        require(std::set<std::string>{"counter", "gauge", "summary"}.contains(type), line);
        require(types_.emplace(name, type).second, line);
        require((type == "counter") == name.ends_with("_total"), line);
      }
      return;
    }
    const auto blank = line.rfind(' ');
    require(blank != line.npos, line);
    const auto series = line.substr(0, blank);
    const auto base = series.substr(0, series.find('{'));
    require(types_.contains(family_), line);
    const bool summary = types_.at(family_) == "summary";
    require(
        base == family_ || (summary && (base == family_ + "_sum" || base == family_ + "_count")),
        line);
    require(series.find('{') == series.npos || series.ends_with("\"}"), line);
    char* end = nullptr;
    const double value = std::strtod(line.c_str() + blank + 1, &end);
    require(end != line.c_str() + blank + 1 && *end == '\0', line);
    require(values_.emplace(series, value).second, line);
  }
  static void require(bool holds, const std::string& line) {
    if (!holds) throw std::runtime_error("not Prometheus's text format: " + line);
  }

  std::string family_;
  std::map<std::string, std::string> types_;
  std::map<std::string, double> values_;
};

}  // namespace weir::test
