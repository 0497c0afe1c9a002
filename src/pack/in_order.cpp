#include "pack/in_order.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "base/threads.hpp"

namespace weir::pack {

using source::Position;

namespace {

/// The threads of one call. Its destructor ends and joins them.
class Work {
 public:
  Work(const Making& how, Position first, Position end, Make make)
      : how_(how), end_(end), make_(make), next_(first), taken_(first), made_(window()) {
    const auto threads = std::min<std::uint64_t>(how.threads, end.value() - first.value());
    threads_.reserve(static_cast<std::size_t>(threads));
    try {
      for (std::uint64_t i = 0; i < threads; ++i)
        threads_.push_back(start_thread([this] { work(); }));
    } catch (const std::exception&) {
      if (threads_.empty()) throw;  // the threads that started do the work
    }
  }
  ~Work() {
    fail(nullptr);
    for (auto& thread : threads_) thread.join();
  }
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;

  /// Ends the work. The next call of next() rethrows `error`, or throws Stopped.
  void fail(const std::exception_ptr& error) {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = error;
    if (taken_ == end_) return;  // nobody waits
    stopping_ = true;
    how_.memory.stop();
    changed_.notify_all();
  }

  /// The member of the next position.
  Result<Member> next() {
    std::unique_lock lock(mutex_);
    auto& slot = slot_of(taken_);
    changed_.wait(lock, [&] { return stopping_ || slot.has_value(); });
    if (stopping_) {
      if (error_) std::rethrow_exception(error_);
      throw Stopped{};
    }
    auto member = std::move(*slot);
    slot.reset();
    return member;
  }
  /// The member of the last next() is freed.
  void taken() {
    const std::lock_guard lock(mutex_);
    how_.memory.set_oldest(++taken_);
    changed_.notify_all();
  }

 private:
  /// Members that wait for their turn: enough that a few slow samples keep no thread waiting.
  std::size_t window() const noexcept { return std::size_t{how_.threads} * 4 + 4; }
  std::optional<Result<Member>>& slot_of(Position position) noexcept {
    return made_[position.value() % made_.size()];
  }

  void work() noexcept {
    try {
      Maker maker(how_.source, how_.recipe, how_.memory, stopping_);
      while (const auto position = claim()) {
        auto made = (maker.*make_)(*position, how_.sampler.index(0, *position));
        const std::lock_guard lock(mutex_);
        slot_of(*position) = std::move(made);
        changed_.notify_all();
      }
    } catch (const Stopped&) {
      // fail() was called.
    } catch (...) {
      fail(std::current_exception());
    }
  }

  std::optional<Position> claim() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] {
      return stopping_ || next_ == end_ || next_.value() < taken_.value() + made_.size();
    });
    if (stopping_ || next_ == end_) return std::nullopt;
    const auto claimed = next_;
    ++next_;
    return claimed;
  }

  const Making& how_;
  const Position end_;
  const Make make_;
  std::mutex mutex_;
  std::condition_variable changed_;
  Position next_, taken_;  ///< the next position to make, and to hand out
  std::vector<std::optional<Result<Member>>> made_;
  std::exception_ptr error_;
  std::atomic<bool> stopping_{false};
  std::vector<std::thread> threads_;
};

}  // namespace

void make_in_order(const Making& how, Position first, Position end, Make make, const Take& take) {
  if (first == end) return;
  how.memory.set_oldest(first);
  Work work(how, first, end, make);
  const std::stop_callback on_stop(how.stop, [&work] { work.fail(nullptr); });
  for (auto position = first; position < end; ++position) {
    {
      const auto made = work.next();
      take(position, made);
    }
    work.taken();
  }
}

}  // namespace weir::pack
