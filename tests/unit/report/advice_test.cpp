#include "report/advice.hpp"

#include <nlohmann/json.hpp>

#include "support/catch.hpp"
#include "support/text.hpp"

using namespace weir;
using test::contains;

namespace {

Prediction prediction(std::uint32_t depth) {
  return {.setting = {.max_queue_size = depth, .workers = 2, .read_ahead = 1, .batch = 32},
          .samples_per_s = 640.04,
          .consumer_wait = 0.25,
          .data_readiness = 0.995,
          .slabs = depth + 1,
          .staging_bytes = std::uint64_t{depth + 1} << 20,
          .peak_staging_bytes = std::uint64_t{2} << 20,
          .total_bytes = std::uint64_t{depth + 3} << 20,
          .verdict = {.regime = Regime::consumer, .why = ""}};
}

Advice sample_advice() {
  return {
      .now = prediction(4),
      .recommended = prediction(2),
      .ceiling = prediction(64),
      .steps = {{"max_queue_size 2 to 3", prediction(3)}},
      .cache = {},
      .sentences = {"One sentence that is a good deal longer than a line of a terminal may be, so "
                    "that it has to be broken somewhere between two of its words.",
                    "Another."},
      .flags = "--max-queue-size 2",
      .code = "a = 1;\nb = 2;\n"};
}

}  // namespace

TEST_CASE("advice as JSON has the keys that were agreed", "[advice]") {
  const auto json = report::to_json(sample_advice());
  CHECK(json["recommended"] == report::Json{{"max_queue_size", 2},
                                            {"workers", 2},
                                            {"read_ahead", 1},
                                            {"batch", 32},
                                            {"samples_per_s", 640.04},
                                            {"consumer_wait", 0.25},
                                            {"data_readiness", 0.995},
                                            {"slabs", 3},
                                            {"staging_bytes", 3u << 20},
                                            {"peak_staging_bytes", 2u << 20},
                                            {"total_bytes", 5u << 20},
                                            {"regime", "consumer"}});
  CHECK(json["now"]["max_queue_size"] == 4);
  CHECK(json["ceiling"]["max_queue_size"] == 64);
  CHECK(json["steps"][0]["change"] == "max_queue_size 2 to 3");
  CHECK(json["steps"][0]["to"]["slabs"] == 4);
  CHECK(json["sentences"].size() == 2);
  CHECK(json["flags"] == "--max-queue-size 2");
  CHECK(json["code"] == "a = 1;\nb = 2;\n");
}

TEST_CASE("advice as text has settings, sentences and what to paste, in 100 columns", "[advice]") {
  auto advice = sample_advice();
  const auto text = report::advice_text(advice);
  CHECK(contains(text,
                 "\n  recommended                2        2      1      640.0  99.5 %  25.0 "
                 "%    3.0   2.0      5.0\n"));
  CHECK(contains(text, "\n  now "));
  CHECK(contains(text, "\n  max_queue_size 2 to 3 "));
  CHECK(contains(text, "\n  Another.\n"));
  CHECK(contains(text, "\n  --max-queue-size 2\n\n  a = 1;\n  b = 2;\n"));
  std::size_t from = 0;
  for (auto end = text.find('\n'); end != std::string::npos; end = text.find('\n', from)) {
    CHECK(end - from <= 100);
    from = end + 1;
  }
  advice.now = advice.recommended;
  CHECK_FALSE(contains(report::advice_text(advice), "\n  now "));
}

TEST_CASE("depths as JSON have what they cost, and what they would do where that is known",
          "[advice]") {
  Options options;
  options.queue.max_queue_size = 3;
  const auto plan = resolve(options, 0);
  const auto cost = report::to_json(plan.depth_cost(3)[2]);
  const auto planned = report::depths_json(plan);
  REQUIRE(planned.size() == 6);  // 1, 2, 3, 4, 8 and 16
  CHECK(planned[2] == cost);
  const std::vector<Prediction> predictions{prediction(1), prediction(3)};
  const auto predicted = report::depths_json(plan, predictions);
  REQUIRE(predicted.size() == 2);
  CHECK(predicted[1]["max_queue_size"] == 3);
  for (const auto* bytes : {"uint8_bytes", "float16_bytes", "float32_bytes"})
    CHECK(predicted[1][bytes] == cost[bytes]);
  CHECK(predicted[1]["predicted"] == report::to_json(prediction(3)));
}

TEST_CASE("a window as text begins with the regime and owns up to reads nobody asked for",
          "[advice]") {
  Window window;
  window.plan.batch = 32;
  window.plan.workers = 2;
  window.cores = 4;
  window.samples = 1280;
  window.seconds = 2;
  window.decode = {1280, 3.25e-3, 1.5e-3};
  Verdict verdict;
  verdict.regime = Regime::decode;
  verdict.why = "for a reason";
  const auto text = report::window_text(window, verdict, 0);
  CHECK(text.starts_with("Regime: decode\n  for a reason\n"));
  CHECK(contains(text, "1,280 samples in 2.00 s, 2 workers on 4 cores, read_ahead 0\n"));
  CHECK(contains(text, "a decode        3.25 ms (deviation 1.50)\n"));
  CHECK(contains(text, "a read          none\n"));
  CHECK(contains(report::window_text(window, verdict, 16), "read_ahead 16 (asked 0"));
}
