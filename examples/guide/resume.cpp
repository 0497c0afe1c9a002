// docs/guide/feed-a-trainer.md, "Resume": a training that stops in the middle of an epoch, and a
// second one with another batch that continues it. Fails unless each sample of each epoch is trained
// once.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>
#include <weir/weir.hpp>

namespace {

weir::Loader loader(std::uint32_t batch) {
  return weir::Loader(weir::synthetic(60, {40, 40}),
                      {.shape = {32, 32}, .order = weir::Order::shuffle(), .batch = batch});
}

using Indices = std::vector<std::uint64_t>;

void train(const weir::Batch& batch, Indices& seen) {
  seen.insert(seen.end(), batch.indices().begin(), batch.indices().end());
}

void save_model() {}

}  // namespace

int main() {
  Indices trained;
  {
    weir::Loader before = loader(8);
    weir::Stream stream = before.stream({.epochs = 3});
    int step = 0;
    for (weir::Batch& batch : stream) {
      train(batch, trained);
      if (++step % 11 == 0) {
        batch.finish();  // the checkpoint has this step
        save_model();
        stream.progress().save("progress.json");
        break;  // the machine fails here
      }
    }
  }
  weir::Loader after = loader(5);
  const weir::Progress saved = weir::Progress::load("progress.json");
  for (weir::Batch& batch : after.stream({.resume = saved, .epochs = 3})) train(batch, trained);

  std::remove("progress.json");
  std::printf("%zu samples in 3 epochs of %llu\n", trained.size(),
              static_cast<unsigned long long>(after.size()));
  bool once = trained.size() == 3 * after.size();
  for (std::uint64_t i = 0; i < after.size(); ++i) once &= std::ranges::count(trained, i) == 3;
  return once ? 0 : 1;
}
