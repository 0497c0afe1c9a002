#include "many_batches.hpp"
#include "support/sanitized.hpp"

TEST_CASE("2,000 batches with leases held by events equal the CPU's", "[cuda][lease]") {
  weir::test::compare_with_cpu(weir::test::thinned(2000 / weir::test::batches_an_epoch));
}
