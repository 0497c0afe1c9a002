// docs/guide/shards.md: batches from tar shards, in an order that reads runs of neighbours.
#include <cstdio>
#include <exception>
#include <weir/shards.hpp>
#include <weir/weir.hpp>

int main(int argc, char** argv) try {
  if (argc < 2) {
    std::puts("usage: shards 'train-{000..015}.tar'; labels are in the .json of each sample");
    return 0;
  }
  weir::Loader loader(weir::tar_shards(argv[1], {.label = "json:/label"}),
                      {.shape = {64, 64}, .order = weir::Order::blocks(), .batch = 16});
  for (const weir::Batch& batch : loader.stream())
    std::printf("%u images, the first has label %lld\n", batch.size(),
                static_cast<long long>(batch.labels()[0]));
} catch (const std::exception& error) {
  std::fprintf(stderr, "shards: %s\n", error.what());
  return 1;
}
