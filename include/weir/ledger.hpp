#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "weir/export.hpp"

namespace weir {

/// Where a byte is on the books.
enum class Account : std::uint8_t {
  index,    ///< the source's index and names, and a trace
  encoded,  ///< samples as they were read
  scratch,  ///< what decoders and transforms work in
  filling,  ///< slabs that workers write
  ready,    ///< slabs in the queue
  leased,   ///< slabs in the consumer's hands
  idle,     ///< slabs that wait for their next batch
  cache,    ///< samples kept from epoch to epoch (Options::cache); charges of the caller's own
};
/// How many accounts there are.
inline constexpr std::size_t account_count = static_cast<std::size_t>(Account::cache) + 1;
/// The enumerator's own name: "leased". Any thread.
WEIR_API std::string_view to_string(Account account) noexcept;

/// Bytes by account, in the order of the enumerators.
using AccountBytes = std::array<std::uint64_t, account_count>;

/// One instant, in bytes. The accounts add up to `live` (law: sum), `live <= budget` (law: bound).
struct MemorySnapshot {
  std::uint64_t live = 0;           ///< on the books now
  std::uint64_t peak = 0;           ///< the most since reset_peak()
  std::uint64_t budget = 0;         ///< UINT64_MAX: no bound
  AccountBytes accounts{};          ///< the parts of `live`
  AccountBytes accounts_at_peak{};  ///< the parts of `peak`
  /// Bytes of one account.
  std::uint64_t operator[](Account a) const noexcept {
    return accounts[static_cast<std::size_t>(a)];
  }
};

/// A batch that is out, and who holds it.
struct HeldLease {
  std::uint64_t sequence = 0;  ///< in its stream
  std::uint64_t bytes = 0;     ///< of the account `leased`
  std::string_view holder;     ///< as Batch::held_by() was told last; "Batch" where nobody did
};

namespace books {
class Ledger;
class Book;
}  // namespace books

/// Move-only proof that bytes are on the books. Free the memory before the Charge dies.
/// One thread at a time.
class WEIR_API Charge {
 public:
  /// Of no bytes.
  Charge() noexcept = default;
  Charge(Charge&& other) noexcept;
  Charge& operator=(Charge&& other) noexcept;
  ~Charge();

  /// Moves the bytes to another account; the total cannot move.
  void transfer(Account to) noexcept;
  /// False, and nothing changed, where the budget has no room.
  [[nodiscard]] bool try_grow(std::uint64_t to_bytes) noexcept;
  /// Gives bytes back; `to_bytes` must not exceed bytes(). Free the memory first.
  void shrink(std::uint64_t to_bytes) noexcept;
  /// How many are on the books by this.
  std::uint64_t bytes() const noexcept { return bytes_; }

 private:
  friend struct Internals;
  Charge(std::shared_ptr<books::Book> book, Account account, std::uint64_t bytes) noexcept;
  std::shared_ptr<books::Book> book_;
  Account account_ = Account::cache;
  std::uint64_t bytes_ = 0;
};

/// A budget in bytes and all that is charged to it. Any thread.
class WEIR_API MemoryLedger {
 public:
  /// UINT64_MAX: no bound. Several loaders share one by MemoryOptions::ledger.
  explicit MemoryLedger(std::uint64_t budget_bytes);
  ~MemoryLedger();
  MemoryLedger(const MemoryLedger&) = delete;
  MemoryLedger& operator=(const MemoryLedger&) = delete;

  /// The only entrance. Empty where the budget less what loaders were promised has no room.
  [[nodiscard]] std::optional<Charge> try_charge(Account account, std::uint64_t bytes);
  /// All accounts at one instant.
  MemorySnapshot snapshot() const;
  /// Batches that are out, of all loaders that share or shared this ledger, those that died included; a
  /// loader's own in order of their slabs. Their bytes add up to the account `leased`.
  std::vector<HeldLease> leases() const;
  /// As constructed, in bytes.
  std::uint64_t budget() const noexcept;
  /// Bytes promised to the loaders that share this ledger.
  std::uint64_t promised() const;
  /// peak := live, for the ledger and each loader's page.
  void reset_peak() noexcept;
  /// Number of changes posted so far: what the books cost is this times the bench's ns a posting.
  std::uint64_t postings() const noexcept;

 private:
  friend struct Internals;
  std::shared_ptr<books::Ledger> books_;
  std::shared_ptr<books::Book> own_;
};

}  // namespace weir
