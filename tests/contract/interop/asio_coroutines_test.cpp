#include "weir/interop/asio.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "contract/laws/fixture.hpp"
#include "support/catch.hpp"

using namespace weir;
using namespace weir::test;
namespace asio = boost::asio;

namespace {

asio::awaitable<void> consume(Stream& stream, Log& log) {
  while (auto batch = co_await async_next(stream, asio::use_awaitable)) log.add(*batch);
}

}  // namespace

TEST_CASE("coroutines on one thread take turns and get next()'s batches", "[interop]") {
  const auto images = synthetic(18, {24, 24}, 3);
  Loader a(images, small_options()), b(images, small_options()), c(images, small_options());
  const auto wanted = drain(c);
  auto one = a.stream(), other = b.stream();
  Log log_one, log_other;
  asio::io_context context;
  asio::co_spawn(context, consume(one, log_one), asio::detached);
  asio::co_spawn(context, consume(other, log_other), asio::detached);
  context.run();
  CHECK(log_one == wanted);
  CHECK(log_other == wanted);
  CHECK(one.finished());
  CHECK(a.snapshot().samples.consumed == 18);
  CHECK(a.report().queue.data_readiness >= 0);
  CHECK(a.report().samples.conserved());
}
