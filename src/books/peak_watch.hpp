#pragma once

#include <cstdint>
#include <memory>

#include "books/ledger.hpp"

namespace weir::books {

/// The most that a ledger held since this was made or taken. Neither reset_peak() nor other watches
/// matter to it, nor it to them. Any thread.
class PeakWatch {
 public:
  explicit PeakWatch(std::shared_ptr<Ledger> ledger);
  ~PeakWatch();
  PeakWatch(const PeakWatch&) = delete;
  PeakWatch& operator=(const PeakWatch&) = delete;

  struct Seen {
    MemorySnapshot memory;       ///< now; peak and accounts_at_peak as watched
    AccountBytes account_peaks;  ///< the most each account held itself
  };
  Seen read() const;
  /// read(), and peaks := now, with nothing between.
  Seen take();

 private:
  friend class Ledger;

  // With ledger_->mutex_ held.
  void begin() noexcept WEIR_NO_THREAD_SAFETY_ANALYSIS;
  void look(const ByteCounts& total, Account account) noexcept;
  Seen seen() const noexcept WEIR_NO_THREAD_SAFETY_ANALYSIS;

  const std::shared_ptr<Ledger> ledger_;
  std::uint64_t peak_ = 0;
  AccountBytes at_peak_{}, account_peaks_{};
  PeakWatch* next_ = nullptr;  ///< Ledger::watches_
};

}  // namespace weir::books
