#include <memory>
#include <utility>

#include "base/defect.hpp"
#include "support/catch.hpp"

using weir::Defect;
using weir::FaultKind;
using weir::Result;
using weir::Stage;

TEST_CASE("a Result holds a value or the Defect that kept it from being") {
  const Result<int> value = 7;
  REQUIRE(value);
  CHECK(*value == 7);

  const Result<int> none = Defect{FaultKind::limit, Stage::decode, "too wide", 12};
  REQUIRE_FALSE(none);
  CHECK(none.defect().kind == FaultKind::limit);
  CHECK(none.defect().reason == "too wide");
  CHECK(none.defect().offset == 12);
}

TEST_CASE("a Result of a move-only value can be moved out of") {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(3);
  const auto taken = std::move(*result);
  CHECK(*taken == 3);
}
