#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "contract/laws/fixture.hpp"
#include "support/catch.hpp"
#include "support/sanitized.hpp"
#include "weir/interop/lease.hpp"

namespace weir::test {

/// A loader with one leased batch, and two ways to see who holds its slab: the ledger, which lives
/// longer than the loader, and the upstream of the slabs.
class Scene {
 public:
  Scene() {
    auto options = small_options();
    options.workers = 1;
    options.memory.ledger = ledger;
    options.memory.upstream = upstream;
    options.annotation_bytes = weir::image_bytes(second, PixelFormat::rgb8);
    // Second images, as functions of seed and position.
    options.transform = {.apply =
                             [](DecodedSample& sample) {
                               sample.annotation.resize(sample.annotation.room());
                               for (auto& byte : sample.annotation.bytes())
                                 byte = static_cast<std::byte>(sample.random());
                             },
                         .input = TransformInput::fitted};
    loader.emplace(synthetic(8, {24, 24}, 3), options);
    stream.emplace(loader->stream());
    auto batch = stream->next();
    slab_bytes = batch->bytes_held();
    lease = share(std::move(*batch));
    const auto block = lease->pixels();
    first = block.pixels.data();
    pixels.assign(block.pixels.begin(), block.pixels.end());
    const auto beside = second_block().pixels;
    first_second = beside.data();
    second_pixels.assign(beside.begin(), beside.end());
  }

  /// The address of each row's pixels.
  const std::uint8_t* row(std::uint32_t i) const { return first + i * image_bytes(); }
  std::size_t image_bytes() const { return weir::image_bytes({16, 16}, PixelFormat::rgb8); }
  /// The address of each row's second image, beside the pixels.
  const std::uint8_t* second_row(std::uint32_t i) const {
    return first_second + i * weir::image_bytes(second, PixelFormat::rgb8);
  }
  std::uint64_t leased() const { return ledger->snapshot()[Account::leased]; }
  std::uint64_t idle() const { return ledger->snapshot()[Account::idle]; }
  /// True if no byte has changed.
  bool untouched() const {
    return std::equal(pixels.begin(), pixels.end(), first) &&
           std::equal(second_pixels.begin(), second_pixels.end(), first_second);
  }
  /// Waits until nothing changes any more.
  void settle() {
    if (stream) stream->settle();
  }

  static constexpr ImageSize second{8, 12};  ///< of the second images
  PixelBlock second_block() const { return annotations_as(second, PixelFormat::rgb8); }
  /// The annotations as images.
  PixelBlock annotations_as(ImageSize shape, PixelFormat format) const {
    const auto bytes = lease->annotation_block();
    return {{reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()},
            lease->size(),
            shape,
            format};
  }
  /// Other sizes and formats of the same bytes.
  std::vector<PixelBlock> blocks_of_each_type() const {
    return {annotations_as({8, 12}, PixelFormat::bgr8), annotations_as({8, 9}, PixelFormat::rgba8),
            annotations_as({16, 18}, PixelFormat::stored8),
            annotations_as({9, 16}, PixelFormat::grey16),
            annotations_as({6, 8}, PixelFormat::rgb16)};
  }

  std::shared_ptr<MemoryLedger> ledger = std::make_shared<MemoryLedger>(std::nullopt);
  std::shared_ptr<CountingUpstream> upstream = std::make_shared<CountingUpstream>();
  std::optional<Loader> loader;
  std::optional<Stream> stream;
  Lease lease;
  std::uint64_t slab_bytes = 0;
  const std::uint8_t* first = nullptr;
  std::vector<std::uint8_t> pixels;  ///< a copy of all rows
  const std::uint8_t* first_second = nullptr;
  std::vector<std::uint8_t> second_pixels;  ///< a copy of all second images
};

/// A batch of four images of different sizes. Its loader is already destroyed.
inline Lease lease_of_own_sizes(Sizes mode, std::shared_ptr<MemoryLedger> ledger = nullptr) {
  auto options = small_options();
  options.sizes.mode = mode;
  options.memory.ledger = std::move(ledger);
  Loader loader(synthetic(8, {24, 30}, 3), options);
  return share(loader.stream().next().value());
}

/// Destroys one holder of the scene's batch.
using Drop = std::function<void()>;

/// Destroys views, lease, stream and loader of a new scene in every order. While a view or the
/// lease exists, the books show the slab as leased and its bytes do not change. After that it is
/// idle, without further memory, or freed if stream and loader are gone. At the end nothing is
/// left. `make` returns the views of a scene, each as a function that destroys it. The books call
/// their holder `holder`.
inline void drop_in_every_order(const std::string& holder,
                                const std::function<std::vector<Drop>(Scene&)>& make) {
  std::vector<std::size_t> order;
  {
    Scene scene;
    const auto drops = make(scene);
    order.resize(drops.size() + 3);
    for (const auto& drop : drops) drop();
  }
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::uint64_t turn = 0;
  do {
    // Every order is a separate path for the books, but not for a sanitizer.
    if (sanitized && ++turn % 4 != 0) continue;
    Scene scene;
    auto drops = make(scene);
    const auto views = drops.size();
    drops.emplace_back([&] { scene.lease.reset(); });
    drops.emplace_back([&] { scene.stream.reset(); });
    drops.emplace_back([&] { scene.loader.reset(); });
    auto holders = views + 1;
    std::string said;
    for (const auto i : order) {
      said += std::to_string(i) + ' ';
      CAPTURE(views, said);
      scene.settle();
      const auto idle = scene.idle(), outstanding = scene.upstream->outstanding();
      drops[i]();
      drops[i] = nullptr;
      if (i <= views) --holders;
      const bool over = !scene.loader && !scene.stream;
      if (holders > 0) {
        const auto leases = scene.ledger->leases();
        REQUIRE(leases.size() == 1);
        REQUIRE(leases.front().holder == holder);
        REQUIRE(leases.front().sequence == 0);
        REQUIRE(leases.front().bytes == scene.slab_bytes);
        REQUIRE(scene.leased() == scene.slab_bytes);
        REQUIRE(scene.untouched());
      } else {
        REQUIRE(scene.leased() == 0);
        REQUIRE(scene.ledger->leases().empty());
      }
      if (holders == 0 && i <= views && !over) {
        scene.settle();
        REQUIRE(scene.idle() == idle + scene.slab_bytes);
        REQUIRE(scene.upstream->outstanding() == outstanding);
      }
      if (over) REQUIRE(scene.upstream->outstanding() == (holders > 0 ? scene.slab_bytes : 0));
    }
    REQUIRE(scene.ledger->snapshot().live == 0);
  } while (std::next_permutation(order.begin(), order.end()));
}

}  // namespace weir::test
