#include <cstdlib>
#include <filesystem>

#include "program.hpp"
#include "support/catch.hpp"
#include "support/text.hpp"

using namespace weir::test;

namespace {

/// Redirects temporary files while it exists.
class TemporaryFiles {
 public:
  TemporaryFiles() {
    setenv("TMPDIR", folder_.path().c_str(), 1);  // NOLINT(concurrency-mt-unsafe): one thread
  }
  bool all_gone() const { return std::filesystem::is_empty(folder_.path()); }

 private:
  TemporaryFolder folder_;
};

}  // namespace

TEST_CASE("the demo needs no data, prints its table and leaves nothing", "[demo]") {
  const TemporaryFiles files;
  const auto outcome = weir::test::weir({"demo"});
  CHECK(outcome.exit_code == 0);
  CHECK(contains(outcome.out, "\nqueue"));
  CHECK(outcome.out.ends_with("\nWith your data: weir tune FOLDER --consumer-ms 40\n"));
  CHECK(files.all_gone());
}

TEST_CASE("a demo interrupted while it makes images leaves nothing", "[demo]") {
  const TemporaryFiles files;
  CHECK(weir_interrupted({"demo"}).exit_code == 130);
  CHECK(files.all_gone());
}

TEST_CASE("a demo interrupted while it sweeps leaves nothing behind", "[demo]") {
  const TemporaryFiles files;
  const auto sweeps = [](const Running& demo) { return contains(demo.out(), "  weir sweep "); };
  CHECK(weir_interrupted({"demo"}, sweeps).exit_code == 130);
  CHECK(files.all_gone());
}
