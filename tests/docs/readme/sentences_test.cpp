#include "sentences.hpp"

#include <filesystem>
#include <string>

#include "program.hpp"
#include "support/catch.hpp"

using namespace weir::test;

namespace {

const std::filesystem::path tree = WEIR_ROOT;
constexpr std::size_t most_words = 30;

void check_sentences(const std::filesystem::path& page) {
  for (const auto& sentence : sentences(read_file(page))) {
    CAPTURE(page.filename().string(), sentence);
    CHECK(count_words(sentence) <= most_words);
  }
}

}  // namespace

TEST_CASE("sentences of a page end where a reader sees them end", "[readme]") {
  const auto found = sentences(
      "# Title\n\nOne two. Three [four](x.md)\nfive!\n- item `a b c` six\n| cell one | two |\n"
      "```\nnot. counted.\n```\n");
  REQUIRE(found.size() == 5);
  CHECK(count_words(found[0]) == 2);
  CHECK(count_words(found[1]) == 3);
  CHECK(count_words(found[2]) == 3);
  CHECK(count_words(found[3]) == 2);
}

TEST_CASE("no sentence of README, guide or benchmarks exceeds 30 words", "[readme]") {
  check_sentences(tree / "README.md");
  check_sentences(tree / "docs/benchmarks.md");
  for (const auto& entry : std::filesystem::directory_iterator(tree / "docs/guide"))
    if (entry.path().extension() == ".md") check_sentences(entry.path());
}

TEST_CASE("the README has at most 8 KiB", "[readme]") {
  CHECK(std::filesystem::file_size(tree / "README.md") <= 8192);
}
