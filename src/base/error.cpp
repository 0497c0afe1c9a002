#include "weir/error.hpp"

#include "base/terms.hpp"

namespace weir {
namespace {

class Category final : public std::error_category {
 public:
  const char* name() const noexcept override { return "weir"; }
  std::string message(int code) const override {
    constexpr std::string_view texts[] = {
        "unknown error",   "bad options",     "memory budget too small",
        "too many leases", "too many faults", "sample failed",
        "source failed",   "stopped",         "too many requests"};
    return std::string(texts[code > 0 && code < std::ssize(texts) ? code : 0]);
  }
};

}  // namespace

std::string_view to_string(Stage stage) noexcept { return name_in(stages, stage); }

std::string_view to_string(FaultKind kind) noexcept {
  return name_of(kind, {"truncated", "corrupt", "unsupported", "limit", "io", "timeout", "memory"});
}

const std::error_category& error_category() noexcept {
  static const Category category;
  return category;
}

}  // namespace weir
