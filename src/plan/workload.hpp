#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "weir/window.hpp"

namespace weir::simulation {

/// What the mean of a service time is multiplied by, sample for sample: log-normal with mean 1.
///
/// A ring of `count` draws whose mean is exactly 1, so that any `count` in succession take the mean
/// time `count` times: what is random is where the long ones lie, not how much work there is. The
/// n-th factor depends on n and the key alone, so settings that are compared meet the same samples.
class Draws {
 public:
  /// `variation`: deviation / mean; 0: every factor is 1. Log-normal of mean m and variation v:
  /// exp(N(ln m - s^2 / 2, s^2)) with s^2 = ln(1 + v^2).
  Draws(std::size_t count, double variation, std::uint64_t key);
  double operator[](std::uint64_t n) const noexcept { return factors_[n % factors_.size()]; }

 private:
  std::vector<double> factors_;
};

/// What is simulated: how long everything takes, for batches of one size.
struct Workload {
  double read_wait_s = 0;  ///< of one sample, mean: for the storage
  double read_cpu_s = 0;   ///< of one sample, mean: on a core
  double decode_s = 0;     ///< of one sample, mean: on a core
  double consumer_s = 0;   ///< of one batch, mean
  Draws read, decode, consumer;
  std::uint32_t cores = 1, batch = 1;
  double rows = 1;                  ///< of a batch, mean: the last one of an epoch may be short
  std::uint64_t encoded_bytes = 0;  ///< of each sample
  std::uint64_t scratch_bytes = 0;  ///< of each sample's decode
  std::uint64_t batches = 1;        ///< to measure, once warm: one round of the draws
  double hit_share = 0;             ///< of the samples: kept from an earlier epoch
  Cache kept = Cache::nothing;      ///< what is kept of those
  double copy_s = 0;                ///< of a row that was kept, on a core

  /// Whether the n-th sample is one that was kept: spread evenly, as of an order that is shuffled.
  bool hits(std::uint64_t n) const noexcept;
  /// Of one sample, mean, those that were kept among them.
  double read_s() const noexcept { return (read_wait_s + read_cpu_s) * (1 - hit_share); }
  double compute_s() const noexcept;

  /// Samples a second that reading and decoding allow, whatever the queue; infinite where neither
  /// takes time. The bounds of a tandem of multi-server stations: each station's servers over its
  /// mean service time (Lazowska et al., Quantitative System Performance, 1984, chapter 5).
  double reads_per_s(std::uint32_t workers, std::uint32_t read_ahead) const noexcept;
  double decodes_per_s(std::uint32_t workers, std::uint32_t read_ahead) const noexcept;
  double production_per_s(std::uint32_t workers, std::uint32_t read_ahead) const noexcept;
  double consumption_per_s() const noexcept;
};

/// The same had `share` of the samples been kept.
Workload with_cache(Workload work, const Plan& plan, Cache kept, double share) noexcept;

/// The evidence as a workload of batches of `batch`. `consumer` in place of the window's, of batches
/// of the window's size; null: the window's. Throws Error{bad_options} where the window is empty.
Workload workload_of(const Window& window, std::uint32_t batch, std::uint64_t seed,
                     const Service* consumer = nullptr);

}  // namespace weir::simulation
