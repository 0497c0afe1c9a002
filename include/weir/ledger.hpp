#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "weir/export.hpp"
#include "weir/image.hpp"

/// \file
/// The books: bytes by account, and samples by state.
namespace weir {

/// The purpose of charged bytes.
enum class Account : std::uint8_t {
  index,    ///< index and names of the source, weir's own records, and a trace
  encoded,  ///< samples as read
  scratch,  ///< working memory of decoders and transforms
  filling,  ///< slabs that workers write
  ready,    ///< slabs in the queue
  leased,   ///< slabs that the consumer holds
  idle,     ///< slabs that wait for their next batch
  cache,    ///< samples kept from epoch to epoch (Options::cache), and the caller's own charges
};
/// Number of accounts.
inline constexpr std::size_t account_count = static_cast<std::size_t>(Account::cache) + 1;
/// The name of the enumerator, for example "leased". Any thread.
WEIR_API std::string_view to_string(Account account) noexcept;

/// Bytes per account, in the order of Account.
using AccountBytes = std::array<std::uint64_t, account_count>;

/// The ledger at one instant, in bytes. The sum of the accounts is `live` (law: sum), and `live <=
/// budget`, if there is one (law: bound).
struct MemorySnapshot {
  std::uint64_t live = 0;                 ///< charged bytes now
  std::uint64_t peak = 0;                 ///< maximum of `live` since reset_peak()
  std::optional<std::uint64_t> budget{};  ///< nullopt: no limit
  AccountBytes accounts{};                ///< `live` by account
  AccountBytes accounts_at_peak{};        ///< `peak` by account
  /// Bytes of one account.
  std::uint64_t operator[](Account a) const noexcept {
    return accounts[static_cast<std::size_t>(a)];
  }
};

/// One leased batch and its holder.
struct HeldLease {
  std::uint64_t sequence = 0;  ///< Batch::sequence in its stream
  std::uint64_t bytes = 0;     ///< size in the account `leased`
  std::string_view holder;     ///< last name from Batch::held_by(); "Batch" by default
};

namespace books {
class Ledger;
class Budget;
}  // namespace books

/// Move-only token for charged bytes. Free the memory before you destroy the Charge. One thread at
/// a time. In a child process after fork() it changes nothing, as the MemoryLedger's calls.
class WEIR_API Charge {
 public:
  /// Holds zero bytes.
  Charge() noexcept = default;
  Charge(Charge&& other) noexcept;
  Charge& operator=(Charge&& other) noexcept;
  ~Charge();

  /// Moves the bytes to another account. The total does not change.
  void transfer(Account to) noexcept;
  /// Returns false without any change if the budget has no room.
  [[nodiscard]] bool try_grow(std::uint64_t to_bytes) noexcept;
  /// Reduces the charge. `to_bytes` must not exceed bytes(). Free the memory first.
  void shrink(std::uint64_t to_bytes) noexcept;
  /// Bytes that this object has charged.
  std::uint64_t bytes() const noexcept { return bytes_; }

 private:
  friend struct Internals;
  Charge(std::shared_ptr<books::Budget> share, Account account, std::uint64_t bytes) noexcept;
  std::shared_ptr<books::Budget> share_;
  Account account_ = Account::cache;
  std::uint64_t bytes_ = 0;
};

/// A memory budget and the accounting of its use. Any thread.
///
/// In a child process after fork() the books may be locked for ever if a loader of the parent used
/// them: calls throw Error{bad_options}, postings() is 0, and reset_peak() and the destructor have
/// no effect. Only budget() works.
class WEIR_API MemoryLedger {
 public:
  /// `budget_bytes` of nullopt means no limit. Several loaders can share a ledger by
  /// MemoryOptions::ledger.
  explicit MemoryLedger(std::optional<std::uint64_t> budget_bytes);
  MemoryLedger(const MemoryLedger&) = delete;
  MemoryLedger& operator=(const MemoryLedger&) = delete;

