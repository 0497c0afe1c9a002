#include <memory>
#include <utility>

#include "base/text.hpp"
#include "buffer/cuda_current.hpp"
#include "weir/interop/cuda.hpp"

namespace weir {
namespace {

constexpr unsigned without_timing = 2;  // CU_EVENT_DISABLE_TIMING

void check(const cuda::Driver& driver, const char* call, cuda::Result result) {
  if (result != cuda::success) throw DeviceError(driver.failure(call, result), result);
}

/// A reusable CUDA event: each batch of a slab uses the same one.
class Event final : public LeaseEnd {
 public:
  /// Throws DeviceError.
  Event(const cuda::Driver& driver, CUctx_st* context) : driver_(driver), context_(context) {
    const cuda::Current current(driver_, context_);
    check(driver_, "cuCtxPushCurrent", current.result());
    check(driver_, "cuEventCreate", driver_.EventCreate(&event_, without_timing));
  }
  ~Event() override {
    const cuda::Current current(driver_, context_);
    driver_.EventDestroy(event_);
  }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  bool is_of(const CUctx_st* context) const noexcept { return context_ == context; }
  /// Throws DeviceError.
  void record(CUstream_st* stream) {
    const cuda::Current current(driver_, context_);
    check(driver_, "cuCtxPushCurrent", current.result());
    check(driver_, "cuEventRecord", driver_.EventRecord(event_, stream));
  }
  bool reached() override {
    const cuda::Current current(driver_, context_);
    check(driver_, "cuCtxPushCurrent", current.result());
    const auto result = driver_.EventQuery(event_);
    if (result == cuda::not_ready) return false;
    check(driver_, "cuEventQuery", result);
    return true;
  }

 private:
  const cuda::Driver& driver_;
  CUctx_st* const context_;
  CUevent_st* event_ = nullptr;
};

const cuda::Driver& loaded_driver() {
  try {
    return cuda::driver();
  } catch (const std::runtime_error& reason) {
    throw DeviceError(concat("release_after: ", reason.what()), 0);
  }
}

/// Null if the device cannot create an event.
std::unique_ptr<LeaseEnd> recorded(std::unique_ptr<LeaseEnd> last, const cuda::Driver& driver,
                                   CUstream_st* stream) {
  try {
    CUctx_st* context = nullptr;
    check(driver, "cuStreamGetCtx", driver.StreamGetCtx(stream, &context));
    auto* event = dynamic_cast<Event*>(last.get());
    if (!event || !event->is_of(context)) {
      auto made = std::make_unique<Event>(driver, context);
      event = made.get();
      last = std::move(made);
    }
    event->record(stream);
    return last;
  } catch (const DeviceError&) {
    return nullptr;
  }
}

}  // namespace

Receipt release_after(Batch&& batch, CUstream_st* stream) {
  const auto& driver = loaded_driver();
  int capturing = 0;
  check(driver, "cuStreamIsCapturing", driver.StreamIsCapturing(stream, &capturing));
  if (capturing != 0)
    refuse(Stage::lease,
           "release_after: the stream is being captured into a graph; call it after the "
           "graph's launch");
  auto end = recorded(batch.take_last_end(), driver, stream);
  if (!end) check(driver, "cuStreamSynchronize", driver.StreamSynchronize(stream));
  batch.held_by("CUDA stream");
  if (end) return std::move(batch).release_when(std::move(end));
  auto receipt = batch.receipt();
  { const Batch ends(std::move(batch)); }
  return receipt;
}

}  // namespace weir
