#include "program.hpp"
#include "support/catch.hpp"
#include "support/text.hpp"

using weir::test::contains;

namespace {

auto run_digested(std::vector<std::string> words) {
  words.insert(words.begin(), {"run", "synthetic:24,30x40", "--quiet", "--digest", "--json", "-"});
  return weir::test::weir(words);
}

}  // namespace

TEST_CASE("a run is repeated from the options in its report", "[options]") {
  const auto first =
      run_digested({"--fit", "random", "--size", "16x20", "--random-area", "0.3,0.9", "--seed", "7",
                    "--batch", "5", "--shuffle", "--fill", "3", "--pixels", "bgr8"});
  REQUIRE(first.exit_code == 0);
  const auto options = first.json()["plan"]["options"].get<std::string>();
  CHECK(options ==
        "shape=16x20,fit=random,random.area=0.3:0.9,pixels=bgr8,fill=3:3:3,order=shuffle,batch=5,"
        "seed=7");
  const auto again = run_digested({"--options", options});
  REQUIRE(again.exit_code == 0);
  CHECK(again.json()["digest"] == first.json()["digest"]);
  CHECK(again.json()["plan"] == first.json()["plan"]);
  const auto other = run_digested({"--options", options, "--seed", "8"});
  CHECK(other.json()["plan"]["options"] != options);
  CHECK(other.json()["digest"] != first.json()["digest"]);
}

TEST_CASE("what is wrong in --options is named with the text", "[options]") {
  const auto refused = run_digested({"--options", "batch=5,fit=randm"});
  CHECK(refused.exit_code == 2);
  CHECK(
      contains(refused.err, "--options batch=5,fit=randm: `fit` = randm: must be one of center|"));
  const auto idle = run_digested({"--options", "patch.padding=4"});
  CHECK(idle.exit_code == 2);
  CHECK(contains(idle.err, "--patch-padding 4: is for --fit patch; leave it at its default"));
}
