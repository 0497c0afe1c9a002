#include "buffer/sample_cache.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "base/random.hpp"
#include "books/book.hpp"
#include "contract/laws/fixture.hpp"
#include "support/catch.hpp"
#include "support/found.hpp"
#include "support/refusing_memory.hpp"
#include "support/sanitized.hpp"

using namespace weir;
using namespace weir::test;
using buffer::KeptSample;
using buffer::RowForm;
using buffer::SampleCache;

namespace {

constexpr std::uint64_t sample_count = 100;

std::shared_ptr<books::Book> book_of(std::uint64_t budget, std::uint64_t promise = 0) {
  return std::make_shared<books::Book>(std::make_shared<books::Ledger>(budget),
                                       books::ShareLimits{promise, 0, 100, UINT64_MAX, 2, 4});
}

CachePlan plan_of(std::uint64_t bytes, Cache keep = Cache::encoded) {
  return {.keep = keep, .requested = bytes, .bytes = bytes, .table_bytes = sample_count * 8};
}

std::vector<std::byte> bytes_of(std::uint64_t index, std::size_t count) {
  std::vector<std::byte> bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>(index * 31 + i);
  return bytes;
}

void keep(SampleCache& cache, std::uint64_t index, std::size_t count) {
  const auto bytes = bytes_of(index, count), second = bytes_of(index + 1, count / 2);
  cache.keep({.index = index,
              .data = {.bytes = bytes,
                       .label = static_cast<std::int64_t>(index) * 3,
                       .planes = {second, {}, second},
                       .annotation = std::span(second).first(count / 4)},
              .charged = count + 7,
              .status = index % 2 ? RowStatus::damaged : RowStatus::ok,
              .size = {}});
}

bool right(const KeptSample& sample, std::uint64_t index, std::size_t count) {
  const auto same = [](std::span<const std::byte> is, const std::vector<std::byte>& was,
                       std::size_t first) {
    return is.size() == first && std::equal(is.begin(), is.end(), was.begin()) &&
           reinterpret_cast<std::uintptr_t>(is.data()) % 64 == 0;
  };
  return sample.index == index && sample.data.label == static_cast<std::int64_t>(index) * 3 &&
         sample.charged == count + 7 &&
         sample.status == (index % 2 ? RowStatus::damaged : RowStatus::ok) &&
         same(sample.data.bytes, bytes_of(index, count), count) && sample.data.planes.size() == 3 &&
         sample.data.planes[1].empty() &&
         same(sample.data.planes[0], bytes_of(index + 1, count / 2), count / 2) &&
         same(sample.data.planes[2], bytes_of(index + 1, count / 2), count / 2) &&
         same(sample.data.annotation, bytes_of(index + 1, count / 2), count / 4);
}

}  // namespace

