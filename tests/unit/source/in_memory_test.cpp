#include <cstddef>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "unit/source/fixture.hpp"

namespace {

using namespace weir;
using namespace weir::test;

}  // namespace

TEST_CASE("samples in memory are read where they lie", "[memory]") {
  std::vector<MemorySample> samples(2);
  samples[0] = {"first", std::vector<std::byte>(10, std::byte{'a'}), 4};
  samples[1] = {"second", std::vector<std::byte>(20, std::byte{'b'}), 2};
  const auto* where = samples[1].bytes.data();
  const auto source = in_memory(std::move(samples), {"x", "y"});
  MemorySink sink;
  const auto encoded = source.read(1, sink);
  CHECK(encoded.bytes.data() == where);
  CHECK(text_of(encoded) == std::string(20, 'b'));
  CHECK(encoded.label == 2);
  CHECK(sink.parts().empty());
  CHECK(source.encoded_bytes(0) == 10);
  CHECK(source.name(0) == "first");
  CHECK(source.class_names() == std::vector<std::string>{"x", "y"});
}

TEST_CASE("the index of samples in memory counts capacity, not size", "[memory]") {
  const auto bytes_with = [](std::size_t size, std::size_t capacity, const std::string& name) {
    std::vector<MemorySample> samples(1);
    samples[0].name = name;
    samples[0].bytes.reserve(capacity);
    samples[0].bytes.resize(size);
    return in_memory(std::move(samples)).index_bytes();
  };
  const auto least = bytes_with(0, 0, "");
  CHECK(bytes_with(10, 1000, "") == least + 1000);
  CHECK(bytes_with(10, 10, "short") == least + 10);
  CHECK(bytes_with(0, 0, std::string(100, 'n')) == least + 101);
}
