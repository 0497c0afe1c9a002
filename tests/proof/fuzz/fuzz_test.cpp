#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "seeds.hpp"
#include "support/catch.hpp"
#include "targets.hpp"

using namespace weir::fuzz;

namespace {

using Bytes = std::vector<std::uint8_t>;

/// A copy with some bytes set, cut or repeated.
Bytes mutated(Bytes bytes, std::mt19937& random) {
  const auto below = [&](std::size_t n) { return n == 0 ? 0 : random() % n; };
  for (auto changes = 1 + below(4); changes > 0 && !bytes.empty(); --changes) {
    const auto at = bytes.begin() + static_cast<std::ptrdiff_t>(below(bytes.size()));
    switch (below(4)) {
      case 0: *at = static_cast<std::uint8_t>(below(256)); break;
      case 1: *at ^= static_cast<std::uint8_t>(1u << below(8)); break;
      case 2: bytes.erase(at, bytes.end()); break;
      default: bytes.insert(at, static_cast<std::uint8_t>(below(2) == 0 ? 0 : 0xff));
    }
  }
  return bytes;
}

Bytes contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("every fuzz target keeps its promises on seeds and mutations", "[fuzz]") {
  std::mt19937 random(20261121);
  for (const auto& target : targets()) {
    INFO(target.name);
    // OpenCV reports each bad file on stderr.
    const int mutations = target.name == "foreign_decode" ? 0 : 40;
    int of_its_kind = 0;
    for (const auto& seed : seeds(target.name)) {
      of_its_kind += target.run(seed) ? 1 : 0;
      for (int i = 0; i < mutations; ++i) target.run(mutated(seed, random));
    }
    CHECK(of_its_kind > 0);
    target.run({});
  }
}

TEST_CASE("what fuzzing once found stays mended", "[fuzz]") {
  int tried = 0;
  for (const auto& folder : std::filesystem::directory_iterator(WEIR_FUZZ_FINDINGS)) {
    const auto name = folder.path().filename().string();
    const auto target = std::ranges::find(targets(), name, &Target::name);
    INFO(name);
    if (target == targets().end() && name.starts_with("foreign")) continue;  // without OpenCV
    REQUIRE(target != targets().end());
    for (const auto& finding : std::filesystem::directory_iterator(folder)) {
      INFO(finding.path().string());
      CHECK_NOTHROW(target->run(contents(finding.path())));
      ++tried;
    }
  }
  CHECK(tried > 0);
}
