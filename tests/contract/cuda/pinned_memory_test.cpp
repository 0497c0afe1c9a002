#include <unistd.h>

#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "buffer/cuda_driver.hpp"
#include "contract/laws/fixture.hpp"
#include "device.hpp"
#include "support/catch.hpp"
#include "support/text.hpp"
#include "weir/interop/cuda.hpp"

using namespace weir;
using namespace weir::test;

namespace {

const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));

AnySource images() { return synthetic(24, {24, 24}, 3); }

Options options_with(std::shared_ptr<std::pmr::memory_resource> memory) {
  auto options = small_options();
  options.queue.max_leases = 2;
  options.memory.upstream = std::move(memory);
  return options;
}

std::uint64_t whole_pages(std::uint64_t bytes) { return (bytes + page - 1) / page * page; }

Log plainly_loaded() {
  Loader loader(images(), options_with(nullptr));
  return drain(loader, {.epochs = 3});
}

}  // namespace

TEST_CASE("each pinned slab is locked once and unlocked when freed", "[cuda][pinned]") {
  auto& cuda = fresh_device();
  auto memory = std::make_shared<PinnedMemory>();
  CHECK(memory->note().empty());
  CHECK(memory->limit() > 0);
  {
    Loader loader(images(), options_with(memory));
    // The figures exist before the first batch.
    const auto& plan = loader.plan();
    CHECK(plan.pinned.slab_bytes == plan.slabs * plan.slab_bytes);
    CHECK(plan.pinned.limit_bytes == memory->limit());
    CHECK(plan.pinned.note.empty());
    CHECK(drain(loader, {.epochs = 3}) == plainly_loaded());
    CHECK(loader.report().pinned.locked == memory->use().locked);
    const auto slabs = loader.snapshot().memory[Account::idle] / loader.plan().slab_bytes;
    CHECK(memory->use().locked == slabs * whole_pages(loader.plan().slab_bytes));
    CHECK(memory->use().refused == 0);
    if (!cuda.real) {
      CHECK(cuda.calls("cuMemHostRegister") == static_cast<int>(slabs));
      CHECK(cuda.locked() == memory->use().locked);
    }
  }
  CHECK(memory->use().locked == 0);
  CHECK(memory->note().empty());
  if (!cuda.real) CHECK(cuda.locked() == 0);
}

TEST_CASE("copies from slabs in pinned memory come from locked pages", "[cuda][pinned]") {
  auto& cuda = fresh_device();
  DeviceStream stream;
  Loader loader(images(), options_with(std::make_shared<PinnedMemory>()));
  std::vector<DeviceCopy> copies;
  for (auto& batch : loader.stream()) {
    copies.emplace_back(batch.pixel_bytes(), stream.get());
    release_after(std::move(batch), stream.get());
  }
  stream.wait();
  for (const auto& copy : copies) CHECK(copy.right());
  if (!cuda.real) {
    CHECK(cuda.copies() == 6);
    CHECK(cuda.locked_copies() == 6);
  }
}

