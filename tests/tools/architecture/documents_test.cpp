#include "support/catch.hpp"
#include "tools/architecture/fixture_tree.hpp"
#include "tools/architecture/rules.hpp"

using weir::architecture::check_documents;
using weir::architecture::FixtureTree;

TEST_CASE("each README names files, functions and types that exist") {
  const auto breaches = check_documents(WEIR_SOURCE_DIR);
  for (const auto& breach : breaches) UNSCOPED_INFO(breach);
  CHECK(breaches.empty());
}

TEST_CASE("a name in a README is caught if nothing has it") {
  const FixtureTree tree;
  tree.write("src/engine/strand.hpp",
             "class Strand { void step(); };  // Strand::halt HaltedStrand\n");
  tree.write("src/engine/work_queue.hpp", "struct WorkQueue { int next_work(); };\n");
  tree.write("build/README.md", "`engine/none.hpp`");
  for (const auto* line : {"`engine/strand.hpp`", "`strand.hpp`", "`engine/strand`",
                           "`Strand::step`", "`engine::Strand::step()`", "`step()`", "`WorkQueue`",
                           "`next_work`", "`RGB`", "`other/none`", "`std::none`", "`a word`",
                           "```\n`none.cpp`\n```", "| file | has |\n| `strand` | `none` |"}) {
    CAPTURE(line);
    tree.write("src/engine/README.md", line);
    CHECK(check_documents(tree.root()).empty());
  }
  for (const auto* line : {"`engine/none.hpp`", "`none.cpp`", "`engine/none`", "`Strand::halt`",
                           "`None::step`", "`halt()`", "`HaltedStrand`", "`next_halt`",
                           "`src/none`", "| file | has |\n| `none` | `strand` |"}) {
    CAPTURE(line);
    tree.write("src/engine/README.md", line);
    CHECK(check_documents(tree.root()).size() == 1);
  }
}
