#pragma once

#include <c10/core/Stream.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>

/// \file
/// Streams and events of libtorch devices, without a header of the device. For torch_device.hpp.
namespace weir::interop {

/// The interface of one kind of device.
using DeviceGuard = c10::impl::DeviceGuardImplInterface;

/// An event of a device. The first record() creates it.
class DeviceEvent {
 public:
  DeviceEvent(const DeviceGuard& guard, c10::DeviceIndex device) : guard_(guard), device_(device) {}
  ~DeviceEvent() {
    if (event_) guard_.destroyEvent(event_, device_);
  }
  DeviceEvent(const DeviceEvent&) = delete;
  DeviceEvent& operator=(const DeviceEvent&) = delete;

  void record(const c10::Stream& stream) {
    guard_.record(&event_, stream, device_, c10::EventFlag::PYTORCH_DEFAULT);
  }
  /// Makes later work of `stream` wait for the last recorded event.
  void hold(const c10::Stream& stream) const {
    if (event_) guard_.block(event_, stream);
  }
  bool is_of(const DeviceGuard& guard, c10::DeviceIndex device) const {
    return &guard == &guard_ && device == device_;
  }
  bool done() const {
    if (!event_) return true;
    // A query by a thread without a device would make a context on the first one.
    struct Restored {
      const DeviceGuard& guard;
      c10::Device before;
      ~Restored() { guard.uncheckedSetDevice(before); }
    } const restored{guard_, guard_.exchangeDevice({guard_.type(), device_})};
    return guard_.queryEvent(event_);
  }

 private:
  const DeviceGuard& guard_;
  c10::DeviceIndex device_;
  void* event_ = nullptr;
};

/// Sets the current stream of this thread for the lifetime of the object.
class CurrentStream {
 public:
  CurrentStream(const DeviceGuard& guard, const c10::Stream& stream)
      : guard_(guard), before_(guard.exchangeStream(stream)) {}
  ~CurrentStream() { guard_.exchangeStream(before_); }
  CurrentStream(const CurrentStream&) = delete;
  CurrentStream& operator=(const CurrentStream&) = delete;

 private:
  const DeviceGuard& guard_;
  c10::Stream before_;
};

}  // namespace weir::interop
