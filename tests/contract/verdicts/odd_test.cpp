#include <openssl/evp.h>

#include <array>
#include <map>
#include <string>

#include "codec/decoder.hpp"
#include "contract/verdicts/judge.hpp"
#include "contract/verdicts/listed.hpp"
#include "support/catch.hpp"
#include "unit/codec/encoders.hpp"

namespace weir::test {
namespace {

/// Files by requested size: their own size if they have reference pixels.
std::map<ImageSize, std::vector<Listed>> by_requested_size(const std::vector<Listed>& files) {
  std::map<ImageSize, std::vector<Listed>> groups;
  for (const auto& file : files) {
    const bool sized = file.cls != "invalid" && file.stored.height > 0;
    groups[sized ? file.stored : ImageSize{32, 32}].push_back(file);
  }
  return groups;
}

/// The first 32 hexadecimal digits of the SHA-256.
std::string digest_of(std::span<const std::uint8_t> pixels) {
  std::array<unsigned char, 32> digest{};
  REQUIRE(EVP_Digest(pixels.data(), pixels.size(), digest.data(), nullptr, EVP_sha256(), nullptr) ==
          1);
  std::string hex;
  for (std::size_t i = 0; i < 16; ++i)
    for (const int digit : {digest[i] / 16, digest[i] % 16}) hex += "0123456789abcdef"[digit];
  return hex;
}

bool same_pixels(const Listed& file, const Verdict& verdict) {
  return file.rgb_sha256_32 == digest_of(verdict.pixels);
}

template <class Keep>
std::vector<Listed> only(std::vector<Listed> files, Keep keep) {
  std::erase_if(files, [&](const Listed& file) { return !keep(file); });
  return files;
}

}  // namespace

TEST_CASE("the loader gives each odd file its verdict and pixels",
          "[verdicts][I1][I5][I6][I9][I10][I12][I13]") {
  Mismatches verdicts, pixels;
  for (const auto& [shape, files] : by_requested_size(odd_images())) {
    const auto judged = judge_files(files, whole(shape));
    for (std::size_t i = 0; i < files.size(); ++i) {
      const auto& file = files[i];
      if (file.expect == "error or ok") continue;
      const bool valid = file.own() && file.cls == "valid";
      verdicts.check(judged[i].delivered() == valid,
                     file.name + ": " + file.cls + ", got " + judged[i].text());
      if (!file.own() && file.expect.starts_with("unsupported"))
        verdicts.check(judged[i].kind() == "unsupported", file.name + ": " + judged[i].text());
      if (valid) verdicts.check(judged[i].status == RowStatus::ok, file.name + ": not ok");
      if (judged[i].delivered() && !file.rgb_sha256_32.empty())
        pixels.check(same_pixels(file, judged[i]), file.name);
    }
  }
  if (verdicts.looked() == 0) return;
  CHECK(verdicts.looked() > 900);
  CHECK(verdicts.text() == "");
  CHECK(pixels.looked() > 200);
  CHECK(pixels.text() == "");
}

TEST_CASE("the header parsers read sizes and orientations correctly", "[verdicts][I8]") {
  Mismatches sizes, orientations;
  for (const auto& file : odd_images()) {
    if (!file.own() || file.cls != "valid") continue;
    const auto info = codec::Decoder({}).probe(codec::test::read_file(file.path));
    REQUIRE(info);
    sizes.check(info->width == file.stored.width && info->height == file.stored.height, file.name);
    if (file.orientation) orientations.check(info->orientation == *file.orientation, file.name);
  }
  CHECK(sizes.text() == "");
  CHECK(orientations.text() == "");
}

TEST_CASE("lenient mode delivers each damaged odd file, flagged", "[verdicts][I1][I9]") {
  Mismatches verdicts;
  const auto damaged = only(odd_images(), [](const Listed& file) { return file.cls == "damaged"; });
  for (const auto& [shape, files] : by_requested_size(damaged)) {
    const auto judged = judge_files(files, whole(shape, false));
    for (std::size_t i = 0; i < files.size(); ++i)
      verdicts.check(judged[i].status == RowStatus::damaged,
                     files[i].name + ": " + judged[i].text());
  }
  CHECK(verdicts.text() == "");
}

TEST_CASE("an odd JPEG passes where libjpeg alone passes it strictly", "[verdicts][I2]") {
  Mismatches verdicts;
  const auto jpegs = only(odd_images(), [](const Listed& file) {
    return file.magic == "jpeg" && file.cls != "invalid";
  });
  for (const auto& [shape, files] : by_requested_size(jpegs)) {
    const auto judged = judge_files(files, whole(shape));
    for (std::size_t i = 0; i < files.size(); ++i) {
      const auto reference = codec::test::reference_strict(codec::test::read_file(files[i].path));
      if (judged[i].refused_by_own_rule()) continue;
      verdicts.check(judged[i].delivered() == reference.has_value(),
                     files[i].name + ": " + judged[i].text());
    }
  }
  CHECK(verdicts.text() == "");
}

#ifdef WEIR_HAS_OPENCV_CODEC
TEST_CASE("odd BMP, TIFF and PNM match two other decoders by OpenCV", "[verdicts][I14]") {
  Mismatches refusals, pixels;
  std::size_t refused = 0;
  const auto foreign = only(odd_images(), [](const Listed& file) { return !file.own(); });
  for (const auto& [shape, files] : by_requested_size(foreign)) {
    auto options = whole(shape);
    options.codecs = all_codecs();
    const auto judged = judge_files(files, options);
    for (std::size_t i = 0; i < files.size(); ++i) {
      if (files[i].cls == "invalid")
        refusals.check(!judged[i].delivered(), files[i].name + " was delivered");
      else if (files[i].cls == "valid" && files[i].magic != "gif")
        refused += !judged[i].delivered();
      // The digests are of upright images, and the codec ignores orientation.
      const bool upright = files[i].orientation.value_or(1) == 1;
      if (judged[i].delivered() && upright && !files[i].rgb_sha256_32.empty())
        pixels.check(same_pixels(files[i], judged[i]), files[i].name);
    }
  }
  if (refusals.looked() == 0) return;
  CHECK(refusals.text() == "");
  // Valid files of kinds that OpenCV lacks (3), and BMP whose masks it ignores.
  CHECK(refused <= 5);
  CHECK(pixels.looked() > 70);
  CHECK(pixels.text() == "");
}
#endif

}  // namespace weir::test
