#include "proof/configurations/configurations.hpp"
#include "support/catch.hpp"

using namespace weir::test;

TEST_CASE("a thousand random configurations keep the budget, complete and agree",
          "[configurations]") {
  survey_configurations(1000);
}

TEST_CASE("two hundred random pairs of loaders share a budget and complete", "[configurations]") {
  survey_pairs(200);
}

TEST_CASE("the bytes of a thousand random configurations stay below the ceilings of their plans",
          "[configurations]") {
  CHECK(survey_ceilings(1000) > 0);
}
