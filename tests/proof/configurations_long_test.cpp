#include "proof/configurations.hpp"
#include "support/catch.hpp"

using namespace weir::test;

TEST_CASE("a thousand random configurations keep the budget, complete and agree",
          "[configurations]") {
  const auto survey = survey_configurations(1000);
  CHECK(survey.rows > 10 * survey.runs);
  CHECK(10 * survey.at_floor > survey.runs);
  CHECK(4 * survey.with_faults > survey.runs);
  CHECK(2 * survey.ended_in_error < survey.runs);
}

TEST_CASE("two hundred random pairs of loaders share a budget and complete", "[configurations]") {
  survey_pairs(200);
}