  /// Charges bytes. Empty if the budget, less the bytes promised to loaders, has no room.
  [[nodiscard]] std::optional<Charge> try_charge(Account account, std::uint64_t bytes);
  /// All accounts at one instant.
  MemorySnapshot snapshot() const;
  /// The leased batches of all loaders that use or used this ledger, including destroyed loaders.
  /// For one loader they are in the order of their slabs. The sum of their bytes is the account
  /// `leased`.
  std::vector<HeldLease> leases() const;
  /// The budget in bytes; nullopt: no limit.
  std::optional<std::uint64_t> budget() const noexcept;
  /// Bytes reserved for the loaders that share this ledger.
  std::uint64_t promised() const;
  /// Sets peak to live, for the ledger and for each loader that shares it.
  void reset_peak() noexcept;
  /// Number of changes so far. Multiply by the benchmark's ns per posting to get the cost of the
  /// accounting.
  std::uint64_t postings() const noexcept;

 private:
  friend struct Internals;
  std::shared_ptr<books::Ledger> books_;
  std::shared_ptr<books::Budget> own_;
};

/// The knobs of a stream. Tuning::automatic and Stream::set_queue_size(), set_workers() change them
/// during the run, but not the batch.
struct Setting {
  std::uint32_t max_queue_size = 1;  ///< batches
  std::uint32_t workers = 1;         ///< threads
  std::uint32_t read_ahead = 0;      ///< reads
  std::uint32_t batch = 1;           ///< images
  /// Compares all fields.
  friend auto operator<=>(const Setting&, const Setting&) = default;
};

/// Number of samples by state since the construction of the loader. Each counter has its own
/// events; none is computed from the others. All but `partners` count a row as one sample.
struct SampleTally {
  std::uint64_t drawn = 0;      ///< assigned to a batch that has its slab
  std::uint64_t in_flight = 0;  ///< drawn, but not yet in the ready queue
  std::uint64_t ready = 0;      ///< in the queue
  std::uint64_t leased = 0;     ///< in leased batches
  std::uint64_t consumed = 0;   ///< in batches that the consumer has released
  std::uint64_t discarded = 0;  ///< finished but not wanted (cancel, discard())
  std::uint64_t dropped = 0;    ///< drawn but never finished (cancel, failed stream)
  std::uint64_t failed = 0;     ///< samples with a Fault, and rows that no sample was drawn for
  std::uint64_t replaced = 0;   ///< rows that a replacement fills
  std::uint64_t omitted = 0;    ///< never drawn, because drop_last omits incomplete batches
  /// Options::partners of finished rows, decoded beside the rows' own samples.
  std::uint64_t partners = 0;

  /// Number of samples that have reached the queue.
  constexpr std::uint64_t produced() const noexcept {
    return ready + leased + consumed + discarded;
  }
  /// Whether the law of conservation holds.
  constexpr bool conserved() const noexcept {
    return drawn == in_flight + produced() + dropped + failed;
  }
  /// Whether each finished row has had `each` partners. Rows that are in flight or dropped may be
  /// finished or not.
  constexpr bool has_partners(std::uint32_t each) const noexcept {
    if (each == 0) return partners == 0;
    return partners % each == 0 && partners / each >= produced() &&
           partners / each <= produced() + in_flight + dropped;
  }
};

/// What the memory of all slabs of a loader holds, in bytes. Their sum is what the accounts filling,
/// ready, leased and idle hold for this loader.
struct SlabBytes {
  /// The images, or the encoded samples; then the planes, in the order of Options::planes.
  std::array<std::uint64_t, 1 + EncodedPlanes::most> images{};
  std::uint64_t annotation = 0;  ///< the room of all annotations
  std::uint64_t window = 0;      ///< the window of each row
  /// Labels, indices, statuses, padding, and room that a batch of smaller images leaves.
  std::uint64_t rest = 0;
};

/// Bytes, samples and queue of one loader at one instant.
struct Snapshot {
  MemorySnapshot memory;      ///< accounts in bytes
  SampleTally samples;        ///< samples by state
  std::uint32_t filling = 0;  ///< batches in progress
  std::uint32_t ready = 0;    ///< batches in the queue
  std::uint32_t leased = 0;   ///< batches that the consumer holds
  Setting setting{};          ///< the knobs now
  Setting setting_before{};   ///< the knobs before their last change; equal if there was none
  SlabBytes slabs{};          ///< read a moment after `memory`
};

}  // namespace weir
