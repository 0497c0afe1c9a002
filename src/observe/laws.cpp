#include "observe/laws.hpp"

#include <algorithm>
#include <numeric>

#include "observe/moment.hpp"

namespace weir::observe {

void Laws::check(const Loader& loader, const std::deque<Batch>& held) {
  const auto now = loader.snapshot();
  check_moment(
      now, loader.plan(),
      [this]<class... T>(std::string_view law, bool holds, fmt::format_string<T...> breach,
                         T&&... seen) { check(law, holds, breach, std::forward<T>(seen)...); });
  const auto& last = held.back();
  check("order", last.sequence() == taken_, "batch {} was delivered as number {}", last.sequence(),
        taken_);
  ++taken_;
  rows_ += static_cast<std::uint64_t>(std::ranges::count_if(last.statuses(), [](auto status) {
    return status != RowStatus::blank && status != RowStatus::padding;
  }));
  std::uint64_t bytes = 0;
  for (const auto& batch : held) bytes += batch.bytes_held();
  const auto& samples = now.samples;
  check("held",
        now.leased == held.size() && now.memory[Account::leased] == bytes &&
            samples.consumed + samples.leased == rows_,
        "leased is {} batches, {} bytes; held are {}, {}; {} samples consumed and {} leased of {} "
        "that were taken",
        now.leased, now.memory[Account::leased], held.size(), bytes, samples.consumed,
        samples.leased, rows_);
}

void Laws::check_resume(const Loader& loader, const Stream& stream) {
  check("resume", stream.progress_of_all() == loader.progress_after(taken_),
        "progress is {} after {} batches", stream.progress().to_json(), taken_);
}

void Laws::count(std::string_view name, std::uint64_t breaches, std::uint64_t checks,
                 const std::string& first_breach) {
  auto law = std::ranges::find(laws_, name, &Law::name);
  if (law == laws_.end()) law = laws_.insert(laws_.end(), {name});
  law->checks += checks;
  law->breaches += breaches;
  if (law->first_breach.empty()) law->first_breach = first_breach;
}

std::uint64_t Laws::breaches() const noexcept {
  return std::accumulate(laws_.begin(), laws_.end(), std::uint64_t{0},
                         [](auto sum, const Law& law) { return sum + law.breaches; });
}

}  // namespace weir::observe
