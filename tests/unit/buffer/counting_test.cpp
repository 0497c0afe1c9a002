#include "weir/memory.hpp"

#include <atomic>
#include <new>
#include <numeric>
#include <thread>
#include <vector>

#include "base/internals.hpp"
#include "buffer/counts.hpp"
#include "support/catch.hpp"
#include "support/sanitized.hpp"
#include "weir/error.hpp"

using namespace weir;

namespace {

/// Records allocations and deallocations. Refuses requests larger than `most`.
class Noting final : public std::pmr::memory_resource {
 public:
  struct Call {
    std::size_t bytes, alignment;
    bool operator==(const Call&) const = default;
  };
  std::size_t most = SIZE_MAX;
  std::vector<Call> asked, returned;

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    if (bytes > most) throw std::bad_alloc();
    asked.push_back({bytes, alignment});
    return std::pmr::new_delete_resource()->allocate(bytes, alignment);
  }
  void do_deallocate(void* data, std::size_t bytes, std::size_t alignment) override {
    returned.push_back({bytes, alignment});
    std::pmr::new_delete_resource()->deallocate(data, bytes, alignment);
  }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    return this == &other;
  }
};

using Bytes = std::pmr::vector<char>;

}  // namespace

TEST_CASE("bytes count on the account they came from", "[counting]") {
  CountingResource memory;
  CHECK(memory.live() == 0);
  {
    const Bytes weights(100, memory.account("weights"));
    Bytes inputs(7, memory.account("inputs"));
    const Bytes loose(1, &memory);
    CHECK(memory.live() == 108);
    const auto use = memory.use();
    REQUIRE(use.accounts.size() == 3);
    CHECK(use.accounts[0].name == "other");
    CHECK(use.accounts[1].name == "weights");
    CHECK(use.accounts[2].name == "inputs");
    CHECK(use.live == 108);
    CHECK(use["weights"].live == 100);
    CHECK(use["inputs"].live == 7);
    CHECK(use["other"].live == 1);
    CHECK(use["none of these"].live == 0);
    inputs = Bytes(memory.account("inputs"));
    CHECK(memory.use()["inputs"].live == 0);
    CHECK(memory.live() == 101);
  }
  CHECK(memory.live() == 0);
  CHECK(memory.use().peak == 108);
}

TEST_CASE("a peak has its breakdown, and each account its own", "[counting]") {
  CountingResource memory;
  auto* const a = memory.account("a");
  auto* const b = memory.account("b");
  { const Bytes early(60, a); }
  const Bytes kept(50, a);
  { const Bytes most(40, b); }
  const Bytes late(30, b);

  const auto use = memory.use();
  CHECK(use.live == 80);
  CHECK(use.peak == 90);
  CHECK(use["a"].peak == 60);
  CHECK(use["a"].at_peak == 50);
  CHECK(use["b"].peak == 40);
  CHECK(use["b"].at_peak == 40);

  memory.reset_peak();
  const auto after = memory.use();
  CHECK(after.peak == 80);
  CHECK(after["a"].peak == 50);
  CHECK(after["b"].peak == 30);
  CHECK(after["b"].at_peak == 30);
}

TEST_CASE("the upstream gets sizes and alignments as requested", "[counting]") {
  Noting upstream;
  CountingResource memory(&upstream);
  auto* const account = memory.account("odd");
  for (const std::size_t alignment : {1u, 8u, 64u, 4096u}) {
    void* const own = account->allocate(3 * alignment + 1, alignment);
    void* const loose = memory.allocate(alignment, alignment);
    CHECK(reinterpret_cast<std::uintptr_t>(own) % alignment == 0);
    CHECK(memory.use()["odd"].live == 3 * alignment + 1);
    account->deallocate(own, 3 * alignment + 1, alignment);
    memory.deallocate(loose, alignment, alignment);
  }
  CHECK(upstream.asked.size() == 8);
  CHECK(upstream.asked[4] == Noting::Call{3 * 64 + 1, 64});
  CHECK(upstream.asked == upstream.returned);
  CHECK(memory.live() == 0);
}

TEST_CASE("what the upstream refuses never counts", "[counting]") {
  Noting upstream;
  upstream.most = 1'000;
  CountingResource memory(&upstream);
  const Bytes kept(10, memory.account("a"));
  CHECK_THROWS_AS(Bytes(1'001, memory.account("a")), std::bad_alloc);
  CHECK(memory.live() == 10);
  CHECK(memory.use().peak == 10);
  CHECK(memory.use()["a"].peak == 10);
}

TEST_CASE("each name is one account that frees only its own memory", "[counting]") {
  CountingResource memory, another;
  auto* const a = memory.account("a");
  CHECK(memory.account("a") == a);
  CHECK(memory.account("b") != a);
  CHECK(memory.account("other") == &memory);
  CHECK(a->is_equal(*a));
  CHECK_FALSE(a->is_equal(*memory.account("b")));
  CHECK_FALSE(a->is_equal(*another.account("a")));
  CHECK_FALSE(memory.is_equal(another));
  CHECK_THROWS_AS(memory.account(""), Error);
}

TEST_CASE("watches of peaks do not disturb each other", "[counting]") {
  CountingResource memory;
  auto* const a = memory.account("a");
  buffer::CountsWatch first(Internals::counts(memory));
  auto gone = std::make_unique<buffer::CountsWatch>(Internals::counts(memory));
  buffer::CountsWatch last(Internals::counts(memory));
  { const Bytes most(100, a); }
  memory.reset_peak();
  CHECK(memory.use().peak == 0);
  CHECK(first.take().peak == 100);
  CHECK(first.read().peak == 0);
  CHECK(gone->read().peak == 100);
  gone.reset();
  const Bytes later(30, memory.account("made later"));
  CHECK(last.read().peak == 100);
  CHECK(last.read()["made later"].peak == 30);
  CHECK(last.read()["made later"].at_peak == 0);
  CHECK(first.read().peak == 30);
  CHECK(first.read()["made later"].at_peak == 30);
}

TEST_CASE("R15 many threads allocate, and every look adds up", "[counting][R15]") {
  CountingResource memory;
  constexpr std::size_t threads = 4, block = 64;
  constexpr auto rounds = test::thinned(4'000);
  std::atomic<bool> done{false};
  std::atomic<std::uint64_t> torn{0};
  std::thread looker([&] {
    buffer::CountsWatch watch(Internals::counts(memory));
    while (!done) {
      const auto use = watch.take();
      const auto sum = [&](auto of) {
        return std::accumulate(
            use.accounts.begin(), use.accounts.end(), std::uint64_t{0},
            [&](std::uint64_t before, const AccountUse& one) { return before + one.*of; });
      };
      if (sum(&AccountUse::live) != use.live || sum(&AccountUse::at_peak) != use.peak ||
          use.peak < use.live || use.peak > threads * 2 * block)
        ++torn;
    }
  });
  std::vector<std::thread> users;
  for (std::size_t t = 0; t < threads; ++t)
    users.emplace_back([&memory, t] {
      for (std::uint64_t i = 0; i < rounds; ++i) {
        const Bytes shared(block, memory.account("shared"));
        const Bytes own(block, memory.account(std::to_string((t + i) % threads)));
      }
    });
  for (auto& user : users) user.join();
  done = true;
  looker.join();
  CHECK(torn == 0);
  CHECK(memory.live() == 0);
  CHECK(memory.use().accounts.size() == 2 + threads);
  CHECK(memory.use()["shared"].peak >= block);
  CHECK(memory.use()["shared"].peak <= threads * block);
}
