#include "report/advice.hpp"

#include <nlohmann/json.hpp>

#include "report/table.hpp"
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
  Advice advice;
  advice.now = prediction(4);
  advice.recommended = prediction(2);
  advice.ceiling = prediction(64);
  advice.verdict = advice.now.verdict;
  advice.verdict.producer_wait = 0.5;
  advice.sentence = describe(advice.verdict);
  Lever deeper;
  deeper.change = Change::max_queue_size;
  deeper.from = "4";
  deeper.to = "8";
  deeper.title = "max_queue_size 4 to 8";
  deeper.gain = 1.5;
  deeper.bytes = 5 << 20;
  deeper.result = prediction(8);
  deeper.why =
      "For a reason that is a good deal longer than a line of a terminal may be, so that it "
      "has to be broken somewhere";
  deeper.flag = "--max-queue-size 8";
  deeper.code = "options.queue.max_queue_size = 8;\n";
  deeper.sentence = "a sentence";
  auto unknown = deeper;
  unknown.basis = Basis::unknown;
  unknown.title = "decode exact to fast";
  unknown.gain.reset();
  unknown.flag = unknown.code = "";
  advice.levers = {deeper, unknown};
  advice.flags = "--max-queue-size 2";
  advice.code = "a = 1;\n";
  return advice;
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
  CHECK(json["verdict"] == report::Json{{"sentence", describe(sample_advice().verdict)},
                                        {"regime", "consumer"},
                                        {"basis", "predicted"},
                                        {"consumer_wait", 0.0},
                                        {"storage_wait", 0.0},
                                        {"decode_wait", 0.0},
                                        {"memory_wait", 0.0},
                                        {"device_wait", 0.0},
                                        {"producer_wait", 0.5},
                                        {"cpus_had", nullptr},
                                        {"cpus_wanted", nullptr},
                                        {"cpu_cause", nullptr}});
  REQUIRE(json["levers"].size() == 2);
  const auto& lever = json["levers"][0];
  CHECK(lever["change"] == "max_queue_size");
  CHECK(lever["from"] == "4");
  CHECK(lever["to"] == "8");
  CHECK(lever["title"] == "max_queue_size 4 to 8");
  CHECK(lever["basis"] == "predicted");
  CHECK(lever["gain"] == 1.5);
  CHECK(lever["bytes"] == 5 << 20);
  CHECK(lever["flag"] == "--max-queue-size 8");
  CHECK(lever["code"] == "options.queue.max_queue_size = 8;\n");
  CHECK(lever["sentence"] == "a sentence");
  CHECK(lever["result"] == report::to_json(prediction(8)));
  // What is not known is null.
  CHECK(json["levers"][1]["basis"] == "unmeasured");
  for (const auto* key : {"gain", "bytes", "flag", "code", "result"})
    CHECK(json["levers"][1][key].is_null());
  CHECK(json["flags"] == "--max-queue-size 2");
  CHECK(json["code"] == "a = 1;\n");
}

TEST_CASE("advice as text shows verdict, levers and options to paste", "[advice]") {
  auto advice = sample_advice();
  CHECK(report::verdict_text(advice) ==
        "Consumer-bound: the workers wait 50 % of their time for the consumer, which waits 0 % of "
        "its time (predicted).\nBest setting: a sentence\n");
  advice.basis = Basis::measured;
  CHECK(contains(report::verdict_text(advice), "time (measured).\n"));
  const auto text = report::levers_text(advice);
  CHECK(contains(text, "                640.0   7.00  predicted   now\n"));
  CHECK(contains(text, "  1  x1.50      640.0  +5.00  predicted   max_queue_size 4 to 8\n"));
  CHECK(contains(text, "  2      ?          ?      ?  unmeasured  decode exact to fast\n"));
  CHECK(contains(text,
                 "\n  1  --max-queue-size 8\n     options.queue.max_queue_size = 8;\n     For a "));
  CHECK(contains(text, "\n  2  decode exact to fast\n     For a "));
  advice.levers[0].title = "cheaper data, 77.4 ms a decode to 38.7 ms a decode, in many words";
  const auto wrapped = report::wrapped(report::levers_text(advice));
  std::size_t from = 0;
  for (auto end = wrapped.find('\n'); end != std::string::npos; end = wrapped.find('\n', from)) {
    CHECK(end - from <= 80);
    from = end + 1;
  }
  CHECK(
      report::next_text(advice, "weir run") ==
      "\nConsumer-bound: the workers wait 50 % of their time for the consumer, which waits 0 % of "
      "its time (measured).\nBest setting: a sentence\nNext: weir run\n");
  advice.levers.clear();
  CHECK(contains(report::levers_text(advice), "Nothing: no setting is faster by 2 %"));
}

