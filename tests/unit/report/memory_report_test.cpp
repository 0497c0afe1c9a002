#include "weir/profile.hpp"

#include <atomic>
#include <cmath>
#include <condition_variable>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

#include "support/catch.hpp"
#include "support/exposition.hpp"
#include "support/text.hpp"
#include "weir/error.hpp"

using namespace weir;
using weir::test::contains;

namespace {

MemoryReport sample_report() {
  MemoryReport report;
  report.books.accounts = {1, 20, 300, 4000, 5000, 6000, 7000, 80'000};
  for (const auto bytes : report.books.accounts) report.books.live += bytes;
  report.books.budget.reset();
  report.process = {200'000, 150'000};
  report.measured = {.libraries = 10'000, .stacks = 2000, .heap = 90'000, .heap_free = 500};
  return report;
}

std::int64_t part(const MemoryReport& report, std::string_view name) {
  for (const auto& one : report.parts())
    if (one.name == name) return one.bytes;
  return -1;
}

}  // namespace

TEST_CASE("the parts of a memory report add up to the RSS", "[memory]") {
  auto report = sample_report();
  CHECK(part(report, "slabs") == 22'000);
  CHECK(part(report, "decoders") == 320);
  CHECK(part(report, "index") == 1);
  CHECK(part(report, "cache") == 80'000);
  CHECK(part(report, "thread_stacks") == 2000);
  CHECK(part(report, "libraries") == 10'000);
  CHECK(part(report, "allocator") == 500);
  CHECK(part(report, "rest") == 200'000 - 22'000 - 320 - 1 - 80'000 - 2000 - 10'000 - 500);
  report.process.rss = 100'000;  // charged memory that is not resident
  CHECK(part(report, "rest") < 0);
}

TEST_CASE("a memory report says the same as text, JSON and metrics", "[memory]") {
  const auto report = sample_report();
  const auto json = nlohmann::json::parse(report.json());
  const test::Exposition metrics(report.metrics());
  CHECK(json["rss"] == 200'000);
  CHECK(json["budget"].is_null());
  CHECK(json["accounts"]["scratch"] == 300);
  CHECK(metrics["process_resident_memory_bytes"] == 200'000);
  CHECK(metrics["weir_process_proportional_bytes"] == 150'000);
  CHECK(std::isinf(metrics["weir_memory_budget_bytes"]));
  CHECK(metrics["weir_memory_bytes{account=\"leased\"}"] == 6000);
  for (const auto& one : report.parts()) {
    const std::string name(one.name);
    CHECK(json["parts"][name] == one.bytes);
    CHECK(metrics["weir_process_memory_bytes{part=\"" + name + "\"}"] ==
          static_cast<double>(one.bytes));
  }
  CHECK(contains(report.text(), "Process: RSS 195.31 KiB, PSS 146.48 KiB. Accounts: live "));
  CHECK(contains(report.text(), "budget no bound\n"));
  CHECK(contains(report.text(), "  stacks of all threads\n"));
}

TEST_CASE("a memory report measures the ledger and the process now", "[memory]") {
  constexpr std::uint64_t bytes = 32 << 20;
  MemoryLedger ledger(std::nullopt);
  const auto before = memory_report(ledger);
  const auto charge = ledger.try_charge(Account::cache, bytes);
  const std::vector<char> touched(bytes, 1);
  const auto after = memory_report(ledger);
  CHECK(part(after, "cache") - part(before, "cache") == bytes);
  CHECK(after.process.rss >= before.process.rss + bytes / 2);
  CHECK(part(after, "libraries") > 0);
}

TEST_CASE("a reporter reports until its end even if its callback throws", "[memory]") {
  std::mutex mutex;
  std::condition_variable changed;
  int taken = 0;
  {
    auto ledger = std::make_unique<MemoryLedger>(1 << 20);
    const MemoryReporter reporter(*ledger, std::chrono::milliseconds(1),
                                  [&](const MemoryReport& report) {
                                    const std::lock_guard lock(mutex);
                                    if (report.books.budget == 1 << 20) ++taken;
                                    changed.notify_all();
                                    throw 1;
                                  });
    ledger.reset();  // the reporter keeps the books
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return taken >= 3; });
  }
  // Waiting for the next report does not delay the end.
  const MemoryLedger ledger(1);
  std::atomic<int> reports{0};
  {
    const MemoryReporter once(ledger, std::chrono::milliseconds::max(),
                              [&](const MemoryReport&) { ++reports; });
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  CHECK(reports == 1);
  CHECK_THROWS_WITH(MemoryReporter(ledger, std::chrono::milliseconds(0), [](const auto&) {}),
                    test::has_text("interval = 0 ms: must be above 0"));
  CHECK_THROWS_AS(MemoryReporter(ledger, std::chrono::milliseconds(1), {}), Error);
}
