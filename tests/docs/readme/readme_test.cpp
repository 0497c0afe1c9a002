#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <regex>
#include <set>
#include <stdexcept>

#include "markdown.hpp"
#include "program.hpp"
#include "support/catch.hpp"
#include "support/text.hpp"

using namespace weir::test;

namespace {

const std::filesystem::path root = WEIR_ROOT;

std::string readme() { return read_file(root / "README.md"); }

/// The text of the README and of docs.
std::string documents() {
  auto text = readme();
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root / "docs"))
    if (entry.path().extension() == ".md") text += '\n' + read_file(entry.path());
  return text;
}

std::string dev_help() {
  const auto command = "'" + (root / "dev").string() + "' help";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  if (!pipe) throw std::runtime_error("cannot run " + command);
  std::string text;
  std::array<char, 4096> part{};
  while (const auto read = std::fread(part.data(), 1, part.size(), pipe.get()))
    text.append(part.data(), read);
  return text;
}

/// The first words of the indented lines of a help text.
std::set<std::string> listed(const std::string& help) {
  static const std::regex entry(R"((?:^|\n)  ([a-z][a-z0-9-]*) )");
  std::set<std::string> found;
  for (std::sregex_iterator match(help.begin(), help.end(), entry), end; match != end; ++match)
    found.insert((*match)[1]);
  return found;
}

std::set<std::string> options_in(const std::string& help) {
  static const std::regex option("--[a-z][a-z-]*");
  return {std::sregex_token_iterator(help.begin(), help.end(), option), {}};
}

bool is_option(const std::string& word) { return word.starts_with("--"); }

}  // namespace

TEST_CASE("the README's example is the one that is compiled and run", "[readme]") {
  const auto examples = blocks(readme(), "cpp");
  REQUIRE(examples.size() == 1);
  CHECK(examples.front() == read_file(root / "examples/hello.cpp"));
}

TEST_CASE("every ./dev command in the README and the guide exists", "[readme]") {
  const auto known = listed(dev_help());
  REQUIRE(known.contains("test"));
  std::set<std::string> named;
  for (const auto& words : commands(documents()))
    if (words.size() > 1 && words[0] == "./dev") named.insert(words[1]);
  CHECK(named.contains("demo"));
  CHECK(named.contains("test"));
  for (const auto& command : named) {
    CAPTURE(command);
    CHECK(known.contains(command));
  }
}

TEST_CASE("every weir command and option in README and guide exists", "[readme]") {
  const auto known = listed(weir::test::weir({"--help"}).out);
  REQUIRE(known.contains("sweep"));
  std::map<std::string, std::set<std::string>> options;
  std::set<std::string> any;
  for (const auto& command : known) {
    options[command] = options_in(weir::test::weir({"help", command, "--all"}).out);
    any.insert(options[command].begin(), options[command].end());
  }

  // A page may name a command or an option that does not exist yet only if the program says so.
  const auto unbuilt = [](const std::vector<std::string>& arguments) {
    return contains(weir::test::weir(arguments).err, "is not built yet");
  };
  int checked = 0;
  for (const auto& words : commands(documents())) {
    if (words.empty()) continue;
    const bool whole = words[0] == "weir" && words.size() > 1;
    if (!whole && !is_option(words[0])) continue;
    if (whole && !known.contains(words[1])) {
      CAPTURE(words[1]);
      CHECK(unbuilt({words[1], "x"}));
      continue;
    }
    for (const auto& word : words) {
      if (!is_option(word)) continue;
      CAPTURE(words, word);
      CHECK(((whole ? options[words[1]] : any).contains(word) ||
             unbuilt({whole ? words[1] : "run", "x", word, "1"})));
      ++checked;
    }
  }
  CHECK(checked > 5);
}

TEST_CASE("every file the README links to exists", "[readme]") {
  const auto files = linked_files(readme());
  REQUIRE(files.size() > 5);
  for (const auto& file : files) {
    CAPTURE(file);
    CHECK(std::filesystem::exists(root / file));
  }
}
