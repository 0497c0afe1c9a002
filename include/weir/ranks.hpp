#pragma once

#include <cstdint>

#include "weir/export.hpp"

namespace weir {

/// Which process of a distributed training this is. Each rank gets its part of every global batch.
/// weir starts no process and joins no group; a launcher or the trainer does.
struct WEIR_API Ranks {
  std::uint32_t rank = 0;         ///< 0 … world-1
  std::uint32_t world = 1;        ///< number of ranks
  std::uint32_t local_world = 1;  ///< ranks on this machine, which share its CPUs and memory

  /// This process trains alone: rank 0 of 1.
  static constexpr Ranks none() noexcept { return {}; }
  /// Rank `rank` of `world`, of which `local_world` run on this machine.
  static constexpr Ranks given(std::uint32_t rank, std::uint32_t world,
                               std::uint32_t local_world = 1) noexcept {
    return {rank, world, local_world};
  }
  /// What torchrun says: RANK, WORLD_SIZE, LOCAL_WORLD_SIZE. This and the functions below read the
  /// environment at once. They throw Error{bad_options} that names the variables if one of them is
  /// missing or is not a number, or if the rank is not below the world.
  static Ranks torchrun();
  /// What Open MPI's mpirun says: OMPI_COMM_WORLD_RANK, OMPI_COMM_WORLD_SIZE,
  /// OMPI_COMM_WORLD_LOCAL_SIZE. Throws as torchrun().
  static Ranks openmpi();
  /// What Slurm says in a step of srun: SLURM_PROCID, SLURM_STEP_NUM_TASKS,
  /// SLURM_STEP_TASKS_PER_NODE. Throws as torchrun().
  static Ranks slurm();
  /// What the launcher says that has started this process; without one: none(). Throws as torchrun()
  /// if one of a pair of variables is missing, and if launchers differ.
  static Ranks automatic();
  /// Compares all fields.
  friend bool operator==(const Ranks&, const Ranks&) = default;
};

/// The ranks with which a Loader runs: the same, after a check. Throws Error{bad_options} unless
/// `rank` is below `world`, and `local_world` is 1 to `world`.
WEIR_API Ranks resolved(const Ranks& ranks);

}  // namespace weir
