#include <utility>

#include "base/checked.hpp"
#include "base/fork_guard.hpp"
#include "base/internals.hpp"
#include "books/accounts.hpp"
#include "books/budget.hpp"
#include "weir/error.hpp"
#include "weir/ledger.hpp"
#include "weir/memory.hpp"

namespace weir {
namespace {

/// Whether this process is a child of fork() whose parent has the books.
bool forked(const books::Budget& share) noexcept { return share.ledger()->left_in_parent(); }

/// A thread of the parent may have held the mutex during fork(). It is never unlocked in the child.
const books::Ledger& usable(const books::Ledger& ledger) {
  if (ledger.left_in_parent())
    throw Error(
        Errc::bad_options, Stage::wait,
        "this process is a child that fork() made while a loader used the MemoryLedger: its "
        "books may be locked; a child may call exec or _exit");
  return ledger;
}

}  // namespace

std::optional<Charge> books::charge(std::shared_ptr<Budget> share, Account account,
                                    std::uint64_t bytes) {
  if (!share->try_charge(account, bytes)) return std::nullopt;
  return Internals::make<Charge>(std::move(share), account, bytes);
}

std::string_view to_string(Account account) noexcept { return name_in(books::accounts, account); }

AccountUse MemoryUse::operator[](std::string_view account) const {
  for (const auto& one : accounts)
    if (one.name == account) return one;
  return {};
}

Charge::Charge(std::shared_ptr<books::Budget> share, Account account, std::uint64_t bytes) noexcept
    : share_(std::move(share)), account_(account), bytes_(bytes) {}

Charge::Charge(Charge&& other) noexcept
    : share_(std::move(other.share_)),
      account_(other.account_),
      bytes_(std::exchange(other.bytes_, 0)) {}

Charge& Charge::operator=(Charge&& other) noexcept {
  Charge gone(std::move(other));
  std::swap(share_, gone.share_);
  std::swap(account_, gone.account_);
  std::swap(bytes_, gone.bytes_);
  return *this;
}

Charge::~Charge() { shrink(0); }

void Charge::transfer(Account to) noexcept {
  if (bytes_ > 0 && !forked(*share_)) share_->transfer(account_, to, bytes_);
  account_ = to;
}

bool Charge::try_grow(std::uint64_t to_bytes) noexcept {
  if (to_bytes <= bytes_) return true;
  if (!share_ || forked(*share_) || !share_->try_charge(account_, to_bytes - bytes_)) return false;
  bytes_ = to_bytes;
  return true;
}

void Charge::shrink(std::uint64_t to_bytes) noexcept {
  if (to_bytes >= bytes_) return;
  if (!forked(*share_)) share_->discharge(account_, {bytes_ - to_bytes, false});
  bytes_ = to_bytes;
}

MemoryLedger::MemoryLedger(std::optional<std::uint64_t> budget_bytes)
    : books_(make_kept_in_child<books::Ledger>(budget_bytes.value_or(unlimited))),
      own_(make_kept_in_child<books::Budget>(books_, books::ShareLimits{.yields = false})) {}

std::optional<Charge> MemoryLedger::try_charge(Account account, std::uint64_t bytes) {
  static_cast<void>(usable(*books_));
  return books::charge(own_, account, bytes);
}

MemorySnapshot MemoryLedger::snapshot() const { return usable(*books_).snapshot(); }
std::vector<HeldLease> MemoryLedger::leases() const { return usable(*books_).leases(); }
std::optional<std::uint64_t> MemoryLedger::budget() const noexcept {
  return limit_of(books_->budget());
}
std::uint64_t MemoryLedger::promised() const { return usable(*books_).promised(); }
void MemoryLedger::reset_peak() noexcept {
  if (!books_->left_in_parent()) books_->reset_peak();
}
std::uint64_t MemoryLedger::postings() const noexcept {
  return books_->left_in_parent() ? 0 : books_->postings();
}

}  // namespace weir
