#include <future>
#include <optional>

#include "lease_fixture.hpp"
#include "support/text.hpp"

using namespace weir;
using namespace weir::test;
using namespace std::chrono_literals;

namespace {

/// The code of the device error that next() throws.
std::optional<int> device_error(Stream& stream) {
  try {
    static_cast<void>(stream.next());
  } catch (const DeviceError& error) {
    return error.code();
  }
  return std::nullopt;
}

Errc refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return static_cast<Errc>(error.code().value());
  }
  return Errc{};
}

}  // namespace

TEST_CASE("a slab stays leased until the device has read it", "[cuda][lease]") {
  fresh_device();
  Leases leases(2);
  auto batch = leases.stream->next();
  const auto bytes = batch->bytes_held();
  leases.device.hold();
  const auto& copy = leases.send(std::move(*batch));
  CHECK(leases.leased() == bytes);
  const auto held = leases.ledger->leases();
  REQUIRE(held.size() == 1);
  CHECK(held.front().holder == std::string("CUDA stream"));
  CHECK(leases.loader->snapshot().samples.consumed == 0);
  leases.stream->settle();
  CHECK(leases.leased() == bytes);
  leases.device.go();
  // The loader's own thread returns them, without a call of next().
  REQUIRE(comes([&] { return leases.leased() == 0; }));
  CHECK(leases.loader->snapshot().samples.consumed == 4);
  CHECK(leases.loader->report().samples.conserved());
  CHECK(copy.right());
}

TEST_CASE("next() waits for slabs that the device still reads", "[cuda][lease]") {
  fresh_device();
  Leases leases(2);
  auto& stream = *leases.stream;
  leases.device.hold();
  leases.send(*stream.next());
  leases.send(*stream.next());
  CHECK_FALSE(stream.try_next());
  CHECK_FALSE(stream.next(2ms));
  CHECK(leases.loader->snapshot().leased == 2);
  {
    const GoLater later(leases.device);
    const auto batch = stream.next();
    REQUIRE(batch);
    CHECK(batch->sequence() == 2);
    // The test holds one lease, and the device one or none. next() may wait for the device's, but
    // not if the test holds both.
    const auto second = stream.next();
    REQUIRE(second);
    CHECK(refusal([&] { static_cast<void>(stream.next()); }) == Errc::too_many_leases);
  }
  // The test holds one lease and the device one.
  auto in_hand = stream.next();
  leases.device.hold();
  leases.send(*stream.next());
  CHECK_FALSE(stream.try_next());
  const GoLater later(leases.device);
  CHECK(stream.next()->sequence() == 6);
}

TEST_CASE("async_next waits for the device without a thread", "[cuda][lease]") {
  fresh_device();
  Leases leases(1);
  leases.device.hold();
  leases.send(*leases.stream->next());
  std::promise<std::uint64_t> taken;
  leases.stream->async_next([&](std::exception_ptr error, std::optional<Batch> batch) {
    taken.set_value(error || !batch ? UINT64_MAX : batch->sequence());
  });
  auto future = taken.get_future();
  CHECK(future.wait_for(5ms) == std::future_status::timeout);
  leases.device.go();
  REQUIRE(future.wait_for(60s) == std::future_status::ready);
  CHECK(future.get() == 1);
}

TEST_CASE("a slab's event is used again, and goes with the loader", "[cuda][lease]") {
  auto& cuda = fresh_device();
  {
    Leases leases(3);
    int batches = 0;
    for (auto& batch : *leases.stream) {
      leases.send(std::move(batch));
      ++batches;
    }
    CHECK(batches == 12);
    REQUIRE(comes([&] { return leases.leased() == 0; }));
    if (!cuda.real) {
      CHECK(cuda.calls("cuEventRecord") == batches);
      CHECK(cuda.calls("cuEventCreate") <= static_cast<int>(leases.loader->plan().slabs));
      CHECK(cuda.events() == cuda.calls("cuEventCreate"));
    }
    for (const auto& copy : leases.copies) CHECK(copy.right());
  }
  if (!cuda.real) CHECK(cuda.events() == 0);
}

TEST_CASE("the default stream will do", "[cuda][lease]") {
  fresh_device();
  Leases leases(1);
  int batches = 0;
  for (auto& batch : *leases.stream) {
    release_after(std::move(batch), nullptr);
    ++batches;
  }
  CHECK(batches == 12);
}

TEST_CASE("an event that fails ends the stream, and the slab comes back", "[cuda][lease]") {
  if (!only_with_stand_in()) return;
  auto& cuda = fresh_device();
  Leases leases(2);
  auto& stream = *leases.stream;
  const std::string call = GENERATE("cuEventQuery", "cuCtxPushCurrent");
  CAPTURE(call);
  // Recording also pushes the context.
  leases.device.hold();
  leases.send(*stream.next());
  cuda.fail(call.c_str(), 700, 0, 1);
  REQUIRE(comes([&] { return leases.leased() == 0; }));
  // Ready batches are delivered first.
  std::optional<int> error;
  int before = 0;
  while (!(error = device_error(stream))) REQUIRE(++before < 12);
  CHECK(error == 700);
  CHECK(stream.finished());
  CHECK_FALSE(stream.next());
  CHECK(leases.loader->report().samples.conserved());
  leases.device.go();
}

TEST_CASE("where no event can be had, the stream is waited for", "[cuda][lease]") {
  if (!only_with_stand_in()) return;
  auto& cuda = fresh_device();
  Leases leases(1);
  const std::string call =
      GENERATE("cuStreamGetCtx", "cuCtxPushCurrent", "cuEventCreate", "cuEventRecord");
  CAPTURE(call);
  auto batch = leases.stream->next();
  DeviceCopy copy(batch->pixel_bytes(), leases.device.get());
  cuda.fail(call.c_str(), 2, 0, 1);
  SECTION("and the slab is back at once") {
    leases.device.hold();
    const GoLater later(leases.device);
    release_after(std::move(*batch), leases.device.get());
    CHECK(cuda.calls("cuStreamSynchronize") == 1);
    CHECK(leases.leased() == 0);
    CHECK(copy.right());
    CHECK(leases.loader->snapshot().samples.consumed == 4);
    CHECK(leases.stream->next());
  }
  SECTION("and where that fails, the batch stays with the caller") {
    cuda.fail("cuStreamSynchronize", 719, 0, 1);
    try {
      release_after(std::move(*batch), leases.device.get());
      FAIL("no exception");
    } catch (const DeviceError& error) {
      CHECK(error.code() == 719);
      CHECK(contains(error.what(), "cuStreamSynchronize: CUDA_ERROR_OF_THE_STAND_IN (719)"));
    }
    CHECK(batch->size() == 4);
    CHECK(leases.leased() == batch->bytes_held());
    leases.device.wait();
  }
}

TEST_CASE("a stream that is being captured is refused", "[cuda][lease]") {
  auto& cuda = fresh_device();
  Leases leases(1);
  auto batch = leases.stream->next();
  constexpr int of_this_thread = 1;  // CU_STREAM_CAPTURE_MODE_THREAD_LOCAL
  REQUIRE(cuda.StreamBeginCapture(leases.device.get(), of_this_thread) == 0);
  CHECK(refusal([&] { release_after(std::move(*batch), leases.device.get()); }) ==
        Errc::bad_options);
  void* graph = nullptr;
  REQUIRE(cuda.StreamEndCapture(leases.device.get(), &graph) == 0);
  CHECK(batch->size() == 4);
  release_after(std::move(*batch), leases.device.get());
  REQUIRE(comes([&] { return leases.leased() == 0; }));
}
