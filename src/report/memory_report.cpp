#include "weir/profile.hpp"

#include <fmt/format.h>

#include <exception>
#include <nlohmann/json.hpp>
#include <stop_token>
#include <thread>
#include <utility>

#include "base/clock.hpp"
#include "base/internals.hpp"
#include "base/pause.hpp"
#include "base/threads.hpp"
#include "books/accounts.hpp"
#include "books/ledger.hpp"
#include "report/bytes.hpp"
#include "report/figures.hpp"
#include "report/json.hpp"
#include "report/process.hpp"
#include "report/table.hpp"
#include "weir/error.hpp"

namespace weir {
namespace {

[[noreturn]] void refuse_reporter(const std::string& what) {
  throw Error(Errc::bad_options, Stage::wait, "MemoryReporter: " + what);
}

MemoryReport report_of(const MemorySnapshot& books) {
  return {books, process_memory(), process_parts()};
}

}  // namespace

std::array<MemoryPart, MemoryReport::part_count> MemoryReport::parts() const {
  const auto whole = [](std::uint64_t bytes) { return static_cast<std::int64_t>(bytes); };
  const auto of = [&](Account account) { return whole(books[account]); };
  std::array<MemoryPart, part_count> out{{
      {"slabs", "batches: filling, ready, leased and idle",
       whole(report::staging_bytes(books.accounts))},
      {"decoders", "encoded samples and scratch", of(Account::encoded) + of(Account::scratch)},
      {"index", books::accounts[static_cast<std::size_t>(Account::index)].meaning,
       of(Account::index)},
      {"cache", "samples kept, and the caller's own charges", of(Account::cache)},
      {"thread_stacks", "stacks of all threads", whole(measured.stacks)},
      {"libraries", "mapped files: the program and its libraries", whole(measured.libraries)},
      {"allocator", "freed memory that malloc keeps", whole(measured.heap_free)},
      {"rest", "the program's own memory, less what is charged and not resident", 0},
  }};
  auto& rest = out.back().bytes;
  rest = whole(process.rss);
  for (std::size_t i = 0; i + 1 < out.size(); ++i) rest -= out[i].bytes;
  return out;
}

std::string MemoryReport::text() const {
  report::Table table("<RSS by part|bytes|<what it is", 0);
  for (const auto& part : parts()) {
    std::string name(part.name);
    if (const auto at = name.find('_'); at != name.npos) name[at] = ' ';
    table.add({"  " + name, report::human_difference(part.bytes), std::string(part.meaning)});
  }
  return fmt::format("Process: RSS {}, PSS {}. Accounts: live {}, peak {}, budget {}\n{}",
                     report::human_bytes(process.rss), report::human_bytes(process.pss),
                     report::human_bytes(books.live), report::human_bytes(books.peak),
                     report::human_bytes(books.budget.value_or(UINT64_MAX)), table.text());
}

std::string MemoryReport::json() const {
  auto accounts = report::Json::object(), split = report::Json::object();
  for (const auto& row : books::accounts) accounts[std::string(row.name)] = books[row.value];
  for (const auto& part : parts()) split[std::string(part.name)] = part.bytes;
  return report::Json{{"rss", process.rss},
                      {"pss", process.pss},
                      {"live", books.live},
                      {"peak", books.peak},
                      {"budget", report::bound_json(books.budget.value_or(UINT64_MAX))},
                      {"accounts", accounts},
                      {"parts", split}}
      .dump();
}

std::string MemoryReport::metrics() const {
  std::string out;
  const auto family = [&out](std::string_view name, std::string_view help) {
    out += fmt::format("# HELP {0} {1}\n# TYPE {0} gauge\n", name, help);
  };
  const auto gauge = [&](std::string_view name, std::string_view help, const auto& bytes) {
    family(name, help);
    out += fmt::format("{} {}\n", name, bytes);
  };
  family("weir_memory_bytes", "Bytes on the books, by account.");
  for (const auto& row : books::accounts)
    out += fmt::format("weir_memory_bytes{{account=\"{}\"}} {}\n", row.name, books[row.value]);
  gauge("weir_memory_live_bytes", "Bytes on the books: the sum of the accounts.", books.live);
  gauge("weir_memory_peak_bytes", "The most that was ever live.", books.peak);
  gauge("weir_memory_budget_bytes", "The most that may ever be live; +Inf: no bound.",
        books.budget ? std::to_string(*books.budget) : "+Inf");
  family("weir_process_memory_bytes",
         "Resident bytes of the process, by part. The rest is negative while charged memory is not "
         "resident.");
  for (const auto& part : parts())
    out += fmt::format("weir_process_memory_bytes{{part=\"{}\"}} {}\n", part.name, part.bytes);
  gauge("weir_process_proportional_bytes",
        "Proportional set size in bytes: each shared page is divided among its processes.",
        process.pss);
  gauge("process_resident_memory_bytes", "Resident memory size in bytes.", process.rss);
  return out;
}

MemoryReport memory_report(const MemoryLedger& ledger) { return report_of(ledger.snapshot()); }

struct MemoryReporter::State {
  std::stop_source stop;
  std::thread thread;
};

MemoryReporter::MemoryReporter(const MemoryLedger& ledger, std::chrono::milliseconds interval,
                               std::function<void(const MemoryReport&)> take)
    : state_(std::make_unique<State>()) {
  if (interval <= std::chrono::milliseconds(0))
    refuse_reporter("interval = " + std::to_string(interval.count()) + " ms: must be above 0");
  if (!take) refuse_reporter("take is empty");
  state_->thread = start_thread([books = Internals::books(ledger), interval, take = std::move(take),
                                 stop = state_->stop.get_token()] {
    do {
      try {
        take(report_of(books->snapshot()));
      } catch (...) {
        // The next report may succeed. Nothing else depends on it.
      }
    } while (pause(stop, saturated(interval)));
  });
}

MemoryReporter::~MemoryReporter() {
  state_->stop.request_stop();
  state_->thread.join();
}

}  // namespace weir
