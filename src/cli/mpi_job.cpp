#include "cli/mpi_job.hpp"

#ifdef WEIR_MPI

#include <fmt/format.h>

#include <exception>
#include <nlohmann/json.hpp>

#include "report/bytes.hpp"
#include "report/fields.hpp"
#include "weir/interop/mpi.hpp"

namespace weir::cli {
namespace {

/// Adds the numbers of all ranks.
template <class Struct, class T>
void add_all(Struct& of, std::initializer_list<T Struct::*> members, MPI_Datatype type) {
  for (const auto member : members)
    interop::check(MPI_Allreduce(MPI_IN_PLACE, &(of.*member), 1, type, MPI_SUM, MPI_COMM_WORLD));
}

/// The first text that is not empty, with its rank.
std::string first_of(const std::string& text) {
  const auto all = interop::gather(text, MPI_COMM_WORLD);
  for (std::size_t rank = 0; rank < all.size(); ++rank)
    if (!all[rank].empty()) return fmt::format("rank {}: {}", rank, all[rank]);
  return "";
}

/// The texts of all ranks in their order.
std::string text_of_all(const std::string& text) {
  std::string all;
  for (const auto& part : interop::gather(text, MPI_COMM_WORLD))
    all += all.empty() ? part : ' ' + part;
  return all;
}

void add_process(report::Run& run) {
  for (auto* memory : {&run.process_before, &run.process_peak, &run.process_after})
    add_all(*memory, {&ProcessMemory::rss, &ProcessMemory::pss}, MPI_UINT64_T);
  for (auto* parts : {&run.parts_before, &run.parts_now})
    for (const auto& field : report::process_fields) add_all(*parts, {field.value}, MPI_UINT64_T);
  add_all(run, {&report::Run::cpu_s}, MPI_DOUBLE);
}

}  // namespace

MpiJob::MpiJob(bool joined) : joined_(joined) {
  if (!joined_) return;
  int provided = 0;  // only this thread calls MPI
  interop::check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided));
  reports_ = interop::rank_in(MPI_COMM_WORLD) == 0;
}

void MpiJob::check_same(const Loader& loader, const StreamOptions& options) const {
  if (!joined_) return;
  try {
    mpi::check_same(loader, MPI_COMM_WORLD, options);
  } catch (const Error&) {
    // Every rank has the error, and one says it.
    if (!reports_) MPI_Barrier(MPI_COMM_WORLD);
    throw;
  }
}

std::optional<weir::Progress> MpiJob::merge(const weir::Progress& progress) const {
  auto all = mpi::merge(progress, MPI_COMM_WORLD);
  return reports_ ? std::optional(std::move(all)) : std::nullopt;
}

void MpiJob::sum(report::Run& run) {
  if (!joined_) return;
  const auto job = mpi::sum(run.figures, MPI_COMM_WORLD);
  run.figures = job.total;
  run.evidence = evidence(run.figures);
  // As drive() does. A rank's share of one batch says nothing.
  if (!run.digest.empty() || run.figures.queue.batches < 2 * static_cast<std::uint64_t>(job.ranks))
    run.figures.regime.reset();
  add_process(run);
  run.error = first_of(run.error);
  run.digest = text_of_all(run.digest);
  int interrupted = run.interrupted ? 1 : 0;
  interop::check(MPI_Allreduce(MPI_IN_PLACE, &interrupted, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD));
  run.interrupted = interrupted != 0;

  text_ = fmt::format(
      "Sums of {} ranks\n"
      "  largest peak {} on rank {}\n"
      "  rank {} waited longest for batches: {:.3f} s\n",
      job.ranks, report::human_bytes(job.peak.largest), job.peak.rank, job.slowest,
      job.slowest_wait_s);
  if (job.faults.sum > 0)
    text_ += fmt::format("  most faults: {} on rank {}\n", job.faults.largest, job.faults.rank);
  json_ = std::make_shared<const report::Json>(report::Json{{"ranks", job.ranks},
                                                            {"largest_peak", job.peak.largest},
                                                            {"largest_peak_rank", job.peak.rank},
                                                            {"slowest_rank", job.slowest},
                                                            {"slowest_wait_s", job.slowest_wait_s},
                                                            {"most_faults", job.faults.largest},
                                                            {"most_faults_rank", job.faults.rank}});
}

MpiJob::~MpiJob() {
  if (!joined_ || std::uncaught_exceptions() > 0) return;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
}

void end_job(int exit_code) noexcept {
  int started = 0, ended = 0;
  MPI_Initialized(&started);
  MPI_Finalized(&ended);
  if (started && !ended) MPI_Abort(MPI_COMM_WORLD, exit_code);
}

}  // namespace weir::cli

#else

namespace weir::cli {

MpiJob::MpiJob(bool) {}
MpiJob::~MpiJob() = default;
void MpiJob::check_same(const Loader&, const StreamOptions&) const {}
std::optional<weir::Progress> MpiJob::merge(const weir::Progress&) const { return std::nullopt; }
void MpiJob::sum(report::Run&) {}
void end_job(int) noexcept {}

}  // namespace weir::cli

#endif
