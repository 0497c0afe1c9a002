#pragma once

#include <prometheus/metric_family.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "weir/report.hpp"

namespace weir::observe {

/// `weir_build_info`: the version. It exists with and without a loader.
prometheus::MetricFamily build_info();

/// The metrics of a loader in Prometheus's base units (seconds, bytes, shares), without those of
/// MemoryReport::metrics(). Values that only grow are counters with names in _total; the others are
/// gauges. Stages are summaries, with quantiles if they are known. Samples, batches and slabs are
/// those of `now`. `cpu_s`: CPU time of the process so far.
std::vector<prometheus::MetricFamily> metric_families(const Report& figures, const Snapshot& now,
                                                      double cpu_s);

/// Prevents counters from decreasing. Prometheus would treat a decrease as a restart and count
/// twice. Current waits and times are divided by cause again in each scrape, so a later value can
/// be lower.
class Ratchet {
 public:
  /// Raises each counter to its previous value, if that is larger.
  void hold(std::vector<prometheus::MetricFamily>& families);

 private:
  /// by name and labels
  std::map<std::pair<std::string, std::string>, double> most_;
};

}  // namespace weir::observe
