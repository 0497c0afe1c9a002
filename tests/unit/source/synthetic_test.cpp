#include <cstdint>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "source/synthetic.hpp"
#include "support/catch.hpp"
#include "unit/source/fixture.hpp"

namespace {

using namespace weir;
using namespace weir::test;

}  // namespace

TEST_CASE("a synthetic sample is a pure function of seed and index", "[synthetic]") {
  const auto source = synthetic(100, {40, 60}, 7);
  const auto sample = read_text(source, 13);
  read_text(source, 99);
  CHECK(read_text(source, 13) == sample);
  CHECK(read_text(synthetic(50, {40, 60}, 7), 13) == sample);
  CHECK(read_text(synthetic(100, {40, 60}, 8), 13) != sample);
  std::string elsewhere;
  std::jthread([&] { elsewhere = read_text(source, 13); }).join();
  CHECK(elsewhere == sample);
}

TEST_CASE("synthetic samples are whole JPEGs, no two alike", "[synthetic]") {
  const auto source = synthetic(40, {64, 48}, 1);
  std::set<std::string> all;
  for (std::uint64_t i = 0; i < source.size(); ++i) {
    const auto jpeg = read_text(source, i);
    CHECK(jpeg.starts_with("\xff\xd8\xff"));
    CHECK(jpeg.ends_with("\xff\xd9"));
    all.insert(jpeg);
  }
  CHECK(all.size() == 40);
}

TEST_CASE("synthetic sizes vary by an eighth around what was asked", "[synthetic]") {
  const auto source = synthetic(200, {64, 128}, 2);
  std::set<unsigned> heights, widths;
  for (std::uint64_t i = 0; i < source.size(); ++i) {
    const auto [height, width] = encoded_size(read_text(source, i));
    heights.insert(height);
    widths.insert(width);
  }
  CHECK(*heights.begin() == 56);
  CHECK(*heights.rbegin() == 72);
  CHECK(*widths.begin() == 112);
  CHECK(*widths.rbegin() == 144);
}

TEST_CASE("a large synthetic image is made in charged memory", "[synthetic]") {
  MemorySink sink;
  const auto large = synthetic(2, {3000, 2500}).read(0, sink);
  REQUIRE(sink.parts().size() == 1);
  // Before it is made, the largest possible size.
  CHECK(sink.parts()[0].size() > std::size_t{16} << 20);
  CHECK(large.bytes.size() < sink.parts()[0].size());
  CHECK(large.bytes.back() == std::byte{0xd9});
  // A sink that refuses is asked before anything is painted.
  MemorySink full(0);
  CHECK_THROWS_AS(synthetic(2, {65'500, 65'500}).read(0, full), BytesRefused);
}

TEST_CASE("a large synthetic image is abandoned if a stop is requested", "[synthetic]") {
  std::stop_source stop;
  MemorySink sink;
  const auto large = source::synthetic(2, {3000, 2500}, 0, stop.get_token());
  const auto small = source::synthetic(2, {300, 250}, 0, stop.get_token());
  stop.request_stop();
  CHECK_THROWS_AS(large.read(0, sink), SampleError);
  CHECK_FALSE(small.read(0, sink).bytes.empty());
}

TEST_CASE("synthetic labels go round the ten classes", "[synthetic]") {
  const auto source = synthetic(25, {16, 16});
  REQUIRE(source.class_names().size() == 10);
  for (std::uint64_t i = 0; i < source.size(); ++i) {
    CHECK(label_of(source, i) == static_cast<std::int64_t>(i % 10));
    CHECK(source.name(i).starts_with(source.class_names()[i % 10] + "/"));
  }
  CHECK(source.name(3) == "lime_checks/000003.jpg");
  CHECK(source.index_bytes() < 100);
}

TEST_CASE("the sink is asked once, for the very size", "[synthetic]") {
  MemorySink sink;
  const auto encoded = synthetic(1, {300, 200}).read(0, sink);
  REQUIRE(sink.parts().size() == 1);
  CHECK(sink.parts()[0].size() == encoded.bytes.size());
}

TEST_CASE("one pixel and the widest JPEG can be made", "[synthetic]") {
  CHECK(encoded_size(read_text(synthetic(1, {1, 1}), 0)).height == 1);
  for (std::uint64_t i = 0; i < 8; ++i) {
    const auto [height, width] = encoded_size(read_text(synthetic(8, {1, 65'500}), i));
    CHECK(height == 1);
    CHECK(width >= 57'313);
    CHECK(width <= 65'500);
  }
}

TEST_CASE("a shape that is no JPEG's is refused by its field", "[synthetic]") {
  for (const ImageSize shape : {ImageSize{0, 8}, ImageSize{8, 0}, ImageSize{8, 65'501}}) {
    try {
      synthetic(1, shape);
      FAIL("accepted");
    } catch (const Error& error) {
      CHECK(error.code() == Errc::bad_options);
      CHECK(std::string(error.what()).find("encoded_shape.") != std::string::npos);
    }
  }
}
