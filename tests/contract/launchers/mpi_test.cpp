// interop/mpi.hpp: the functions on the ranks of an mpirun.
#include "launch.hpp"
#include "support/catch.hpp"
#include "support/skip.hpp"
#include "weir/source.hpp"

using namespace weir::test;

namespace {

/// The lines that contain `text`, without the ranks that printed them.
std::vector<std::string> facts(const std::vector<std::string>& lines, const std::string& text) {
  std::vector<std::string> found;
  for (const auto& line : lines)
    if (const auto at = line.find(": "); line.find(text, at) == at + 2)
      found.push_back(line.substr(at + 2));
  return found;
}

std::vector<std::string> thrice(const std::string& text) { return {text, text, text}; }

/// The number after `word`.
std::uint64_t number_after(const std::string& line, const std::string& word) {
  return std::stoull(line.substr(line.find(word + ' ') + word.size() + 1));
}

}  // namespace

TEST_CASE("three ranks compare, sum and merge", "[ranks]") {
  if (!installed("mpirun")) return skip("mpirun is not installed");
  const TemporaryFolder folder;
  for (const auto* name : {"all/a.jpg", "all/b.jpg", "more/a.jpg", "more/b.jpg", "more/c.jpg"})
    folder.write(name, std::string_view("not read"));
  const auto run = run_program(
      std::vector<std::string>{"/usr/bin/env"} + mpirun(3) +
      std::vector<std::string>{MPI_RANKS, (folder / "all").string(), (folder / "more").string()});
  CAPTURE(run.out, run.err);
  REQUIRE(run.exit_code == 0);
  const auto lines = sorted_lines(run.out);

  CHECK(facts(lines, "equal") == thrice("equal: the same"));
  CHECK(facts(lines, "seed") == thrice("seed: check_same: rank 2: seed is 8; on rank 0 it is 7"));
  CHECK(facts(lines, "world") ==
        thrice("world: check_same: rank 0: `ranks.world` is 1; the communicator has 3 ranks. Set "
               "Options::ranks, for example to Ranks::automatic()"));
  CHECK(facts(lines, "twice") ==
        thrice("twice: check_same: rank 2: `ranks.rank` is 1, as on rank 1"));
  CHECK(facts(lines, "names") == thrice("names: check_same: rank 1: the index is gone"));
  CHECK(facts(lines, "folder") ==
        thrice("folder: check_same: rank 1: samples is 3; on rank 0 it is 2"));
  const auto resumed = facts(lines, "resume");
  REQUIRE(resumed.size() == 3);
  for (const auto& fact : resumed)
    CHECK(fact.starts_with("resume: check_same: rank 1: resume is "));

  std::uint64_t consumed = 0, peak = 0, largest = 0, decodes = 0;
  const auto own = facts(lines, "own");
  REQUIRE(own.size() == 3);
  for (const auto& fact : own) {
    consumed += number_after(fact, "consumed");
    peak += number_after(fact, "peak");
    largest = std::max(largest, number_after(fact, "peak"));
    decodes += number_after(fact, "decodes");
  }
  CHECK(consumed == 11);
  for (const auto& fact : facts(lines, "sum")) {
    CHECK(fact.starts_with("sum of 3 consumed 11 conserved 1 peak " + std::to_string(peak) +
                           " largest " + std::to_string(largest)));
    CHECK(number_after(fact, "decodes") == decodes);
    CHECK(number_after(fact, "in bins") == decodes);
    CHECK(number_after(own[number_after(fact, "of rank")], "peak") == largest);
    CHECK(number_after(fact, "slowest") < 3);
  }
  CHECK(facts(lines, "merged") == thrice("merged: the epoch is finished"));
}
