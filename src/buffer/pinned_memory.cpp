#include <algorithm>
#include <set>

#include "base/machine/memory_room.hpp"
#include "base/machine/pages.hpp"
#include "base/mutex.hpp"
#include "base/text.hpp"
#include "buffer/cuda_current.hpp"
#include "buffer/page_memory.hpp"
#include "weir/memory.hpp"

namespace weir {
namespace {

constexpr unsigned for_all_contexts = 1;  // CU_MEMHOSTREGISTER_PORTABLE
constexpr int no_device = -1;

// The driver locks whole pages, so each page belongs to one allocation.
using buffer::whole_pages;

}  // namespace

struct PinnedMemory::State {
  /// Throws std::runtime_error if memory cannot be locked.
  void find_context(int ordinal);
  /// Empty if the driver locked the memory, otherwise the reason.
  std::string lock(void* data, std::size_t bytes);

  PageMemory pages;
  const cuda::Driver* driver = nullptr;  ///< null: memory cannot be locked
  CUctx_st* context = nullptr;
  int retained = no_device;  ///< device whose primary context is retained
  std::uint64_t limit = 0;
  mutable Mutex mutex;
  PinnedUse use WEIR_GUARDED_BY(mutex);
  std::set<void*> locked WEIR_GUARDED_BY(mutex);
  std::string note WEIR_GUARDED_BY(mutex);
};

void PinnedMemory::State::find_context(int ordinal) {
  const auto& cuda = cuda::driver();
  const auto check = [&cuda](const char* call, cuda::Result result) {
    if (result != cuda::success) throw std::runtime_error(cuda.failure(call, result));
  };
  check("cuInit", cuda.Init(0));
  check("cuCtxGetCurrent", cuda.CtxGetCurrent(&context));
  if (!context) {
    int device = 0;
    check("cuDeviceGet", cuda.DeviceGet(&device, ordinal));
    check("cuDevicePrimaryCtxRetain", cuda.DevicePrimaryCtxRetain(&context, device));
    retained = device;
  }
  limit = memory_room().left().value_or(0);
  driver = &cuda;
}

std::string PinnedMemory::State::lock(void* data, std::size_t bytes) {
  const cuda::Current current(*driver, context);
  if (current.result() != cuda::success)
    return driver->failure("cuCtxPushCurrent", current.result());
  const auto result = driver->MemHostRegister(data, bytes, for_all_contexts);
  return result == cuda::success ? "" : driver->failure("cuMemHostRegister", result);
}

PinnedMemory::PinnedMemory(int device) : state_(std::make_unique<State>()) {
  try {
    state_->find_context(device);
  } catch (const std::runtime_error& reason) {
    Lock lock(state_->mutex);
    state_->note = concat("not locked: ", reason.what(),
                          "; the memory is pageable and copies to the device are slower");
  }
}

PinnedMemory::~PinnedMemory() {
  if (state_->retained != no_device) state_->driver->DevicePrimaryCtxRelease(state_->retained);
}

std::string PinnedMemory::note() const {
  Lock lock(state_->mutex);
  return state_->note;
}

PinnedUse PinnedMemory::use() const {
  Lock lock(state_->mutex);
  return state_->use;
}

std::uint64_t PinnedMemory::limit() const noexcept { return state_->limit; }

void* PinnedMemory::do_allocate(std::size_t bytes, std::size_t alignment) {
  auto& state = *state_;
  const auto length = whole_pages(bytes);
  const auto aligned = std::max(alignment, page_size());
  void* const data = state.pages.allocate(length, aligned);
  bool registered = false;
  try {
    const auto refusal = state.driver ? state.lock(data, length) : "";
    registered = state.driver && refusal.empty();
    Lock lock(state.mutex);
    if (registered) {
      state.locked.insert(data);
      state.use.locked += length;
    } else {
      if (state.driver)
        state.note = concat("not all locked: ", refusal, " (", state.use.locked,
                            " bytes are locked, at most ", state.limit,
                            " could be); the rest is pageable and copies to the device are slower");
      state.use.refused += length;
    }
  } catch (...) {
    if (registered) state.driver->MemHostUnregister(data);
    state.pages.deallocate(data, length, aligned);
    throw;
  }
  return data;
}

void PinnedMemory::do_deallocate(void* data, std::size_t bytes, std::size_t alignment) {
  auto& state = *state_;
  const auto length = whole_pages(bytes);
  bool registered = false;
  {
    Lock lock(state.mutex);
    registered = state.locked.erase(data) > 0;
    (registered ? state.use.locked : state.use.refused) -= length;
  }
  if (registered) {
    // This fails if the context is destroyed. That has already unlocked the pages.
    const cuda::Current current(*state.driver, state.context);
    state.driver->MemHostUnregister(data);
  }
  state.pages.deallocate(data, length, std::max(alignment, page_size()));
}

bool PinnedMemory::do_is_equal(const std::pmr::memory_resource& other) const noexcept {
  return this == &other;
}

}  // namespace weir
