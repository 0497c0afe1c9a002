// Options::partners of rows whose sample is replaced by one of another size.
#include <atomic>

#include "contract/laws/fixture.hpp"
#include "support/catch.hpp"
#include "unit/codec/encoders.hpp"

using namespace weir;
using namespace weir::test;

namespace {

/// PNGs that become wider and less high. Every third has a header and a wrong byte behind it.
AnySource widening(std::uint32_t count) {
  std::vector<MemorySample> all;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t height = 8 + 3 * (count - i), width = 6 + 2 * i;
    codec::test::Pixels pixels(std::size_t{3} * height * width);
    for (std::size_t at = 0; at < pixels.size(); ++at)
      pixels[at] = static_cast<std::uint8_t>(at * 37 + i);
    auto file = codec::test::encode_png(width, height, pixels, {});
    if (i % 3 == 0) file[file.size() / 2] ^= std::byte{0x55};
    all.push_back({.name = std::to_string(i), .bytes = std::move(file)});
  }
  return in_memory(std::move(all));
}

}  // namespace

TEST_CASE("partners fit a row whose sample has been replaced", "[api][partners][sizes]") {
  auto options = small_options();
  options.order = Order::shuffle();
  options.partners.count = 2;
  options.sizes.mode = GENERATE(Sizes::padded, Sizes::ragged);
  options.faults.policy = OnFault::skip;
  std::atomic<std::uint64_t> partners{0}, wrong{0};
  options.transform = {.apply =
                           [&](DecodedSample& sample) {
                             for (const auto& partner : sample.partners) {
                               ++partners;
                               wrong += partner.image.shape != sample.row.shape;
                               wrong += partner.window.target != sample.window.target;
                             }
                           },
                       .input = TransformInput::fitted};
  Loader loader(widening(30), options);
  std::uint64_t replaced = 0;
  for (auto& batch : loader.stream({.epochs = 2}))
    replaced +=
        static_cast<std::uint64_t>(std::ranges::count(batch.statuses(), RowStatus::replaced));
  CHECK(partners == 120);
  CHECK(replaced == 20);
  CHECK(wrong == 0);
}
