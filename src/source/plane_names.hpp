#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "weir/source.hpp"

namespace weir::source {

/// Why `name` cannot be the name of the next plane after `names`, with the rule. Empty: it can be.
std::string not_a_plane(const std::string& name, const std::vector<std::string>& names);
/// An absent plane, if the sample may be without plane number `number`, which cannot be read.
/// Otherwise throws the fault, which names the plane and its file.
EncodedPlanes::Plane without_plane(ByteSink& sink, std::size_t number, const std::string& plane,
                                   const std::string& file, const SampleError& why);
/// For example "mask, depth", or "none".
std::string list_of(const std::vector<std::string>& names);

/// The fault of an annotation: with the name of its file.
SampleError fault_of_annotation(const std::string& file, const SampleError& error);
/// What an annotation of `bytes` counts in Source::annotation_bytes(). One above `limit` is a fault of
/// its sample and needs no room, but is not nothing: then nobody would read it.
constexpr std::uint64_t counted_annotation(std::uint64_t bytes, std::uint64_t limit) noexcept {
  return bytes > limit ? 1 : bytes;
}

}  // namespace weir::source
