#include "plan/ranks.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/numbers.hpp"
#include "base/sanitize.hpp"
#include "base/text.hpp"
#include "options/refuse.hpp"

namespace weir {
namespace plan {
namespace {

/// The variables of a launcher.
struct Names {
  Launcher launcher;
  const char* name;
  const char* program;  ///< that starts processes
  const char *rank, *world;
  const char* local_world;  ///< may be unset
  const char* only_with;    ///< without it, the pair is not one of a started process; null: none
};
constexpr Names launchers[] = {
    {Launcher::torchrun, "torchrun", "torchrun", "RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", nullptr},
    {Launcher::openmpi, "openmpi", "mpirun", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
     "OMPI_COMM_WORLD_LOCAL_SIZE", nullptr},
    // A batch script without srun has SLURM_PROCID=0 too, but is one process.
    {Launcher::slurm, "slurm", "srun", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS",
     "SLURM_STEP_TASKS_PER_NODE", "SLURM_STEP_ID"},
};

/// What a launcher says of this process.
struct Claim {
  const Names* names;
  std::uint32_t rank = 0, world = 1;
  std::optional<std::uint32_t> local_world{};
};

std::string shown(const Claim& claim) {
  return concat(
      claim.names->name, ": ", claim.names->rank, '=', claim.rank, ' ', claim.names->world, '=',
      claim.world,
      claim.local_world ? concat(' ', claim.names->local_world, '=', *claim.local_world) : "");
}

/// `why` follows the variable's value.
[[noreturn]] void refuse_variable(const Variables& variables, const char* name,
                                  const std::string& requested, const std::string& why) {
  refuse_value("ranks", requested, name, '=', sanitize(variables(name)), ' ', why);
}

std::uint32_t number_in(const Variables& variables, const char* name,
                        const std::string& requested) {
  if (const auto number = parse_number<std::uint32_t>(variables(name))) return *number;
  refuse_variable(variables, name, requested, "is not a whole number from 0 to 4294967295");
}

/// "4(x2),3": the tasks of each node. Empty if the text has another form, or too few nodes.
std::optional<std::uint32_t> tasks_of_node(std::string_view text, std::uint32_t node) {
  for (;;) {
    const auto comma = text.find(',');
    auto part = text.substr(0, comma);
    std::optional<std::uint32_t> times = 1;
    if (const auto open = part.find("(x"); open != std::string_view::npos && part.ends_with(')')) {
      times = parse_number<std::uint32_t>(part.substr(open + 2, part.size() - open - 3));
      part = part.substr(0, open);
    }
    const auto tasks = parse_number<std::uint32_t>(part);
    if (!times || !tasks) return std::nullopt;
    if (node < *times) return tasks;
    if (comma == std::string_view::npos) return std::nullopt;
    node -= *times;
    text.remove_prefix(comma + 1);
  }
}

/// Empty if the launcher does not say it. A wrong value is an error, because the ranks of a machine
/// divide its memory and CPUs.
std::optional<std::uint32_t> local_world_of(const Names& launcher, const Variables& variables,
                                            const std::string& requested) {
  const auto* const name = launcher.local_world;
  if (!variables(name)) return std::nullopt;
  std::optional<std::uint32_t> local;
  std::string must = "must be a whole number from 1";
  if (launcher.launcher == Launcher::slurm) {
    constexpr auto node_id = "SLURM_NODEID";
    const auto node = variables(node_id) ? number_in(variables, node_id, requested) : 0;
    local = tasks_of_node(variables(name), node);
    must = concat("must list the tasks of node ", node, ", as in 4(x2),3");
  } else {
    local = parse_number<std::uint32_t>(variables(name));
  }
  if (local && *local > 0) return *local;
  refuse_variable(variables, name, requested,
                  must + "; unset it, or give `ranks.rank`, `ranks.world` and `ranks.local_world`");
}

/// Empty if the launcher has not started this process. `needed`: then it throws.
std::optional<Claim> claim_of(const Names& launcher, const Variables& variables, bool needed) {
  const std::string requested = needed ? launcher.name : "automatic";
  const auto missing = [&](const char* name) -> std::optional<Claim> {
    if (!needed) return std::nullopt;
    refuse_value("ranks", requested, name, " is not set; start the program by ", launcher.program,
                 ", or give `ranks.rank` and `ranks.world`");
  };
  if (launcher.only_with && !variables(launcher.only_with)) return missing(launcher.only_with);
  const bool has_rank = variables(launcher.rank), has_world = variables(launcher.world);
  if (!has_rank && !has_world) return missing(launcher.rank);
  if (has_rank != has_world)
    refuse_value("ranks", requested, has_rank ? launcher.rank : launcher.world, " is set, but ",
                 has_rank ? launcher.world : launcher.rank, " is not; ", launcher.name,
                 " sets both. Unset it, or give `ranks.rank` and `ranks.world`");
  Claim claim{&launcher, number_in(variables, launcher.rank, requested),
              number_in(variables, launcher.world, requested)};
  if (claim.rank >= claim.world)
    refuse_value("ranks", requested, shown(claim), ": the rank must be below the number of ranks");
  if (const auto local = local_world_of(launcher, variables, requested))
    claim.local_world = std::min(*local, claim.world);
  return claim;
}

Ranks given(const Claim& claim) {
  return claim.world == 1 ? Ranks::none()
                          : Ranks::given(claim.rank, claim.world, claim.local_world.value_or(1));
}

Ranks of_any(const Variables& variables) {
  std::vector<Claim> claims;
  for (const auto& launcher : launchers)
    if (const auto claim = claim_of(launcher, variables, false)) claims.push_back(*claim);
  if (claims.empty()) return Ranks::none();
  auto claim = claims.front();
  for (const auto& other : claims) {
    // A wrapper may pass on rank and world alone.
    if (!claim.local_world) claim.local_world = other.local_world;
    if (other.rank == claim.rank && other.world == claim.world &&
        (!other.local_world || other.local_world == claim.local_world))
      continue;
    refuse_value("ranks", "automatic", "the launchers differ: ", joined(claims, "; ", shown),
                 ". Choose one, as in `ranks` = ",
                 joined(claims, " or ", [](const Claim& one) { return one.names->name; }));
  }
  return given(claim);
}

}  // namespace

Ranks ranks_of(Launcher launcher, const Variables& variables) {
  if (launcher == Launcher::automatic) return of_any(variables);
  const auto* const names = std::ranges::find(launchers, launcher, &Names::launcher);
  return names == std::end(launchers) ? Ranks::none() : given(*claim_of(*names, variables, true));
}

Ranks ranks_of(Launcher launcher) {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): only a change of the environment would race
  return ranks_of(launcher, [](const char* name) { return std::getenv(name); });
}

}  // namespace plan

Ranks Ranks::torchrun() { return plan::ranks_of(plan::Launcher::torchrun); }
Ranks Ranks::openmpi() { return plan::ranks_of(plan::Launcher::openmpi); }
Ranks Ranks::slurm() { return plan::ranks_of(plan::Launcher::slurm); }
Ranks Ranks::automatic() { return plan::ranks_of(plan::Launcher::automatic); }

Ranks resolved(const Ranks& ranks) {
  if (ranks.world < 1) refuse_value("ranks.world", ranks.world, "must be 1 or more");
  if (ranks.rank >= ranks.world)
    refuse_value("ranks.rank", ranks.rank, "must be below `ranks.world` = ", ranks.world);
  if (ranks.local_world < 1 || ranks.local_world > ranks.world)
    refuse_value("ranks.local_world", ranks.local_world,
                 "must be 1 to `ranks.world` = ", ranks.world);
  return ranks;
}

}  // namespace weir
