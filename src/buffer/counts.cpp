#include "buffer/counts.hpp"

#include <algorithm>
#include <utility>

namespace weir::buffer {

Counts::Counts() { accounts_.push_back({"other"}); }

std::size_t Counts::account(std::string_view name) {
  Lock lock(mutex_);
  const auto found = std::find_if(accounts_.begin(), accounts_.end(),
                                  [&](const Account& one) { return one.name == name; });
  if (found != accounts_.end()) return static_cast<std::size_t>(found - accounts_.begin());
  // What may throw comes first: every watch has a place for every account.
  Account made{std::string(name)};
  accounts_.reserve(accounts_.size() + 1);
  for (auto* watch = watches_; watch; watch = watch->next_)
    watch->peaks_.reserve(accounts_.size() + 1);
  accounts_.push_back(std::move(made));
  for (auto* watch = watches_; watch; watch = watch->next_) watch->peaks_.emplace_back();
  return accounts_.size() - 1;
}

void Counts::add(std::size_t account, std::uint64_t bytes) noexcept {
  Lock lock(mutex_);
  accounts_[account].live += bytes;
  live_ += bytes;
  for (auto* watch = watches_; watch; watch = watch->next_) watch->look(account);
}

void Counts::remove(std::size_t account, std::uint64_t bytes) noexcept {
  Lock lock(mutex_);
  accounts_[account].live -= bytes;
  live_ -= bytes;
}

std::uint64_t Counts::live() const noexcept {
  Lock lock(mutex_);
  return live_;
}

CountsWatch::CountsWatch(std::shared_ptr<Counts> counts) : counts_(std::move(counts)) {
  Lock lock(counts_->mutex_);
  peaks_.resize(counts_->accounts_.size());
  begin();
  next_ = std::exchange(counts_->watches_, this);
}

CountsWatch::~CountsWatch() {
  Lock lock(counts_->mutex_);
  auto** link = &counts_->watches_;
  while (*link != this) link = &(*link)->next_;
  *link = next_;
}

MemoryUse CountsWatch::read() const {
  Lock lock(counts_->mutex_);
  return use();
}

MemoryUse CountsWatch::take() {
  Lock lock(counts_->mutex_);
  auto taken = use();
  begin();
  return taken;
}

void CountsWatch::reset() noexcept {
  Lock lock(counts_->mutex_);
  begin();
}

MemoryUse CountsWatch::use() const {
  MemoryUse use{counts_->live_, peak_, {}};
  use.accounts.reserve(peaks_.size());
  for (std::size_t i = 0; i < peaks_.size(); ++i) {
    const auto& account = counts_->accounts_[i];
    use.accounts.push_back({account.name, account.live, peaks_[i].own, peaks_[i].together});
  }
  return use;
}

void CountsWatch::begin() noexcept {
  peak_ = counts_->live_;
  for (std::size_t i = 0; i < peaks_.size(); ++i)
    peaks_[i].own = peaks_[i].together = counts_->accounts_[i].live;
}

void CountsWatch::look(std::size_t account) noexcept {
  peaks_[account].own = std::max(peaks_[account].own, counts_->accounts_[account].live);
  if (counts_->live_ <= peak_) return;
  peak_ = counts_->live_;
  for (std::size_t i = 0; i < peaks_.size(); ++i) peaks_[i].together = counts_->accounts_[i].live;
}

}  // namespace weir::buffer
