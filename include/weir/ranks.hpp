#pragma once

#include <cstdint>

#include "weir/export.hpp"

namespace weir {

/// Which process of a distributed training this is. Each rank gets its part of every global batch.
/// weir starts no process and joins no group; a launcher or the trainer does.
struct Ranks {
  /// Where rank and world come from.
  enum class From : std::uint8_t {
    none,      ///< this process trains alone: rank 0 of 1
    given,     ///< `rank` and `world`
    torchrun,  ///< RANK, WORLD_SIZE, LOCAL_WORLD_SIZE
    openmpi,   ///< OMPI_COMM_WORLD_RANK, OMPI_COMM_WORLD_SIZE, OMPI_COMM_WORLD_LOCAL_SIZE
    slurm,     ///< SLURM_PROCID, SLURM_STEP_NUM_TASKS, SLURM_STEP_TASKS_PER_NODE, in a step of srun
    automatic,  ///< the launchers whose variables are set, which must agree; if none: rank 0 of 1
  };
  From from = From::none;         ///< use the functions below to set it
  std::uint32_t rank = 0;         ///< given: 0 … world-1
  std::uint32_t world = 1;        ///< given: number of ranks
  std::uint32_t local_world = 1;  ///< given: ranks on this machine, which share its CPUs and memory

  /// This process trains alone.
  static constexpr Ranks none() noexcept { return {}; }
  /// Rank `rank` of `world`, of which `local_world` run on this machine.
  static constexpr Ranks given(std::uint32_t rank, std::uint32_t world,
                               std::uint32_t local_world = 1) noexcept {
    return {From::given, rank, world, local_world};
  }
  /// The variables of torchrun.
  static constexpr Ranks torchrun() noexcept { return {.from = From::torchrun}; }
  /// The variables of Open MPI's mpirun.
  static constexpr Ranks openmpi() noexcept { return {.from = From::openmpi}; }
  /// The variables of Slurm's srun.
  static constexpr Ranks slurm() noexcept { return {.from = From::slurm}; }
  /// The variables of whichever launcher has started this process.
  static constexpr Ranks automatic() noexcept { return {.from = From::automatic}; }
  /// Compares all fields.
  friend bool operator==(const Ranks&, const Ranks&) = default;
};

/// Reads the variables of the launcher. The result is `given`, or `none` if there is one rank. Throws
/// Error{bad_options} that names the variables if one of a pair is missing, if one is not a number, if
/// the rank is not below the world, or if launchers differ.
WEIR_API Ranks resolved(const Ranks& ranks);

}  // namespace weir
