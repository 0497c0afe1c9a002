#include "contract/verdicts/mutate.hpp"

#include <algorithm>
#include <random>

#include "contract/verdicts/judge.hpp"

namespace weir::test {
namespace {

using codec::test::Encoded, codec::test::Raster;

std::uint8_t by_ink(int value, int black, bool adobe) {
  const int light = adobe ? value * black : (255 - value) * (255 - black);
  return static_cast<std::uint8_t>((2 * light + 255) / 510);
}

std::vector<std::uint8_t> rgb_of(const Raster& image) {
  std::vector<std::uint8_t> rgb;
  for (std::size_t i = 0; i < image.values.size(); i += image.channels)
    for (std::size_t c = 0; c < 3; ++c)
      rgb.push_back(image.channels == 4
                        ? by_ink(image.values[i + c], image.values[i + 3], image.adobe)
                    : image.channels == 3 ? image.values[i + c]
                                          : image.values[i]);
  return rgb;
}

}  // namespace

std::vector<JpegKind> jpeg_kinds() {
  using codec::test::encode_jpeg, codec::test::pattern;
  const Raster image = pattern(pattern_size.width, pattern_size.height);
  return {{"4:2:0", encode_jpeg(image)},
          {"4:4:4", encode_jpeg(image, {.sampling = 1})},
          {"progressive", encode_jpeg(image, {.progressive = true})},
          {"grey", encode_jpeg(pattern(pattern_size.width, pattern_size.height, 1))},
          {"CMYK", encode_jpeg(pattern(pattern_size.width, pattern_size.height, 4))},
          {"arithmetic", encode_jpeg(image, {.arithmetic = true})},
          {"arithmetic progressive", encode_jpeg(image, {.progressive = true, .arithmetic = true})},
          {"restart", encode_jpeg(image, {.restart_rows = 1})}};
}

std::vector<Encoded> flipped(const Encoded& encoded, std::size_t step, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Encoded> samples;
  for (std::size_t at = static_cast<std::size_t>(random() % step); at < encoded.size(); at += step)
    for (int i = 0; i < 3; ++i) {
      samples.push_back(encoded);
      samples.back()[at] ^= static_cast<std::byte>(1u << random() % 8);
    }
  return samples;
}

std::vector<Encoded> mutated(const Encoded& encoded, std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Encoded> samples;
  for (std::size_t i = 0; i < count; ++i) {
    samples.push_back(encoded);
    const auto most = std::max<std::size_t>(1, encoded.size() / 100);
    for (auto left = 1 + random() % most; left > 0; --left)
      samples.back()[static_cast<std::size_t>(random() % encoded.size())] =
          static_cast<std::byte>(random());
  }
  return samples;
}

std::string differences(const std::vector<Encoded>& samples, std::size_t& delivered) {
  constexpr std::size_t at_once = 500;  // a report keeps 1000 faults
  std::string text;
  for (std::size_t first = 0; first < samples.size(); first += at_once) {
    const auto count = std::min(at_once, samples.size() - first);
    const auto begin = samples.begin() + static_cast<std::ptrdiff_t>(first);
    auto options = whole(pattern_size);
    options.workers = 4;
    const auto verdicts =
        judge(std::vector<Encoded>(begin, begin + static_cast<std::ptrdiff_t>(count)), options);
    for (std::size_t i = 0; i < count; ++i) {
      const auto& verdict = verdicts[i];
      const auto reference = codec::test::reference_strict(samples[first + i]);
      const bool both = verdict.delivered() && reference;
      if (both) ++delivered;
      const bool same_size = both && reference->width == pattern_size.width &&
                             reference->height == pattern_size.height;
      if (verdict.delivered() != reference.has_value()) {
        if (verdict.delivered() || !verdict.refused_by_own_rule())
          text += "\n  " + std::to_string(first + i) + ": " + verdict.text() + ", libjpeg " +
                  (reference ? "passes it" : "does not pass it");
      } else if (same_size && verdict.pixels != rgb_of(*reference)) {
        text += "\n  " + std::to_string(first + i) + ": other pixels";
      }
    }
  }
  return text;
}

}  // namespace weir::test
