#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <string>

#include "base/defect.hpp"
#include "weir/source.hpp"

namespace weir::engine {

// The rules for a sample's failure. Streams and probe() share them.

/// A defect and, if the user's code threw it, the exception. OnFault::stop rethrows that exception.
struct Failure {
  Defect defect;
  std::exception_ptr thrown{};
};

/// Converts the current exception of a source (Stage::read) or a transform (Stage::fit). Call it in
/// a catch block. A `memory` defect without a reason means that the allocator failed; fault_of()
/// adds the text.
Failure failure_of(Stage stage);

/// The defect of a sample that needs more than `max_sample_bytes`. `wanted`: its encoded bytes and
/// scratch.
std::optional<Defect> too_large(std::uint64_t wanted, std::uint64_t max_sample_bytes, Stage stage);

/// The defect of a source that gives nothing, although no bytes were refused.
Defect gave_nothing();

/// The defect of an annotation that is longer than Options::annotation_bytes.
std::optional<Defect> too_long(std::span<const std::byte> annotation,
                               std::uint64_t annotation_bytes);

/// Source::name, made safe for a terminal. A replacement text if the source throws.
std::string name_of(const AnySource& source, std::uint64_t index);
/// `defect` with the names of its sample, of its plane and of the plane's file, made safe for a
/// terminal.
Fault fault_of(const Defect& defect, const AnySource& source, std::uint64_t index,
               std::uint64_t epoch);

}  // namespace weir::engine
