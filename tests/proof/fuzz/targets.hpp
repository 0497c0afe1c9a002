#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace weir::fuzz {

using Input = std::span<const std::uint8_t>;

/// A broken promise of a target. Other findings are only aborts and reports of a sanitizer. A
/// target lets pass only exceptions that its interface declares.
class Broken : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

inline void must(bool holds, const char* promise) {
  if (!holds) throw Broken(promise);
}

/// Runs one input. Returns false if the input is not of this target's kind.
using Run = bool (*)(Input);

bool jpeg_header(Input input);
bool png_header(Input input);
bool webp_header(Input input);
bool pnm_header(Input input);
bool exif(Input input);
bool foreign_header(Input input);
bool jpeg_decode(Input input);
bool png_decode(Input input);
bool webp_decode(Input input);
bool pnm_decode(Input input);
bool foreign_decode(Input input);
bool manifest(Input input);
bool name_list(Input input);
bool options(Input input);
/// The number of bytes that the target reads.
inline constexpr std::size_t option_bytes = 448;
bool arguments(Input input);
bool consumer_trace(Input input);
bool json(Input input);
bool page(Input input);
bool model(Input input);
bool shard_index(Input input);
/// An archive through libarchive, and its members grouped into samples.
bool shard_tar(Input input);
bool shard_pattern(Input input);
/// The name of a member, and a rule for labels with a member that it reads.
bool shard_keys(Input input);
bool shard_dali(Input input);

struct Target {
  std::string name;
  Run run;
};
const std::vector<Target>& targets();

}  // namespace weir::fuzz
