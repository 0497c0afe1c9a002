#include "support/rig/attempts.hpp"

#include "source/sampler.hpp"
#include "support/catch.hpp"
#include "unit/source/fixture.hpp"

using namespace weir;
using namespace weir::test;

TEST_CASE("a watched source acts like the original and counts its reads", "[attempts]") {
  const auto plain =
      in_memory({{"a", {std::byte{1}}, 5}, {"b", {std::byte{2}, std::byte{3}}, 6}}, {"x"});
  const auto attempts = std::make_shared<Attempts>(plain.size());
  const AnySource source = Watched{plain, attempts};
  CHECK(source.size() == plain.size());
  CHECK(source.name(1) == plain.name(1));
  CHECK(source.index_bytes() == plain.index_bytes());
  CHECK(source.encoded_bytes(1) == plain.encoded_bytes(1));
  CHECK(source.class_names() == plain.class_names());
  CHECK(attempts->total() == 0);

  MemorySink sink;
  CHECK(source.read(1, sink).label == 6);
  source.read(1, sink);
  CHECK(attempts->total() == 2);
  CHECK(attempts->read_at_least(1) == 1);
  source.read(0, sink);
  CHECK(attempts->read_at_least(1) == 2);
  CHECK(attempts->read_at_least(2) == 1);
}

namespace {

/// The breaches of the law after `epochs` epochs of 6 samples, if sample i was read reads[i] times.
std::uint64_t breaches(const Order& order, std::uint64_t epochs,
                       const std::vector<std::uint64_t>& reads, const Report& did = {}) {
  Attempts attempts(reads.size());
  for (std::uint64_t i = 0; i < reads.size(); ++i)
    for (std::uint64_t n = 0; n < reads[i]; ++n) attempts.note(i);
  LawBook book;
  check_attempts(attempts, {.order = order, .seed = 3}, epochs, did, book);
  CHECK(book.figures()[static_cast<std::size_t>(Law::attempted)].checks >= 2);
  return book.breaches();
}

}  // namespace

TEST_CASE("each sample is to be read as often as it is drawn", "[attempts]") {
  CHECK(breaches(Order::shuffle(), 2, {2, 2, 2, 2, 2, 3}) == 0);
  CHECK(breaches(Order::shuffle(), 2, {2, 2, 2, 2, 1, 3}) == 1);  // one too few
  CHECK(breaches(Order::shuffle(), 2, {2, 2, 2, 2, 1, 2}) == 2);  // and too few reads in all
  CHECK(breaches(Order::every(2, 1), 2, {0, 2, 0, 2, 0, 2}) == 0);
  CHECK(breaches(Order::every(2, 1), 2, {0, 2, 0, 1, 0, 3}) == 1);
  CHECK(breaches(Order::every(2, 1), 2, {1, 2, 0, 2, 0, 2}) == 1);  // it is not drawn
  Report replaced;
  replaced.fault_count = 1;
  CHECK(breaches(Order::every(2, 1), 2, {1, 2, 0, 2, 0, 2}, replaced) == 0);
}

TEST_CASE("draws of orders with repeats and cache hits are counted", "[attempts]") {
  for (const auto& order : {Order::with_replacement(20), Order::weighted({1, 5, 1, 0, 2, 1}, 20)}) {
    CAPTURE(to_string(order));
    const source::Sampler sampler(6, order, 3);
    std::vector<std::uint64_t> draws(6);
    for (std::uint64_t epoch = 0; epoch < 3; ++epoch)
      for (std::uint64_t position = 0; position < 20; ++position)
        ++draws[sampler.index(epoch, source::Position(position))];
    CHECK(breaches(order, 3, draws) == 0);
    auto other = draws;
    --other[1];
    ++other[4];
    CHECK(breaches(order, 3, other) == 1);
    Report cached;
    cached.cache.hits = 60 - 5;
    const auto zero = order.weights ? 0u : 1u;
    CHECK(breaches(order, 3, {1, 1, 1, zero, 1, 1}, cached) == 0);
    CHECK(breaches(order, 3, {1, 2, 1, zero, 0, 1}, cached) == 1);  // a hit needs one read before
    cached.cache.hits -= 2;
    CHECK(breaches(order, 3, {1, 1, 1, zero, 1, 1}, cached) == 1);
  }
}
