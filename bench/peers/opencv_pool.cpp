// Hand-written threads and a queue of float tensors: each worker decodes its own batch.
#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

#include "photos.hpp"

using namespace peers;

namespace {

/// Batches in order. At most `places` are decoded or being decoded, and the consumer has one.
class BatchQueue {
 public:
  BatchQueue(std::size_t places, std::size_t batches) : buffers_(places + 1), batches_(batches) {
    for (auto& buffer : buffers_) idle_.push_back(&buffer);
  }
  /// A buffer with the number of the batch to decode into it. Null at the end.
  Tensors* begin() {
    std::unique_lock lock(mutex_);
    freed_.wait(lock, [&] { return started_ == batches_ || !idle_.empty(); });
    if (started_ == batches_) return nullptr;
    Tensors* buffer = idle_.back();
    idle_.pop_back();
    buffer->batch = started_++;
    if (started_ == batches_) freed_.notify_all();
    return buffer;
  }
  void finish(Tensors* buffer) {
    const std::lock_guard lock(mutex_);
    ready_[buffer->batch] = buffer;
    finished_.notify_one();
  }
  Tensors* take() {
    std::unique_lock lock(mutex_);
    if (taken_ == batches_) return nullptr;
    finished_.wait(lock, [&] { return !ready_.empty() && ready_.begin()->first == taken_; });
    return ready_.extract(taken_++).mapped();
  }
  void give_back(Tensors* buffer) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(buffer);
    freed_.notify_one();
  }

 private:
  std::mutex mutex_;
  std::condition_variable freed_, finished_;
  std::vector<Tensors> buffers_;
  std::vector<Tensors*> idle_;
  std::map<std::size_t, Tensors*> ready_;
  std::size_t batches_, started_ = 0, taken_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const Task task = Task::parse(argc, argv);
  const Photos photos(task);
  BatchQueue queue(task.queue, photos.batches());
  std::vector<std::thread> workers;
  for (std::size_t w = 0; w < task.workers; ++w) {
    workers.emplace_back([&] {
      while (Tensors* buffer = queue.begin()) {
        photos.load(*buffer);
        queue.finish(buffer);
      }
    });
  }
  Consumer consumer(task);
  while (Tensors* batch = queue.take()) {
    consumer.take_floats(batch->samples, batch->values.data());
    queue.give_back(batch);
  }
  for (auto& worker : workers) worker.join();
  consumer.report();
}