TEST_CASE("the headline says when nothing in the loader helps", "[advice]") {
  Advice advice;
  CHECK(report::headline(advice) == "Nothing in the loader makes this faster.");
  Lever trainer, saving, faster, ready, unknown;
  trainer.gain = 1.9;
  trainer.sentence = "your trainer.";
  advice.levers = {trainer};
  CHECK(report::headline(advice) ==
        "Nothing in the loader makes this faster. Outside of it: your trainer.");
  CHECK(report::best_lever(advice) == nullptr);
  saving.gain = 1;
  saving.bytes = -5;
  saving.code = "saving";
  saving.sentence = "It saves memory.";
  advice.levers = {trainer, saving};
  CHECK(report::headline(advice) == "Nothing in the loader makes this faster. It saves memory.");
  CHECK(report::best_lever(advice)->code == "saving");
  // More batches that are ready are a reason, too.
  ready.gain = 1;
  ready.bytes = 5;
  ready.code = "ready";
  ready.sentence = "ready.";
  advice.levers = {trainer, saving, ready};
  CHECK(report::headline(advice) == "Best setting: ready.");
  advice.levers.back().bytes = -5;
  advice.levers.back().result.data_readiness = advice.now.data_readiness + 0.02;
  CHECK(report::headline(advice) == "Best setting: ready.");
  faster.gain = 1.5;
  faster.code = "faster";
  faster.sentence = "faster.";
  advice.levers = {trainer, faster, saving};
  CHECK(report::headline(advice) == "Best setting: faster.");
  unknown.basis = Basis::unknown;
  unknown.code = "unknown";
  advice.levers = {trainer, unknown};
  CHECK(report::headline(advice).starts_with("Nothing measured yet in the loader makes this"));
}

TEST_CASE("depths as JSON show costs, and predictions if there are any", "[advice]") {
  Options options;
  options.queue.max_queue_size = 3;
  const auto plan = resolve(options, 0);
  const auto cost = report::depth_json(plan, 3);
  CHECK(cost["float16_bytes"] == *plan.depth_cost(3)[2].float16_bytes);
  // Three batches that are ready or being filled, and the one that the consumer holds.
  CHECK(cost["samples_ahead"] == 4 * plan.batch);
  const auto planned = report::depths_json(plan, report::default_depths(plan));
  REQUIRE(planned.size() == 6);  // 1, 2, 3, 4, 8 and 16
  CHECK(planned[2] == cost);
  const std::vector<Prediction> predictions{prediction(1), prediction(3)};
  const auto predicted = report::depths_json(plan, predictions);
  REQUIRE(predicted.size() == 2);
  CHECK(predicted[1]["max_queue_size"] == 3);
  for (const auto* bytes : {"staging_bytes", "float16_bytes", "float32_bytes"})
    CHECK(predicted[1][bytes] == cost[bytes]);
  CHECK(predicted[1]["predicted"] == report::to_json(prediction(3)));
}

TEST_CASE("an interval as text names reads that nobody asked for", "[advice]") {
  Interval interval;
  Options options;
  options.fit = Fit::letterbox;
  options.workers = 2;
  interval.plan = resolve(options, 0);
  interval.cores = 4;
  interval.samples = 1280;
  interval.seconds = 2;
  interval.decode = {1280, 3.25e-3, 1.5e-3};
  const auto text = report::interval_text(interval, 0);
  CHECK(contains(text,
                 "Measured 1,280 samples in 2.00 s, fit letterbox, 2 workers on 4 cores, "
                 "read_ahead 0\n"));
  CHECK(contains(text, "a decode        3.25 ms (standard deviation 1.50)\n"));
  CHECK(contains(text, "a read          none\n"));
  CHECK(contains(report::interval_text(interval, 16), "read_ahead 16 (requested 0"));
  options.faults.policy = OnFault::blank;
  interval.plan = resolve(options, 0);
  CHECK(contains(report::interval_text(interval, 0), "Measured 1,280 rows in "));
  // Work around a decode is named if it is a tenth of it.
  CHECK_FALSE(contains(text, "hand-offs"));
  interval.decode = {1280, 12e-6, 3e-6};
  interval.workers.decode_s = 1280 * 17e-6;
  const auto small = report::interval_text(interval, 0);
  CHECK(contains(small, "a decode        0.0120 ms (standard deviation 0.0030)\n"));
  CHECK(contains(small, "hand-offs       5 us a row and thread\n"));
}
