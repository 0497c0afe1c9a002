#include "agreement.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "report/table.hpp"
#include "support/catch.hpp"
#include "support/text.hpp"

namespace weir::test {
namespace {

void check_advice(const Json& advice, const std::string& text, const std::string& next) {
  const Json* best = nullptr;
  std::pair<double, double> before{-1e9, 0};
  bool known = true;
  for (const auto& lever : advice["levers"]) {
    // What is not measured is last.
    CHECK((known || lever["gain"].is_null()));
    known = lever["gain"].is_number();
    if (!known) continue;
    const double gain = std::round(100 * lever["gain"].get<double>()) / 100;
    const std::pair<double, double> rank{-gain, lever["bytes"].get<double>()};
    CHECK(before <= rank);
    before = rank;
    // What makes nothing faster and takes bytes makes more batches ready, and says so.
    const bool readies = lever["bytes"] >= 0 &&
                         contains(lever["sentence"].get<std::string>(), ", a batch is ready for ");
    if (best == nullptr && lever["flag"].is_string() && (lever["gain"] >= 1.02 || readies))
      best = &lever;
  }
  const auto headline = advice["headline"].get<std::string>();
  CHECK(contains(one_line(text), headline));
  CHECK(headline.starts_with(best != nullptr ? "Best setting: " : "Nothing "));
  if (best == nullptr) return;
  CHECK(headline.ends_with((*best)["sentence"].get<std::string>()));
  CHECK(contains(next, (*best)["flag"].get<std::string>()));
}

/// The depth that a sweep names is the least that is not slower than the fastest.
void check_depth(const Json& json) {
  const auto& rows = json["by_depth"];
  const auto pace = [](const Json& row) { return row["samples_per_s"].get<double>(); };
  const auto& fastest = *std::ranges::max_element(rows, {}, pace);
  const auto& depth = json["conclusion"]["max_queue_size"];
  for (const auto& row : rows) {
    const bool slower = row["most_samples_per_s"] < fastest["least_samples_per_s"] &&
                        pace(row) < 0.98 * pace(fastest);
    CHECK(row["slower"] == slower);
    if (row["max_queue_size"] == depth) CHECK_FALSE(slower);
    if (row["max_queue_size"] < depth) CHECK(slower);
    if (!json["limit"].is_null()) CHECK(pace(row) <= 1.02 * pace(json["limit"]));
  }
}

}  // namespace

void check_sweep(const Json& json, const std::string& text) {
  const auto sentence = json["conclusion"]["sentence"].get<std::string>(),
             next = json["next"].get<std::string>();
  INFO(text);
  CHECK(json["verdict"] == sentence);
  CHECK(text.starts_with(report::wrapped(sentence) + '\n'));
  const auto& depth = json["conclusion"]["max_queue_size"];
  const auto& advice = json["advice"];
  std::size_t named = 0, marks = 0;
  for (const auto& row : json["by_depth"]) {
    if (row["mark"].is_null()) continue;
    ++marks;
    const auto mark = row["mark"].get<std::string>();
    CHECK(contains(text, "  <- " + mark + '\n'));
    CHECK(row["slower"] == mark.starts_with("slower than "));
    if (mark != "enough" && mark != "fastest") continue;
    ++named;
    CHECK(row["max_queue_size"] == depth);
    CHECK(contains(sentence, " is " + std::string(mark == "enough" ? "" : "the ") + mark));
  }
  const auto headline =
      advice.is_null() ? "" : report::wrapped(advice["headline"].get<std::string>());
  CHECK(text.ends_with('\n' + report::wrapped(sentence) + headline + "Next: " + next + '\n'));
  CHECK(contains(text, "Predicted limit of any depth") == !json["limit"].is_null());
  if (depth.is_null()) {
    CHECK(sentence.starts_with("Too noisy to tell (spread "));
    CHECK(sentence.ends_with(": repeat with --rounds 10."));
    CHECK(contains(next + ' ', " --rounds 10 "));
    CHECK(next.starts_with("weir sweep "));
    CHECK(json["conclusion"]["spread"] > 1.2);
    CHECK(advice.is_null());
    CHECK(json["limit"].is_null());
    CHECK(marks == 0);
    return;
  }
  CHECK(named == 1);
  check_depth(json);
  const auto word = std::to_string(depth.get<int>());
  CHECK(sentence.starts_with("max_queue_size " + word + " is "));
  CHECK(contains(next + ' ', " --max-queue-size " + word + ' '));
  if (advice.is_null()) return;
  CHECK(contains(text, "\nFrom max_queue_size " + word + ":\n"));
  for (const auto* setting : {"now", "recommended", "ceiling"})
    CHECK(advice[setting]["max_queue_size"] == depth);
  for (const auto& lever : advice["levers"])
    if (!lever["result"].is_null()) CHECK(lever["result"]["max_queue_size"] == depth);
  check_advice(advice, text, next);
}

void check_tune(const Json& json, const std::string& text) {
  const auto& advice = json["advice"];
  const auto next = json["next"].get<std::string>(),
             sentence = advice["verdict"]["sentence"].get<std::string>();
  INFO(text);
  CHECK(json["verdict"] == sentence);
  CHECK(json["regime"] == advice["verdict"]["regime"]);
  // The verdict is at the begin and above Next.
  const auto verdict = text.substr(0, text.find("\n\n"));
  CHECK(one_line(verdict).starts_with(sentence.substr(0, sentence.size() - 1)));
  CHECK(text.ends_with("\n\n" + verdict + "\nNext: " + next + '\n'));
  // One value: the point of the settings now is the prediction of the advice.
  const auto& point = json["grid"]["points"][json["grid"]["now"].get<std::size_t>()];
  for (const auto* figure : {"samples_per_s", "consumer_wait", "data_readiness", "total_bytes"})
    CHECK(point[figure] == advice["now"][figure]);
  check_advice(advice, text, next);
}

}  // namespace weir::test
