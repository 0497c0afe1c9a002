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

/// `script` in a shell on each of three ranks; $rank is the rank, and `weir` the program on 11 images.
/// The first signal ends a job that hangs.
Outcome run_script(const TemporaryFolder& folder, const std::string& script) {
  return run_program(std::vector<std::string>{"/usr/bin/timeout", "-s", "INT", "-k", "9", "20"} +
                     mpirun(3) +
                     std::vector<std::string>{
                         "/bin/sh", "-c",
                         "cd " + folder.string() +
                             "; rank=$OMPI_COMM_WORLD_RANK; weir() { exec " WEIR_PROGRAM
                             " run \"$@\" --size 16x16 --batch 2 --workers 1 --ranks auto; }; " +
                             script});
}

/// How often `word` comes.
int times_of(const std::string& text, const std::string& word) {
  int times = 0;
  for (std::size_t at = 0; (at = text.find(word, at)) != text.npos; ++at) ++times;
  return times;
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

TEST_CASE("one process resumes from the state that three ranks saved", "[ranks]") {
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

TEST_CASE("a rank that cannot begin says why and ends the job", "[ranks]") {
  if (!installed("mpirun")) return skip("mpirun is not installed");
  const auto refused = [](const std::string& script, const std::string& message) {
    const TemporaryFolder folder;
    const auto all = run_script(folder, script);
    CAPTURE(all.out, all.err);
    CHECK(all.exit_code != 0);
    CHECK(times_of(all.err, "weir: rank 1: " + message) == 1);
    CHECK(times_of(all.err, "weir: ") == 1);
  };
  const std::string usual = "[ $rank = 1 ] || weir synthetic:11,24x24; ";
  refused(usual + "weir none", "none: no such folder");
  refused(usual + "weir synthetic:11,24x24 --memory-budget 1KiB", "--memory-budget 1KiB: ");
  // The folder of the first state goes when the data are opened.
  refused(
      "mkdir $rank; [ $rank = 1 ] || weir synthetic:11,24x24 --save-progress '{rank}/p'; "
      "mkfifo none; (exec 3>none; rm -r 1)& "
      "weir synthetic:11,24x24 --save-progress '{rank}/p' --exclude none",
      "cannot write 1/p");
}

TEST_CASE("the error of a rank is said while the others run", "[ranks]") {
  if (!installed("mpirun")) return skip("mpirun is not installed");
  const TemporaryFolder folder;
  folder.write("data/a.jpg", std::string_view("no image"));
  // Rank 0 has the only sample. The others deliver empty steps until they see its message.
  const auto all = run_script(folder,
                              "[ $rank = 0 ] && weir data --epochs 1000000000 2>said; "
                              "weir data --epochs 1000000000 --consumer-ms 1 & "
                              "until grep 'rank 0: a.jpg' said >&2; do sleep 0.02; done; "
                              "kill -TERM $!; wait $!");
  CAPTURE(all.out, all.err);
  CHECK(times_of(all.err, "weir: rank 0: a.jpg") == 2);
  CHECK(times_of(all.out, "Sums of 3 ranks") == 1);
}

TEST_CASE("after a second signal the ranks still save one state", "[ranks]") {
  if (!installed("mpirun")) return skip("mpirun is not installed");
  const TemporaryFolder folder;
  // A pipe opens when the run has begun. Signals of one kind could become one.
  const auto all =
      run_script(folder,
                 "mkfifo pipe$rank; weir synthetic:11,24x24 --epochs 1000000 --consumer-ms 1 "
                 "--save-progress all --samples 'pipe{rank}' & "
                 "exec 3<pipe$rank; kill -TERM $!; kill -INT $!; cat <&3 >/dev/null; wait $!");
  CAPTURE(all.out, all.err);
  CHECK(all.exit_code == 130);
  CHECK(Json::parse(read_file(folder / "all"))["samples"].get<int>() == 11);
}
