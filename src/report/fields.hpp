#pragma once

#include <array>
#include <string_view>

#include "base/terms.hpp"
#include "options/option_row.hpp"
#include "weir/report.hpp"

namespace weir::report {

/// A member and its name in JSON, text and metrics.
template <class Struct, class T>
struct Field {
  const char* name;
  T Struct::*value;
};

inline std::string_view size_mode(const Plan& plan) {
  const auto& names = options::find("sizes.mode")->enumerators;
  return plan.decode == Decode::none ? "encoded" : names[static_cast<std::size_t>(plan.sizes.mode)];
}

/// Kinds of resident memory.
inline constexpr std::array process_fields{
    Field<ProcessParts, std::uint64_t>{"libraries", &ProcessParts::libraries},
    Field<ProcessParts, std::uint64_t>{"stacks", &ProcessParts::stacks},
    Field<ProcessParts, std::uint64_t>{"heap", &ProcessParts::heap},
    Field<ProcessParts, std::uint64_t>{"pages", &ProcessParts::pages},
    Field<ProcessParts, std::uint64_t>{"heap_free", &ProcessParts::heap_free},
};

/// States of samples. `held`: the final state is still open.
struct SampleField : Field<SampleTally, std::uint64_t> {
  bool held = false;
};
inline constexpr std::array sample_fields{
    SampleField{{"drawn", &SampleTally::drawn}},
    SampleField{{"in_flight", &SampleTally::in_flight}, true},
    SampleField{{"ready", &SampleTally::ready}, true},
    SampleField{{"leased", &SampleTally::leased}, true},
    SampleField{{"consumed", &SampleTally::consumed}},
    SampleField{{"discarded", &SampleTally::discarded}},
    SampleField{{"dropped", &SampleTally::dropped}},
    SampleField{{"failed", &SampleTally::failed}},
    SampleField{{"replaced", &SampleTally::replaced}},
    SampleField{{"omitted", &SampleTally::omitted}},
    SampleField{{"partners", &SampleTally::partners}},
};

/// What the rows show of a plane.
inline constexpr std::array plane_fields{
    Field<PlaneStats, std::uint64_t>{"ok", &PlaneStats::ok},
    Field<PlaneStats, std::uint64_t>{"damaged", &PlaneStats::damaged},
    Field<PlaneStats, std::uint64_t>{"absent", &PlaneStats::absent},
    Field<PlaneStats, std::uint64_t>{"broken", &PlaneStats::broken},
};

/// Activities of workers. `text` follows "workers: ".
struct WorkerField : Field<WorkerTime, double> {
  const char* text;
};
inline constexpr std::array worker_fields{
    WorkerField{{"read", &WorkerTime::read_s}, "read"},
    WorkerField{{"decode", &WorkerTime::decode_s}, "decode"},
    WorkerField{{"storage_wait", &WorkerTime::storage_wait_s}, "wait for reads"},
    WorkerField{{"memory_wait", &WorkerTime::memory_wait_s}, "wait for memory"},
    WorkerField{{"idle", &WorkerTime::idle_s}, "idle"},
};

}  // namespace weir::report
