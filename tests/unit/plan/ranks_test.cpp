#include "plan/ranks.hpp"

#include <stdlib.h>

#include <functional>
#include <map>
#include <string>

#include "support/catch.hpp"
#include "weir/error.hpp"

using namespace weir;
using plan::Launcher;

namespace {

using Environment = std::map<std::string, std::string>;

Ranks read(Launcher launcher, const Environment& environment) {
  return plan::ranks_of(launcher, [&](const char* name) -> const char* {
    const auto found = environment.find(name);
    return found == environment.end() ? nullptr : found->second.c_str();
  });
}

std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    CHECK(error.code() == Errc::bad_options);
    return error.what();
  }
  return "accepted";
}
std::string refusal(Launcher launcher, const Environment& environment = {}) {
  return refusal([&] { static_cast<void>(read(launcher, environment)); });
}
std::string refusal(const Ranks& ranks) {
  return refusal([&] { static_cast<void>(resolved(ranks)); });
}

/// Sets the variables of torchrun in the environment of this process, until its end.
class Launched {
 public:
  Launched(const char* rank, const char* world) {
    ::setenv("RANK", rank, 1);
    ::setenv("WORLD_SIZE", world, 1);
  }
  ~Launched() {
    ::unsetenv("RANK");
    ::unsetenv("WORLD_SIZE");
  }
  Launched(const Launched&) = delete;
  Launched& operator=(const Launched&) = delete;
};

Environment both(Environment one, const Environment& other) {
  one.insert(other.begin(), other.end());
  return one;
}

const Environment torchrun{{"RANK", "1"}, {"WORLD_SIZE", "4"}, {"LOCAL_WORLD_SIZE", "2"}};
const Environment openmpi{{"OMPI_COMM_WORLD_RANK", "2"},
                          {"OMPI_COMM_WORLD_SIZE", "6"},
                          {"OMPI_COMM_WORLD_LOCAL_SIZE", "3"}};
const Environment slurm{{"SLURM_PROCID", "5"},
                        {"SLURM_STEP_NUM_TASKS", "7"},
                        {"SLURM_STEP_ID", "0"},
                        {"SLURM_STEP_TASKS_PER_NODE", "2(x3),1"},
                        {"SLURM_NODEID", "2"}};
// As Slurm 22.05 sets them in a batch script without srun, which is one process.
const Environment batch_script{{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "2"}, {"SLURM_NODEID", "0"}};

}  // namespace

TEST_CASE("each launcher's variables give rank, world and local ranks", "[ranks]") {
  CHECK(read(Launcher::torchrun, torchrun) == Ranks::given(1, 4, 2));
  CHECK(read(Launcher::openmpi, openmpi) == Ranks::given(2, 6, 3));
  CHECK(read(Launcher::slurm, slurm) == Ranks::given(5, 7, 2));
  for (const auto& environment : {torchrun, openmpi, slurm}) {
    CHECK(read(Launcher::automatic, environment).world > 1);
    CHECK(read(Launcher::none, environment) == Ranks::none());
  }
  CHECK(read(Launcher::automatic, {}) == Ranks::none());
  CHECK(read(Launcher::torchrun, {{"RANK", "0"}, {"WORLD_SIZE", "1"}}) == Ranks::none());
}

TEST_CASE("a node's tasks are those that Slurm lists for it", "[ranks]") {
  const auto on = [](const char* node, const char* tasks) {
    auto environment = slurm;
    environment["SLURM_NODEID"] = node;
    environment["SLURM_STEP_TASKS_PER_NODE"] = tasks;
    return read(Launcher::slurm, environment).local_world;
  };
  CHECK(on("0", "4,2(x2),1") == 4);
  CHECK(on("1", "4,2(x2),1") == 2);
  CHECK(on("2", "4,2(x2),1") == 2);
  CHECK(on("3", "4,2(x2),1") == 1);
  CHECK(on("0", "99") == 7);  // not more than all ranks
}

