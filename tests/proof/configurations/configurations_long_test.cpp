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
