#include <cerrno>

#include "proof/injection/scenarios.hpp"
#include "support/catch.hpp"
#include "support/sanitized.hpp"

using namespace weir::test;

namespace {

std::uint64_t most_points() { return WEIR_TEST_LONG ? 2000 : sanitized ? 3 : 16; }

/// Fails `call` at points of a complete run: listing and reading a folder, with `blank`.
std::vector<std::string> harm(const Failure& failure, bool may_do_harm) {
  const auto reading = reading_scenario(!may_do_harm);
  reading.run();
  return sweep(reading, failure, most_points(), [may_do_harm](const Outcome& outcome) {
    if (outcome.end == Outcome::End::done) return true;
    return may_do_harm &&
           (outcome.end == Outcome::End::error || outcome.end == Outcome::End::memory);
  });
}

std::string text(const std::vector<std::string>& lines) {
  std::string all;
  for (const auto& line : lines) all += line + '\n';
  return all;
}

}  // namespace

TEST_CASE("interrupted calls are made again, short reads go on", "[D7]") {
  // Every third call, because an interruption may follow an interruption.
  const auto call = GENERATE(Call::open, Call::stat, Call::list, Call::read);
  const std::uint64_t step = GENERATE(0u, 3u);
  CHECK(text(harm({.call = call, .step = step, .error = EINTR}, false)) == "");
}

TEST_CASE("reads of one byte at a time give the whole file", "[D7]") {
  const Failure all_short{.call = Call::read, .nth = 1, .step = 1, .error = 0};
  const auto reading = reading_scenario(true);
  reading.run();
  const auto outcome = run_with(reading, all_short);
  CHECK(outcome.words.empty());
  CHECK(outcome.end == Outcome::End::done);
  CHECK(outcome.complaint.empty());
  CHECK(outcome.calls > 12'000);
}

TEST_CASE("calls that fail are a sample's fault or a refusal in words", "[D7]") {
  struct Case {
    Call call;
    int error;
  };
  const auto given = GENERATE(
      Case{Call::open, EMFILE}, Case{Call::open, ENFILE}, Case{Call::open, EIO},
      Case{Call::open, EACCES}, Case{Call::open, ENOMEM}, Case{Call::open, ENOSYS},
      Case{Call::stat, EIO}, Case{Call::list, EIO}, Case{Call::read, EIO}, Case{Call::read, EAGAIN},
      Case{Call::read, ENOMEM}, Case{Call::map, ENOMEM}, Case{Call::map, EAGAIN});
  const std::uint64_t step = GENERATE(0u, 1u);
  CAPTURE(static_cast<int>(given.call), given.error, step);
  // A sanitizer maps memory itself before it has started, so this case is left out.
  if (given.call == Call::map && sanitized) return;
  CHECK(text(harm({.call = given.call, .step = step, .error = given.error}, true)) == "");
}

TEST_CASE("a folder that cannot be listed now is refused, not half listed", "[D7]") {
  scenario("index a folder").run();
  const auto call = GENERATE(Call::open, Call::stat, Call::list);
  const auto wrong = sweep(scenario("index a folder"), {.call = call, .error = EIO}, most_points(),
                           [](const Outcome& outcome) {
                             return outcome.end == Outcome::End::error ||
                                    (outcome.end == Outcome::End::done && outcome.calls > 0);
                           });
  CHECK(text(wrong) == "");
}
