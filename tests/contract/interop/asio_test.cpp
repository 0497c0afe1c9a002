#include "weir/interop/asio.hpp"

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <chrono>
#include <future>
#include <thread>

#include "contract/laws/fixture.hpp"
#include "support/catch.hpp"

using namespace weir;
using namespace weir::test;
namespace asio = boost::asio;

namespace {

AnySource images(std::uint64_t count = 18) { return synthetic(count, {24, 24}, 3); }

/// The handler of one batch, and the thread it ran on.
struct Taken {
  std::exception_ptr error;
  std::optional<Batch> batch;
  std::thread::id thread;
  int times = 0;

  auto handler() {
    return [this](std::exception_ptr thrown, std::optional<Batch> given) {
      error = std::move(thrown);
      batch = std::move(given);
      thread = std::this_thread::get_id();
      ++times;
    };
  }
};

}  // namespace

TEST_CASE("a future gives the next batch, then none", "[interop]") {
  Loader loader(images(8), small_options());
  auto stream = loader.stream();
  for (std::uint64_t sequence = 0; sequence < 2; ++sequence) {
    auto future = async_next(stream, asio::use_future);
    const auto batch = future.get();
    REQUIRE(batch);
    CHECK(batch->sequence() == sequence);
  }
  CHECK_FALSE(async_next(stream, asio::use_future).get());
  CHECK(stream.finished());
  CHECK_FALSE(stream.next());
}

TEST_CASE("a callback runs on its executor and keeps the context busy", "[interop]") {
  Loader loader(images(), small_options());
  auto stream = loader.stream();
  asio::io_context context;
  Taken taken;
  async_next(stream, asio::bind_executor(context, taken.handler()));
  CHECK(taken.times == 0);
  context.run();
  CHECK(taken.times == 1);
  CHECK(taken.thread == std::this_thread::get_id());
  CHECK_FALSE(taken.error);
  REQUIRE(taken.batch);
  CHECK(taken.batch->size() == 4);
}

TEST_CASE("asking asynchronously waits for a lease to come back", "[interop]") {
  Loader loader(images(), small_options());
  auto stream = loader.stream();
  auto held = stream.next();
  stream.settle();
  auto future = async_next(stream, asio::use_future);
  stream.settle();
  CHECK(future.wait_for(std::chrono::milliseconds(5)) == std::future_status::timeout);
  CHECK(loader.snapshot().leased == 1);
  held.reset();
  const auto batch = future.get();
  REQUIRE(batch);
  CHECK(batch->sequence() == 1);
}

TEST_CASE("a stream's error is thrown where its batch was awaited", "[interop]") {
  Loader loader(Flawed(18, 10), small_options());
  auto stream = loader.stream();
  auto future = async_next(stream, asio::use_future);
  CHECK_THROWS_AS(future.get(), Error);
  CHECK_FALSE(async_next(stream, asio::use_future).get());
}

TEST_CASE("a waiting handler gets nothing after cancel() or the end", "[interop]") {
  Loader loader(images(), small_options());
  for (const bool by_cancel : {true, false}) {
    CAPTURE(by_cancel);
    std::optional stream(loader.stream());
    auto held = stream->next();
    auto future = async_next(*stream, asio::use_future);
    if (by_cancel)
      stream->cancel();
    else
      stream.reset();
    CHECK_FALSE(future.get());
    held.reset();
  }
  CHECK(loader.snapshot().samples.conserved());
  CHECK(loader.snapshot().leased == 0);
}

TEST_CASE("one consumer at a time: who comes second is told so", "[interop]") {
  Loader loader(images(), small_options());
  auto stream = loader.stream();
  auto held = stream.next();
  auto future = async_next(stream, asio::use_future);
  CHECK_THROWS_WITH(stream.next(), has_text("Stream::next: a Stream::async_next is still out"));
  CHECK_THROWS_WITH(stream.try_next(), has_text("one consumer at a time"));
  // On this thread, because TSan does not understand libstdc++'s reference counts of exceptions.
  asio::io_context context;
  Taken second;
  async_next(stream, asio::bind_executor(context, second.handler()));
  context.run();
  REQUIRE(second.error);
  CHECK_THROWS_WITH(std::rethrow_exception(second.error),
                    has_text("Stream::async_next is still out"));
  held.reset();
  CHECK(future.get());
  CHECK(stream.next());
}

TEST_CASE("a batch whose handler never runs goes back", "[interop]") {
  Loader loader(images(), small_options());
  auto stream = loader.stream();
  {
    asio::io_context context;
    Taken taken;
    async_next(stream, asio::bind_executor(context, taken.handler()));
    stream.settle();
    CHECK(loader.snapshot().leased == 1);
  }
  CHECK(loader.snapshot().leased == 0);
  CHECK(stream.progress().epochs.front().done.empty());
  CHECK(stream.next()->sequence() == 1);
}

TEST_CASE("what a taker throws is lost, and its batch comes back", "[interop]") {
  Loader loader(images(), small_options());
  auto stream = loader.stream();
  stream.async_next([](const std::exception_ptr&, const std::optional<Batch>& batch) {
    if (batch) throw std::runtime_error("no");
  });
  stream.settle();
  const auto batch = stream.next();
  REQUIRE(batch);
  CHECK(batch->sequence() == 1);
  CHECK_THROWS_WITH(stream.async_next(nullptr), has_text("take is empty"));
}

TEST_CASE("a batch taken asynchronously outlives stream and loader", "[interop]") {
  const auto ledger = std::make_shared<MemoryLedger>(std::nullopt);
  auto options = small_options();
  options.memory.ledger = ledger;
  std::optional<Batch> batch;
  {
    Loader loader(images(), options);
    auto stream = loader.stream();
    batch = async_next(stream, asio::use_future).get();
  }
  REQUIRE(batch);
  CHECK(ledger->snapshot()[Account::leased] == batch->bytes_held());
  CHECK(ledger->snapshot().live == batch->bytes_held());
  batch.reset();
  CHECK(ledger->snapshot().live == 0);
}