TEST_CASE("whole pages are locked, and nothing else lies in them", "[cuda][pinned]") {
  fresh_device();
  PinnedMemory memory;
  std::uint64_t locked = 0;
  for (const std::size_t bytes :
       {std::size_t{1}, page, std::size_t{70'001}, std::size_t{3} << 20}) {
    for (const std::size_t alignment : {std::size_t{64}, page, std::size_t{1} << 21}) {
      CAPTURE(bytes, alignment);
      void* const data = memory.allocate(bytes, alignment);
      CHECK(reinterpret_cast<std::uintptr_t>(data) % std::max<std::size_t>(alignment, page) == 0);
      std::memset(data, 1, bytes);
      CHECK(memory.use().locked == whole_pages(bytes));
      locked += memory.use().locked;
      memory.deallocate(data, bytes, alignment);
      CHECK(memory.use().locked == 0);
    }
  }
  CHECK(locked > 0);
  CHECK(memory.is_equal(memory));
  CHECK_FALSE(memory.is_equal(*std::pmr::new_delete_resource()));
}

TEST_CASE("pinned memory takes the thread's context or the primary one", "[cuda][pinned]") {
  if (!only_with_stand_in()) return;
  auto& cuda = fresh_device();
  const auto before = cuda.retained();
  {
    const PinnedMemory memory;
    CHECK(cuda.retained() == before);
  }
  cuda.CtxSetCurrent(nullptr);
  {
    const PinnedMemory memory;
    CHECK(memory.note().empty());
    CHECK(cuda.retained() == before + 1);
  }
  CHECK(cuda.retained() == before);
}

TEST_CASE("memory without a device is pageable and the note says why", "[cuda][pinned]") {
  if (!only_with_stand_in()) return;
  auto& cuda = fresh_device();
  cuda.CtxSetCurrent(nullptr);
  const std::string call =
      GENERATE("cuInit", "cuCtxGetCurrent", "cuDeviceGet", "cuDevicePrimaryCtxRetain");
  CAPTURE(call);
  cuda.fail(call.c_str(), 100, 0, 1);
  auto memory = std::make_shared<PinnedMemory>();
  CHECK(memory->note() == "not locked: " + call +
                              ": CUDA_ERROR_OF_THE_STAND_IN (100): as the test wants it; the "
                              "memory is pageable and copies to the device are slower");
  CHECK(memory->limit() == 0);
  Loader loader(images(), options_with(memory));
  CHECK(drain(loader, {.epochs = 3}) == plainly_loaded());
  CHECK(loader.plan().pinned.limit_bytes == 0);
  CHECK(loader.plan().pinned.note == memory->note());
  CHECK(loader.report().pinned.locked == 0);
  CHECK(loader.report().pinned.refused > 0);
  CHECK(loader.report().pinned_note == memory->note());
  CHECK(cuda.locked() == 0);
}

TEST_CASE("without a driver, or with one too old, the reason says so", "[cuda][pinned]") {
  CHECK_THROWS_WITH(
      cuda::Driver("libweir-no-such.so"),
      Catch::Matchers::StartsWith("no CUDA driver: libweir-no-such.so: cannot open shared"));
  CHECK_THROWS_WITH(cuda::Driver("libm.so.6"),
                    Catch::Matchers::Equals("CUDA's driver has no cuInit: it is too old"));
}

TEST_CASE("a refused lock gives pageable memory and the note says why", "[cuda][pinned]") {
  if (!only_with_stand_in()) return;
  auto& cuda = fresh_device();
  auto memory = std::make_shared<PinnedMemory>();
  auto options = options_with(memory);
  const auto slab = whole_pages(resolve(options, 0).slab_bytes);
  SECTION("by the driver, for want of memory") {
    cuda.lock_limit(2 * slab + slab / 2);
    Loader loader(images(), options);
    // Uses all slabs, so that the third one is allocated.
    auto stream = loader.stream({.epochs = 3});
    stream.settle();
    CHECK(memory->use().locked == 2 * slab);
    CHECK(memory->use().refused > 0);
    CHECK(memory->note() ==
          "not all locked: cuMemHostRegister: CUDA_ERROR_OUT_OF_MEMORY (2): out of memory (" +
              std::to_string(2 * slab) + " bytes are locked, at most " +
              std::to_string(memory->limit()) +
              " could be); the rest is pageable and copies to the device are slower");
  }
  SECTION("since the context has gone") {
    cuda.fail("cuCtxPushCurrent", 201, 0, 1'000'000);
    Loader loader(images(), options);
    CHECK(drain(loader, {.epochs = 3}) == plainly_loaded());
    CHECK(memory->use().locked == 0);
    CHECK(contains(memory->note(), "cuCtxPushCurrent"));
  }
  CHECK(memory->use().refused == 0);
  CHECK(cuda.locked() == 0);
}

TEST_CASE("a cache keeps its samples in ordinary pages", "[cuda][pinned]") {
  fresh_device();
  auto memory = std::make_shared<PinnedMemory>();
  auto options = options_with(memory);
  options.cache = {.keep = Cache::decoded, .max_bytes = 1u << 20};
  Loader loader(images(), options);
  CHECK(drain(loader, {.epochs = 3}) == plainly_loaded());
  CHECK(loader.snapshot().memory[Account::cache] > 0);
  CHECK(memory->use().locked <= loader.plan().slabs * whole_pages(loader.plan().slab_bytes));
}
