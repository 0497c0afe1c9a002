#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <memory_resource>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "weir/weir.hpp"

namespace weir::test {

/// Small JPEGs with bad samples: sample i is not a JPEG if i % bad_every == 3.
class Flawed {
 public:
  Flawed(std::uint64_t count, std::uint64_t bad_every, ImageSize shape = {24, 28})
      : good_(synthetic(count, shape, 11)), bad_every_(bad_every) {}
  std::uint64_t size() const { return good_.size(); }
  bool bad(std::uint64_t i) const { return bad_every_ > 0 && i % bad_every_ == 3; }
  Encoded read(std::uint64_t i, ByteSink& sink) const {
    if (!bad(i)) return good_.read(i, sink);
    const auto bytes = sink.take(16);
    for (auto& byte : bytes) byte = std::byte{'x'};
    return {bytes, 0};
  }
  std::string name(std::uint64_t i) const { return "flawed/" + std::to_string(i); }
  std::uint64_t index_bytes() const { return 0; }

 private:
  AnySource good_;
  std::uint64_t bad_every_;
};

/// Provides slabs and counts their bytes, independently of the books.
class CountingUpstream final : public std::pmr::memory_resource {
 public:
  std::uint64_t outstanding() const noexcept { return outstanding_; }
  std::uint64_t peak() const noexcept { return peak_; }
  std::uint64_t allocations() const noexcept { return allocations_; }

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    ++allocations_;
    const auto now = outstanding_ += bytes;
    if (now > peak_) peak_ = now;
    return std::pmr::new_delete_resource()->allocate(bytes, alignment);
  }
  void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) override {
    std::pmr::new_delete_resource()->deallocate(p, bytes, alignment);
    outstanding_ -= bytes;
  }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    return this == &other;
  }
  std::atomic<std::uint64_t> outstanding_{0}, peak_{0}, allocations_{0};
};

/// Writes everything that a transform can write at random: pixels from anywhere in the image, and annotations of any length.
inline void scatter(DecodedSample& sample) {
  std::pmr::vector<std::size_t> columns(sample.row.shape.width, sample.scratch);
  for (auto& column : columns) column = 3 * sample.random.below(sample.image.shape.width);
  for (std::uint32_t y = 0; y < sample.row.shape.height; ++y) {
    const auto* const line = sample.image.data + sample.random.below(sample.image.shape.height) *
                                                     sample.image.row_stride;
    auto* out = sample.row.data + y * sample.row.row_stride;
    for (const auto column : columns) out = std::copy_n(line + column, 3, out);
  }
  sample.annotation.resize(sample.random.below(sample.annotation.room() + 1));
  for (auto& byte : sample.annotation.bytes()) byte = static_cast<std::byte>(sample.random());
  sample.label += static_cast<std::int64_t>(sample.random.below(1000));
}

/// Adds annotations and a transform that writes everything.
inline void add_steps(Options& options) {
  options.annotation_bytes = 37;
  options.transform = {.apply = scatter,
                       .input = TransformInput::decoded,
                       .scratch_bytes = options.shape.width * sizeof(std::size_t)};
}

/// Small and fast: 4 x 16x16 pixels in each batch.
inline Options small_options(bool steps = false) {
  Options options;
  options.shape = {16, 16};
  options.batch = 4;
  options.workers = 3;
  if (steps) add_steps(options);
  return options;
}

/// Starts with one worker and tunes every 20 ms. There is room for another worker and for six reads ahead.
inline void tune_often(Options& options) {
  options.workers = 1;
  options.tuning.mode = Tuning::automatic;
  options.tuning.interval = std::chrono::milliseconds(20);
  options.tuning.most_workers = 2;
  options.tuning.most_read_ahead = 6;
}

