#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <string>

#include "base/defect.hpp"
#include "weir/source.hpp"

namespace weir::engine {

// Why a sample fails: one judgement for streams and for probe().

/// A defect and, where the user's own code threw it, the exception: OnFault::stop passes that on.
struct Failure {
  Defect defect;
  std::exception_ptr thrown{};
};

/// Of what a source (Stage::read) or a transform (Stage::fit) threw. Call it while the exception is
/// handled. A `memory` defect without a reason is the allocator's: fault_of() adds the words.
Failure failure_of(Stage stage);

/// A sample that needs more than `max_sample_bytes`; `wanted` counts encoded bytes and scratch.
std::optional<Defect> too_large(std::uint64_t wanted, std::uint64_t max_sample_bytes, Stage stage);

/// Side bytes that are there but not as many as Options::side_bytes.
std::optional<Defect> wrong_side(std::span<const std::byte> side, std::uint64_t side_bytes);

/// A second image that no transform takes.
Defect untaken_second();

/// Of a sample's second image.
Defect of_second(Defect defect);

/// Source::name, text fit for a terminal; what stands for it where the source throws.
std::string name_of(const AnySource& source, std::uint64_t index);
/// `defect` with the name of its sample, text fit for a terminal.
Fault fault_of(const Defect& defect, const AnySource& source, std::uint64_t index,
               std::uint64_t epoch);

}  // namespace weir::engine
