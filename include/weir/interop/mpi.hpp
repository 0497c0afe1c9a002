#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "weir/error.hpp"
#include "weir/interop/mpi_figures.hpp"
#include "weir/loader.hpp"

/// \file
/// Ranks that train together, over MPI: whether they read the same data in the same way, their
/// reports as one, and their progress as one. CMake component `mpi`.
///
/// Every function is collective: all ranks of the communicator call it. It uses the caller's
/// communicator on the caller's thread, and never calls MPI_Init. No other function of weir uses
/// MPI. If MPI reports an error, they throw std::runtime_error with MPI's text.
namespace weir::interop {

inline void check(int code) {
  if (code == MPI_SUCCESS) return;
  std::string text(MPI_MAX_ERROR_STRING, '\0');
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  throw std::runtime_error("MPI: " + text.substr(0, static_cast<std::size_t>(length)));
}

inline int rank_in(MPI_Comm comm) {
  int rank = 0;
  check(MPI_Comm_rank(comm, &rank));
  return rank;
}

inline int size_of(MPI_Comm comm) {
  int size = 0;
  check(MPI_Comm_size(comm, &size));
  return size;
}

/// The text of rank `from`, on every rank.
inline std::string broadcast(std::string text, int from, MPI_Comm comm) {
  auto length = static_cast<unsigned long>(text.size());
  check(MPI_Bcast(&length, 1, MPI_UNSIGNED_LONG, from, comm));
  text.resize(length);
  check(MPI_Bcast(text.data(), static_cast<int>(length), MPI_CHAR, from, comm));
  return text;
}

/// The texts of all ranks, on every rank.
inline std::vector<std::string> gather(const std::string& text, MPI_Comm comm) {
  const auto ranks = static_cast<std::size_t>(size_of(comm));
  const int length = static_cast<int>(text.size());
  std::vector<int> lengths(ranks), offsets(ranks);
  check(MPI_Allgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, comm));
  int total = 0;
  for (std::size_t i = 0; i < ranks; ++i) offsets[i] = std::exchange(total, total + lengths[i]);
  std::string all(static_cast<std::size_t>(total), '\0');
  check(MPI_Allgatherv(text.data(), length, MPI_CHAR, all.data(), lengths.data(), offsets.data(),
                       MPI_CHAR, comm));
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < ranks; ++i)
    texts.push_back(
        all.substr(static_cast<std::size_t>(offsets[i]), static_cast<std::size_t>(lengths[i])));
  return texts;
}

/// The ranks of the loaders must be all ranks of the communicator.
inline std::string complaint_of_ranks(const Ranks& ranks, MPI_Comm comm) {
  const auto size = size_of(comm);
  std::vector<std::uint32_t> all(static_cast<std::size_t>(size));
  check(MPI_Allgather(&ranks.rank, 1, MPI_UINT32_T, all.data(), 1, MPI_UINT32_T, comm));
  if (std::cmp_not_equal(ranks.world, size))
    return "`ranks.world` is " + std::to_string(ranks.world) + "; the communicator has " +
           std::to_string(size) + " ranks. Set Options::ranks, for example to Ranks::automatic()";
  for (std::size_t i = 0; std::cmp_less(i, rank_in(comm)); ++i)
    if (all[i] == ranks.rank)
      return "`ranks.rank` is " + std::to_string(ranks.rank) + ", as on rank " + std::to_string(i);
  return "";
}

/// Throws on every rank if one of them has a complaint: the first one.
inline void refuse_together(const std::string& complaint, MPI_Comm comm) {
  const int rank = rank_in(comm), size = size_of(comm);
  const int mine = complaint.empty() ? size : rank;
  int first = size;
  check(MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, comm));
  if (first == size) return;
  throw Error(
      Errc::bad_options, Stage::wait,
      "check_same: rank " + std::to_string(first) + ": " + broadcast(complaint, first, comm));
}

/// The result of `make` on this rank. Throws on every rank if it throws on one.
template <class Make>
auto made_on_all(const Make& make, MPI_Comm comm) {
  decltype(make()) made{};
  std::string complaint;
  try {
    made = make();
  } catch (const std::exception& e) {
    complaint = e.what();
  }
  refuse_together(complaint, comm);
  return made;
}

template <class Value>
void reduce(std::vector<Value>& values, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  check(
      MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), type, op, comm));
}

inline mpi::RankPeak peak_of(std::uint64_t value, MPI_Comm comm) {
  struct {
    long value;
    int rank;
  } largest{static_cast<long>(value), rank_in(comm)};
  check(MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_LONG_INT, MPI_MAXLOC, comm));
  check(MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_UINT64_T, MPI_SUM, comm));
  return {value, static_cast<std::uint64_t>(largest.value), largest.rank};
}

}  // namespace weir::interop

namespace weir::mpi {

/// Compares all that decides order and pixels (Loader::identity) over the ranks, and that the loaders
/// have each rank of the communicator once. Call it before loader.stream(options). Throws
/// Error{bad_options} on every rank, with the rank, and the field and both values or why
/// Loader::identity failed there. The communicator must have the ranks among which the data is
/// divided. A rank that has no loader does not get here: it must end the others with MPI_Abort.
inline void check_same(const Loader& loader, MPI_Comm comm, const StreamOptions& options = {}) {
  const auto mine = interop::made_on_all([&] { return loader.identity(options); }, comm);
  const auto complaint = interop::complaint_of_ranks(loader.plan().ranks, comm);
  interop::refuse_together(complaint, comm);
  const auto first = interop::broadcast(interop::to_text(mine), 0, comm);
  interop::refuse_together(interop::difference(mine, interop::from_text(first)), comm);
}

/// The reports of all ranks as one, on every rank. The result is the same on every rank, but for
/// what JobReport::total takes from the rank's own report.
inline JobReport sum(const Report& report, MPI_Comm comm) {
  JobReport job{.ranks = interop::size_of(comm), .total = report};
  job.peak = interop::peak_of(report.memory.peak, comm);
  job.rss = interop::peak_of(report.process_now.rss, comm);
  job.faults = interop::peak_of(report.fault_count, comm);
  struct {
    double wait_s;
    int rank;
  } slowest{report.queue.consumer_wait_s, interop::rank_in(comm)};
  interop::check(MPI_Allreduce(MPI_IN_PLACE, &slowest, 1, MPI_DOUBLE_INT, MPI_MAXLOC, comm));
  job.slowest = slowest.rank;
  job.slowest_wait_s = slowest.wait_s;

  auto lengths = interop::lengths_of(report);
  interop::reduce(lengths, MPI_UINT64_T, MPI_MAX, comm);
  auto figures = interop::figures_of(report, lengths);
  interop::reduce(figures.counts, MPI_UINT64_T, MPI_SUM, comm);
  interop::reduce(figures.sums, MPI_DOUBLE, MPI_SUM, comm);
  interop::reduce(figures.largest, MPI_DOUBLE, MPI_MAX, comm);
  interop::put(figures, lengths, job.ranks, job.total);
  return job;
}

/// Progress::merge() of the states of all ranks, on every rank. Throws as it does, on every rank.
inline Progress merge(const Progress& progress, MPI_Comm comm) {
  std::vector<Progress> states;
  for (const auto& text : interop::gather(progress.to_json(), comm))
    states.push_back(Progress::parse(text));
  return Progress::merge(states);
}

}  // namespace weir::mpi
