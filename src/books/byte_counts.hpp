#pragma once

#include <cstdint>

#include "weir/ledger.hpp"

namespace weir::books {

/// Accounts, their total and its peak. `live` and each account move separately, so that their
/// agreement (law: sum) is a check and not a definition. Guarded by the leaf mutex.
class ByteCounts {
 public:
  void add(Account account, std::uint64_t bytes) noexcept {
    at(account) += bytes;
    live_ += bytes;
    if (live_ > peak_) {
      peak_ = live_;
      at_peak_ = accounts_;
    }
  }
  void remove(Account account, std::uint64_t bytes) noexcept {
    at(account) -= bytes;
    live_ -= bytes;
  }
  void move(Account from, Account to, std::uint64_t bytes) noexcept {
    at(from) -= bytes;
    at(to) += bytes;
  }
  void reset_peak() noexcept {
    peak_ = live_;
    at_peak_ = accounts_;
  }
  std::uint64_t operator[](Account account) const noexcept {
    return accounts_[static_cast<std::size_t>(account)];
  }
  std::uint64_t live() const noexcept { return live_; }
  const AccountBytes& accounts() const noexcept { return accounts_; }
  MemorySnapshot snapshot(std::uint64_t budget) const noexcept {
    return {live_, peak_, budget, accounts_, at_peak_};
  }

 private:
  std::uint64_t& at(Account account) noexcept {
    return accounts_[static_cast<std::size_t>(account)];
  }

  std::uint64_t live_ = 0, peak_ = 0;
  AccountBytes accounts_{}, at_peak_{};
};

}  // namespace weir::books
