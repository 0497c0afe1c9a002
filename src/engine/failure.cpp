#include "engine/failure.hpp"

#include <new>

#include "base/sanitize.hpp"
#include "base/text.hpp"
#include "buffer/transform_arena.hpp"

namespace weir::engine {
namespace {

/// The reason of a `memory` Fault if the allocator failed.
constexpr auto no_memory = "the allocator has no memory for this sample";

/// What a source names, made safe for a terminal. A replacement text if it throws.
template <class Ask>
std::string name_by(Ask ask) {
  try {
    return sanitize(ask());
  } catch (...) {
    return "(the source threw when asked for the name)";
  }
}

}  // namespace

Failure failure_of(Stage stage) {
  const bool reading = stage == Stage::read;
  const auto kind = reading ? FaultKind::io : FaultKind::corrupt;
  try {
    throw;
  } catch (const SampleError& error) {
    return {{error.kind(), stage, error.what()}};
  } catch (const buffer::ScratchExceeded& error) {
    return {{FaultKind::memory, stage, error.what()}};
  } catch (const std::bad_alloc&) {
    // A transform's exception is passed on. While reading, weir's own memory may be refused, too.
    return {{FaultKind::memory, stage, {}}, reading ? nullptr : std::current_exception()};
  } catch (const std::exception& error) {
    return {{kind, stage, error.what()}, std::current_exception()};
  } catch (...) {
    return {{kind, stage,
             concat(reading               ? "the source"
                    : stage == Stage::fit ? "the transform"
                                          : "`window.choose`",
                    " threw something that is no std::exception")},
            std::current_exception()};
  }
}

std::optional<Defect> too_large(std::uint64_t wanted, std::uint64_t max_sample_bytes, Stage stage) {
  if (wanted <= max_sample_bytes) return std::nullopt;
  return Defect{
      FaultKind::memory, stage,
      concat("needs ", wanted, " bytes of encoded and scratch memory, `max_sample_bytes` is ",
             max_sample_bytes)};
}

Defect gave_nothing() {
  return {FaultKind::io, Stage::read, "the source gave nothing, though no bytes were refused"};
}

std::optional<Defect> too_long(std::span<const std::byte> annotation,
                               std::uint64_t annotation_bytes) {
  if (annotation_bytes == 0 || annotation.size() <= annotation_bytes) return std::nullopt;
  return Defect{FaultKind::limit, Stage::read,
                concat("the annotation has ", annotation.size(), " bytes, annotation_bytes is ",
                       annotation_bytes)};
}

std::string name_of(const AnySource& source, std::uint64_t index) {
  return name_by([&] { return source.name(index); });
}

Fault fault_of(const Defect& defect, const AnySource& source, std::uint64_t index,
               std::uint64_t epoch) {
  const bool wordless = defect.kind == FaultKind::memory && defect.reason.empty();
  std::string plane;
  if (defect.plane) {
    plane = concat("plane ", name_by([&] { return source.planes().at(*defect.plane); }), ": ");
    const auto file = name_by([&] { return source.plane_name(index, *defect.plane); });
    if (!file.empty()) plane += file + ": ";
  }
  return {
      index,        epoch,        name_of(source, index),
      defect.kind,  defect.stage, plane + (wordless ? no_memory : sanitize_message(defect.reason)),
      defect.offset};
}

}  // namespace weir::engine
