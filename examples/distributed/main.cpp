// Softmax regression by data parallelism over MPI: each rank computes the gradients of its part of
// every global batch, and MPI_Allreduce adds them.
//   mpirun -n RANKS distributed [FOLDER] [--epochs N] [--global-batch N] [--checkpoint FILE]
//                               [--resume] [--die-at STEP]
// FOLDER has class folders. Without it the images are synthetic. It prints the loss of each step.
// --die-at kills the last rank in that step, for the test of --resume.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <vector>
#include <weir/interop/mpi.hpp>
#include <weir/weir.hpp>

#include "../softmax.hpp"
#include "checkpoint.hpp"

namespace {

constexpr weir::ImageSize shape{32, 32};
constexpr weir::Normalize cifar{{0.4914, 0.4822, 0.4465}, {0.2470, 0.2435, 0.2616}};
constexpr std::uint64_t steps_between_checkpoints = 8;

struct Settings {
  std::string folder, checkpoint;
  std::uint64_t epochs = 2, die_at = 0;
  std::uint32_t global_batch = 60;
  bool resume = false;
};

Settings parse(int argc, char** argv) {
  Settings settings;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word(argv[i]);
    const auto value = [&] { return i + 1 < argc ? std::string(argv[++i]) : std::string(); };
    if (word == "--epochs")
      settings.epochs = std::stoull(value());
    else if (word == "--global-batch")
      settings.global_batch = static_cast<std::uint32_t>(std::stoul(value()));
    else if (word == "--checkpoint")
      settings.checkpoint = value();
    else if (word == "--die-at")
      settings.die_at = std::stoull(value());
    else if (word == "--resume")
      settings.resume = true;
    else
      settings.folder = word;
  }
  return settings;
}

/// The ranks of the communicator.
weir::Ranks ranks_of(MPI_Comm comm) {
  int rank = 0, world = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &world);
  return weir::Ranks::given(static_cast<std::uint32_t>(rank), static_cast<std::uint32_t>(world));
}

void train(const Settings& settings, MPI_Comm comm) {
  const auto ranks = ranks_of(comm);
  weir::Loader loader(settings.folder.empty() ? weir::synthetic(961, {36, 36}, 1)
                                              : weir::image_folder(settings.folder),
                      {.shape = shape,
                       .fit = weir::Fit::stretch,
                       .order = weir::Order::shuffle(),
                       .batch = settings.global_batch / ranks.world,
                       .workers = 1,
                       .seed = 1,
                       .ranks = ranks});
  Softmax model(weir::image_values(shape, weir::PixelFormat::rgb8), loader.class_names().size());
  std::uint64_t step = 0;
  weir::StreamOptions options{.epochs = settings.epochs};
  if (settings.resume) {
    auto saved = load(settings.checkpoint, model);
    step = saved.step;
    options.resume = std::move(saved.progress);
  }
  weir::mpi::check_same(loader, comm, options);

  const weir::Converter<float> to_float(cifar);
  std::vector<float> input(loader.plan().batch *
                           weir::image_values(shape, weir::PixelFormat::rgb8));
  auto stream = loader.stream(options);
  for (weir::Batch& batch : stream) {
    // A rank without a sample in this step has one padding row.
    const bool padding = batch.statuses().front() == weir::RowStatus::padding;
    double loss = 0;
    if (!padding) {
      loss = model.add_gradient(to_float(batch, input), batch.labels());
    }
    if (++step == settings.die_at && ranks.rank + 1 == ranks.world) std::raise(SIGKILL);
    const auto gradient = model.gradient();
    MPI_Allreduce(MPI_IN_PLACE, gradient.data(), static_cast<int>(gradient.size()), MPI_FLOAT,
                  MPI_SUM, comm);
    MPI_Allreduce(MPI_IN_PLACE, &loss, 1, MPI_DOUBLE, MPI_SUM, comm);
    model.step(0.002F, batch.global_rows());
    batch.finish();
    if (ranks.rank != 0) continue;
    std::printf("step %3llu  loss %.6f\n", static_cast<unsigned long long>(step),
                loss / static_cast<double>(batch.global_rows()));
    std::fflush(stdout);
    // All ranks have finished this step, so the state of rank 0 is that of all.
    if (!settings.checkpoint.empty() && step % steps_between_checkpoints == 0)
      save(settings.checkpoint, {step, stream.progress_of_all()}, model);
  }

  const auto job = weir::mpi::sum(loader.report(), comm);
  if (ranks.rank == 0)
    std::printf("%llu images on %d ranks; rank %d waited longest for data, %.3f s\n",
                static_cast<unsigned long long>(job.total.samples.consumed), job.ranks, job.slowest,
                job.slowest_wait_s);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  try {
    train(parse(argc, argv), MPI_COMM_WORLD);
  } catch (const std::exception& e) {
    // The other ranks may wait for this one.
    std::fprintf(stderr, "%s\n", e.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
}
