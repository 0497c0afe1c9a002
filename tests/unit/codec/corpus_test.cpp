#include <map>
#include <nlohmann/json.hpp>

#include "sha256.hpp"
#include "support.hpp"
#include "support/catch.hpp"
#include "support/data.hpp"

namespace weir::codec::test {
namespace {

struct Match {
  int agree = 0;
  std::vector<std::string> differ{};

  void add(bool same, const std::string& what) {
    if (same) ++agree;
    else differ.push_back(what);
  }
  std::string text(const std::string& name) const {
    std::string out = name + ": " + std::to_string(agree) + " of " + std::to_string(agree + static_cast<int>(differ.size()));
    for (const auto& line : differ) out += "\n  " + line;
    return out;
  }
};

nlohmann::json manifest(const std::filesystem::path& folder) {
  return nlohmann::json::parse(std::ifstream(folder / "manifest.json"));
}

/// One entry a line. Those of tars name members in no encoding; a line that is no JSON is one of them.
std::vector<nlohmann::json> manifest_lines(const std::filesystem::path& folder) {
  std::vector<nlohmann::json> entries;
  std::ifstream file(folder / "manifest.json");
  for (std::string line; std::getline(file, line);) {
    if (line.ends_with(',')) line.pop_back();
    auto entry = nlohmann::json::parse(line, nullptr, false);
    if (entry.is_object() && entry["magic"] != "tar") entries.push_back(std::move(entry));
  }
  return entries;
}

std::string verdict(const Outcome& outcome) {
  if (outcome) return "ok";
  const FaultKind kind = outcome.defect().kind;
  return kind == FaultKind::truncated ? "corrupt" : std::string(to_string(kind));
}

std::string describe(const std::string& name, const std::string& wanted, const Outcome& outcome) {
  return name + ": wanted " + wanted + ", got " + verdict(outcome) + (outcome ? "" : " (" + outcome.defect().reason + ")");
}

}  // namespace

TEST_CASE("every image of the wild set decodes as two independent decoders do, or is refused") {
  const auto folder = weir::test::test_data("odd");
  if (!folder) {
    WARN("WEIR_TEST_DATA is not set");
    return;
  }
  std::map<std::string, Match> verdicts;
  Match pixels, orientations;
  for (const auto& entry : manifest_lines(*folder)) {
    const std::string magic = entry["magic"], path = entry["path"], expect = entry["expect"];
    const bool known = magic == "jpeg" || magic == "png" || magic == "webp";
    const Encoded encoded = read_file(*folder / path);
    const Outcome strict = run_whole(encoded);
    const Outcome lenient = run_whole(encoded, false);
    const bool damaged = expect.starts_with("error(strict)");
    const bool free = expect == "error or ok";
    const bool wants_ok = known && expect == "ok";
    if (!free) verdicts[magic + "/" + std::string(entry["cls"])].add(bool(strict) == wants_ok, describe(path, wants_ok ? "ok" : "error", strict));
    if (damaged) verdicts["delivered in lenient mode"].add(bool(lenient), describe(path, "ok", lenient));
    if (entry.contains("rgb_sha256_32") && known && strict) {
      pixels.add(weir::test::sha256(strict.row).substr(0, 32) == entry["rgb_sha256_32"], path);
    }
    if (entry.contains("orientation") && known && strict) {
      orientations.add(strict.info->orientation == entry["orientation"].get<int>(), path + " " + entry["orientation"].dump() + " " + std::to_string(strict.info->orientation));
    }
  }
  std::string report = pixels.text("pixels") + "\n" + orientations.text("orientation");
  for (const auto& [name, match] : verdicts) report += "\n" + match.text(name);
  WARN(report);
}

TEST_CASE("hostile images get the verdict of their manifest") {
  const auto folder = weir::test::test_data("hostile");
  if (!folder) {
    WARN("WEIR_TEST_DATA is not set");
    return;
  }
  Match strict_match, lenient_match;
  for (const auto& entry : manifest(*folder)) {
    const std::string file = entry["file"], expect = entry["expect"];
    if (!file.starts_with("img/")) continue;
    const Encoded encoded = read_file(*folder / file);
    const auto start = std::chrono::steady_clock::now();
    const Outcome strict = run_whole(encoded);
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    const Outcome lenient = run_whole(encoded, false);
    const std::string got = verdict(strict);
    strict_match.add(got == expect || got == entry.value("alt", expect), describe(file, expect, strict));
    if (entry.contains("lenient")) lenient_match.add(verdict(lenient) == entry["lenient"], describe(file, entry["lenient"], lenient));
    if (spent.count() > 0.05) WARN(file << " " << spent.count());
  }
  WARN(strict_match.text("strict") + "\n" + lenient_match.text("lenient"));
}

}  // namespace weir::codec::test
