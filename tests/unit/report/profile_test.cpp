#include "weir/profile.hpp"

#include <nlohmann/json.hpp>

#include <sstream>
#include <stdexcept>

#include "report/process.hpp"
#include "report/profile_text.hpp"
#include "support/catch.hpp"
#include "support/sanitized.hpp"
#include "support/text.hpp"
#include "weir/error.hpp"

using namespace weir;
using weir::test::contains;
using Bytes = std::pmr::vector<char>;

namespace {

nlohmann::json json_of(const MemoryProfile& profile) {
  std::ostringstream out;
  profile.write_json(out);
  return nlohmann::json::parse(out.str());
}

std::string refusal(const auto& call) {
  try {
    call();
  } catch (const Error& e) {
    CHECK(e.code() == Errc::bad_options);
    return e.what();
  }
  return "";
}

/// A step that keeps 40 KiB of activations for its backward phase. The first backward phase makes the gradients.
struct Trainer {
  CountingResource memory;
  Bytes parameters = Bytes(10 << 10, memory.account("parameters"));
  Bytes gradients = Bytes(memory.account("gradients"));
  MemoryProfile profile;

  explicit Trainer(std::size_t max_steps = 1000) : profile(max_steps) {
    profile.watch("network", memory);
  }
  void step() {
    profile.begin_step();
    auto forward = profile.phase("forward");
    Bytes kept(40 << 10, memory.account("activations"));
    { const Bytes passing(5 << 10, memory.account("workspace")); }
    forward.end();
    const auto backward = profile.phase("backward");
    if (gradients.empty()) gradients.resize(10 << 10);
    kept = Bytes(kept.get_allocator());
  }
};

}  // namespace

TEST_CASE("a phase has its own peak and its live bytes at its end", "[profile]") {
  Trainer trainer;
  trainer.step();
  trainer.step();
  CHECK(trainer.profile.watched() == std::vector<std::string>{"network"});
  const auto steps = trainer.profile.steps();
  REQUIRE(steps.size() == 2);
  CHECK(steps[0].number == 1);
  REQUIRE(steps[0].phases.size() == 2);

  const auto& forward = steps[0]["forward"].watched[0];
  CHECK(forward.peak == 55 << 10);
  CHECK(forward.live == 50 << 10);
  CHECK(forward["workspace"].live == 0);
  CHECK(forward["workspace"].peak == 5 << 10);
  CHECK(forward["workspace"].at_peak == 5 << 10);
  CHECK(forward["gradients"].peak == 0);

  const auto& backward = steps[0]["backward"].watched[0];
  CHECK(backward.peak == 60 << 10);
  CHECK(backward.live == 20 << 10);
  CHECK(backward["workspace"].peak == 0);
  CHECK(backward["activations"].at_peak == 40 << 10);

  // From the second step on, gradients exist from the start.
  CHECK(steps[1]["forward"].watched[0].peak == 65 << 10);
  CHECK(steps[1]["backward"].watched[0].peak == 60 << 10);
  CHECK(steps[1].whole.watched[0].peak == 65 << 10);
  CHECK(steps[1].whole.watched[0]["gradients"].at_peak == 10 << 10);
  CHECK(contains(refusal([&] { static_cast<void>(steps[1]["loss"]); }),
                 "step 2 has no phase 'loss'"));
}

