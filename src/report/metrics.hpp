#pragma once

#include <prometheus/metric_family.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "weir/report.hpp"

namespace weir::report {

/// What a scrape sees of a loader. Bytes, samples and batches are of one instant.
struct Sight {
  Report figures;
  std::uint32_t filling = 0, ready = 0, leased = 0;  ///< batches
  double cpu_s = 0;                                  ///< of the process until now
};

/// `weir_build_info`: the version, whether there is a loader or not.
prometheus::MetricFamily build_info();

/// The figures of a loader in Prometheus's base units (seconds, bytes, shares): what only grows is a
/// counter and ends in _total, the rest gauges; stages are summaries, with quantiles where they are
/// known.
std::vector<prometheus::MetricFamily> metric_families(const Sight& sight);

/// Keeps counters from going back, which Prometheus takes for a restart and counts twice: the waits
/// and efforts of the moment are shared out anew at each look and may be corrected downwards.
class Ratchet {
 public:
  /// Each counter is at least what it was.
  void hold(std::vector<prometheus::MetricFamily>& families);

 private:
  /// By name and label.
  std::map<std::pair<std::string, std::string>, double> most_;
};

}  // namespace weir::report
