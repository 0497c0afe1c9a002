#include <algorithm>

#include "program.hpp"
#include "source/jpeg_encoder.hpp"
#include "support/catch.hpp"

using Arguments = std::vector<std::string>;

namespace {

std::string digest(const Arguments& options) {
  Arguments arguments{"run", "synthetic:60,40x52", "--size", "32x32", "--batch", "8", "--epochs",
                      "2",   "--digest",           "--json", "-"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  const auto outcome = weir::test::weir(arguments);
  REQUIRE(outcome.exit_code == 0);
  // The time of the digest is the consumer's.
  CHECK(outcome.json()["verdict"].is_null());
  std::string hex = outcome.json()["digest"].get<std::string>();
  REQUIRE(hex.size() == 64);
  return hex;
}

/// A grey image. With `spot`, one pixel is white.
class Grey final : public weir::source::Rows {
 public:
  explicit Grey(bool spot) : spot_(spot) {}
  void paint(std::uint32_t y, std::span<std::uint8_t> row) const noexcept override {
    std::fill(row.begin(), row.end(), std::uint8_t{100});
    if (spot_ && y == 5) std::fill_n(row.begin() + 27, 3, std::uint8_t{255});
  }

 private:
  bool spot_;
};

std::string jpeg(bool spot) {
  constexpr weir::ImageSize shape{.height = 16, .width = 16};
  std::vector<std::byte> memory(weir::source::most_jpeg_bytes(shape));
  const auto bytes =
      weir::source::encode_jpeg(Grey(spot), shape, weir::PixelFormat::rgb8, 95, memory);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string folder_digest(bool spot) {
  const weir::test::TemporaryFolder folder;
  for (const auto* name : {"a.jpg", "b.jpg", "c.jpg"}) folder.write(name, jpeg(false));
  folder.write("b.jpg", jpeg(spot));
  return weir::test::weir({"run", folder.path(), "--size", "16x16", "--fit", "stretch", "--digest",
                           "--json", "-"})
      .json()["digest"]
      .get<std::string>();
}

}  // namespace

TEST_CASE("workers, queue, read-ahead and budget do not change the rows", "[digest]") {
  const auto order =
      GENERATE(Arguments{}, Arguments{"--shuffle", "--seed", "7"}, Arguments{"--fit", "random"});
  CAPTURE(order);
  const auto with = [&](Arguments options) {
    options.insert(options.end(), order.begin(), order.end());
    return digest(options);
  };
  const auto expected = with({"--workers", "1", "--max-queue-size", "1"});
  CHECK(with({"--workers", "2", "--max-queue-size", "16"}) == expected);
  CHECK(with({"--workers", "7"}) == expected);
  CHECK(with({"--workers", "7", "--read-ahead", "8"}) == expected);
  CHECK(with({"--workers", "2", "--memory-budget", "64MiB"}) == expected);
}

TEST_CASE("another seed, fit or order is another digest", "[digest]") {
  const auto plain = digest({});
  const auto shuffled = digest({"--shuffle"});
  CHECK(shuffled != plain);
  CHECK(digest({"--shuffle", "--seed", "1"}) != shuffled);
  CHECK(digest({"--fit", "stretch"}) != plain);
}

TEST_CASE("one changed pixel in one file is another digest", "[digest]") {
  CHECK(folder_digest(false) == folder_digest(false));
  CHECK(folder_digest(true) != folder_digest(false));
}
