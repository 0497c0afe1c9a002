#include <regex>
#include <set>
#include <sstream>

#include "program.hpp"
#include "support/catch.hpp"
#include "support/text.hpp"

using weir::test::contains;
using weir::test::one_line;
using weir::test::run_program;

namespace {

const std::vector<std::string> commands{"plan",   "footprint", "probe", "run",  "sweep", "tune",
                                        "verify", "order",     "pack",  "page", "demo",  "help"};

std::string out_of(const std::vector<std::string>& arguments) {
  const auto outcome = weir::test::weir(arguments);
  CAPTURE(arguments, outcome.err);
  CHECK(outcome.exit_code == 0);
  return outcome.out;
}

/// The options that have a line of their own in a help text.
std::set<std::string> options_in(const std::string& help) {
  static const std::regex option(R"((?:^|\n)  (--[a-z][a-z-]*))");
  std::set<std::string> found;
  for (std::sregex_iterator match(help.begin(), help.end(), option), end; match != end; ++match)
    found.insert((*match)[1]);
  return found;
}

}  // namespace

TEST_CASE("help is the same in each way and common options come first", "[help]") {
  const auto top = out_of({"help"});
  CHECK(top == out_of({"--help"}));
  for (const auto& command : commands) {
    CAPTURE(command);
    CHECK(contains(top, "\n  " + command + ' '));
    const auto common = out_of({"help", command}), all = out_of({"help", command, "--all"});
    CHECK(common == out_of({command, "--help"}));
    const auto of_common = options_in(common), of_all = options_in(all);
    CHECK(std::ranges::includes(of_all, of_common));
    CHECK(of_common.size() < 24);
    CHECK(contains(common, "lists all.") == (of_common.size() < of_all.size()));
    const auto examples = common.substr(common.find("\nExamples:\n"));
    std::istringstream lines(examples);
    int shown = 0;
    for (std::string line; std::getline(lines, line);)
      if (line.starts_with("  weir " + command)) ++shown;
    CHECK(shown == 3);
  }
  CHECK(options_in(out_of({"help", "run", "--all"})).size() > 50);
  // Only what a command requires and takes is shown.
  CHECK(contains(out_of({"help", "plan"}), "Usage: weir plan [OPTIONS] [DATA]\n"));
  CHECK(contains(out_of({"help", "run"}), "Usage: weir run [OPTIONS] DATA\n"));
  CHECK(contains(out_of({"help", "sweep"}), "  --max-queue-size N[,N...]\n"));
  CHECK(contains(out_of({"help", "run"}), "  --max-queue-size N "));
  // What a sweep does without the option.
  CHECK(contains(one_line(out_of({"help", "sweep"})), " a list, or one. [1,2,4,8,16] "));
  CHECK(contains(one_line(out_of({"help", "plan"})), " one number, or a list. [4] "));
}

TEST_CASE("every command that runs or reports has --quiet and --json", "[help]") {
  for (const auto& command :
       {"plan", "footprint", "probe", "run", "sweep", "tune", "verify", "demo"}) {
    const auto options = options_in(out_of({"help", command, "--all"}));
    CAPTURE(command);
    CHECK(options.contains("--quiet"));
    CHECK(options.contains("--json"));
  }
  CHECK(options_in(out_of({"help", "page", "--all"})).contains("--quiet"));
}

TEST_CASE("help has no sentence above 30 words and no line above 80", "[help]") {
  for (const auto& command : commands) {
    // A sentence ends at a full stop or before the line of an option.
    auto text = std::regex_replace(out_of({"help", command, "--all"}),
                                   std::regex(R"(\n  (--|[A-Z])|\n\n)"), ". ");
    std::istringstream words(text);
    std::string sentence;
    int count = 0;
    for (std::string word; words >> word;) {
      sentence += word + ' ';
      ++count;
      CAPTURE(command, sentence);
      CHECK(count <= 30);
      if (word.ends_with('.') || word.ends_with(':') || word.ends_with(".]")) {
        sentence.clear();
        count = 0;
      }
    }
    std::istringstream lines(out_of({"help", command, "--all"}));
    for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 80);
  }
}

TEST_CASE("the help of each command fits a screen of 50 lines", "[help]") {
  for (const auto& command : commands) {
    const auto help = out_of({command, "--help"});
    CAPTURE(command, help);
    CHECK(std::ranges::count(help, '\n') <= 50);
  }
}

TEST_CASE("completions have every option of a command and its values", "[help]") {
  const std::string script = WEIR_ROOT "/src/packaging/completions/weir.bash";
  const auto completed = [&](const std::string& words, int at) {
    const auto outcome = run_program({"/bin/bash", "-c",
                                      "source " + script + "; COMP_WORDS=(" + WEIR_PROGRAM + " " +
                                          words + "); COMP_CWORD=" + std::to_string(at) +
                                          "; _weir; printf '%s\\n' \"${COMPREPLY[@]}\""});
    CHECK(outcome.err.empty());
    return outcome.out;
  };
  for (const auto& command : commands) {
    const auto offered = completed(command + " --", 2);
    for (const auto& option : options_in(out_of({"help", command, "--all"}))) {
      CAPTURE(command, option);
      CHECK(contains('\n' + offered, '\n' + option + '\n'));
    }
  }
  CHECK(completed("sw", 1) == "sweep\n");
  CHECK(completed("help sw", 2) == "sweep\n");
  CHECK(completed("run --max-l", 2) == "--max-leases\n");
  CHECK(completed("run x --fit le", 4) == "letterbox\n");
  CHECK(completed("run x --cache ''", 4) == "encoded\ndecoded\n");
  CHECK(completed("run x --json ''", 4) == "\n");  // a file
}

TEST_CASE("the manual page has each command", "[help]") {
  const auto page = weir::test::read_file(WEIR_ROOT "/src/packaging/weir.1");
  for (const auto& command : commands) {
    CAPTURE(command);
    CHECK(contains(page, "\n.B " + command));
  }
}
