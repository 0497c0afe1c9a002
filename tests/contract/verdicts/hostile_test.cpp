#include <map>

#include "contract/verdicts/judge.hpp"
#include "contract/verdicts/listed.hpp"
#include "support/catch.hpp"
#include "unit/codec/encoders.hpp"

namespace weir::test {
namespace {

constexpr ImageSize usual{48, 64};  ///< of most of the files

std::map<ImageSize, std::vector<Listed>> by_stored_size(const std::vector<Listed>& files) {
  std::map<ImageSize, std::vector<Listed>> groups;
  for (const auto& file : files)
    groups[file.stored.height > 0 ? file.stored : usual].push_back(file);
  return groups;
}

void compare(bool strict, std::vector<std::shared_ptr<const ForeignCodec>> codecs,
             Mismatches& verdicts) {
  for (const auto& [shape, files] : by_stored_size(hostile_images())) {
    auto options = whole(shape, strict);
    options.codecs = codecs;
    const auto judged = judge_files(files, options);
    for (std::size_t i = 0; i < files.size(); ++i) {
      const auto& file = files[i];
      const std::string kind = judged[i].kind(), what = file.name + ": " + judged[i].text();
      if (strict)
        verdicts.check(kind == file.expect || kind == file.alternative ||
                           (codecs.empty() && file.name.ends_with(".bmp") && kind == "unsupported"),
                       what);
      else if (!file.lenient.empty())
        verdicts.check(kind == file.lenient && judged[i].status == RowStatus::damaged, what);
    }
  }
}

}  // namespace

TEST_CASE("the loader gives each hostile file its manifest's verdict",
          "[verdicts][I1][I3][I4][I5][I6][I7][I8][I9][I10][I11][I12][I13][I14]") {
  Mismatches strict, lenient;
  compare(true, {}, strict);
  compare(true, all_codecs(), strict);
  compare(false, {}, lenient);
  CHECK(strict.text() == "");
  CHECK(lenient.text() == "");
  if (strict.looked() == 0) return;
  CHECK(strict.looked() >= 200);  // twice: without and with foreign codecs
  CHECK(lenient.looked() >= 2);
}

TEST_CASE("hostile JPEGs that are fine have the pixels of libjpeg alone",
          "[verdicts][I5][I6][I8][I9]") {
  Mismatches pixels;
  for (const auto& [shape, files] : by_stored_size(hostile_images())) {
    const auto judged = judge_files(files, whole(shape));
    for (std::size_t i = 0; i < files.size(); ++i) {
      if (!files[i].name.ends_with(".jpg") || !judged[i].delivered()) continue;
      const auto encoded = codec::test::read_file(files[i].path);
      if (encoded[0] != std::byte{0xff}) continue;  // a PNG with a wrong extension
      auto reference = codec::test::reference_strict(encoded);
      REQUIRE(reference);
      if (reference->channels == 4) continue;
      std::vector<std::uint8_t> rgb;
      for (const auto value : reference->values)
        rgb.insert(rgb.end(), reference->channels == 1 ? 3 : 1, value);
      pixels.check(judged[i].pixels == rgb, files[i].name);
    }
  }
  CHECK(pixels.text() == "");
}

}  // namespace weir::test
