#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "cli/attempts.hpp"
#include "cli/determinism.hpp"
#include "cli/interrupt.hpp"
#include "cli/laws.hpp"
#include "cli/monitor.hpp"
#include "cli/settings.hpp"
#include "report/figures.hpp"
#include "weir/counting.hpp"
#include "weir/loader.hpp"

namespace weir::cli {

/// The results of a soak for one loader.
struct SubjectFindings {
  std::string data;
  report::Run run;
  std::array<LawFigures, law_count> laws;
  std::uint64_t breaches = 0;
  Monitor::Ticks ticks;
  std::uint64_t files = 0, attempted = 0, reads = 0;
  Determinism determinism;
};

/// One loader in a soak, with its data, its laws and the counts outside its ledger. soak() of several
/// subjects may run at the same time. All other functions are for one thread.
class Subject {
 public:
  /// Opens the data of `settings`, and measures the images if their sizes differ. If `ledger` is
  /// null, the loader has its own ledger. `interrupt` must outlive this.
  Subject(Settings settings, std::shared_ptr<MemoryLedger> ledger, const Interrupt& interrupt);

  /// Constructs the loader. Throws the errors of its constructor.
  void open();
  const Loader& loader() const { return *loader_; }
  /// Drains a stream with all checks. An error of the stream is stored in Run::error.
  void soak();
  /// Destroys the loader.
  void close();
  /// Call it after close(). Checks the number of reads, compares a second pass, and returns all
  /// results.
  SubjectFindings verdict();
  LawBook& book() noexcept { return book_; }

 private:
  void check_at_rest(std::uint64_t replaced_seen);
  void check_attempts();
  bool ran_to_the_end() const { return found_.run.error.empty() && !interrupt_.raised(); }

  const Settings settings_;
  const Interrupt& interrupt_;
  const std::shared_ptr<CountingResource> upstream_ = std::make_shared<CountingResource>();
  Options options_;
  AnySource source_;  ///< without counting and delay
  std::shared_ptr<Attempts> attempts_;
  std::optional<Loader> loader_;
  std::optional<Delivered> delivered_;
  LawBook book_;
  SubjectFindings found_;
};

}  // namespace weir::cli
