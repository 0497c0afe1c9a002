#pragma once

#include <algorithm>

#include "contract/laws/breach.hpp"
#include "lease_fixture.hpp"

namespace weir::test {

constexpr std::uint64_t batches_an_epoch = 50;

/// Compares batches that a device reads, up to three at a time, with those of the CPU: pixels, order and laws.
inline void compare_with_cpu(std::uint64_t epochs) {
  fresh_device();
  auto options = small_options();
  options.shape = {8, 8};
  options.batch = 2;
  options.workers = 2;
  options.order = weir::Order::shuffle();
  options.queue.max_leases = 4;
  options.cache = {.keep = Cache::decoded, .max_bytes = 1u << 20};
  const auto images = [] { return synthetic(2 * batches_an_epoch, {8, 8}, 3); };
  Loader plain(images(), options);
  const auto wanted = drain(plain, {.epochs = epochs});

  options.memory.upstream = std::make_shared<PinnedMemory>();
  Loader loader(images(), options);
  Monitor monitor(loader, breach_of);
  DeviceStream device_stream;
  Log log;
  std::vector<DeviceCopy> copies;
  auto stream = loader.stream({.epochs = epochs});
  while (auto batch = stream.next()) {
    log.add(*batch);
    // Every epoch begins with three batches that the device has not read yet.
    const auto in_epoch = batch->sequence() % batches_an_epoch;
    if (in_epoch == 0) device_stream.hold();
    copies.emplace_back(batch->pixel_bytes(), device_stream.get());
    release_after(std::move(*batch), device_stream.get());
    if (in_epoch == 2) {
      CHECK(loader.snapshot().leased >= 3);
      device_stream.go();
    }
    if (in_epoch + 1 == batches_an_epoch) {
      device_stream.wait();
      for (const auto& copy : copies)
        if (!copy.right()) FAIL("the device has other pixels");
      copies.clear();
    }
  }
  CHECK(log.sequences.size() == epochs * batches_an_epoch);
  CHECK(log == wanted);
  CHECK(monitor.complaint().empty());
  REQUIRE(comes([&] { return loader.snapshot().leased == 0; }));
  CHECK(loader.snapshot().samples.consumed == 2 * epochs * batches_an_epoch);
}

}  // namespace weir::test
