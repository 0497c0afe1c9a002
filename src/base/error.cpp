#include "weir/error.hpp"

namespace weir {
namespace {

class Category final : public std::error_category {
 public:
  const char* name() const noexcept override { return "weir"; }
  std::string message(int code) const override {
    switch (static_cast<Errc>(code)) {
      case Errc::bad_options: return "bad options";
      case Errc::budget_too_small: return "memory budget too small";
      case Errc::too_many_leases: return "too many leases";
      case Errc::too_many_faults: return "too many faults";
      case Errc::sample_failed: return "sample failed";
      case Errc::source_failed: return "source failed";
    }
    return "unknown error";
  }
};

}  // namespace

std::string_view to_string(Stage stage) noexcept {
  switch (stage) {
    case Stage::read: return "read";
    case Stage::wait: return "wait";
    case Stage::decode: return "decode";
    case Stage::fit: return "fit";
    case Stage::handoff: return "handoff";
    case Stage::lease: return "lease";
  }
  return "?";
}

std::string_view to_string(FaultKind kind) noexcept {
  switch (kind) {
    case FaultKind::truncated: return "truncated";
    case FaultKind::corrupt: return "corrupt";
    case FaultKind::unsupported: return "unsupported";
    case FaultKind::limit: return "limit";
    case FaultKind::io: return "io";
    case FaultKind::timeout: return "timeout";
    case FaultKind::memory: return "memory";
  }
  return "?";
}

const std::error_category& error_category() noexcept {
  static const Category category;
  return category;
}

}  // namespace weir
