#include "source/fingerprint.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <array>
#include <cstdio>

#include "base/text.hpp"

namespace weir::source {
namespace {

class Hash {
 public:
  Hash() { XXH3_128bits_reset(&state_); }
  /// The length keeps "a", "bc" apart from "ab", "c".
  void add(std::string_view text) {
    const auto length = concat(text.size(), ':');
    XXH3_128bits_update(&state_, length.data(), length.size());
    XXH3_128bits_update(&state_, text.data(), text.size());
  }
  std::string hex() const {
    const auto value = XXH3_128bits_digest(&state_);
    std::array<char, 33> text{};
    std::snprintf(text.data(), text.size(), "%016llx%016llx",
                  static_cast<unsigned long long>(value.high64),
                  static_cast<unsigned long long>(value.low64));
    return text.data();
  }

 private:
  XXH3_state_t state_{};
};

}  // namespace

std::string fingerprint(const AnySource& source) {
  Hash hash;
  if (const auto own = source.fingerprint(); !own.empty()) {
    hash.add("source");
    hash.add(own);
  } else {
    hash.add("names");
    for (std::uint64_t i = 0; i < source.size(); ++i) hash.add(source.name(i));
  }
  return hash.hex();
}

std::string fingerprint_of_text(std::string_view text) {
  Hash hash;
  hash.add(text);
  return hash.hex();
}

}  // namespace weir::source
