#include "conductor/request_list.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/checked.hpp"

namespace weir::conductor {

RequestList::RequestList(std::shared_ptr<books::Book> book, const Bounds& bounds)
    : book_(std::move(book)),
      bounds_(bounds),
      indices_(static_cast<std::size_t>(mul_sat(bounds.most, bounds.rows))),
      free_(bounds.most) {
  requests_.reserve(bounds.most);
  std::iota(free_.rbegin(), free_.rend(), 0u);
}

std::uint64_t RequestList::memory_bytes(const Bounds& bounds) noexcept {
  const auto each =
      add_sat(mul_sat(bounds.rows, sizeof(std::uint64_t)), sizeof(Request) + sizeof(std::uint32_t));
  return mul_sat(bounds.most, each);
}

bool RequestList::ask(std::span<const std::uint64_t> indices) noexcept {
  {
    const Lock lock(mutex_);
    if (free_.empty()) return false;
    const auto rows = static_cast<std::uint32_t>(indices.size());
    const auto cell = free_.back();
    free_.pop_back();
    std::ranges::copy(indices, indices_.begin() + static_cast<std::ptrdiff_t>(cell) * bounds_.rows);
    requests_.push_back({known_++, known_rows_, rows, cell});
    known_rows_ += rows;
  }
  book_->wake();
  return true;
}

void RequestList::finish(std::uint64_t sequence) noexcept {
  const Lock lock(mutex_);
  const auto request = find(sequence);
  if (request == requests_.end()) return;
  free_.push_back(request->cell);
  requests_.erase(request);
}

std::vector<std::uint64_t> RequestList::outstanding() const {
  std::vector<std::uint64_t> all;
  const Lock lock(mutex_);
  for (const auto& request : requests_) {
    const auto indices = indices_of(request);
    all.insert(all.end(), indices.begin(), indices.end());
  }
  return all;
}

void RequestList::close() noexcept {
  const Lock lock(mutex_);
  // Assigning {} would keep the memory.
  Requests().swap(requests_);
  std::vector<std::uint64_t>().swap(indices_);
  std::vector<std::uint32_t>().swap(free_);
}

std::uint64_t RequestList::known() const noexcept {
  const Lock lock(mutex_);
  return known_;
}

BatchSlot RequestList::at(std::uint64_t sequence) const noexcept {
  const Lock lock(mutex_);
  const auto& request = *find(sequence);
  return {.sequence = sequence,
          .epoch = 0,
          .first = request.first,
          .rows = request.rows,
          .step = sequence,
          .global_rows = request.rows};
}

std::uint64_t RequestList::index(const BatchSlot& batch, source::Position position) const noexcept {
  const Lock lock(mutex_);
  return indices_of(*find(batch.sequence))[position.value() - batch.first];
}

std::uint64_t RequestList::samples_begun(const BatchSlot& batch) const noexcept {
  return mul_sat((batch.first + batch.rows - 1) / bounds_.samples + 1, bounds_.samples);
}

RequestList::Requests::const_iterator RequestList::find(std::uint64_t sequence) const noexcept {
  const auto found = std::ranges::lower_bound(requests_, sequence, {}, &Request::sequence);
  return found != requests_.end() && found->sequence == sequence ? found : requests_.end();
}

std::span<const std::uint64_t> RequestList::indices_of(const Request& request) const noexcept {
  return std::span(indices_).subspan(std::size_t{request.cell} * bounds_.rows, request.rows);
}

}  // namespace weir::conductor
