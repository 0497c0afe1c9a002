#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weir/loader.hpp"

namespace weir::observe {

/// A statement that holds whenever the consumer has taken a batch.
struct Law {
  std::string_view name;
  std::uint64_t checks = 0, breaches = 0;
  std::string first_breach{};  ///< the expected and the observed values
};

/// The laws of a stream, in the order of their first checks. One thread.
class Laws {
 public:
  /// After the consumer has taken the last of the batches that it holds. No other thread takes or
  /// releases batches of this stream.
  void check(const Loader& loader, const std::deque<Batch>& held);
  /// If the consumer was not interrupted, all it took is finished.
  void check_resume(const Loader& loader, const Stream& stream);
  void count(std::string_view name, std::uint64_t breaches, std::uint64_t checks,
             const std::string& first_breach);

  const std::vector<Law>& all() const noexcept { return laws_; }
  std::uint64_t breaches() const noexcept;

 private:
  template <class... T>
  void check(std::string_view name, bool holds, fmt::format_string<T...> breach, T&&... seen) {
    count(name, holds ? 0 : 1, 1, holds ? "" : fmt::format(breach, std::forward<T>(seen)...));
  }

  std::vector<Law> laws_;
  std::uint64_t taken_ = 0, rows_ = 0;  ///< batches, and their rows that are samples
};

}  // namespace weir::observe
