#include <cerrno>

#include "cli/progress.hpp"
#include "proof/injection/scenario_parts.hpp"
#include "support/catch.hpp"
#include "support/sanitized.hpp"
#include "weir/probe.hpp"

using namespace weir;
using namespace weir::test;

namespace {

void fail_threads(const Scenario& scenario, bool does_without) {
  scenario.run();
  const auto good = [does_without](const Outcome& outcome) {
    return outcome.end == Outcome::End::done ||
           (!does_without && outcome.end == Outcome::End::error);
  };
  const std::uint64_t most = sanitized ? 3 : 40;
  for (const std::uint64_t step : {0u, 1u}) {
    const auto wrong =
        sweep(scenario, {.call = Call::thread, .step = step, .error = EAGAIN}, most, good);
    for (const auto& line : wrong) UNSCOPED_INFO(line);
    CHECK(wrong.empty());
  }
}

}  // namespace

TEST_CASE("a stream is refused if a thread cannot start, the next works", "[R5]") {
  const auto threads = threads_scenario();
  fail_threads(threads, false);
  const auto first = run_with(threads, {.call = Call::thread, .nth = 3, .error = EAGAIN});
  CHECK(first.end == Outcome::End::error);
  CHECK_THAT(first.words, has_text("Resource temporarily unavailable"));
}

TEST_CASE("a folder is listed by as many threads as there are", "[R5]") {
  fail_threads(scenario("index a folder"), true);
}

TEST_CASE("sizes are measured by as many threads as there are", "[R5]") {
  fail_threads(measuring_scenario(), true);
}

TEST_CASE("a probe is made by as many threads as there are", "[R5]") {
  const auto source = image_folder(image_data("jpeg"));
  const Scenario probing{"probe", [&source] {
                           // With a thread for its progress, as in the program.
                           const cli::Progress progress(cli::Settings{},
                                                        [] { return cli::ProgressLine{}; });
                           const auto found = probe(source, {.shape = {16, 16}, .workers = 3});
                           const Pause pause;
                           if (found.samples != 4 || found.sound != 4) wrong("half a probe");
                         }};
  fail_threads(probing, true);
}

#ifdef WEIR_SHARDS
TEST_CASE("shards are searched by as many threads as there are", "[R5]") {
  fail_threads(searching_shards_scenario(), true);
}

TEST_CASE("a pack needs one thread", "[R5]") {
  const auto packing = packing_scenario(false);
  fail_threads(packing, false);
  const auto none = run_with(packing, {.call = Call::thread, .step = 1, .error = EAGAIN});
  CHECK(none.end == Outcome::End::error);
}
#endif
