#include <benchmark/benchmark.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <string>

#include "images.hpp"
#include "weir/source.hpp"

namespace {

using namespace weir;
using namespace weir::bench;

void read_all(benchmark::State& state, const AnySource& source) {
  HeapSink sink;
  std::uint64_t i = 0, bytes = 0;
  while (state.KeepRunning()) {
    bytes += source.read(i, sink).bytes.size();
    if (++i == source.size()) i = 0;
  }
  state.SetItemsProcessed(state.iterations());
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes));
  state.counters["index_bytes"] = static_cast<double>(source.index_bytes());
}

void read_synthetic(benchmark::State& state) {
  const auto height = static_cast<std::uint32_t>(state.range(0));
  read_all(state, synthetic(1000, {height, height * 4 / 3}));
}
BENCHMARK(read_synthetic)->Arg(32)->Arg(375)->Unit(benchmark::kMicrosecond);

class Folder {
 public:
  Folder()
      : path_(std::filesystem::temp_directory_path() /
              ("weir-bench-" + std::to_string(::getpid()))) {
    write_images(in_memory(images(50)), path_);
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

// From the page cache: weir's own share of a read.
void read_file(benchmark::State& state) {
  const Folder folder;
  read_all(state, image_folder(folder.path()));
}
BENCHMARK(read_file)->Unit(benchmark::kMicrosecond);

void list_folder(benchmark::State& state) {
  const Folder folder;
  std::uint64_t files = 0;
  while (state.KeepRunning()) files += image_folder(folder.path()).size();
  state.SetItemsProcessed(static_cast<std::int64_t>(files));
}
BENCHMARK(list_folder)->Unit(benchmark::kMicrosecond);

}  // namespace
