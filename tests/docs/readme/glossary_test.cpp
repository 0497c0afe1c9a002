#include <filesystem>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

#include "advice/regimes.hpp"
#include "base/terms.hpp"
#include "books/accounts.hpp"
#include "program.hpp"
#include "report/fields.hpp"
#include "support/catch.hpp"

using namespace weir;
using namespace weir::test;

namespace {

std::string glossary() {
  return read_file(std::filesystem::path(WEIR_ROOT) / "docs/guide/concepts.md");
}

}  // namespace

TEST_CASE("the glossary has every term that a report shows", "[readme]") {
  const auto page = glossary();
  const auto check = [&](std::string_view term) {
    CAPTURE(term);
    CHECK(page.find("\n| `" + std::string(term) + "` |") != std::string::npos);
  };
  for (const auto& field : report::sample_fields) check(field.name);
  for (const auto& field : report::worker_fields) check(field.name);
  for (std::size_t kind = 0; kind < fault_kind_count; ++kind)
    check(to_string(static_cast<FaultKind>(kind)));
  for (const auto* option :
       {"max_queue_size", "max_leases", "workers", "read_ahead", "max_sample_bytes"})
    check(option);
}

TEST_CASE("no table of the glossary has a word twice", "[readme]") {
  std::set<std::string> words;
  std::istringstream lines(glossary());
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("| ")) words.clear();
    if (!line.starts_with("| ") || line.starts_with("| ---")) continue;
    std::istringstream cell(line.substr(2, line.find(" |") - 2));
    for (std::string word; std::getline(cell >> std::ws, word, ',');) {
      CAPTURE(word);
      CHECK(words.insert(word).second);
    }
  }
}

TEST_CASE("the glossary explains terms in the words of the page", "[readme]") {
  const auto page = glossary();
  const auto check = [&](const auto& table) {
    for (const auto& row : table) {
      CAPTURE(row.name, row.meaning);
      CHECK(page.find("\n| `" + std::string(row.name) + "` | " + std::string(row.meaning) +
                      " |\n") != std::string::npos);
    }
  };
  check(books::accounts);
  check(stages);
  check(advice::regimes);
}

TEST_CASE("the glossary has the labels of the console and of the pages", "[readme]") {
  const auto page = glossary();
  for (const auto* label : {"consumer",
                            "stream",
                            "step",
                            "row",
                            "position",
                            "slab limit",
                            "floor",
                            "ceiling",
                            "setting",
                            "pinned",
                            "padding",
                            "throughput",
                            "data readiness",
                            "waited",
                            "now",
                            "gain",
                            "enough",
                            "least, most",
                            "basis",
                            "measured",
                            "predicted",
                            "unmeasured",
                            "computed",
                            "off by",
                            "predicted limit",
                            "predicted peak",
                            "peak of all accounts",
                            "typical bytes",
                            "evicted",
                            "p50, p90, p99",
                            "standard deviation",
                            "RSS",
                            "PSS",
                            "not counted",
                            "accounting",
                            "timing",
                            "digest",
                            "law"}) {
    CAPTURE(label);
    CHECK(page.find("\n| " + std::string(label) + " |") != std::string::npos);
  }
}
