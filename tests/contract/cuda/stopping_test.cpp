#include "lease_fixture.hpp"

using namespace weir;
using namespace weir::test;
using namespace std::chrono_literals;

namespace {

/// Sends batches to the device, which does not read them while its stream is held.
void send(Leases& leases, int batches) {
  leases.device.hold();
  for (int i = 0; i < batches; ++i) leases.send(*leases.stream->next());
}

/// Nothing is left, and the device has the data that were sent.
void check_over(const Leases& leases) {
  CHECK(leases.ledger->snapshot().live == 0);
  CHECK(leases.upstream->outstanding() == 0);
  for (const auto& copy : leases.copies) CHECK(copy.right());
}

double seconds_of(const std::function<void()>& what) {
  const auto begun = std::chrono::steady_clock::now();
  what();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
}

}  // namespace

TEST_CASE("the end of a stream does not wait for the device", "[cuda][stopping]") {
  fresh_device();
  const int batches = GENERATE(0, 1, 2, 3);
  const std::string how = GENERATE("destroyed", "cancelled", "run to its end");
  CAPTURE(batches, how);
  Leases leases(3, how == "run to its end" ? static_cast<std::uint64_t>(batches) * 4 : 48);
  send(leases, batches);
  if (how == "cancelled") leases.stream->cancel();
  if (how == "run to its end" && batches < 3) CHECK_FALSE(leases.stream->next());
  leases.stream.reset();
  const auto slab = leases.loader->plan().slab_bytes;
  CHECK(leases.leased() == static_cast<std::uint64_t>(batches) * slab);
  // The thread of the next stream finds them.
  leases.device.go();
  leases.stream.emplace(leases.loader->stream());
  REQUIRE(comes([&] { return leases.leased() == 0; }));
  leases.stream.reset();
  leases.loader.reset();
  leases.device.wait();
  check_over(leases);
}

TEST_CASE("the end of a loader waits for what the device still reads", "[cuda][stopping]") {
  fresh_device();
  const int batches = GENERATE(1, 3);
  CAPTURE(batches);
  Leases leases(3);
  send(leases, batches);
  {
    const GoLater later(leases.device);
    leases.stream.reset();
    leases.loader.reset();
  }
  CHECK(leases.leased() == 0);
  leases.device.wait();
  check_over(leases);
}

TEST_CASE("releasing a batch without its loader waits for the device", "[cuda][stopping]") {
  fresh_device();
  Leases leases(1);
  auto batch = leases.stream->next();
  leases.stream.reset();
  leases.loader.reset();
  leases.device.hold();
  {
    const GoLater later(leases.device);
    leases.send(std::move(*batch));
  }
  CHECK(leases.leased() == 0);
  leases.device.wait();
  check_over(leases);
}

TEST_CASE("a device that hangs delays a loader a second and keeps slabs", "[cuda][stopping]") {
  fresh_device();
  auto leases = std::make_unique<Leases>(2);
  send(*leases, 2);
  const auto slabs = leases->leased();
  leases->stream.reset();
  const auto waited = seconds_of([&] { leases->loader.reset(); });
  CHECK(waited >= 1);
  CHECK(waited < 20);
  CHECK(leases->leased() == slabs);
  CHECK(leases->upstream->outstanding() == slabs);
  // The device still reads them, so they must exist.
  leases->device.go();
  leases->device.wait();
  for (const auto& copy : leases->copies) CHECK(copy.right());
}

TEST_CASE("cancel() lets out who waits for the device", "[cuda][stopping]") {
  fresh_device();
  Leases leases(1);
  send(leases, 1);
  std::jthread canceller([&] {
    std::this_thread::sleep_for(20ms);
    leases.stream->cancel();
  });
  CHECK_FALSE(leases.stream->next());
  CHECK(leases.leased() > 0);
  leases.device.go();
}

TEST_CASE("a stop during slow copies loses no slab and reads none late", "[cuda][stopping]") {
  auto& cuda = fresh_device();
  const int taken = GENERATE(1, 2, 3, 5, 8, 11);
  const std::string first = GENERATE("stream", "loader");
  CAPTURE(taken, first);
  if (!cuda.real) cuda.slow_copies(1500);
  Leases leases(3);
  for (int i = 0; i < taken; ++i) leases.send(*leases.stream->next());
  if (first == "loader") leases.loader.reset();
  leases.stream.reset();
  leases.loader.reset();
  CHECK(leases.leased() == 0);
  leases.device.wait();
  check_over(leases);
}
