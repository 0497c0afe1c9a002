#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <string>
#include <string_view>
#include <vector>

#include "weir/export.hpp"

namespace weir {

/// Bytes of one account of a MemoryUse.
struct AccountUse {
  std::string name;           ///< name passed to account()
  std::uint64_t live = 0;     ///< bytes allocated now
  std::uint64_t peak = 0;     ///< maximum of this account
  std::uint64_t at_peak = 0;  ///< bytes of this account at the common peak of all accounts
};

/// Bytes by account at one instant, and the peaks since the last reset. The sum of the accounts'
/// `live` is `live`, and the sum of their `at_peak` is `peak`. The peaks of single accounts may be
/// at different times.
struct WEIR_API MemoryUse {
  std::uint64_t live = 0;            ///< bytes allocated now
  std::uint64_t peak = 0;            ///< maximum of the sum of all accounts
  std::vector<AccountUse> accounts;  ///< in order of creation
  /// The account with that name. All zero if it does not exist.
  AccountUse operator[](std::string_view account) const;
};

namespace buffer {
class Counts;
}  // namespace buffer

/// A memory resource that counts the bytes of named accounts. Use it for a trainer's own containers
/// or as `memory.upstream`.
///
///     weir::CountingResource memory;
///     std::pmr::vector<float> weights(n, memory.account("parameters"));
///     memory.use();  // torch.cuda's memory_allocated is its live, max_memory_allocated its peak
///
/// It counts requested bytes, without the rounding of the upstream. Bytes count from a successful
/// allocation until the deallocation; failed allocations do not count. Memory returns to the
/// account that allocated it: for std::pmr, no two accounts are equal. A copied container uses
/// std::pmr's default resource, as with every std::pmr container.
///
/// Any thread. Must outlive all memory that it allocated.
class WEIR_API CountingResource final : public std::pmr::memory_resource {
 public:
  /// `upstream` must outlive this object and must be safe for the threads that use it.
  explicit CountingResource(std::pmr::memory_resource* upstream = std::pmr::new_delete_resource());
  ~CountingResource() override;
  CountingResource(const CountingResource&) = delete;
  CountingResource& operator=(const CountingResource&) = delete;

  /// Returns the account with that name. The first call creates it. The pointer is valid as long as
  /// this object. Direct allocations from this object belong to the account `other`. Throws
  /// Error{bad_options} if the name is empty.
  std::pmr::memory_resource* account(std::string_view name);

  /// All accounts: first `other`, then the others in order of creation.
  MemoryUse use() const;
  /// Current bytes of all accounts.
  std::uint64_t live() const noexcept;
  /// Sets each peak to the current bytes. Peaks of a MemoryProfile that watches this object do not
  /// change.
  void reset_peak() noexcept;

 private:
  friend struct Internals;
  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* data, std::size_t bytes, std::size_t alignment) override;
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override;

  struct State;
  std::shared_ptr<buffer::Counts> counts_;
  const std::unique_ptr<State> state_;
};

}  // namespace weir
