#include "lease_fixture.hpp"
#include "support/sanitized.hpp"

using namespace weir;
using namespace weir::test;

namespace {

std::string breach(const Snapshot& now, const Plan& plan) {
  if (sum(now.memory) != now.memory.live) return "sum";
  if (now.memory.live > now.memory.peak) return "peak";
  if (!now.samples.conserved()) return "conservation";
  if (now.filling + now.ready > plan.max_queue_size) return "queue";
  if (now.leased > plan.max_leases) return "leases";
  return {};
}

}  // namespace

TEST_CASE("10,000 batches with three leases held by events are those of the CPU", "[cuda][lease]") {
  fresh_device();
  constexpr std::uint64_t batches_an_epoch = 50;
  const auto epochs = thinned(200);
  auto options = small_options();
  options.shape = {8, 8, 3};
  options.batch = 2;
  options.workers = 2;
  options.shuffle = true;
  options.queue.max_leases = 4;
  options.cache = {.keep = Cache::decoded, .max_bytes = 1u << 20};
  const auto images = [] { return synthetic(2 * batches_an_epoch, {8, 8, 3}, 3); };
  Loader plain(images(), options);
  const auto wanted = drain(plain, {.epochs = epochs});

  options.memory.upstream = std::make_shared<PinnedMemory>();
  Loader loader(images(), options);
  Monitor monitor(loader, breach);
  DeviceStream device_stream;
  Log log;
  std::vector<DeviceCopy> copies;  ///< of the three batches before
  std::uint32_t most_leased = 0;
  auto stream = loader.stream({.epochs = epochs});
  while (auto batch = stream.next()) {
    log.add(*batch);
    // On the device in order, so the oldest of three is the first to be there.
    copies.emplace_back(batch->pixel_bytes(), device_stream.get());
    release_after(std::move(*batch), device_stream.get());
    most_leased = std::max(most_leased, loader.snapshot().leased);
    if (copies.size() == 64) {
      device_stream.wait();
      for (const auto& copy : copies)
        if (!copy.right()) FAIL("the device has other pixels");
      copies.clear();
    }
  }
  device_stream.wait();
  CHECK(log.sequences.size() == epochs * batches_an_epoch);
  CHECK(log == wanted);
  CHECK(most_leased >= 3);
  CHECK(monitor.complaint().empty());
  REQUIRE(comes([&] { return loader.snapshot().leased == 0; }));
  CHECK(loader.snapshot().samples.consumed == 2 * epochs * batches_an_epoch);
}
