#include <algorithm>
#include <set>
#include <sstream>
#include <thread>

#include "contract/laws/fixture.hpp"
#include "source/delayed.hpp"
#include "support/catch.hpp"
#include "support/text.hpp"
#include "support/trace.hpp"

using namespace weir;
using namespace weir::test;

namespace {

Options traced_options() {
  auto options = small_options();
  options.trace.events = 20'000;
  return options;
}

TraceFile trace_of(const Loader& loader) {
  std::ostringstream out;
  loader.write_trace(out);
  return TraceFile(out.str());
}

std::multiset<std::pair<std::uint64_t, std::uint64_t>> samples(
    const std::vector<TraceFile::Json>& spans) {
  std::multiset<std::pair<std::uint64_t, std::uint64_t>> rows;
  for (const auto& span : spans)
    rows.emplace(span.at("args").at("batch"), span.at("args").at("row"));
  return rows;
}

std::multiset<std::uint64_t> batches(const std::vector<TraceFile::Json>& spans) {
  std::multiset<std::uint64_t> sequences;
  for (const auto& span : spans) sequences.insert(span.at("args").at("batch").get<std::uint64_t>());
  return sequences;
}

void check_counters(const TraceFile& trace, const Snapshot& now) {
  const auto& queue = trace.last("queue");
  CHECK(queue.at("filling") == now.filling);
  CHECK(queue.at("ready") == now.ready);
  CHECK(queue.at("leased") == now.leased);
  for (std::size_t i = 0; i < account_count; ++i) {
    const std::string account(to_string(static_cast<Account>(i)));
    const auto& slabs = trace.last("bytes of slabs");
    const auto& others = trace.last("bytes of index and samples");
    const auto& counter = slabs.contains(account) ? slabs : others;
    CAPTURE(account);
    CHECK(counter.at(account) == now.memory.accounts[i]);
  }
}

}  // namespace

TEST_CASE("a trace has every sample in every stage on its thread's row", "[trace]") {
  auto options = traced_options();
  options.io.read_ahead = GENERATE(0u, 3u);
  Loader loader(synthetic(40, {24, 24}), options);
  CHECK(drain(loader, {.epochs = 2}).indices.size() == 80);
  const auto trace = trace_of(loader);
  CHECK(trace.complaint().empty());
  CHECK(trace.json.at("otherData").at("lost_events") == 0);

  std::multiset<std::pair<std::uint64_t, std::uint64_t>> all;
  std::multiset<std::uint64_t> sequences;
  for (std::uint64_t sequence = 0; sequence < 20; ++sequence) {
    sequences.insert(sequence);
    for (std::uint64_t row = 0; row < 4; ++row) all.emplace(sequence, row);
  }
  CHECK(samples(trace.named("read", options.io.read_ahead > 0 ? "reader " : "worker ")) == all);
  CHECK(samples(trace.named("decode", "worker ")) == all);
  CHECK(samples(trace.named("fit", "worker ")) == all);
  CHECK(batches(trace.named("filling", "slab ")) == sequences);
  CHECK(batches(trace.named("handoff", "slab ")) == sequences);
  CHECK(batches(trace.named("lease", "slab ")) == sequences);
  CHECK(batches(trace.named("next", "consumer")) == sequences);
  sequences.erase(19);  // consumed at the request for the next batch, which does not exist
  CHECK(batches(trace.named("consume", "consumer")) == sequences);
  CHECK_FALSE(trace.named("step", "conductor").empty());
  for (const auto& span : trace.named("decode", "worker ")) {
    const auto& args = span.at("args");
    const auto position =
        args.at("batch").get<std::uint64_t>() * 4 + args.at("row").get<std::uint64_t>();
    CHECK(args.at("index") == position % 40);
  }
  check_counters(trace, loader.snapshot());

  // As long as in the report, except for rounding.
  double decode_us = 0;
  for (const auto& span : trace.named("decode", "worker "))
    decode_us += span.at("dur").get<double>();
  for (const auto& stage : loader.report().stages)
    if (stage.stage == Stage::decode) CHECK(std::abs(decode_us * 1e-6 - stage.busy_s) < 1e-6);
}

TEST_CASE("the rows of a trace have the same names each time", "[trace]") {
  auto options = traced_options();
  options.io.read_ahead = 2;
  const auto names = [&] {
    Loader loader(synthetic(12, {24, 24}), options);
    drain(loader);
    std::set<std::string> rows;
    for (const auto& [row, name] : trace_of(loader).rows)
      if (!name.starts_with("slab ")) rows.insert(name);
    return rows;
  };
  const std::set<std::string> expected{"conductor", "consumer", "reader 0", "reader 1",
                                       "worker 0",  "worker 1", "worker 2"};
  CHECK(names() == expected);
  CHECK(names() == expected);
}

