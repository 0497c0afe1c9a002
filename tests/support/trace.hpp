#pragma once

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace weir::test {

/// A trace as a viewer reads it: Trace Event Format, the object form.
struct TraceFile {
  using Json = nlohmann::json;
  using Row = std::pair<int, int>;  ///< pid, tid

  explicit TraceFile(const std::string& text) : json(Json::parse(text)) {
    for (const auto& event : json.at("traceEvents")) {
      const Row row{event.at("pid").get<int>(), event.at("tid").get<int>()};
      const auto ph = event.at("ph").get<std::string>();
      if (ph == "M") {
        if (event.at("name") == "thread_name") rows[row] = event.at("args").at("name");
        continue;
      }
      static_cast<void>(event.at("ts").get<double>());
      if (ph == "X") spans[row].push_back(event);
      if (ph == "i") marks[row].push_back(event);
      if (ph == "b" || ph == "e") waits[event.at("id").get<int>()].push_back(event);
      if (ph == "C") counters[event.at("name")].push_back(event);
    }
  }

  /// The spans called `name` on rows whose name begins with `row`.
  std::vector<Json> named(const std::string& name, const std::string& row) const {
    std::vector<Json> found;
    for (const auto& [where, events] : spans)
      for (const auto& event : events)
        if (event.at("name") == name && rows.at(where).starts_with(row)) found.push_back(event);
    return found;
  }
  /// The first defect, or an empty string. On each row a span ends before the next begins, or is
  /// nested in it. Counters move forward in time. A wait has one beginning and one end, which is
  /// not before it. Ends are computed in floating point, as in speedscope and chrome://tracing.
  std::string complaint() const {
    for (const auto& [row, events] : spans) {
      if (!rows.contains(row)) return "a row without a name";
      std::vector<double> open;
      double last = 0;
      for (const auto& event : events) {
        const double begin = event.at("ts"), end = begin + event.at("dur").get<double>();
        if (begin < last) return rows.at(row) + ": not in order of time";
        last = begin;
        while (!open.empty() && open.back() <= begin) open.pop_back();
        if (!open.empty() && open.back() < end) return rows.at(row) + ": spans cross";
        open.push_back(end);
      }
    }
    for (const auto& [row, events] : marks)
      for (std::size_t i = 0; i < events.size(); ++i)
        if (!rows.contains(row) || events[i].at("s") != "t" ||
            (i > 0 && ns(events[i], "ts") < ns(events[i - 1], "ts")))
          return "a mark without a row, or not in order of time";
    for (const auto& [id, events] : waits)
      if (events.size() != 2 || events[0].at("ph") != "b" || events[1].at("ph") != "e" ||
          ns(events[1], "ts") < ns(events[0], "ts"))
        return "a wait that does not begin and end";
    for (const auto& [name, events] : counters)
      for (std::size_t i = 1; i < events.size(); ++i)
        if (ns(events[i], "ts") < ns(events[i - 1], "ts")) return name + ": not in order of time";
    return {};
  }
  const Json& last(const std::string& counter) const {
    return counters.at(counter).back().at("args");
  }

  Json json;
  std::map<Row, std::string> rows;
  std::map<Row, std::vector<Json>> spans;
  std::map<Row, std::vector<Json>> marks;  ///< instants
  std::map<int, std::vector<Json>> waits;
  std::map<std::string, std::vector<Json>> counters;

 private:
  static std::int64_t ns(const Json& event, const char* key) {
    return std::llround(event.at(key).get<double>() * 1000);
  }
};

}  // namespace weir::test
