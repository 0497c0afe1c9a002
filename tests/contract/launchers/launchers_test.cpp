// Launchers as they are: what weir reads of what they set.
#include "launch.hpp"
#include "support/catch.hpp"
#include "support/skip.hpp"

using namespace weir::test;

namespace {

/// A command with these variables, and without those of a launcher that started the test.
std::vector<std::string> with(const std::vector<std::string>& variables = {}) {
  std::vector<std::string> words{"/usr/bin/env"};
  for (const auto* name : {"RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "OMPI_COMM_WORLD_RANK",
                           "OMPI_COMM_WORLD_SIZE", "SLURM_PROCID", "SLURM_STEP_ID"})
    words = words + std::vector<std::string>{"-u", name};
  return words + variables;
}

const std::vector<std::string> program{PRINT_RANKS};
const std::string alone = "rank 0 of 1, 1 here, delivers 0 1 2 3 4 5 6 7 8 9 10";
const std::vector<std::string> two = {"rank 0 of 2, 2 here, delivers 0 1 4 5 8 9",
                                      "rank 1 of 2, 2 here, delivers 2 3 6 7 10"};
const std::vector<std::string> three = {"rank 0 of 3, 3 here, delivers 0 1 6 7",
                                        "rank 1 of 3, 3 here, delivers 2 3 8 9",
                                        "rank 2 of 3, 3 here, delivers 4 5 10"};

std::vector<std::string> lines(const std::vector<std::string>& words) {
  const auto run = run_program(words);
  CAPTURE(run.out, run.err);
  CHECK(run.exit_code == 0);
  return sorted_lines(run.out);
}

bool refused(const std::vector<std::string>& all, const std::vector<std::string>& words) {
  return !all.empty() && std::ranges::all_of(all, [&](const std::string& line) {
    return line.starts_with("refused: ") && std::ranges::all_of(words, [&](const auto& word) {
             return line.find(word) != std::string::npos;
           });
  });
}

}  // namespace

TEST_CASE("a process without a launcher is rank 0 of 1", "[ranks]") {
  CHECK(lines(with() + program) == std::vector{alone});
}

TEST_CASE("mpirun -n 3 makes three ranks", "[ranks]") {
  if (!installed("mpirun")) return skip("mpirun is not installed");
  CHECK(lines(with() + mpirun(3) + program) == three);
}

TEST_CASE("stale RANK and WORLD_SIZE under mpirun are refused", "[ranks]") {
  if (!installed("mpirun")) return skip("mpirun is not installed");
  const auto all = lines(with({"RANK=0", "WORLD_SIZE=8"}) + mpirun(2) + program);
  CHECK(all.size() == 2);
  CHECK(refused(all, {"torchrun: RANK=0 WORLD_SIZE=8", "OMPI_COMM_WORLD_SIZE=2", "or openmpi"}));
}

TEST_CASE("torchrun makes two ranks", "[ranks]") {
  if (!installed("torchrun")) return skip("torchrun is not installed (./dev setup ranks)");
  // Under Python 3.11, Debian's torch 1.13 reads "no redirection" as an error. A process that does not
  // exist may be redirected.
  const std::vector<std::string> torchrun{
      "torchrun", "--master_addr", "127.0.0.1", "--master_port", "0",   "--nproc_per_node",
      "2",        "--redirects",   "9:1",       "--tee",         "9:1", "--no_python"};
  CHECK(lines(with({"OMP_NUM_THREADS=1"}) + torchrun + program) == two);
}

TEST_CASE("srun and mpirun make ranks in Slurm, a batch script does not", "[ranks]") {
  const TemporaryFolder folder;
  const auto script = [&](const std::string& name, const std::string& command) {
    return folder.write(name, "#!/bin/bash\n" + command + "\n");
  };
  const std::string open_mpi = "mpirun --allow-run-as-root --oversubscribe -n 3 ";
  const bool has_mpirun = installed("mpirun");
  const auto steps =
      script("steps", "env | grep -E '^SLURM_(PROCID|NTASKS|STEP_ID)=' | sort\n" PRINT_RANKS);
  const auto nested = script(
      "nested", "echo SLURM_PROCID=$SLURM_PROCID\n" + (has_mpirun ? open_mpi + PRINT_RANKS : ""));
  const auto batch = [&](const std::string& name, const std::string& of) {
    return "sbatch --wait --quiet -n 3 -o " + folder.string() + '/' + name + ' ' + of + " &\n";
  };
  const auto all =
      script("all", "srun -n 2 " PRINT_RANKS " > " + folder.string() + "/srun\n" +
                        batch("alone", steps) + batch("nested.out", nested) + "wait\n");
  const auto run = run_program(with() + std::vector<std::string>{SLURM_CLUSTER, "bash", all});
  if (run.exit_code == 77) return skip(run.out);
  CAPTURE(run.out, run.err);
  REQUIRE(run.exit_code == 0);
  const auto printed = [&](const char* name) { return sorted_lines(read_file(folder / name)); };
  CHECK(printed("srun") == two);
  // A batch script has a number of its own, and the job's number of tasks, but is one process.
  CHECK(printed("alone") == std::vector<std::string>{"SLURM_NTASKS=3", "SLURM_PROCID=0", alone});
  if (has_mpirun)
    CHECK(printed("nested.out") == std::vector<std::string>{"SLURM_PROCID=0"} + three);
}
