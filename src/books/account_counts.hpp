#pragma once

#include <cstddef>
#include <cstdint>

#include "base/checked.hpp"
#include "books/byte_counts.hpp"
#include "weir/ledger.hpp"

namespace weir::books {

/// The accounts of a share or of a ledger, and their peak since reset_peak().
class AccountCounts : public ByteCounts<AccountBytes> {
 public:
  AccountCounts() { attach(peak_); }

  std::uint64_t operator[](Account account) const noexcept {
    return parts()[static_cast<std::size_t>(account)];
  }
  void reset_peak() noexcept { begin(peak_); }
  MemorySnapshot snapshot(std::uint64_t budget) const noexcept {
    return {sum(), peak_.sum, limit_of(budget), parts(), peak_.at_sum};
  }

 private:
  Peaks<AccountBytes> peak_;
};

}  // namespace weir::books
