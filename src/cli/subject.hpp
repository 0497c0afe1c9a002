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

/// What a soak found of one loader.
struct SubjectFindings {
  std::string data;
  report::Run run;
  std::array<LawFigures, law_count> laws;
  std::uint64_t breaches = 0;
  Monitor::Ticks ticks;
  std::uint64_t files = 0, attempted = 0, reads = 0;
  Determinism determinism;
};

/// One loader under soak: its data, the laws checked of it, and what is counted outside its books.
/// soak() may run beside that of another; all else is for one thread.
class Subject {
 public:
  /// Opens the data that `settings` name, and measures where sizes differ. `ledger` null: the loader
  /// has one of its own. `interrupt` outlives this.
  Subject(Settings settings, std::shared_ptr<MemoryLedger> ledger, const Interrupt& interrupt);

  /// Makes the loader. Throws as it does.
  void open();
  const Loader& loader() const { return *loader_; }
  /// Drains a stream under watch; what it ends in becomes Run::error.
  void soak();
  /// The loader's end.
  void close();
  /// Once closed: counts the reads, delivers once more what was delivered, and adds all up.
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
  AnySource source_;  ///< reads neither counted nor delayed
  std::shared_ptr<Attempts> attempts_;
  std::optional<Loader> loader_;
  std::optional<Delivered> delivered_;
  LawBook book_;
  SubjectFindings found_;  ///< so far
};

}  // namespace weir::cli
