#include "proof/configurations/footprint.hpp"
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/skip.hpp"

using namespace weir;
using namespace weir::test;

TEST_CASE("slabs of real photos hold over half the budget at the peak", "[footprint][photos]") {
  const auto photos = test_data("photos");
  if (!photos) {
    skip("WEIR_TEST_DATA is not set");
    return;
  }
  for (const std::uint64_t budget : {48u, 96u, 192u}) {
    const auto seen = footprint(image_folder(photos->string()), budget << 20, 12);
    WARN("budget " << budget << " MiB: " << (seen.slabs_at_peak >> 20)
                   << " MiB of slabs at the peak of " << (seen.peak >> 20) << " MiB, queue "
                   << seen.max_queue_size);
    CHECK(seen.peak <= seen.budget);
    CHECK(2 * seen.slabs_at_peak >= seen.budget);
  }
}
