#include <map>

#include <nlohmann/json.hpp>

#include "encoders.hpp"
#include "sha256.hpp"
#include "support.hpp"
#include "support/catch.hpp"
#include "support/data.hpp"
#ifdef WEIR_HAS_OPENCV_CODEC
#include "weir/interop/opencv_codec.hpp"
#endif

namespace weir::codec::test {
namespace {

std::vector<std::shared_ptr<const ForeignCodec>> all_codecs() {
#ifdef WEIR_HAS_OPENCV_CODEC
  return {opencv_codec()};
#else
  return {};
#endif
}

/// How many files of a kind came out as they should, and which did not.
struct Match {
  std::size_t agree = 0;
  std::vector<std::string> differ{};

  void add(bool same, const std::string& what) {
    if (same)
      ++agree;
    else
      differ.push_back(what);
  }
  std::string text(const std::string& name) const {
    std::string out =
        name + ": " + std::to_string(agree) + " of " + std::to_string(agree + differ.size());
    for (const auto& line : differ) out += "\n  " + line;
    return out;
  }
};

std::string hash(const Outcome& outcome) { return weir::test::sha256(outcome.row).substr(0, 32); }

/// Kinds as the manifests name them: to them a cut file is corrupt.
std::string verdict(const Outcome& outcome) {
  if (outcome) return "ok";
  const FaultKind kind = outcome.defect().kind;
  return kind == FaultKind::truncated ? "corrupt" : std::string(to_string(kind));
}

std::string describe(const std::string& name, const std::string& wanted, const Outcome& outcome) {
  return name + ": wanted " + wanted + ", got " + verdict(outcome) +
         (outcome ? "" : " (" + outcome.defect().reason + ")");
}

/// One entry a line. Those of tars name members in no encoding; a line that is no JSON is one of them.
std::vector<nlohmann::json> wild_images(const std::filesystem::path& folder) {
  std::vector<nlohmann::json> entries;
  std::ifstream file(folder / "manifest.json");
  for (std::string line; std::getline(file, line);) {
    if (line.ends_with(',')) line.pop_back();
    auto entry = nlohmann::json::parse(line, nullptr, false);
    if (entry.is_object() && entry["magic"] != "tar") entries.push_back(std::move(entry));
  }
  return entries;
}

bool is_own(const std::string& magic) {
  return magic == "jpeg" || magic == "png" || magic == "webp";
}

}  // namespace

TEST_CASE("images of the wild are decoded as two independent decoders do, or refused") {
  const auto folder = weir::test::test_data("odd");
  if (!folder) {
    WARN("WEIR_TEST_DATA is not set");
    return;
  }
  std::map<std::string, Match> matches;
  for (const auto& entry : wild_images(*folder)) {
    const std::string magic = entry["magic"], path = entry["path"], cls = entry["cls"],
                      expect = entry["expect"];
    const Encoded encoded = read_file(*folder / path);
    const Outcome strict = run_whole(encoded), lenient = run_whole(encoded, false);
    if (magic == "jpeg" && cls != "invalid") {
      matches["verdict of libjpeg"].add(bool(strict) == reference_accepts(encoded),
                                        describe(path, "the other", strict));
    }
    if (cls == "damaged") {
      matches["damaged, lenient"].add(bool(lenient), describe(path, "ok", lenient));
    } else if (expect != "error or ok") {
      const bool wanted = is_own(magic) && cls == "valid";
      matches[magic + ", " + cls].add(bool(strict) == wanted,
                                      describe(path, wanted ? "ok" : "error", strict));
    }
    if (!strict || !is_own(magic)) continue;
    if (entry.contains("rgb_sha256_32"))
      matches["pixels"].add(hash(strict) == entry["rgb_sha256_32"], path);
    if (entry.contains("orientation"))
      matches["orientation"].add(strict.info->orientation == entry["orientation"].get<int>(), path);
  }
  CHECK(matches["pixels"].agree > 200);
  for (const auto& [name, match] : matches) {
    INFO(match.text(name));
    CHECK(match.differ.empty());
  }
}

TEST_CASE("hostile images get the verdict of their manifest") {
  const auto folder = weir::test::test_data("hostile");
  if (!folder) {
    WARN("WEIR_TEST_DATA is not set");
    return;
  }
  Match strict_match, lenient_match;
  for (const auto& entry : nlohmann::json::parse(std::ifstream(*folder / "manifest.json"))) {
    const std::string file = entry["file"], expect = entry["expect"];
    if (!file.starts_with("img/") || (all_codecs().empty() && file.ends_with(".bmp"))) continue;
    const Encoded encoded = read_file(*folder / file);
    const Outcome strict = run_whole(encoded, true, 0xa5, all_codecs());
    const std::string got = verdict(strict);
    strict_match.add(got == expect || got == entry.value("alt", expect),
                     describe(file, expect, strict));
    const Outcome lenient = run_whole(encoded, false, 0xa5, all_codecs());
    if (entry.contains("lenient"))
      lenient_match.add(verdict(lenient) == entry["lenient"], describe(file, "ok", lenient));
  }
  for (const auto& match : {strict_match, lenient_match}) {
    INFO(match.text("verdicts"));
    CHECK(match.agree > 0);
    CHECK(match.differ.empty());
  }
}

#ifdef WEIR_HAS_OPENCV_CODEC
TEST_CASE("OpenCV's codec refuses the invalid of the wild and agrees with two other decoders") {
  const auto folder = weir::test::test_data("odd");
  if (!folder) {
    WARN("WEIR_TEST_DATA is not set");
    return;
  }
  Match pixels, refusals;
  for (const auto& entry : wild_images(*folder)) {
    const std::string magic = entry["magic"], path = entry["path"], cls = entry["cls"];
    if (is_own(magic)) continue;
    const Outcome outcome = run_whole(read_file(*folder / path), true, 0xa5, all_codecs());
    if (cls == "invalid") refusals.add(!outcome, describe(path, "error", outcome));
    if (outcome && entry.contains("rgb_sha256_32"))
      pixels.add(hash(outcome) == entry["rgb_sha256_32"], path);
  }
  CHECK(pixels.agree > 70);
  for (const auto& match : {pixels, refusals}) {
    INFO(match.text("matches"));
    CHECK(match.differ.empty());
  }
}
#endif

}  // namespace weir::codec::test
