#include "proof/configurations/configurations.hpp"
#include "support/catch.hpp"

using namespace weir::test;

TEST_CASE("1,000 random configurations keep the budget and agree", "[configurations]") {
  survey_configurations(1000);
}

TEST_CASE("200 random pairs of loaders share a budget and complete", "[configurations]") {
  survey_pairs(200);
}

TEST_CASE("1,000 random configurations stay below their plans' ceilings", "[configurations]") {
  CHECK(survey_ceilings(1000) > 0);
}