/// The same work with other workers, queues, read-ahead and budgets. The delivered rows are the same.
inline std::vector<Options> on_other_machines(const Options& options) {
  std::vector<Options> others;
  for (const std::uint32_t workers : {1u, 4u}) {
    for (const std::uint32_t queue : {1u, 9u}) {
      for (const std::uint32_t read_ahead : {0u, 5u}) {
        auto& other = others.emplace_back(options);
        other.workers = workers;
        other.queue.max_queue_size = queue;
        other.io.read_ahead = read_ahead;
        if (queue == 9) other.memory.budget_bytes = resolve(other, 0).floor_bytes + 3000;
      }
    }
  }
  return others;
}

/// Takes snapshots at full speed while it exists, and keeps the first complaint.
class Monitor {
 public:
  using Check = std::string (*)(const Snapshot&, const Plan&);
  Monitor(const Loader& loader, Check check)
      : thread_([this, &loader, check](const std::stop_token& stop) {
          while (!stop.stop_requested()) {
            const auto complaint = check(loader.snapshot(), loader.plan());
            ++looks_;
            if (complaint.empty()) continue;
            const std::lock_guard lock(mutex_);
            if (complaint_.empty()) complaint_ = complaint;
          }
        }) {}
  /// Stops and returns the first complaint, or an empty string.
  std::string complaint() {
    thread_.request_stop();
    thread_.join();
    return complaint_;
  }
  std::uint64_t looks() const noexcept { return looks_; }

 private:
  std::mutex mutex_;
  std::string complaint_;
  std::atomic<std::uint64_t> looks_{0};
  std::jthread thread_;
};

/// Every row that a consumer received, in order: the input of a digest.
struct Log {
  std::vector<std::uint64_t> sequences, indices;
  std::vector<std::int64_t> labels;
  std::vector<RowStatus> statuses;
  std::vector<std::uint8_t> pixels;  ///< of planes, too
  std::vector<PlaneStatus> plane_statuses;
  std::vector<std::byte> annotations;
  std::vector<std::uint32_t> annotation_lengths;
  std::vector<Window> windows;
  std::vector<ImageSize> sizes;  ///< if images keep their own sizes
  void add(const Batch& batch) {
    sequences.push_back(batch.sequence());
    indices.insert(indices.end(), batch.indices().begin(), batch.indices().end());
    labels.insert(labels.end(), batch.labels().begin(), batch.labels().end());
    statuses.insert(statuses.end(), batch.statuses().begin(), batch.statuses().end());
    const auto p = batch.pixel_bytes();
    pixels.insert(pixels.end(), p.begin(), p.end());
    sizes.insert(sizes.end(), batch.sizes().begin(), batch.sizes().end());
    const auto lengths = batch.annotation_lengths();
    annotation_lengths.insert(annotation_lengths.end(), lengths.begin(), lengths.end());
    for (std::uint32_t i = 0; i < batch.size(); ++i) {
      const auto annotation = batch.annotation(i);
      annotations.insert(annotations.end(), annotation.begin(), annotation.end());
      if (batch.encoded().empty()) windows.push_back(batch.window(i));
    }
    for (const auto& name : batch.planes()) {
      const auto plane = batch.plane(name);
      pixels.insert(pixels.end(), plane.pixel_bytes().begin(), plane.pixel_bytes().end());
      plane_statuses.insert(plane_statuses.end(), plane.statuses().begin(), plane.statuses().end());
    }
  }
  friend bool operator==(const Log&, const Log&) = default;
};

inline Log drain(Loader& loader, const StreamOptions& options = {}) {
  Log log;
  auto stream = loader.stream(options);
  for (auto& batch : stream) log.add(batch);
  return log;
}

inline std::uint64_t sum(const MemorySnapshot& memory) {
  std::uint64_t total = 0;
  for (const auto bytes : memory.accounts) total += bytes;
  return total;
}

inline std::uint64_t staging(const MemorySnapshot& memory) {
  return memory[Account::filling] + memory[Account::ready] + memory[Account::leased] +
         memory[Account::idle];
}

}  // namespace weir::test
