#include "base/machine/thread_cpus.hpp"

#include <pthread.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>

#include "base/clock.hpp"
#include "base/file_start.hpp"
#include "base/numbers.hpp"

namespace weir {

void CpuTime::add(const CpuTime& other) noexcept {
  used += other.used;
  waited = waited && other.waited ? std::optional(*waited + *other.waited) : std::nullopt;
}

std::optional<std::chrono::nanoseconds> run_delay_in(std::string_view schedstat) noexcept {
  std::array<std::int64_t, 3> numbers{};  // on a CPU, waiting, turns
  for (auto& number : numbers) {
    const auto found = take_number_after_blanks<std::int64_t>(schedstat);
    if (!found) return std::nullopt;
    number = *found;
  }
  // A thread that runs has had a turn, so the kernel does not count.
  if (numbers[2] == 0) return std::nullopt;
  return std::chrono::nanoseconds(numbers[1]);
}

ThreadCpus::Member::Member(ThreadCpus& all) noexcept : all_(all), id_(gettid()) {
  clockid_t clock{};
  if (pthread_getcpuclockid(pthread_self(), &clock) == 0) clock_ = clock;
  Lock lock(all_.mutex_);
  next_ = all_.first_;
  if (next_) next_->before_ = this;
  all_.first_ = this;
}

ThreadCpus::Member::~Member() {
  const auto last = time();
  Lock lock(all_.mutex_);
  all_.ended_.add(last);
  (before_ ? before_->next_ : all_.first_) = next_;
  if (next_) next_->before_ = before_;
}

CpuTime ThreadCpus::Member::time() const noexcept {
  CpuTime time;
  if (clock_) time.used = cpu_time(*clock_);
  std::array<char, 64> path{};
  std::array<char, 96> text{};
  std::snprintf(path.data(), path.size(), "/proc/self/task/%d/schedstat", id_);
  time.waited = run_delay_in(file_start(path.data(), text));
  return time;
}

CpuTime ThreadCpus::total() const noexcept {
  Lock lock(mutex_);
  auto total = ended_;
  for (const auto* member = first_; member; member = member->next_) total.add(member->time());
  return total;
}

}  // namespace weir
