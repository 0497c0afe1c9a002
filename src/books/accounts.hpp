#pragma once

#include "base/terms.hpp"
#include "weir/ledger.hpp"

namespace weir::books {

/// Everything that reports, metrics, traces and the page need to know about an account. To add an
/// account, add an enumerator and a row.
struct AccountTerm : Term<Account> {
  bool slab = false;  ///< true: bytes of whole slabs; false: bytes of samples or of the index
};

inline constexpr std::array<AccountTerm, account_count> accounts{{
    {{Account::index, "index", "names and offsets of the source, weir’s own records, and a trace"}},
    {{Account::encoded, "encoded", "samples as they were read"}},
    {{Account::scratch, "scratch", "working memory of decoders and transforms"}},
    {{Account::filling, "filling", "slabs that workers write"}, true},
    {{Account::ready, "ready", "slabs of batches in the queue"}, true},
    {{Account::leased, "leased", "slabs of batches that the consumer holds"}, true},
    {{Account::idle, "idle", "slabs that wait for their next batch"}, true},
    {{Account::cache, "cache", "samples kept across epochs, and your own charges"}},
}};
static_assert(in_order(accounts));

/// The accounts of slabs, or all other accounts, in order.
template <bool slab>
consteval auto accounts_of() {
  constexpr auto number = std::ranges::count(accounts, slab, &AccountTerm::slab);
  std::array<Account, static_cast<std::size_t>(number)> found{};
  std::size_t n = 0;
  for (const auto& row : accounts)
    if (row.slab == slab) found[n++] = row.value;
  return found;
}

}  // namespace weir::books
