#include "weir/memory.hpp"

#include <map>
#include <utility>

#include "buffer/counts.hpp"
#include "weir/error.hpp"

namespace weir {
namespace buffer {

/// A memory resource that counts one account.
class CountedAccount final : public std::pmr::memory_resource {
 public:
  CountedAccount(std::shared_ptr<Counts> counts, std::size_t account,
                 std::pmr::memory_resource* upstream) noexcept
      : counts_(std::move(counts)), account_(account), upstream_(upstream) {}

 private:
  // Memory is counted after it is allocated and until it is freed. Otherwise a refused request
  // would raise the peak. The books of a loader do the opposite: they charge before they allocate.
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    void* const data = upstream_->allocate(bytes, alignment);
    counts_->add(account_, bytes);
    return data;
  }
  void do_deallocate(void* data, std::size_t bytes, std::size_t alignment) override {
    counts_->remove(account_, bytes);
    upstream_->deallocate(data, bytes, alignment);
  }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    return this == &other;
  }

  const std::shared_ptr<Counts> counts_;
  const std::size_t account_;
  std::pmr::memory_resource* const upstream_;
};

}  // namespace buffer

struct CountingResource::State {
  State(const std::shared_ptr<buffer::Counts>& counts, std::pmr::memory_resource* up)
      : upstream(up), other(counts, 0, up), watch(counts) {}

  std::pmr::memory_resource* const upstream;
  buffer::CountedAccount other;
  buffer::CountsWatch watch;  ///< for use() and reset_peak()
  Mutex mutex;
  /// Indexed by account number.
  std::map<std::size_t, buffer::CountedAccount> accounts WEIR_GUARDED_BY(mutex);
};

CountingResource::CountingResource(std::pmr::memory_resource* upstream)
    : counts_(std::make_shared<buffer::Counts>()),
      state_(std::make_unique<State>(counts_, upstream)) {}

CountingResource::~CountingResource() = default;

std::pmr::memory_resource* CountingResource::account(std::string_view name) {
  if (name.empty())
    throw Error(Errc::bad_options, Stage::wait, "CountingResource::account: the name is empty");
  const auto number = counts_->account(name);
  if (number == 0) return this;
  Lock lock(state_->mutex);
  return &state_->accounts.try_emplace(number, counts_, number, state_->upstream).first->second;
}

MemoryUse CountingResource::use() const { return state_->watch.read(); }
std::uint64_t CountingResource::live() const noexcept { return counts_->live(); }
void CountingResource::reset_peak() noexcept { state_->watch.reset(); }

void* CountingResource::do_allocate(std::size_t bytes, std::size_t alignment) {
  return state_->other.allocate(bytes, alignment);
}
void CountingResource::do_deallocate(void* data, std::size_t bytes, std::size_t alignment) {
  state_->other.deallocate(data, bytes, alignment);
}
bool CountingResource::do_is_equal(const std::pmr::memory_resource& other) const noexcept {
  return this == &other;
}

}  // namespace weir
