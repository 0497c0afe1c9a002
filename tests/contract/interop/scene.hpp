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

/// A loader with one batch on loan, and everything that says who still holds its slab: the ledger, which
/// outlives the loader, and what the slabs were allocated from.
class Scene {
 public:
  Scene() {
    auto options = small_options();
    options.workers = 1;
    options.memory.ledger = ledger;
    options.memory.upstream = upstream;
    options.side_bytes = second.values();
    // Second images that are functions of seed and position.
    options.transform = {.apply =
                             [](DecodedSample& sample) {
                               for (auto& byte : sample.side)
                                 byte = static_cast<std::byte>(sample.random());
                             },
                         .input = TransformInput::fitted};
    loader.emplace(synthetic(8, {24, 24, 3}, 3), options);
    stream.emplace(loader->stream());
    auto batch = stream->next();
    slab_bytes = batch->bytes_held();
    lease = share(std::move(*batch));
    const auto block = lease->pixels();
    first = block.pixels.data();
    pixels.assign(block.pixels.begin(), block.pixels.end());
    const auto beside = lease->side_pixels(second).pixels;
    first_second = beside.data();
    second_pixels.assign(beside.begin(), beside.end());
  }

  /// Where each row's pixels lie.
  const std::uint8_t* row(std::uint32_t i) const { return first + i * image_bytes(); }
  std::size_t image_bytes() const { return Shape{16, 16, 3}.values(); }
  /// Where each row's second image lies, beside the pixels.
  const std::uint8_t* second_row(std::uint32_t i) const {
    return first_second + i * second.values();
  }
  std::uint64_t leased() const { return ledger->snapshot()[Account::leased]; }
  std::uint64_t idle() const { return ledger->snapshot()[Account::idle]; }
  /// Everything is as it was.
  bool untouched() const {
    return std::equal(pixels.begin(), pixels.end(), first) &&
           std::equal(second_pixels.begin(), second_pixels.end(), first_second);
  }
  /// Nothing more happens by itself.
  void settle() {
    if (stream) stream->settle();
  }

  static constexpr Shape second{8, 12, 3};  ///< of the second images

  std::shared_ptr<MemoryLedger> ledger = std::make_shared<MemoryLedger>(UINT64_MAX);
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

/// A batch of four images of several sizes; of a loader that is gone.
inline Lease lease_of_own_sizes(Sizes mode, std::shared_ptr<MemoryLedger> ledger = nullptr) {
  auto options = small_options();
  options.sizes.mode = mode;
  options.memory.ledger = std::move(ledger);
  Loader loader(synthetic(8, {24, 30, 3}, 3), options);
  return share(loader.stream().next().value());
}

/// One of those who can let the scene's batch go.
using Drop = std::function<void()>;

/// Lets views, lease, stream and loader of a fresh scene go in every order there is. Until the last view and
/// the lease are gone the slab is on the books as leased and what lies in it is what it was; then it is
/// idle, no more memory taken, or freed where stream and loader are gone; at the end nothing is left.
/// `make`: the views of a scene, each as what drops it; the books call their holder `holder`.
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
    // Every order is a path of its own for the books, but not for a sanitizer.
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
