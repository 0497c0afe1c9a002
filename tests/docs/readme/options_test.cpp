#include <filesystem>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "program.hpp"
#include "support/catch.hpp"

using weir::test::read_file;

namespace {

const std::filesystem::path tree_of_options = WEIR_ROOT;

/// Names and defaults of fields, in order.
using Fields = std::vector<std::pair<std::string, std::string>>;

Fields matches_of(const std::string& text, const std::regex& field) {
  Fields fields;
  for (std::sregex_iterator match(text.begin(), text.end(), field), end; match != end; ++match)
    fields.emplace_back((*match)[1], (*match)[2]);
  return fields;
}

/// The fields of a struct in a header: `Type name = default;` or `Type name{default};`.
Fields declared(const std::string& header, const std::string& name) {
  const auto begin = header.find("\nstruct " + name + " {");
  REQUIRE(begin != std::string::npos);
  auto body = header.substr(begin, header.find("\n};", begin) - begin);
  body = std::regex_replace(body, std::regex("//[^\n]*|\n  static [^\n]*"), "");
  return matches_of(body,
                    std::regex(R"(\n  [A-Z_a-z:][^\n;]*[>\w] (\w+)(?: =\s+|(?=\{))([^;]+);)"));
}

/// The rows of the table below a heading of the page.
Fields listed(const std::string& page, const std::string& name) {
  const auto begin = page.find("\n## " + name + "\n");
  REQUIRE(begin != std::string::npos);
  const auto section = page.substr(begin, page.find("\n## ", begin + 1) - begin);
  return matches_of(section, std::regex(R"(\n\| `(\w+)` \| `([^`]*)` \|)"));
}

}  // namespace

TEST_CASE("the options page lists fields and defaults in header order", "[readme]") {
  const auto page = read_file(tree_of_options / "docs/guide/options.md");
  const std::pair<const char*, std::vector<std::string>> headers[] = {
      {"options",
       {"Options", "QueueOptions", "IoOptions", "MemoryOptions", "FaultOptions", "TuningOptions",
        "TraceOptions", "WatchdogOptions"}},
      {"fit",
       {"FlipOptions", "RandomOptions", "PatchOptions", "LetterboxOptions", "WindowOptions"}},
      {"planes", {"PlaneOptions"}},
      {"cache", {"CacheOptions"}},
      {"codec", {"DecodeLimits"}},
      {"sizes", {"SizeOptions"}},
      {"transform", {"TransformOptions"}},
      {"stream", {"StreamOptions"}},
      {"epochs", {"EpochOptions"}},
      {"requests", {"RequestOptions"}},
  };
  for (const auto& [header, names] : headers) {
    const auto text = read_file(tree_of_options / "include/weir" / (std::string(header) + ".hpp"));
    for (const auto& name : names) {
      CAPTURE(header, name);
      const auto fields = declared(text, name);
      CHECK(!fields.empty());
      CHECK(fields == listed(page, name));
    }
  }
}
