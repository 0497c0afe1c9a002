#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "weir/image.hpp"
#include "weir/report.hpp"
#include "weir/rows.hpp"

namespace weir::engine {

/// What the finished rows of a loader show, by plane. Thread-safe.
class PlaneCounts {
 public:
  void add(std::size_t plane, PlaneStatus status) noexcept {
    counts_[plane][static_cast<std::size_t>(status)].fetch_add(1, std::memory_order_relaxed);
  }
  void decoded(std::size_t plane, std::chrono::nanoseconds time) noexcept {
    decodes_[plane].fetch_add(1, std::memory_order_relaxed);
    decode_ns_[plane].fetch_add(static_cast<std::uint64_t>(time.count()),
                                std::memory_order_relaxed);
  }
  PlaneStats read(std::size_t plane, const std::string& name) const {
    const auto count = [&](PlaneStatus status) {
      return counts_[plane][static_cast<std::size_t>(status)].load(std::memory_order_relaxed);
    };
    return {
        .name = name,
        .ok = count(PlaneStatus::ok),
        .damaged = count(PlaneStatus::damaged),
        .absent = count(PlaneStatus::absent),
        .broken = count(PlaneStatus::broken),
        .decodes = decodes_[plane].load(std::memory_order_relaxed),
        .decode_s = static_cast<double>(decode_ns_[plane].load(std::memory_order_relaxed)) / 1e9};
  }

 private:
  static constexpr std::size_t statuses = 4;
  std::array<std::array<std::atomic<std::uint64_t>, statuses>, EncodedPlanes::most> counts_{};
  std::array<std::atomic<std::uint64_t>, EncodedPlanes::most> decodes_{}, decode_ns_{};
};

}  // namespace weir::engine