TEST_CASE("tuning has a row in a trace with a mark for each move", "[trace][tuning]") {
  auto options = traced_options();
  // The trace keeps the first events, and the tuner's move comes later.
  options.trace.events = 200'000;
  tune_often(options);
  Loader loader(source::delayed(synthetic(64, {24, 24}), {5, 0, 0}), options);
  {
    auto stream = loader.stream({.epochs = std::nullopt});
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (loader.report().moves.empty() && std::chrono::steady_clock::now() < give_up)
      static_cast<void>(stream.next());
  }
  const auto moves = loader.report().moves;
  REQUIRE(!moves.empty());
  const auto trace = trace_of(loader);
  CHECK(trace.complaint().empty());
  CHECK(trace.named("look", "tuning").size() >= moves.size());
  REQUIRE(trace.marks.size() == 1);
  const auto& [row, marks] = *trace.marks.begin();
  CHECK(trace.rows.at(row) == "tuning");
  REQUIRE(marks.size() == moves.size());
  for (std::size_t i = 0; i < marks.size(); ++i) {
    CHECK(marks[i].at("name") == "move");
    CHECK(marks[i].at("args").at("why") == moves[i]);
  }
  const auto& now = marks.back().at("args");
  CHECK(now.at("max_queue_size") == loader.report().setting.max_queue_size);
  CHECK(now.at("workers") == loader.report().setting.workers);
  CHECK(now.at("read_ahead") == loader.report().setting.read_ahead);
}

TEST_CASE("a trace is in the budget and shows samples waiting for bytes", "[trace]") {
  auto options = traced_options();
  options.memory.max_sample_bytes = 96 << 10;
  options.queue.max_queue_size = 8;
  options.workers = 4;
  options.memory.budget_bytes = resolve(options, 0).floor_bytes;
  Loader loader(Flawed(60, 0, {90, 120}), options);
  CHECK(loader.plan().trace_bytes == 20'000 * trace_event_bytes);
  CHECK(loader.snapshot().memory[Account::index] ==
        loader.plan().trace_bytes + loader.plan().record_bytes);
  CHECK(drain(loader, {.epochs = 5}).indices.size() == 300);
  const auto trace = trace_of(loader);
  CHECK(trace.complaint().empty());
  std::uint64_t waits = 0;
  for (const auto& stage : loader.report().stages)
    if (stage.stage == Stage::wait) waits = stage.count;
  CHECK(trace.waits.size() == waits);
  CHECK(loader.snapshot().memory.peak <= options.memory.budget_bytes);
  const auto spare = *options.memory.budget_bytes - 1;
  options.memory.budget_bytes = spare;
  try {
    resolve(options, 0);
    FAIL("was accepted");
  } catch (const Error& error) {
    CHECK(contains(error.what(), "960000 bytes of it the trace"));
  }
}

TEST_CASE("a trace that is full keeps its beginning and counts the rest", "[trace]") {
  auto options = traced_options();
  options.trace.events = 50;
  Loader loader(synthetic(40, {24, 24}), options);
  drain(loader);
  const auto trace = trace_of(loader);
  CHECK(trace.json.at("otherData").at("events") == 50);
  CHECK(trace.json.at("otherData").at("lost_events").get<std::uint64_t>() > 100);
  CHECK(trace.complaint().empty());
  check_counters(trace, loader.snapshot());
}

TEST_CASE("without a trace there is none to write, and it costs nothing", "[trace]") {
  Loader loader(synthetic(4, {24, 24}), small_options());
  CHECK(loader.plan().trace_bytes == 0);
  CHECK(loader.snapshot().memory.live == loader.plan().index_bytes);
  std::ostringstream out;
  CHECK_THROWS_AS(loader.write_trace(out), Error);
  CHECK(out.str().empty());
}

TEST_CASE("a trace can be written during a stream and leaves no charge", "[trace]") {
  auto ledger = std::make_shared<MemoryLedger>(std::nullopt);
  auto options = traced_options();
  options.memory.ledger = ledger;
  options.queue.max_leases = 2;
  std::optional<Batch> kept;
  {
    Loader loader(synthetic(200, {24, 24}), options);
    std::string complaint;
    std::jthread writer([&](const std::stop_token& stop) {
      while (!stop.stop_requested() && complaint.empty()) complaint = trace_of(loader).complaint();
    });
    auto stream = loader.stream();
    while (auto batch = stream.next()) kept = std::move(batch);
    writer.request_stop();
    writer.join();
    CHECK(complaint.empty());
  }
  kept.reset();  // released after its loader and the trace are gone
  CHECK(ledger->snapshot().live == 0);
}

TEST_CASE("names of any bytes do not spoil a trace", "[trace]") {
  std::vector<MemorySample> odd;
  const auto image = synthetic(1, {8, 8});
  MemorySink sink;
  static_cast<void>(image.read(0, sink));
  for (const auto* name : {"a\"b", "back\\slash", "line\nbreak", "\xff\xfe", "gr\xc3\xbc\xc3\x9f"})
    odd.push_back({name, sink.parts()[0], 0});
  Loader loader(in_memory(std::move(odd)), traced_options());
  drain(loader);
  std::map<std::uint64_t, std::string> names;
  for (const auto& span : trace_of(loader).named("read", "worker "))
    names[span.at("args").at("index")] = span.at("args").at("sample");
  CHECK(names[0] == "a\"b");
  CHECK(names[1] == "back\\slash");
  CHECK(names[2] == "line\\x0abreak");
  CHECK(names[4] == "gr\xc3\xbc\xc3\x9f");
}
