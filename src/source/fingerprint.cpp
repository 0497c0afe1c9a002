#include "source/fingerprint.hpp"

#include <span>

#include "base/checksum.hpp"
#include "base/text.hpp"

namespace weir::source {
namespace {

/// The length keeps "a", "bc" apart from "ab", "c".
void add_text(RunningChecksum& sum, std::string_view text) {
  const auto length = concat(text.size(), ':');
  sum.add(std::as_bytes(std::span(length)));
  sum.add(std::as_bytes(std::span(text)));
}

}  // namespace

std::string fingerprint(const AnySource& source) {
  RunningChecksum sum;
  if (const auto own = source.fingerprint(); !own.empty()) {
    add_text(sum, "source");
    add_text(sum, own);
  } else {
    add_text(sum, "names");
    for (std::uint64_t i = 0; i < source.size(); ++i) add_text(sum, source.name(i));
  }
  return sum.value().hex();
}

std::string fingerprint_of_text(std::string_view text) {
  RunningChecksum sum;
  add_text(sum, text);
  return sum.value().hex();
}

}  // namespace weir::source
