// oneTBB's parallel_pipeline: one token for each queue slot; buffers are reused.
#include <oneapi/tbb/concurrent_queue.h>
#include <oneapi/tbb/parallel_pipeline.h>
#include <oneapi/tbb/task_arena.h>

#include <memory>
#include <thread>

#include "photos.hpp"

using namespace peers;
namespace tbb = oneapi::tbb;

int main(int argc, char** argv) {
  const Task task = Task::parse(argc, argv);
  const Photos photos(task);
  // One more than the queue, for the consumer.
  std::vector<Tensors> buffers(task.queue + 1);
  tbb::concurrent_bounded_queue<Tensors*> idle, ready;
  for (auto& buffer : buffers) idle.push(&buffer);

  std::thread producer([&] {
    std::size_t next = 0;
    const auto take_number = [&](tbb::flow_control& control) -> Tensors* {
      if (next == photos.batches()) {
        control.stop();
        return nullptr;
      }
      Tensors* buffer = nullptr;
      idle.pop(buffer);
      buffer->batch = next++;
      return buffer;
    };
    const auto decode = [&](Tensors* buffer) {
      photos.load(*buffer);
      return buffer;
    };
    tbb::task_arena arena(static_cast<int>(task.workers));
    arena.execute([&] {
      tbb::parallel_pipeline(
          task.queue,
          tbb::make_filter<void, Tensors*>(tbb::filter_mode::serial_in_order, take_number) &
              tbb::make_filter<Tensors*, Tensors*>(tbb::filter_mode::parallel, decode) &
              tbb::make_filter<Tensors*, void>(tbb::filter_mode::serial_in_order,
                                               [&](Tensors* buffer) { ready.push(buffer); }));
    });
    ready.push(nullptr);
  });

  Consumer consumer(task);
  for (Tensors* batch = nullptr; ready.pop(batch), batch != nullptr; idle.push(batch))
    consumer.take_floats(batch->samples, batch->values.data());
  producer.join();
  consumer.report();
}
