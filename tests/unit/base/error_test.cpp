#include <string>

#include "support/catch.hpp"
#include "weir/error.hpp"

TEST_CASE("an Error carries its code, its stage and its text") {
  const weir::Error error(weir::Errc::too_many_leases, weir::Stage::lease, "max_leases is 1");
  CHECK(error.code() == weir::Errc::too_many_leases);
  CHECK(error.stage() == weir::Stage::lease);
  CHECK(std::string(error.what()) == "max_leases is 1: too many leases");
}
