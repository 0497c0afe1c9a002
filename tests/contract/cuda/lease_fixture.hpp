#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "contract/laws/fixture.hpp"
#include "device.hpp"
#include "support/catch.hpp"
#include "weir/interop/cuda.hpp"

namespace weir::test {

/// A loader whose batches a device reads, on a ledger that lives longer than the loader.
struct Leases {
  explicit Leases(std::uint32_t max_leases, std::uint64_t samples = 48,
                  std::uint64_t trace_events = 0) {
    auto options = small_options();
    options.workers = 2;
    options.queue.max_queue_size = 3;
    options.queue.max_leases = max_leases;
    options.trace.events = trace_events;
    options.memory.ledger = ledger;
    options.memory.upstream = upstream;
    loader.emplace(synthetic(samples, {24, 24}, 3), options);
    stream.emplace(loader->stream());
  }

  /// Copies a batch to the device and releases the batch. Returns the copy.
  DeviceCopy& send(Batch batch) {
    auto& copy = copies.emplace_back(batch.pixel_bytes(), device.get());
    release_after(std::move(batch), device.get());
    return copy;
  }
  std::uint64_t leased() const { return ledger->snapshot()[Account::leased]; }

  std::shared_ptr<MemoryLedger> ledger = std::make_shared<MemoryLedger>(std::nullopt);
  std::shared_ptr<CountingUpstream> upstream = std::make_shared<CountingUpstream>();
  std::optional<Loader> loader;
  std::optional<Stream> stream;
  std::vector<DeviceCopy> copies;
  DeviceStream device;  ///< declared last: its work ends before the rest is destroyed
};

/// Waits for an event that comes at once or never. A minute distinguishes the two on any machine.
inline bool comes(const std::function<bool()>& what) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!what()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  return true;
}

/// Releases a held stream from another thread, a little later.
class GoLater {
 public:
  explicit GoLater(DeviceStream& stream)
      : thread_([&stream] {
          std::this_thread::sleep_for(std::chrono::milliseconds(20));
          stream.go();
        }) {}

 private:
  std::jthread thread_;
};

}  // namespace weir::test
