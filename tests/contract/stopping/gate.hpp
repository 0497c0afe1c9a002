#pragma once

#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "weir/weir.hpp"

namespace weir::test {

/// Blocks every caller until it is opened. Any thread.
class Gate {
 public:
  void pass() {
    std::unique_lock lock(mutex_);
    ++entered_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return open_; });
  }
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  /// Blocks until `count` callers have arrived.
  void await(int count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return entered_ >= count; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int entered_ = 0;
  bool open_ = false;
};

/// The files of `of(i)`, copied into the sink's memory. Calls `reading(i)` before the copy.
class Scripted {
 public:
  using File = std::shared_ptr<const std::vector<std::byte>>;
  Scripted(std::uint64_t count, std::function<File(std::uint64_t)> of,
           std::function<void(std::uint64_t)> reading = {})
      : count_(count), of_(std::move(of)), reading_(std::move(reading)) {}
  std::uint64_t size() const { return count_; }
  Encoded read(std::uint64_t i, ByteSink& sink) const {
    const auto file = of_(i);
    const auto bytes = sink.take(file->size());
    if (reading_) reading_(i);
    std::memcpy(bytes.data(), file->data(), file->size());
    return {bytes, static_cast<std::int64_t>(i)};
  }
  std::string name(std::uint64_t i) const { return "file/" + std::to_string(i); }
  std::uint64_t index_bytes() const { return 0; }

 private:
  std::uint64_t count_;
  std::function<File(std::uint64_t)> of_;
  std::function<void(std::uint64_t)> reading_;
};

/// Reads "GATE": 8x8 pixels, when the gate is open.
class GatedCodec final : public ForeignCodec {
 public:
  explicit GatedCodec(std::shared_ptr<Gate> gate) : gate_(std::move(gate)) {}
  static Scripted::File file() {
    std::vector<std::byte> bytes(64);
    std::memcpy(bytes.data(), "GATE", 4);
    return std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  }
  bool accepts(std::span<const std::byte> head) const noexcept override {
    return head.size() >= 4 && std::memcmp(head.data(), "GATE", 4) == 0;
  }
  Info info(std::span<const std::byte>) const override { return {8, 8, 0}; }
  void decode(PixelFormat, std::span<const std::byte>, const Info&,
              std::span<std::uint8_t> rgb) const override {
    gate_->pass();
    std::memset(rgb.data(), 7, rgb.size());
  }

 private:
  std::shared_ptr<Gate> gate_;
};

}  // namespace weir::test