TEST_CASE("a batch script without srun is one process", "[ranks]") {
  CHECK(read(Launcher::automatic, batch_script) == Ranks::none());
  CHECK(refusal(Launcher::slurm, batch_script) ==
        "`ranks` = slurm: SLURM_STEP_ID is not set; start the program by srun, or give "
        "`ranks.rank` and `ranks.world`");
  // mpirun in such a script hands SLURM_PROCID=0 on to its ranks.
  CHECK(read(Launcher::automatic, both(openmpi, batch_script)) == Ranks::given(2, 6, 3));
}

TEST_CASE("launchers that agree make one claim, others are an error", "[ranks]") {
  const Environment same{{"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "4"}};
  CHECK(read(Launcher::automatic, both(torchrun, same)) == Ranks::given(1, 4, 2));
  // A wrapper that passes on rank and world alone.
  const Environment passed_on{{"RANK", "2"}, {"WORLD_SIZE", "6"}};
  CHECK(read(Launcher::automatic, both(passed_on, openmpi)) == Ranks::given(2, 6, 3));
  auto contrary = both(passed_on, openmpi);
  contrary["LOCAL_WORLD_SIZE"] = "1";
  CHECK_THAT(
      refusal(Launcher::automatic, contrary),
      Catch::EndsWith(
          "WORLD_SIZE=6 LOCAL_WORLD_SIZE=1; openmpi: OMPI_COMM_WORLD_RANK=2 OMPI_COMM_WORLD_SIZE=6 "
          "OMPI_COMM_WORLD_LOCAL_SIZE=3. Choose one, as in `ranks` = torchrun or openmpi"));
  // mpirun lets stale variables of torchrun through.
  CHECK(refusal(Launcher::automatic, both(torchrun, openmpi)) ==
        "`ranks` = automatic: the launchers differ: torchrun: RANK=1 WORLD_SIZE=4 "
        "LOCAL_WORLD_SIZE=2; openmpi: OMPI_COMM_WORLD_RANK=2 OMPI_COMM_WORLD_SIZE=6 "
        "OMPI_COMM_WORLD_LOCAL_SIZE=3. Choose one, as in `ranks` = torchrun or openmpi");
  CHECK(read(Launcher::openmpi, both(torchrun, openmpi)) == Ranks::given(2, 6, 3));
}

TEST_CASE("a wrong claim is an error that names the variable", "[ranks]") {
  CHECK(refusal(Launcher::automatic, {{"RANK", "1"}}) ==
        "`ranks` = automatic: RANK is set, but WORLD_SIZE is not; torchrun sets both. Unset it, or "
        "give `ranks.rank` and `ranks.world`");
  CHECK(refusal(Launcher::openmpi, {{"OMPI_COMM_WORLD_SIZE", "2"}}) ==
        "`ranks` = openmpi: OMPI_COMM_WORLD_SIZE is set, but OMPI_COMM_WORLD_RANK is not; openmpi "
        "sets both. Unset it, or give `ranks.rank` and `ranks.world`");
  CHECK(refusal(Launcher::torchrun) ==
        "`ranks` = torchrun: RANK is not set; start the program by torchrun, or give `ranks.rank` "
        "and `ranks.world`");
  CHECK(refusal(Launcher::openmpi) ==
        "`ranks` = openmpi: OMPI_COMM_WORLD_RANK is not set; start the program by mpirun, or give "
        "`ranks.rank` and `ranks.world`");
  for (const char* value : {"", "x", "-1", "1x", " 1", "4294967296"})
    CHECK(refusal(Launcher::torchrun, {{"RANK", value}, {"WORLD_SIZE", "2"}}) ==
          "`ranks` = torchrun: RANK=" + std::string(value) +
              " is not a whole number from 0 to 4294967295");
  for (const char* world : {"2", "0"})
    CHECK(refusal(Launcher::automatic, {{"RANK", "2"}, {"WORLD_SIZE", world}}) ==
          "`ranks` = automatic: torchrun: RANK=2 WORLD_SIZE=" + std::string(world) +
              ": the rank must be below the number of ranks");
}

TEST_CASE("a wrong number of local ranks is an error with its variable", "[ranks]") {
  constexpr const char* way_out =
      "; unset it, or give `ranks.rank`, `ranks.world` and `ranks.local_world`";
  for (const char* value : {"", "0", "x", "4(x2)", "-1"}) {
    const std::string wrong = std::string("=") + value + " must be a whole number from 1" + way_out;
    auto one = torchrun;
    one["LOCAL_WORLD_SIZE"] = value;
    CHECK(refusal(Launcher::torchrun, one) == "`ranks` = torchrun: LOCAL_WORLD_SIZE" + wrong);
    auto other = openmpi;
    other["OMPI_COMM_WORLD_LOCAL_SIZE"] = value;
    CHECK(refusal(Launcher::automatic, other) ==
          "`ranks` = automatic: OMPI_COMM_WORLD_LOCAL_SIZE" + wrong);
  }
  for (const char* value : {"", "nonsense", "2(x2),", "2(x),1", "2(x2)", "0(x3)"}) {
    auto environment = slurm;
    environment["SLURM_STEP_TASKS_PER_NODE"] = value;
    CHECK(refusal(Launcher::slurm, environment) ==
          std::string("`ranks` = slurm: SLURM_STEP_TASKS_PER_NODE=") + value +
              " must list the tasks of node 2, as in 4(x2),3" + way_out);
  }
  auto environment = slurm;
  environment["SLURM_NODEID"] = "two";
  CHECK(refusal(Launcher::slurm, environment) ==
        "`ranks` = slurm: SLURM_NODEID=two is not a whole number from 0 to 4294967295");
}

TEST_CASE("control characters of a variable do not reach the terminal", "[ranks]") {
  CHECK(refusal(Launcher::torchrun, {{"RANK", "\x1b[31m\n"}, {"WORLD_SIZE", "2"}}) ==
        "`ranks` = torchrun: RANK=\\x1b[31m\\x0a is not a whole number from 0 to 4294967295");
}

TEST_CASE("given ranks have bounds", "[ranks]") {
  CHECK(resolved(Ranks::given(2, 3)) == Ranks::given(2, 3));
  CHECK(resolved(Ranks::given(0, 1)) == Ranks::none());
  CHECK(refusal(Ranks::given(0, 0)) == "`ranks.world` = 0: must be 1 or more");
  CHECK(refusal(Ranks::given(3, 3)) == "`ranks.rank` = 3: must be below `ranks.world` = 3");
  CHECK(refusal(Ranks::given(0, 3, 4)) ==
        "`ranks.local_world` = 4: must be 1 to `ranks.world` = 3");
  CHECK(refusal(Ranks::given(0, 3, 0)) ==
        "`ranks.local_world` = 0: must be 1 to `ranks.world` = 3");
}

TEST_CASE("the ranks of a launcher have their rank at once", "[ranks]") {
  const Launched launched("3", "4");
  const struct { Ranks ranks; } options{.ranks = Ranks::automatic()};
  CHECK(options.ranks.rank == 3);
  CHECK(options.ranks.world == 4);
  CHECK(Ranks::torchrun() == options.ranks);
  CHECK(resolved(options.ranks) == options.ranks);
  CHECK(refusal([] { static_cast<void>(Ranks::slurm()); }) ==
        "`ranks` = slurm: SLURM_STEP_ID is not set; start the program by srun, or give "
        "`ranks.rank` and `ranks.world`");
}

TEST_CASE("a wrong claim is an error where the launcher is asked", "[ranks]") {
  const Launched launched("4", "4");
  CHECK(refusal([] { static_cast<void>(Ranks::automatic()); }) ==
        "`ranks` = automatic: torchrun: RANK=4 WORLD_SIZE=4: the rank must be below the number of "
        "ranks");
}
