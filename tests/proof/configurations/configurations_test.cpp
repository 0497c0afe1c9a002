#include "proof/configurations/configurations.hpp"
#include "support/catch.hpp"

using namespace weir::test;

TEST_CASE("a hundred random configurations keep the budget and agree", "[configurations]") {
  survey_configurations(100);
}

TEST_CASE("40 random own-size configurations keep the budget and agree",
          "[configurations][sizes]") {
  survey_configurations(40, true);
}

TEST_CASE("fifteen random pairs of loaders share a budget and complete", "[configurations]") {
  survey_pairs(15);
}

TEST_CASE("forty random configurations stay below their plans' ceilings", "[configurations]") {
  survey_ceilings(40);  // how many come close depends on the load
}
