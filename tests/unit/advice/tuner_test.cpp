#include "advice/tuner.hpp"

#include <random>

#include "support/catch.hpp"
#include "unit/advice/intervals.hpp"

using namespace weir;
using advice::Tuner;
using test::interval_of;
using test::Times;

namespace {

constexpr Setting begun{4, 1, 0, 32};

/// A loader that behaves as predict() says. Its intervals have an error of at most `noise`.
class Plant {
 public:
  Plant(const Times& times, double noise, std::uint64_t seed)
      : truth_(interval_of(times)), noise_(noise), random_(seed) {}
  void becomes(const Times& times) {
    truth_ = interval_of(times);
    did_.reset();
  }
  Interval under(const Setting& setting) {
    if (!did_ || did_->setting != setting) did_ = predict(truth_, setting);
    auto seen = truth_;
    seen.batches = 100;
    seen.samples = seen.batches * setting.batch;
    seen.seconds = static_cast<double>(seen.samples) / (did_->samples_per_s * off());
    seen.data_readiness = did_->data_readiness;
    seen.read.count = seen.decode.count = seen.samples;
    seen.consumer.count = seen.batches;
    for (auto* service : {&seen.read, &seen.decode, &seen.consumer}) service->mean_s *= off();
    return seen;
  }

 private:
  double off() { return std::uniform_real_distribution(1 - noise_, 1 + noise_)(random_); }
  Interval truth_;
  std::optional<Prediction> did_;
  double noise_;
  std::mt19937_64 random_;
};

AdviceOptions bounds() {
  AdviceOptions most;
  most.most_queue = 32;
  most.most_workers = 2;
  most.most_read_ahead = 64;
  return most;
}

struct Course {
  std::vector<int> moved;  ///< intervals in which it moved
  Setting end;
};

Course follow(Tuner& tuner, Plant& plant, int intervals) {
  Course course;
  for (int i = 0; i < intervals; ++i) {
    const auto was = tuner.setting();
    const auto move = tuner.look(plant.under(was));
    if (!move) continue;
    course.moved.push_back(i);
    CHECK(move->to == tuner.setting());
    const bool back = move->reason.find("back again") != std::string::npos;
    CHECK(back != (move->reason.find("to a predicted ") != std::string::npos));
    const auto& to = move->to;
    const int knobs = (to.max_queue_size != was.max_queue_size) + (to.workers != was.workers) +
                      (to.read_ahead != was.read_ahead);
    CHECK(knobs == 1);
    CHECK(to.max_queue_size <= bounds().most_queue);
    CHECK(to.workers <= bounds().most_workers);
    CHECK(to.read_ahead <= bounds().most_read_ahead);
  }
  course.end = tuner.setting();
  return course;
}

constexpr int long_enough = 60, converged_by = 30;

}  // namespace

TEST_CASE("the tuner comes to rest at what is advised, and stays there", "[plan][tuner]") {
  const Times times = GENERATE(Times{0.05, 3, 200, 0.5}, Times{0.05, 3, 10, 0.5},
                               Times{50, 3, 100, 0.2}, Times{0.05, 3, 58, 0.5, 1.0});
  const double noise = GENERATE(0.0, 0.03);
  CAPTURE(times.read, times.consumer, noise);
  Plant plant(times, noise, 11);
  Tuner tuner(begun, bounds());
  const auto course = follow(tuner, plant, long_enough);
  CHECK(course.moved.size() <= 6);
  if (!course.moved.empty()) CHECK(course.moved.back() < converged_by);
  const auto best = advise(interval_of(times), bounds()).ceiling;
  const auto reached = predict(interval_of(times), course.end, 5);
  CHECK(reached.samples_per_s >= 0.93 * best.samples_per_s);
}

TEST_CASE("the tuner follows a workload that changes, once", "[plan][tuner]") {
  Plant plant({0.05, 3, 400, 0.3}, 0.02, 3);
  Tuner tuner(begun, bounds());
  const auto calm = follow(tuner, plant, long_enough);
  CHECK(calm.end.read_ahead == 0);
  CHECK(calm.end.max_queue_size < begun.max_queue_size);
  plant.becomes({50, 3, 100, 0.3});
  const auto slow = follow(tuner, plant, long_enough);
  CHECK(slow.end.read_ahead >= 8);
  REQUIRE(!slow.moved.empty());
  CHECK(slow.moved.back() < converged_by);
}

TEST_CASE("the tuner takes a harmful move back and does not repeat it", "[plan][tuner]") {
  Plant plant({50, 3, 100, 0.2}, 0, 1);
  Tuner tuner(begun, bounds());
  const auto rate = [&](const Setting& at) {
    auto seen = plant.under(at);
    // An effect that no interval shows: here, reads ahead slow each other down.
    if (at.read_ahead > 0) seen.seconds *= 40;
    return seen;
  };
  int to_ahead = 0, back = 0;
  for (int i = 0; i < long_enough; ++i) {
    const auto was = tuner.setting();
    const auto move = tuner.look(rate(was));
    if (!move) continue;
    if (move->to.read_ahead > was.read_ahead) ++to_ahead;
    if (move->to.read_ahead < was.read_ahead) {
      ++back;
      CHECK(move->to == Setting{was.max_queue_size, was.workers, 0, was.batch});
      CHECK(move->reason.find("back again") != std::string::npos);
    }
  }
  CHECK(to_ahead == 1);
  CHECK(back == 1);
  CHECK(tuner.setting().read_ahead == 0);
}

