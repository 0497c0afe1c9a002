#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/mutex.hpp"
#include "books/byte_counts.hpp"

namespace weir::books {

class Book;
class PeakWatch;
class Ledger;

/// Holds bytes that can be done without: a cache.
class Giver {
 public:
  /// Both outlive this.
  Giver(Ledger& ledger, Book& page) noexcept : ledger_(ledger), page_(page) {}
  virtual ~Giver() = default;
  Giver(const Giver&) = delete;
  Giver& operator=(const Giver&) = delete;

  /// Frees and discharges a piece; false: none can go now. Any thread.
  virtual bool give_way() noexcept = 0;

 protected:
  // By who overrides give_way(): the last of its constructor, the first of its destructor. After
  // strike() nobody asks any more, nor is asking.
  void enlist() noexcept;
  void strike() noexcept;
  /// A piece that somebody held can go now, and could not before: whoever waits looks again. To be called
  /// after that is so: who waits has said that he does before he looked, and one of the two sees the other.
  void offer() noexcept;

 private:
  friend class Ledger;
  Ledger& ledger_;
  Book& page_;
  Giver* next_ = nullptr;
};

/// A budget shared by the pages (Books) charged to it. Owns the one leaf mutex under which all of
/// their bytes and samples change. Any thread.
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
  bool give_way(const Book* page) noexcept WEIR_EXCLUDES(givers_mutex_);
  /// Whether any page waits for bytes, seen without the mutex. Ordered with what was done before by
  /// whoever began to wait, and with what the caller did.
  bool seen_waiting() const noexcept { return waiting_.load() > 0; }

  /// Tells every page that waits for bytes to look again. Neither allocates nor holds the mutex
  /// while it calls.
  void wake_waiting() noexcept;

 private:
  friend class Book;
  friend class Giver;
  friend class PeakWatch;

  // What Books charge, in all; watches see it.
  void add(Account account, std::uint64_t bytes) noexcept WEIR_REQUIRES(mutex_) {
    total_.add(account, bytes);
    if (watches_) show_watches(account);
  }
  void remove(Account account, std::uint64_t bytes) noexcept WEIR_REQUIRES(mutex_) {
    total_.remove(account, bytes);
  }
  void move(Account from, Account to, std::uint64_t bytes) noexcept WEIR_REQUIRES(mutex_) {
    total_.move(from, to, bytes);
    if (watches_) show_watches(to);
  }
  void show_watches(Account account) noexcept WEIR_REQUIRES(mutex_);

  /// Whether `book` must keep to its promise because another page asked before it.
  bool must_yield(const Book& book) const noexcept WEIR_REQUIRES(mutex_);
  bool anyone_waits() const noexcept WEIR_REQUIRES(mutex_) { return waiting_ > 0; }
  /// The most that caches could let go of for `book`.
  std::uint64_t givable(const Book& book) const noexcept WEIR_REQUIRES(mutex_);
  void enlist(Book& book) noexcept WEIR_REQUIRES(mutex_);
  void strike(Book& book) noexcept WEIR_REQUIRES(mutex_);

  mutable Mutex mutex_;
  const std::uint64_t budget_;
  ByteCounts total_ WEIR_GUARDED_BY(mutex_);
  /// Sum over the pages, never above budget_.
  std::uint64_t footprints_ WEIR_GUARDED_BY(mutex_) = 0;
  std::uint64_t promised_ WEIR_GUARDED_BY(mutex_) = 0;
  std::uint64_t postings_ WEIR_GUARDED_BY(mutex_) = 0;
  std::uint64_t asked_ WEIR_GUARDED_BY(mutex_) = 0;       ///< numbers the askers in order
  std::atomic<std::uint32_t> waiting_{0};                 ///< pages; changed under mutex_
  Book* books_ WEIR_GUARDED_BY(mutex_) = nullptr;         ///< intrusive list of live pages
  PeakWatch* watches_ WEIR_GUARDED_BY(mutex_) = nullptr;  ///< likewise

  Mutex givers_mutex_;  ///< never taken under another of weir's
  Giver* givers_ WEIR_GUARDED_BY(givers_mutex_) = nullptr;
};

}  // namespace weir::books
