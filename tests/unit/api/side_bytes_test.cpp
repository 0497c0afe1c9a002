#include <cstring>

#include "contract/laws/fixture.hpp"
#include "contract/stopping/gate.hpp"
#include "support/catch.hpp"
#include "support/text.hpp"
#include "unit/codec/encoders.hpp"

using namespace weir;
using namespace weir::test;

namespace {

using codec::test::encode_png;
using codec::test::pattern;

/// An image followed by `side` bytes with its index, in one block.
class Boxed {
 public:
  explicit Boxed(std::size_t side) : side_(side) {}
  std::uint64_t size() const { return 20; }
  Encoded read(std::uint64_t i, ByteSink& sink) const {
    const auto bytes = sink.take(image_.size() + side_);
    std::memcpy(bytes.data(), image_.data(), image_.size());
    const auto side = bytes.subspan(image_.size());
    std::ranges::fill(side, static_cast<std::byte>(i + 1));
    return {.bytes = bytes.first(image_.size()), .label = 1, .annotation = side};
  }
  std::string name(std::uint64_t i) const { return std::to_string(i); }
  std::uint64_t index_bytes() const { return 0; }

 private:
  std::size_t side_;
  std::vector<std::byte> image_ = encode_png(20, 20, pattern(20, 20).values, {});
};

}  // namespace

TEST_CASE("a source fills the side bytes and a batch gives them by row", "[side]") {
  auto options = small_options();
  options.side_bytes = 37;
  options.batch = 8;  // the last batch is short
  const bool ahead = GENERATE(false, true);
  options.io.read_ahead = ahead ? 5 : 0;
  Loader loader(Boxed(37), options);
  auto stream = loader.stream({.epochs = 2});
  for (auto& batch : stream) {
    REQUIRE(batch.side().size() == batch.size() * 37u);
    CHECK(reinterpret_cast<std::uintptr_t>(batch.side().data()) % options.memory.alignment == 0);
    for (std::uint32_t row = 0; row < batch.size(); ++row) {
      const auto side = batch.side(row);
      REQUIRE(side.size() == 37);
      for (const auto byte : side) REQUIRE(byte == std::byte(batch.indices()[row] + 1));
    }
    CHECK_THROWS_WITH(batch.side(batch.size()), has_text("Batch::side(i = "));
    CHECK_THROWS_WITH(batch.side_pixels({2, 6}), has_text("that is 36 bytes, side_bytes is 37"));
    CHECK(batch.bytes_held() == slab_bytes(options.shape, 8, 64, 37));
  }
}

TEST_CASE("side bytes that nobody fills are zero in any slab", "[side]") {
  auto options = small_options();
  options.side_bytes = 10;
  class Filthy final : public std::pmr::memory_resource {
    void* do_allocate(std::size_t bytes, std::size_t alignment) override {
      return std::memset(std::pmr::new_delete_resource()->allocate(bytes, alignment), 0xa5, bytes);
    }
    void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) override {
      std::pmr::new_delete_resource()->deallocate(p, bytes, alignment);
    }
    bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
      return this == &other;
    }
  };
  options.memory.upstream = std::make_shared<Filthy>();
  options.faults.policy = OnFault::blank;
  Loader loader(Flawed(20, 5), options);
  const auto log = drain(loader);
  REQUIRE(log.side.size() == 200);
  CHECK(std::ranges::count(log.side, std::byte{0}) == 200);
}

TEST_CASE("a wrong number of side bytes is a fault naming both numbers", "[side]") {
  auto options = small_options();
  options.side_bytes = 36;
  options.faults.policy = OnFault::blank;
  Loader loader(Boxed(37), options);
  CHECK(std::ranges::count(drain(loader).statuses, RowStatus::blank) == 20);
  const auto fault = loader.report().faults.at(0);
  CHECK(fault.kind == FaultKind::corrupt);
  CHECK(fault.stage == Stage::read);
  CHECK(fault.reason == "the source gave 37 side bytes, side_bytes is 36");
}