TEST_CASE("the tuner holds still where a workload alternates", "[plan][tuner]") {
  const Times quick{0.05, 3, 10, 0.5}, slow{0.05, 3, 400, 0.3};
  Plant plant(quick, 0.02, 5);
  Tuner tuner(begun, bounds());
  std::size_t moves = 0;
  std::vector<Setting> ends;
  for (int cycle = 0; cycle < 8; ++cycle) {
    plant.becomes(cycle % 2 == 0 ? quick : slow);
    const auto course = follow(tuner, plant, 20);
    moves += course.moved.size();
    ends.push_back(course.end);
  }
  CAPTURE(moves);
  CHECK(moves <= 7);
  // It has learned both phases after the first two of each.
  for (std::size_t cycle = 4; cycle < ends.size(); ++cycle) CHECK(ends[cycle] == ends[3]);
  // And the setting serves the phase that needs more.
  const auto best = advise(interval_of(quick), bounds()).ceiling;
  CHECK(predict(interval_of(quick), ends.back(), 5).samples_per_s >= 0.93 * best.samples_per_s);
}

TEST_CASE("a knob whose increase did harm twice is not increased again", "[plan][tuner]") {
  const Times slow{50, 3, 100, 0.2}, slower{100, 3, 100, 0.2};
  Plant plant(slow, 0, 1);
  Tuner tuner(begun, bounds());
  int ahead = 0;
  for (int i = 0; i < 80; ++i) {
    if (i % 20 == 0) plant.becomes(i % 40 == 0 ? slow : slower);
    const auto was = tuner.setting();
    auto seen = plant.under(was);
    if (was.read_ahead > 0) seen.seconds *= 40;
    const auto move = tuner.look(seen);
    if (move && move->to.read_ahead > was.read_ahead) ++ahead;
  }
  CHECK(ahead == 2);
  CHECK(tuner.setting().read_ahead == 0);
}

TEST_CASE("an interval of few batches is judged only if it took long", "[plan][tuner]") {
  auto seen = interval_of({0.05, 3, 200, 0.5});
  seen.batches = 2;
  seen.seconds = 0.5;
  CHECK(!Tuner::enough(seen));
  seen.seconds = 2;
  CHECK(Tuner::enough(seen));
  seen.consumer.count = 0;  // nothing is known of the consumer
  CHECK(!Tuner::enough(seen));
  seen.seconds = 0.5;
  seen.batches = 100;
  seen.samples = 3200;
  CHECK(Tuner::enough(seen));
}

TEST_CASE("where reads are slow, the first batch shows what to do", "[plan][tuner]") {
  Plant plant({200, 3, 10, 0.5}, 0.02, 4);
  Tuner tuner(begun, bounds());
  auto first = plant.under(begun);
  first.batches = first.consumer.count = 1;
  first.samples = first.read.count = first.decode.count = 32;
  first.seconds = 6.4;
  REQUIRE(Tuner::enough(first));
  const auto move = tuner.look(first);
  REQUIRE(move);
  CHECK(move->to.read_ahead == bounds().most_read_ahead);
}

TEST_CASE("few batches revert a move only if it cost a fifth", "[plan][tuner]") {
  const double share = GENERATE(0.85, 0.7);
  const Plant plant({200, 3, 10, 0.5}, 0, 4);
  Tuner tuner(begun, bounds());
  const auto few = [&](double rows_per_s) {
    auto seen = interval_of({200, 3, 10, 0.5});
    seen.seconds = 4;
    seen.batches = 1;
    seen.samples = 32;
    seen.decode.count = static_cast<std::uint64_t>(rows_per_s * seen.seconds);
    seen.data_readiness = 0;
    return seen;
  };
  REQUIRE(tuner.look(few(10)));
  CHECK_FALSE(tuner.look(few(10)));  // it overlaps the time before
  const auto next = tuner.look(few(10 * share));
  const bool reverted = next && next->reason.find("back again") != std::string::npos;
  CHECK(reverted == (share < 0.8));
}

TEST_CASE("a goal that missed the bursts is computed again", "[plan][tuner]") {
  // Fifteen batches of 2 ms, then one of 150 ms: the first interval ends before the burst.
  const Times calm{0.05, 0.5, 2, 0.1}, bursty{0.05, 0.5, 11.25, 0.1, 3.2};
  const auto most = bounds();
  Plant plant(calm, 0, 9);
  Tuner tuner({1, 1, 0, 32}, most);
  CHECK(tuner.look(plant.under(tuner.setting())));
  plant.becomes(bursty);
  const auto course = follow(tuner, plant, long_enough);
  const auto best = advise(interval_of(bursty), most).ceiling;
  CHECK(predict(interval_of(bursty), course.end, 5).samples_per_s >= 0.95 * best.samples_per_s);
  CHECK(course.end.max_queue_size > 4);
}

TEST_CASE("a goal from few samples is computed again with more samples", "[plan][tuner]") {
  Plant plant({100, 0.2, 2, 0.5}, 0, 4);
  Tuner tuner({1, 1, 0, 32}, bounds());
  auto first = plant.under(tuner.setting());
  first.batches = first.consumer.count = 1;
  first.samples = first.read.count = first.decode.count = 32;
  first.read.deviation_s = 0;  // none of them was slow
  first.seconds = 3.5;
  REQUIRE(tuner.look(first));
  const auto course = follow(tuner, plant, long_enough);
  const auto best = advise(interval_of({100, 0.2, 2, 0.5}), bounds()).ceiling;
  CHECK(predict(interval_of({100, 0.2, 2, 0.5}), course.end, 5).samples_per_s >=
        0.95 * best.samples_per_s);
  CHECK(course.moved.back() < converged_by);
}