TEST_CASE("what lies between phases is the step's and no phase's", "[profile]") {
  CountingResource memory;
  MemoryProfile profile;
  profile.watch("own", memory);
  profile.begin_step();
  { const auto phase = profile.phase("first"); }
  { const Bytes between(1'000, &memory); }
  {
    const auto phase = profile.phase("second");
    const Bytes within(10, &memory);
  }
  { const Bytes behind(2'000, &memory); }
  const auto open = profile.steps();
  CHECK(open[0].whole.watched[0].peak == 2'000);
  CHECK(open[0]["second"].watched[0].peak == 10);
  CHECK(open[0]["second"].watched[0].live == 0);
  profile.begin_step();
  CHECK(profile.steps()[0].whole.watched[0].peak == 2'000);
  CHECK(profile.steps()[0]["first"].watched[0].peak == 0);
  CHECK(profile.steps()[1].whole.watched[0].peak == 0);
}

TEST_CASE("a phase that comes again counts with the first of its step", "[profile]") {
  CountingResource memory;
  MemoryProfile profile;
  profile.watch("own", memory);
  profile.begin_step();
  Bytes kept(&memory);
  for (const std::size_t bytes : {30u, 80u, 20u}) {
    const auto phase = profile.phase("forward");
    kept = Bytes(&memory);
    kept.resize(bytes);
  }
  const auto forward = profile.steps()[0]["forward"];
  CHECK(forward.times == 3);
  CHECK(forward.watched[0].peak == 80);
  CHECK(forward.watched[0]["other"].at_peak == 80);
  CHECK(forward.watched[0].live == 20);
  CHECK(contains(profile.text(), "forward ×3"));
}

TEST_CASE("a later phase's account is added to the figures of its step", "[profile]") {
  CountingResource memory;
  MemoryProfile profile;
  profile.watch("own", memory);
  profile.begin_step();
  const auto once = [&](const char* account, std::size_t bytes) {
    const auto phase = profile.phase("work");
    const Bytes some(bytes, memory.account(account));
  };
  once("a", 50);
  once("b", 40);
  const auto work = profile.steps()[0]["work"].watched[0];
  CHECK(work.peak == 50);
  CHECK(work["a"].at_peak == 50);
  CHECK(work["b"].at_peak == 0);
  CHECK(work["b"].peak == 40);
}

TEST_CASE("a phase ends with an exception, and the next one begins", "[profile]") {
  CountingResource memory;
  MemoryProfile profile;
  profile.watch("own", memory);
  profile.begin_step();
  try {
    const auto phase = profile.phase("forward");
    const Bytes some(70, &memory);
    throw std::runtime_error("no memory for this batch");
  } catch (const std::runtime_error&) {
  }
  CHECK(profile.steps()[0]["forward"].watched[0].peak == 70);
  CHECK(profile.steps()[0]["forward"].watched[0].live == 0);
  CHECK_NOTHROW(profile.phase("forward").end());
}

TEST_CASE("a phase ends once, moved or not, and may outlive its profile", "[profile]") {
  CountingResource memory;
  auto profile = std::make_unique<MemoryProfile>();
  profile->watch("own", memory);
  auto phase = profile->phase("setup");
  auto moved = std::move(phase);
  moved.end();
  moved.end();
  CHECK(profile->steps()[0]["setup"].times == 1);
  CHECK(profile->steps()[0].number == 0);
  CHECK(profile->steps_begun() == 0);
  const auto last = profile->phase("setup");
  profile.reset();
}

TEST_CASE("what makes no sense is refused by name", "[profile]") {
  CountingResource memory;
  MemoryProfile profile;
  profile.watch("own", memory);
  CHECK(contains(refusal([&] { profile.watch("own", memory); }), "'own' is watched already"));
  CHECK(contains(refusal([&] { profile.watch("", memory); }), "the name is empty"));
  CHECK(contains(refusal([&] { static_cast<void>(profile.phase("")); }), "the name is empty"));
  {
    const auto phase = profile.phase("forward");
    CHECK(contains(refusal([&] { static_cast<void>(profile.phase("loss")); }),
                   "'loss' begins while 'forward' is open"));
    CHECK(contains(refusal([&] { profile.begin_step(); }), "'forward' is open"));
    CHECK(contains(refusal([&] { profile.watch("late", memory); }),
                   "'late' comes after the first step or phase"));
  }
  CHECK_NOTHROW(profile.begin_step());
}

TEST_CASE("RSS is the phase's, its peak too", "[profile]") {
  MemoryProfile profile;
  profile.begin_step();
  constexpr std::size_t block = 48u << 20, slack = 2u << 20;
  {
    const auto phase = profile.phase("large");
    const std::vector<char> touched(block, 'x');
  }
  { const auto phase = profile.phase("small"); }
  const auto steps = profile.steps();
  const auto& large = steps[0]["large"];
  const auto& small = steps[0]["small"];
  CAPTURE(large.rss, large.rss_peak, small.rss, small.rss_peak);
  CHECK(large.rss > 0);
  // A sanitizer keeps freed memory. In some containers, nobody may reset the kernel's peak.
  const bool unknown = test::sanitized || !report::reset_high_water();
  CHECK((unknown || large.rss_peak >= large.rss + block - slack));
  CHECK((unknown || small.rss_peak < small.rss + block / 2));
  CHECK(steps[0].whole.rss_peak >= large.rss_peak);
}

TEST_CASE("a profile keeps only the first steps but counts all of them", "[profile]") {
  Trainer trainer(2);
  for (int i = 0; i < 4; ++i) trainer.step();
  const auto steps = trainer.profile.steps();
  REQUIRE(steps.size() == 2);
  CHECK(steps[1].whole.watched[0].peak == 65 << 10);
  CHECK(steps[1]["forward"].times == 1);
  CHECK(trainer.profile.steps_begun() == 4);
  CHECK(contains(trainer.profile.text(), "Of 4 steps the first 2 were kept."));
  CHECK(json_of(trainer.profile)["profile"]["steps_begun"] == 4);
}

TEST_CASE("of many steps the first, the highest and the last are shown", "[profile]") {
  std::vector<StepUse> steps(9);
  for (auto& step : steps) step.whole.watched = {{10, 10, {}}};
  CHECK(report::steps_worth_showing(std::span(steps).first(5)).size() == 5);
  CHECK(report::steps_worth_showing(steps) == std::vector<std::size_t>{0, 1, 2, 8});
  steps[5].whole.watched[0].peak = 11;
  CHECK(report::steps_worth_showing(steps) == std::vector<std::size_t>{0, 1, 2, 5, 8});
}

TEST_CASE("the text has live and peak by account within 80 columns", "[profile]") {
  Trainer trainer;
  trainer.step();
  const auto text = trainer.profile.text();
  CAPTURE(text);
  CHECK(contains(text, "network, KiB"));
  CHECK(contains(
      text, "  step  phase             network  parameters  gradients  activations  workspace\n"));
  CHECK(contains(
      text, "     1  forward     live    50.00       10.00       0.00        40.00       0.00\n"));
  CHECK(contains(
      text, "                    peak    55.00       10.00       0.00        40.00       5.00\n"));
  CHECK(contains(text, "        (the step)  live"));
  CHECK(contains(text, "the process, MiB"));
  CHECK_FALSE(contains(text, "other"));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 80);
  CHECK(contains(MemoryProfile().text(), "no step or phase yet"));
}

TEST_CASE("the JSON has every byte", "[profile]") {
  Trainer trainer;
  trainer.step();
  trainer.step();
  const auto json = json_of(trainer.profile);
  CHECK(json["command"] == "profile");
  const auto& profile = json["profile"];
  CHECK(profile["watched"] == nlohmann::json{"network"});
  CHECK(profile["shown"] == nlohmann::json{0, 1});
  REQUIRE(profile["steps"].size() == 2);
  CHECK(profile["steps"][1]["step"] == 2);
  const auto& backward = profile["steps"][0]["phases"][1];
  CHECK(backward["phase"] == "backward");
  CHECK(backward["times"] == 1);
  CHECK(backward["rss"].get<std::uint64_t>() > 0);
  const auto& memory = backward["memory"][0];
  CHECK(memory["name"] == "network");
  CHECK(memory["live"] == 20 << 10);
  CHECK(memory["peak"] == 60 << 10);
  std::uint64_t at_peak = 0;
  for (const auto& account : memory["accounts"]) at_peak += account["at_peak"].get<std::uint64_t>();
  CHECK(at_peak == 60 << 10);
  CHECK(profile["steps"][1]["whole"]["memory"][0]["peak"] == 65 << 10);
}
