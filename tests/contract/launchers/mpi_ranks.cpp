// The functions of interop/mpi.hpp on the ranks of an mpirun. Prints a line for each fact.
//   mpi_ranks FOLDER OTHER_FOLDER
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <weir/interop/mpi.hpp>
#include <weir/weir.hpp>

namespace {

int rank = 0;

/// One sample, whose name cannot be told on rank 1.
struct Nameless {
  std::uint64_t size() const { return 1; }
  weir::Encoded read(std::uint64_t, weir::ByteSink&) const { return {}; }
  std::string name(std::uint64_t) const {
    if (rank == 1) throw std::runtime_error("the index is gone");
    return "a";
  }
  std::uint64_t index_bytes() const { return 0; }
};

void print(const std::string& fact) { std::printf("rank %d: %s\n", rank, fact.c_str()); }

weir::Options options_of() {
  return {.shape = {8, 8},
          .order = weir::Order::shuffle(),
          .batch = 2,
          .workers = 1,
          .seed = 7,
          .ranks = weir::Ranks::automatic()};
}

void compare(const std::string& what, const weir::AnySource& source, const weir::Options& options,
             const weir::StreamOptions& stream = {}) {
  try {
    weir::mpi::check_same(weir::Loader(source, options), MPI_COMM_WORLD, stream);
    print(what + ": the same");
  } catch (const weir::Error& e) {
    print(what + ": " + e.what());
  }
}

void compare_all(const std::string& folder, const std::string& other) {
  const auto images = weir::synthetic(11, {8, 8});
  auto options = options_of();
  compare("equal", images, options);
  options.seed = rank == 2 ? 8 : 7;
  compare("seed", images, options);
  options = options_of();
  options.ranks = weir::Ranks::none();
  compare("world", images, options);
  options.ranks = weir::Ranks::given(rank == 2 ? 1 : static_cast<std::uint32_t>(rank), 3);
  compare("twice", images, options);
  options = options_of();
  const weir::Loader loader(images, options);
  compare("resume", images, options,
          {.resume = loader.progress_after(rank == 1 ? 1 : 0), .epochs = 1});
  compare("names", Nameless(), options);
  compare("folder", weir::image_folder(rank == 1 ? other : folder), options);
}

void sum_and_merge() {
  weir::Loader loader(weir::synthetic(11, {8, 8}), options_of());
  auto stream = loader.stream();
  for (weir::Batch& batch : stream) batch.finish();
  const auto own = loader.report();
  print("own consumed " + std::to_string(own.samples.consumed) + " peak " +
        std::to_string(own.memory.peak) + " decodes " +
        std::to_string(own.stages[static_cast<std::size_t>(weir::Stage::decode)].count));
  const auto job = weir::mpi::sum(own, MPI_COMM_WORLD);
  const auto& decodes = job.total.stages[static_cast<std::size_t>(weir::Stage::decode)];
  std::uint64_t in_bins = 0;
  for (const auto count : decodes.times) in_bins += count;
  print("sum of " + std::to_string(job.ranks) + " consumed " +
        std::to_string(job.total.samples.consumed) + " conserved " +
        std::to_string(job.total.samples.conserved()) + " peak " + std::to_string(job.peak.sum) +
        " largest " + std::to_string(job.peak.largest) + " of rank " +
        std::to_string(job.peak.rank) + " decodes " + std::to_string(decodes.count) + " in bins " +
        std::to_string(in_bins) + " slowest " + std::to_string(job.slowest));
  const auto merged = weir::mpi::merge(stream.progress(), MPI_COMM_WORLD);
  print(merged == stream.progress_of_all() && merged.epochs.front().first == 1
            ? "merged: the epoch is finished"
            : "merged: " + merged.to_json());
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  compare_all(argv[1], argv[2]);
  sum_and_merge();
  MPI_Finalize();
}
