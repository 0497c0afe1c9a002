#include "report/process.hpp"

#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

#include "support/attempts.hpp"
#include "support/catch.hpp"

using namespace weir;

namespace {

constexpr std::size_t block = 32u << 20;

std::vector<char> touched(std::size_t bytes) { return std::vector<char>(bytes, 'x'); }

}  // namespace

TEST_CASE("the process's PSS is positive and within its RSS", "[process]") {
  const auto now = process_memory();
  CHECK(now.rss > 0);
  CHECK(now.pss > 0);
  CHECK(now.pss <= now.rss + (1u << 20));
}

TEST_CASE("the sampler sees memory that is gone when it stops", "[process]") {
  // The sampler's thread may get no CPU while the memory is there.
  const auto seen = [pause = std::chrono::milliseconds(50)]() mutable {
    report::ProcessSampler sampler;
    {
      const auto memory = touched(block);
      std::this_thread::sleep_for(pause *= 2);
    }
    const auto peak = sampler.stop();
    return peak.rss >= sampler.before().rss + block - (1u << 20) &&
           peak.pss >= sampler.before().pss + block / 2;
  };
  CHECK(weir::test::in_one_of(7, seen));
}

TEST_CASE("a peak from before the watch is not the watch's", "[process]") {
  { const auto memory = touched(4 * block); }
  report::ProcessSampler sampler;
  CHECK(sampler.stop().rss < sampler.before().rss + block);
}

TEST_CASE("stopping twice gives the same figures", "[process]") {
  report::ProcessSampler sampler;
  const auto first = sampler.stop();
  const auto second = sampler.stop();
  CHECK(first.rss == second.rss);
  CHECK(first.pss == second.pss);
}
