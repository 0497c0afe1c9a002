#include "books/peak_watch.hpp"

#include <algorithm>
#include <utility>

namespace weir::books {

PeakWatch::PeakWatch(std::shared_ptr<Ledger> ledger) : ledger_(std::move(ledger)) {
  Lock lock(ledger_->mutex_);
  begin();
  next_ = std::exchange(ledger_->watches_, this);
}

PeakWatch::~PeakWatch() {
  Lock lock(ledger_->mutex_);
  auto** link = &ledger_->watches_;
  while (*link != this) link = &(*link)->next_;
  *link = next_;
}

PeakWatch::Seen PeakWatch::read() const {
  Lock lock(ledger_->mutex_);
  return seen();
}

PeakWatch::Seen PeakWatch::take() {
  Lock lock(ledger_->mutex_);
  const auto taken = seen();
  begin();
  return taken;
}

PeakWatch::Seen PeakWatch::seen() const noexcept {
  const auto& total = ledger_->total_;
  return {{total.live(), peak_, ledger_->budget_, total.accounts(), at_peak_}, account_peaks_};
}

void PeakWatch::begin() noexcept {
  const auto& total = ledger_->total_;
  peak_ = total.live();
  at_peak_ = account_peaks_ = total.accounts();
}

void PeakWatch::look(const ByteCounts& total, Account account) noexcept {
  auto& own = account_peaks_[static_cast<std::size_t>(account)];
  own = std::max(own, total[account]);
  if (total.live() <= peak_) return;
  peak_ = total.live();
  at_peak_ = total.accounts();
}

}  // namespace weir::books
