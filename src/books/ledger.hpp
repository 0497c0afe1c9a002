#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/mutex.hpp"
#include "base/wakeable.hpp"
#include "books/byte_counts.hpp"

namespace weir::books {

class Book;
class Evictable;

/// One loader's bytes, as its ledger has them. Guarded by the ledger's mutex.
struct Page {
  std::uint64_t promise = 0;  ///< bytes no other page can take
  std::uint64_t reserve = 0;  ///< kept for the oldest unfinished row
  std::uint64_t footprint =
      0;  ///< max(promise, general + reserve): what no other page can have now
  std::uint64_t general = 0, reserve_used = 0;  ///< charged, by pool
  std::uint64_t cached = 0;                     ///< of general: what its cache could give back
  AccountCounts bytes;
  std::uint64_t ticket = 0;  ///< when it began to wait, in the ledger's order; 0: it does not
  std::shared_ptr<Wakeable> waker;
  std::vector<std::optional<HeldLease>> leases;  ///< by slab
  Page* next = nullptr;                          ///< Ledger::pages_
};

/// A budget shared by the pages charged to it. Owns the one leaf mutex under which all of their bytes
/// and samples change. Any thread.
class Ledger {
 public:
  explicit Ledger(std::uint64_t budget) noexcept : budget_(budget) {}

  std::uint64_t budget() const noexcept { return budget_; }
  MemorySnapshot snapshot() const;
  std::vector<HeldLease> leases() const;
  std::uint64_t promised() const;
  std::uint64_t postings() const;
  void reset_peak() noexcept;

  /// Some cache lets go of a piece: that of `page` first, else one of a page that has more than it was
  /// promised, since others gain nothing of the rest. False: none can. `page` null: of a page to come.
  bool evict(const Book* page) noexcept WEIR_EXCLUDES(evictables_mutex_);
  void attach(Evictable& cache) WEIR_EXCLUDES(evictables_mutex_);
  /// Nobody asks it any more, nor is asking.
  void detach(const Evictable& cache) noexcept WEIR_EXCLUDES(evictables_mutex_);
  /// Whether any page waits for bytes, seen without the mutex. Ordered with what was done before by
  /// whoever began to wait, and with what the caller did.
  bool seen_waiting() const noexcept { return waiting_.load() > 0; }
  /// Tells every page that waits for bytes to look again. Neither allocates nor holds the mutex
  /// while it calls.
  void wake_waiting() noexcept;

  // -- for whoever holds the mutex: a Book for its page, a PeakWatch
  Mutex& mutex() const noexcept WEIR_RETURN_CAPABILITY(mutex_) { return mutex_; }
  using Parts = AccountBytes;
  AccountCounts& bytes() noexcept WEIR_REQUIRES(mutex_) { return total_; }
  static std::string name(std::size_t account) {
    return std::string(to_string(static_cast<Account>(account)));
  }

  /// Throws Error{budget_too_small} where what `page` is promised does not fit beside the others.
  void open(Page& page) WEIR_REQUIRES(mutex_);
  void close(const Page& page) noexcept WEIR_REQUIRES(mutex_);
  /// Nothing is promised or reserved any more; what is charged stays.
  void retire(Page& page) noexcept WEIR_REQUIRES(mutex_);
  void count_posting() noexcept WEIR_REQUIRES(mutex_) { ++postings_; }

  /// Whether the general pool of `page` has room for `bytes` more.
  bool fits(const Page& page, std::uint64_t bytes) const noexcept WEIR_REQUIRES(mutex_);
  /// Bytes that it is short of for that.
  std::uint64_t missing(const Page& page, std::uint64_t bytes) const noexcept WEIR_REQUIRES(mutex_);
  /// The same where caches can help: who has to yield to another page is helped by its own alone.
  std::uint64_t missing_of_caches(const Page& page, std::uint64_t bytes) const noexcept
      WEIR_REQUIRES(mutex_);
  /// The most that caches could let go of for `page`.
  std::uint64_t evictable_bytes(const Page& page) const noexcept WEIR_REQUIRES(mutex_);
  void charge(Page& page, Account account, std::uint64_t bytes, bool reserve = false) noexcept
      WEIR_REQUIRES(mutex_);
  void uncharge(Page& page, Account account, std::uint64_t bytes, bool reserve = false) noexcept
      WEIR_REQUIRES(mutex_);
  void move(Page& page, Account from, Account to, std::uint64_t bytes) noexcept
      WEIR_REQUIRES(mutex_);

  bool anyone_waits() const noexcept WEIR_REQUIRES(mutex_) { return waiting_ > 0; }
  void set_waiting(Page& page, bool waiting) noexcept WEIR_REQUIRES(mutex_);

 private:
  /// Whether `page` must keep to its promise because another page asked before it.
  bool must_yield(const Page& page) const noexcept WEIR_REQUIRES(mutex_);
  void update_footprint(Page& page) noexcept WEIR_REQUIRES(mutex_);

  mutable Mutex mutex_;
  const std::uint64_t budget_;
  AccountCounts total_ WEIR_GUARDED_BY(mutex_);
  /// Sum over the pages, never above budget_.
  std::uint64_t footprints_ WEIR_GUARDED_BY(mutex_) = 0;
  std::uint64_t promised_ WEIR_GUARDED_BY(mutex_) = 0;
  std::uint64_t postings_ WEIR_GUARDED_BY(mutex_) = 0;
  std::uint64_t last_ticket_ WEIR_GUARDED_BY(mutex_) = 0;  ///< numbers the askers in order
  std::atomic<std::uint32_t> waiting_{0};                  ///< pages; changed under mutex_
  Page* pages_ WEIR_GUARDED_BY(mutex_) WEIR_PT_GUARDED_BY(mutex_) = nullptr;  ///< intrusive list

  Mutex evictables_mutex_;  ///< never taken under another of weir's
  std::vector<Evictable*> evictables_ WEIR_GUARDED_BY(evictables_mutex_);
};

/// Holds bytes that can be done without: a cache.
class Evictable {
 public:
  /// Both outlive this.
  Evictable(Ledger& ledger, Book& page) noexcept : ledger_(ledger), page_(page) {}
  virtual ~Evictable() = default;
  Evictable(const Evictable&) = delete;
  Evictable& operator=(const Evictable&) = delete;

  /// Frees and discharges a piece; false: none can go now. Any thread.
  virtual bool evict() noexcept = 0;
  const Book& charged_to() const noexcept { return page_; }

 protected:
  // By who overrides evict(): the last of its constructor, the first of its destructor.
  void attach() { ledger_.attach(*this); }
  void detach() noexcept { ledger_.detach(*this); }
  /// A piece that somebody held can go now, and could not before: whoever waits looks again. To be called
  /// after that is so: who waits has said that he does before he looked, and one of the two sees the other.
  void offer() noexcept {
    if (ledger_.seen_waiting()) ledger_.wake_waiting();
  }

 private:
  Ledger& ledger_;
  Book& page_;
};

}  // namespace weir::books
