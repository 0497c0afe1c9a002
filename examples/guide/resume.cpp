// docs/guide/feed-a-trainer.md, "Resume": a run that stops in the middle of an epoch, and a second
// loader that continues it. Fails unless both together deliver what one run delivers.
#include <cstdint>
#include <cstdio>
#include <sstream>
#include <vector>
#include <weir/weir.hpp>

namespace {

weir::Loader loader(std::uint32_t workers) {
  return weir::Loader(weir::synthetic(60, {40, 40}),
                      {.shape = {32, 32}, .shuffle = true, .batch = 8, .workers = workers});
}

void save(const weir::Position& position, std::ostream& out) {
  out << position.next_batch;
  for (const auto batch : position.released_beyond) out << ' ' << batch;
}

weir::Position saved(std::istream& in) {
  weir::Position position;
  in >> position.next_batch;
  for (std::uint64_t batch = 0; in >> batch;) position.released_beyond.push_back(batch);
  return position;
}

using Indices = std::vector<std::uint64_t>;

void train(const weir::Batch& batch, Indices& seen) {
  seen.insert(seen.end(), batch.indices().begin(), batch.indices().end());
}

}  // namespace

int main() {
  std::stringstream checkpoint;
  Indices resumed, whole;
  {
    weir::Loader before = loader(2);
    weir::Stream stream = before.stream({.epochs = 3});
    for (int step = 0; step < 11; ++step) {
      auto batch = stream.next();
      train(*batch, resumed);
    }
    save(stream.position(), checkpoint);  // the batch of the last step is released
  }
  weir::Loader after = loader(1);
  const weir::Position position = saved(checkpoint);
  for (weir::Batch& batch : after.stream({.from = position, .epochs = 3})) train(batch, resumed);

  weir::Loader uninterrupted = loader(2);
  for (weir::Batch& batch : uninterrupted.stream({.epochs = 3})) train(batch, whole);
  std::printf("%zu samples, the first %llu batches before the checkpoint\n", resumed.size(),
              static_cast<unsigned long long>(position.next_batch));
  return resumed == whole ? 0 : 1;
}
