// `weir run` under mpirun, in a build with WEIR_MPI: one report of all ranks.
#include "launch.hpp"
#include "support/catch.hpp"
#include "support/skip.hpp"

using namespace weir::test;

namespace {

Outcome run(const std::vector<std::string>& arguments) {
  return run_program(std::vector<std::string>{"/usr/bin/env"} + mpirun(3) +
                     std::vector<std::string>{WEIR_PROGRAM, "run"} + arguments +
                     std::vector<std::string>{"--size", "16x16", "--batch", "2", "--workers", "1",
                                              "--ranks", "auto"});
}

}  // namespace

TEST_CASE("three ranks of weir run print one report with the sums", "[ranks]") {
  if (!installed("mpirun")) return skip("mpirun is not installed");
  const TemporaryFolder folder;
  const auto file = (folder / "report.json").string();
  const auto all = run({"synthetic:11,24x24", "--json", file});
  CAPTURE(all.out, all.err);
  REQUIRE(all.exit_code == 0);
  const auto json = Json::parse(read_file(file));
  REQUIRE(json.is_object());
  CHECK(json["samples"]["consumed"].get<int>() == 11);
  CHECK(json["job"]["ranks"].get<int>() == 3);
  CHECK(json["job"]["slowest_rank"].get<int>() < 3);
  CHECK(json["memory"]["peak"].get<long>() > json["job"]["largest_peak"].get<long>());

  CHECK(all.out.find("Sums of 3 ranks\n") != std::string::npos);
  CHECK(all.out.find("Samples\n") == all.out.rfind("Samples\n"));

  // One object, not three.
  const auto on_stdout = run({"synthetic:11,24x24", "--json", "-"});
  CHECK(on_stdout.json()["samples"]["consumed"].get<int>() == 11);
}

TEST_CASE("the error of a rank is the error of the report", "[ranks]") {
  if (!installed("mpirun")) return skip("mpirun is not installed");
  const TemporaryFolder folder;
  folder.write("bad.jpg", std::string_view("no image"));
  // One sample: rank 0 has it.
  const auto all = run({folder.string(), "--json", "-"});
  CAPTURE(all.out, all.err);
  CHECK(all.exit_code == 1);
  CHECK(all.json()["error"].get<std::string>().starts_with("rank 0: "));
}

TEST_CASE("three ranks of weir run save one state, from which one process resumes", "[ranks]") {
  if (!installed("mpirun")) return skip("mpirun is not installed");
  const TemporaryFolder folder;
  const auto file = (folder / "all.json").string();
  const auto all = run({"synthetic:23,24x24", "--steps", "2", "--save-progress", file});
  CAPTURE(all.out, all.err);
  REQUIRE(all.exit_code == 0);
  const auto rest = run_program({WEIR_PROGRAM, "run", "synthetic:23,24x24", "--size", "16x16",
                                 "--batch", "4", "--resume", file, "--json", "-"});
  CAPTURE(rest.out, rest.err);
  // Two steps of three batches of two are finished.
  CHECK(rest.json()["samples"]["consumed"].get<int>() == 23 - 12);
}

TEST_CASE("a rank with other options is named before a batch", "[ranks]") {
  if (!installed("mpirun")) return skip("mpirun is not installed");
  const auto all =
      run_program(std::vector<std::string>{"/usr/bin/env"} + mpirun(2) +
                  std::vector<std::string>{"/bin/sh", "-c",
                                           "exec " WEIR_PROGRAM
                                           " run synthetic:11,24x24 --size 16x16 --batch 2 "
                                           "--ranks auto --seed $OMPI_COMM_WORLD_RANK"});
  CAPTURE(all.out, all.err);
  CHECK(all.exit_code != 0);
  CHECK(all.err.find("check_same: rank 1: seed is 1") != std::string::npos);
}
