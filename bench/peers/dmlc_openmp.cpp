// OpenMP decodes the samples of a batch. dmlc::ThreadedIter holds batches ahead and reuses them.

// Standard headers come before dmlc's, which use some without including them.
#include <iostream>
#include <memory>

#include <dmlc/threadediter.h>

#include "photos.hpp"

using namespace peers;

int main(int argc, char** argv) {
  const Task task = Task::parse(argc, argv);
  const Photos photos(task);
  const int workers = static_cast<int>(task.workers);
  std::size_t next = 0;
  dmlc::ThreadedIter<Tensors> batches(task.queue);
  batches.Init(
      [&](Tensors** cell) {
        if (next == photos.batches()) return false;
        if (*cell == nullptr)
          *cell = new Tensors{0, 0, std::vector<float>(task.batch * task.values())};
        Tensors& batch = **cell;
        batch.batch = next++;
        batch.samples = photos.samples_of(batch.batch);
        const auto samples = static_cast<long>(batch.samples);
#pragma omp parallel for schedule(dynamic) num_threads(workers)
        for (long i = 0; i < samples; ++i) {
          const auto k = static_cast<std::size_t>(i);
          photos.load(batch.batch * task.batch + k, batch.values.data() + k * task.values());
        }
        return true;
      },
      [&] { next = 0; });
  Consumer consumer(task);
  Tensors* batch = nullptr;
  while (batches.Next(&batch)) {
    consumer.take_floats(batch->samples, batch->values.data());
    batches.Recycle(&batch);
  }
  consumer.report();
}