TEST_CASE("a cache keeps what came first within its bound", "[buffer][cache]") {
  auto upstream = std::make_shared<CountingUpstream>();
  auto book = book_of(10 << 20);
  {
    SampleCache cache(book, plan_of(64'000), sample_count, 0, upstream);
    CHECK(upstream->outstanding() == 0);
    for (std::uint64_t i = 0; i < sample_count; ++i) keep(cache, i, 2000);
    const auto held = cache.figures();
    CHECK(held.samples > 10);
    CHECK(held.samples < 20);
    CHECK(held.bytes <= 64'000);
    CHECK(held.bytes == upstream->outstanding());
    CHECK(held.bytes == book->snapshot().memory[Account::cache]);
    for (std::uint64_t i = 0; i < sample_count; ++i) {
      Found hold(cache, i);
      REQUIRE(static_cast<bool>(hold) == (i < held.samples));
      if (hold) CHECK(right(hold.sample(), i, 2000));
    }
    CHECK(held.evicted == 0);
  }
  CHECK(upstream->outstanding() == 0);
  CHECK(book->snapshot().memory.live == 0);
}

TEST_CASE("a cache of the bytes of all samples keeps all", "[buffer][cache]") {
  for (const std::uint64_t count : {1u, 7u, 60u, 500u})
    for (const std::uint32_t side : {1u, 5u, 40u, 224u}) {
      if (count * side > 20'000) continue;
      RowForm form{.annotation_bytes = 100};
      for (int p = 0; p < 2; ++p) form.images.push_back({.pixels = PixelFormat::stored8});
      const ImageSize size{side, side};
      const auto entry = SampleCache::entry_bytes(form, size);
      const auto bytes = SampleCache::whole_bytes(count, count, entry, true);
      CAPTURE(count, side, entry, bytes);
      auto book = book_of(bytes);
      SampleCache cache(book, plan_of(bytes, Cache::decoded), count, entry, nullptr);
      const std::vector<std::byte> image(std::size_t{3} * side * side),
          plane(std::size_t{side} * side), text(100);
      for (std::uint64_t i = 0; i < count; ++i) {
        KeptSample sample{.index = i, .data = {.bytes = image}, .size = size};
        sample.data.annotation = text;
        for (int p = 0; p < 2; ++p) CHECK(sample.data.planes.add(plane));
        CHECK(cache.keep(sample));
      }
      CHECK(cache.figures().samples == count);
      CHECK(cache.figures().bytes + std::max<std::uint64_t>(entry, 64 << 10) > bytes);
    }
}

TEST_CASE("a cache of the bytes of samples that differ keeps them", "[buffer][cache]") {
  for (const std::uint64_t count : {8u, 200u, 3000u})
    for (const std::uint64_t mean : {600u, 20'000u, 110'000u, 400'000u, 6'000'000u}) {
      if (count * mean > 50'000'000) continue;
      Random random(count, mean, 0);
      std::vector<std::uint64_t> sizes(count);
      std::uint64_t entries = 0;
      for (auto& size : sizes) {
        size = mean / 4 + random.below(mean * 3 / 2);
        const std::uint64_t parts[]{size, 0};
        entries += SampleCache::entry_bytes(parts, false);
      }
      const auto bytes = SampleCache::whole_bytes(count, count, entries / count, false);
      CAPTURE(count, mean, entries, bytes);
      auto book = book_of(bytes);
      SampleCache cache(book, plan_of(bytes, Cache::encoded), count, 0, nullptr);
      std::uint64_t kept = 0;
      for (std::uint64_t i = 0; i < count; ++i) {
        const std::vector<std::byte> image(sizes[i]);
        kept += cache.keep({.index = i, .data = {.bytes = image}});
      }
      CHECK(kept + 1 + count / 100 >= count);
      CHECK(bytes < entries / 10 * 13);
    }
}

TEST_CASE("an image is kept without the gaps between its lines", "[buffer][cache]") {
  auto book = book_of(1 << 20);
  SampleCache cache(book, plan_of(100'000, Cache::decoded), sample_count, 0, nullptr);
  std::vector<std::uint8_t> block(10 * 40);
  for (std::size_t i = 0; i < block.size(); ++i) block[i] = static_cast<std::uint8_t>(i);
  const ImageView image{block.data(), {10, 7}, 40};
  const auto pixels = std::as_bytes(std::span(block)).first(210);
  cache.keep({.index = 5, .data = {.bytes = pixels}, .size = {10, 7}}, std::span(&image, 1));
  Found hold(cache, 5);
  REQUIRE(hold);
  const auto kept = hold.sample();
  CHECK(kept.size == ImageSize{10, 7});
  REQUIRE(kept.data.bytes.size() == 210);
  for (std::size_t y = 0; y < 10; ++y)
    CHECK(std::memcmp(kept.data.bytes.data() + 21 * y, block.data() + 40 * y, 21) == 0);
}

TEST_CASE("segments give way youngest first, those that are read do not", "[buffer][cache]") {
  auto upstream = std::make_shared<CountingUpstream>();
  auto book = book_of(10 << 20);
  SampleCache cache(book, plan_of(1 << 20), sample_count, 0, upstream);
  for (std::uint64_t i = 0; i < 8; ++i) keep(cache, i, 40'000);  // each in its own segment
  Found youngest(cache, 7);
  REQUIRE(cache.evict());
  CHECK(Found(cache, 7));
  CHECK_FALSE(Found(cache, 6));
  CHECK(Found(cache, 0));
  youngest.release();
  REQUIRE(cache.evict());
  CHECK_FALSE(Found(cache, 7));
  CHECK(Found(cache, 5));
  Found oldest(cache, 0);
  while (cache.evict()) {
  }
  CHECK(right(oldest.sample(), 0, 40'000));
  CHECK(cache.figures().samples == 1);
  CHECK(cache.figures().evicted == 7);
  CHECK(cache.figures().bytes == upstream->outstanding());
  oldest.release();
  while (cache.evict()) {
  }
  CHECK(upstream->outstanding() == 0);
  CHECK(book->snapshot().memory.live == 0);
  keep(cache, 3, 40'000);  // uses room that is free again
  CHECK(Found(cache, 3));
}

TEST_CASE("a cache takes nothing promised or while anyone waits", "[buffer][cache]") {
  auto ledger = std::make_shared<books::Ledger>(300'000);
  auto book =
      std::make_shared<books::Book>(ledger, books::ShareLimits{0, 0, 100, UINT64_MAX, 1, 4});
  auto other = std::make_shared<books::Book>(
      ledger, books::ShareLimits{250'000, 0, 240'000, UINT64_MAX, 2, 4});
  SampleCache cache(book, plan_of(1 << 20), sample_count, 0, nullptr);
  keep(cache, 0, 60'000);  // more than the 50,000 that are not reserved
  CHECK_FALSE(Found(cache, 0));
  keep(cache, 1, 10'000);
  CHECK(Found(cache, 1));
  CHECK(cache.figures().bytes <= 50'000);
  // The second slab exceeds the reservation, and waits.
  REQUIRE(other->try_charge_slab());
  other->add_slab(0);
  REQUIRE_FALSE(other->try_charge_slab());
  const auto before = cache.figures().bytes;
  keep(cache, 2, 100);
  keep(cache, 3, 1000);
  CHECK(cache.figures().bytes == before);
}

TEST_CASE("what wants a cache's bytes gets them, its own book's first", "[buffer][cache]") {
  auto ledger = std::make_shared<books::Ledger>(1'000'000);
  auto own = std::make_shared<books::Book>(
      ledger, books::ShareLimits{100'000, 0, 200'000, UINT64_MAX, 4, 4});
  auto idle = std::make_shared<books::Book>(
      ledger, books::ShareLimits{100'000, 0, 200'000, UINT64_MAX, 4, 4});
  SampleCache mine(own, plan_of(400'000), sample_count, 0, nullptr);
  SampleCache theirs(idle, plan_of(1'000'000), sample_count, 0, nullptr);
  for (std::uint64_t i = 0; i < 10; ++i) keep(mine, i, 20'000);
  for (std::uint64_t i = 0; i < 30; ++i) keep(theirs, i, 20'000);
  const auto mine_had = mine.figures().samples, theirs_had = theirs.figures().samples;
  REQUIRE(mine_had > 0);
  REQUIRE_FALSE(own->try_charge_slab());
  CHECK(own->make_room());
  CHECK(own->try_charge_slab());
  CHECK(mine.figures().samples < mine_had);
  CHECK(theirs.figures().samples == theirs_had);
  own->add_slab(0);
  // More than its own cache holds.
  for (books::SlabId slab = 1; slab < 4; ++slab) {
    if (!own->try_charge_slab()) {
      REQUIRE(own->make_room());
      REQUIRE(own->try_charge_slab());
    }
    own->add_slab(slab);
  }
  CHECK(mine.figures().samples == 0);
  CHECK(theirs.figures().samples < theirs_had);
  // The reservation of the idle book is not available to others, so its cache keeps that many bytes.
  CHECK_FALSE(own->try_charge(Account::scratch, 150'000));
  CHECK(own->try_charge(Account::scratch, 100'000));
  CHECK(ledger->snapshot().live <= 1'000'000);
  // A new book finds room for its reservation.
  own->discharge(Account::scratch, {100'000, false});
  while (idle->try_charge_cache(10'000, UINT64_MAX)) {
  }
  const auto late =
      std::make_shared<books::Book>(ledger, books::ShareLimits{50'000, 0, 100, UINT64_MAX, 1, 1});
  CHECK(late);
}

TEST_CASE("what a cache keeps has a name", "[buffer][cache]") {
  CHECK(to_string(Cache::nothing) == "nothing");
  CHECK(to_string(Cache::encoded) == "encoded");
  CHECK(to_string(Cache::decoded) == "decoded");
  CHECK(to_string(static_cast<Cache>(9)) == "?");
}

TEST_CASE("a cache without memory keeps nothing and does no harm", "[buffer][cache]") {
  for (const int left : {0, 1, 2}) {
    auto book = book_of(10 << 20);
    SampleCache cache(book, plan_of(1 << 20), sample_count, 0,
                      std::make_shared<RefusingMemory>(left));
    for (std::uint64_t i = 0; i < 20; ++i) keep(cache, i, 40'000);
    CHECK(cache.figures().samples == (left == 2 ? 1 : 0));
    CHECK(cache.figures().bytes == book->snapshot().memory[Account::cache]);
  }
}

TEST_CASE("many threads find, keep and release samples at once", "[buffer][cache]") {
  auto book = book_of(10 << 20);
  SampleCache cache(book, plan_of(300'000), sample_count, 0, nullptr);
  std::atomic<std::uint64_t> wrong{0}, found{0};
  {
    std::vector<std::jthread> threads;
    const std::uint64_t rounds = thinned(5000);
    for (std::uint64_t t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        RandomStream random(t);
        for (std::uint64_t i = 0; i < rounds; ++i) {
          const auto index = random.below(sample_count);
          if (Found hold(cache, index); hold) {
            ++found;
            if (!right(hold.sample(), index, 1000 + 90 * index)) ++wrong;
          } else {
            keep(cache, index, 1000 + 90 * index);
          }
          if (random.below(50) == 0) cache.evict();
        }
      });
    }
  }
  CHECK(wrong == 0);
  CHECK(found > 100);
  CHECK(cache.figures().bytes == book->snapshot().memory[Account::cache]);
  CHECK(book->snapshot().memory.peak <= 300'000);
}
