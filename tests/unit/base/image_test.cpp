#include "weir/image.hpp"

#include <cstdint>
#include <vector>

#include "support/catch.hpp"

using namespace weir;
using weir::test::has_text;

TEST_CASE("pixels are read and written as the format's values") {
  std::vector<std::uint16_t> depths(2 * 8, 7);
  auto* const bytes = reinterpret_cast<std::uint8_t*>(depths.data());
  const MutableImageView row{bytes, {2, 3}, 16, PixelFormat::stored16};
  row.line_as<std::uint16_t>(1)[2] = 65535;
  CHECK(row.line_as<std::uint16_t>(0).size() == 3);
  CHECK(depths[8 + 2] == 65535);
  const ImageView view = row;
  CHECK(view.line_as<std::uint16_t>(1).data() == &depths[8]);

  const PixelBlock block{{bytes, 24}, 2, {2, 3}, PixelFormat::grey16};
  CHECK(block.values_as<std::uint16_t>().size() == 12);
  CHECK(block.values_as<std::uint16_t>()[10] == 65535);
  const PixelBlock masks{{bytes, 24}, 4, {2, 3}, PixelFormat::stored8};
  CHECK(masks.values_as<std::uint8_t>().data() == bytes);
}

TEST_CASE("pixels are refused as values of another type") {
  const std::vector<std::uint16_t> memory(8);
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(memory.data());
  const PixelBlock deep{{bytes, 12}, 1, {2, 3}, PixelFormat::stored16};
  const PixelBlock rgb{{bytes, 12}, 1, {2, 2}, PixelFormat::rgb8};
  CHECK_THROWS_WITH(deep.values_as<std::uint8_t>(),
                    has_text("pixels of stored16 have values of 16 bits, and values of 8 bits"));
  CHECK_THROWS_WITH(rgb.values_as<std::uint16_t>(),
                    has_text("pixels of rgb8 have values of 8 bits"));
  CHECK_THROWS_WITH(rgb.image(0).line_as<std::uint16_t>(1), has_text("of 16 bits were requested"));
  const ImageView odd{bytes + 1, {2, 3}, 6, PixelFormat::grey16};
  CHECK_THROWS_WITH(odd.line_as<std::uint16_t>(0), has_text("not aligned to 2 bytes"));
}
