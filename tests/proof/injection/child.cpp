// injection_child FOLDER: stops itself for a tracer to attach, loads every image of the folder, and
// prints the result. Then it stops itself for the tracer to detach, and loads them again.
#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iterator>
#include <new>

#include "weir/weir.hpp"

namespace {

std::ptrdiff_t descriptors() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
}

void load(const char* folder) {
  try {
    weir::Options options;
    options.shape = {16, 16};
    options.batch = 4;
    options.workers = 1;
    options.faults.policy = weir::OnFault::blank;
    weir::Loader loader(weir::image_folder(folder), options);
    std::size_t rows = 0;
    {
      auto stream = loader.stream();
      for (auto& batch : stream) rows += batch.size();
    }
    const auto kinds = loader.report().fault_kinds;
    std::printf("rows %zu io %d memory %d faults %d conserved %d\n", rows,
                static_cast<int>(kinds[static_cast<std::size_t>(weir::FaultKind::io)]),
                static_cast<int>(kinds[static_cast<std::size_t>(weir::FaultKind::memory)]),
                static_cast<int>(loader.report().fault_count),
                loader.snapshot().samples.conserved() ? 1 : 0);
  } catch (const std::exception& e) {
    std::printf("error %s\n", e.what());
  }
}

}  // namespace

int main(int, char* arguments[]) {
  const auto before = descriptors();
  std::puts("ready");
  for (int run = 0; run < 2; ++run) {
    std::fflush(stdout);
    std::raise(SIGSTOP);
    load(arguments[1]);
  }
  std::printf("descriptors %td\n", descriptors() - before);
}
