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
  std::string name;           ///< as account() was given it
  std::uint64_t live = 0;     ///< bytes held now
  std::uint64_t peak = 0;     ///< the most this account held
  std::uint64_t at_peak = 0;  ///< what it held when all accounts together held most
};

/// Bytes by account at one instant, and the most since the peak was last reset. `live` of the accounts
/// adds up to `live` and `at_peak` to `peak`; their own peaks need not have come together.
struct WEIR_API MemoryUse {
  std::uint64_t live = 0;            ///< bytes now
  std::uint64_t peak = 0;            ///< the most at any instant
  std::vector<AccountUse> accounts;  ///< in the order in which they were made
  /// The account of that name; all zero where there is none.
  AccountUse operator[](std::string_view account) const;
};

namespace buffer {
class Counts;
}  // namespace buffer

/// Another memory resource, counting by named accounts: for a trainer's own containers, or as
/// `memory.upstream`.
///
///     weir::CountingResource memory;
///     std::pmr::vector<float> weights(n, memory.account("parameters"));
///     memory.use();  // torch.cuda's memory_allocated is its live, max_memory_allocated its peak
///
/// Bytes are those asked for, without what the upstream rounds up. They count from the moment the
/// upstream has given them until they are handed back: what callers hold, no more and no less, so what
/// the upstream refuses never counts. Memory goes back to the account it came from: no two are equal
/// to std::pmr. A container that is copied takes std::pmr's default resource, as all of them do.
///
/// Any thread. Outlives what it gave.
class WEIR_API CountingResource final : public std::pmr::memory_resource {
 public:
  /// `upstream` outlives this and serves the threads that use it.
  explicit CountingResource(std::pmr::memory_resource* upstream = std::pmr::new_delete_resource());
  ~CountingResource() override;
  CountingResource(const CountingResource&) = delete;
  CountingResource& operator=(const CountingResource&) = delete;

  /// The account of that name, made at the first call; as long as this lives. What is allocated
  /// straight from this is the account `other`. Throws Error{bad_options} where the name is empty.
  std::pmr::memory_resource* account(std::string_view name);

  /// All accounts, `other` first, then in the order in which they were made.
  MemoryUse use() const;
  /// Bytes of all accounts now.
  std::uint64_t live() const noexcept;
  /// peak := live, for all together and each account. A MemoryProfile that watches this has peaks of
  /// its own.
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
