#include <filesystem>

#include "program.hpp"
#include "support/catch.hpp"
#include "support/text.hpp"

using namespace weir::test;

namespace {

std::size_t demo_folders() {
  std::size_t count = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::temp_directory_path()))
    count += entry.path().filename().string().starts_with("weir-demo-");
  return count;
}

}  // namespace

TEST_CASE("the demo needs no data, ends with the sweep's table and leaves nothing behind",
          "[demo]") {
  const auto before = demo_folders();
  const auto outcome = weir::test::weir({"demo"});
  CHECK(outcome.exit_code == 0);
  CHECK(contains(outcome.out, "\nqueue  slabs  predicted  measured"));
  CHECK(demo_folders() == before);
}

TEST_CASE("an interrupted demo leaves nothing behind either", "[demo]") {
  const auto before = demo_folders();
  const auto milliseconds = GENERATE(100, 2500);
  CHECK(weir_interrupted({"demo"}, milliseconds).exit_code == 130);
  CHECK(demo_folders() == before);
}
