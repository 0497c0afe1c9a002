#include "source/delayed.hpp"

#include <chrono>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "unit/source/fixture.hpp"

namespace {

using namespace weir;
using namespace weir::test;
using Milliseconds = std::chrono::duration<double, std::milli>;

struct Refused {};
class RefusingSink final : public ByteSink {
 public:
  std::span<std::byte> take(std::size_t) override { throw Refused(); }
};

template <class F>
double milliseconds(const F& call) {
  const auto start = std::chrono::steady_clock::now();
  call();
  return Milliseconds(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

TEST_CASE("a delayed source gives the same samples, later", "[delayed]") {
  const auto plain = synthetic(3, {16, 16, 3});
  const auto slow = source::delayed(plain, 30);
  std::string text;
  CHECK(milliseconds([&] { text = read_text(slow, 2); }) >= 30);
  CHECK(text == read_text(plain, 2));
  CHECK(slow.size() == 3);
  CHECK(slow.name(1) == plain.name(1));
  CHECK(slow.index_bytes() == plain.index_bytes());
  CHECK(slow.class_names() == plain.class_names());
}

TEST_CASE("samples that need no memory are delayed, too", "[delayed]") {
  std::vector<MemorySample> samples(1);
  samples[0].bytes.resize(5);
  const auto slow = source::delayed(in_memory(std::move(samples)), 30);
  CHECK(slow.encoded_bytes(0) == 5);
  CHECK(milliseconds([&] { read_text(slow, 0); }) >= 30);
}

TEST_CASE("a read that is refused its bytes does not wait", "[delayed]") {
  const auto slow = source::delayed(synthetic(1, {16, 16, 3}), 60'000);
  RefusingSink sink;
  CHECK_THROWS_AS(slow.read(0, sink), Refused);
}
