#include "proof/injection/sweep.hpp"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <new>
#include <stdexcept>
#include <system_error>
#include <thread>

#include "support/sanitized.hpp"
#include "weir/error.hpp"

namespace weir::test {
namespace {

/// GCC 11 does not destroy the first members of a temporary aggregate if a later one throws.
#if defined(__clang__) || __GNUC__ > 11
constexpr bool compiler_leaks = false;
#else
constexpr bool compiler_leaks = true;
#endif

/// A child that takes longer hangs.
constexpr unsigned longest_s = sanitized ? 120 : 30;

/// The result that the child writes into the pipe.
struct Message {
  Outcome::End end = Outcome::End::died;
  std::uint64_t calls = 0;
  std::array<char, 256> words{}, complaint{};
};

void put(std::array<char, 256>& text, const char* words) noexcept {
  std::strncpy(text.data(), words, text.size() - 1);
}

std::ptrdiff_t entries(const char* folder) {
  return std::distance(std::filesystem::directory_iterator(folder), {});
}

ssize_t read_whole(int file, void* into, std::size_t bytes) {
  ssize_t done = 0;
  while (static_cast<std::size_t>(done) < bytes) {
    const auto got =
        ::read(file, static_cast<char*>(into) + done, bytes - static_cast<std::size_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += got;
  }
  return done;
}

/// A joined thread stays on the kernel's list a moment longer.
bool back_to(std::ptrdiff_t threads) {
  for (int i = 0; i < 20'000; ++i) {
    if (entries("/proc/self/task") <= threads) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

void run_armed(const Scenario& scenario, const Failure& failure, Message& message) noexcept {
  using End = Outcome::End;
  arm(failure);
  const auto ended = [&](End end, const char* words) {
    message.calls = disarm();
    message.end = end;
    put(message.words, words);
  };
  try {
    scenario.run();
    ended(End::done, "");
  } catch (const std::bad_alloc& e) {
    ended(End::memory, e.what());
  } catch (const std::system_error& e) {
    ended(std::strlen(e.what()) > 0 ? End::error : End::unwanted, e.what());
  } catch (const SampleError& e) {
    ended(End::error, e.what());
  } catch (const std::exception& e) {
    ended(End::unwanted, e.what());
  } catch (...) {
    ended(End::unwanted, "no std::exception");
  }
}

/// Memory that is kept once, such as that of a cached thread, is not a leak. Growth in each run is.
bool leaks(const Scenario& scenario, const Failure& failure) {
  for (int repeat = 0; repeat < 3; ++repeat) {
    const auto before = pieces_held();
    Message ignored;
    run_armed(scenario, failure, ignored);
    if (pieces_held() <= before) return false;
  }
  return true;
}

void observe(const Scenario& scenario, const Failure& failure, Message& message) {
  const auto descriptors = entries("/proc/self/fd");
  const auto threads = entries("/proc/self/task");  // a sanitizer has one thread of its own
  const auto before = pieces_held();
  run_armed(scenario, failure, message);
  if (!back_to(threads)) return put(message.complaint, "a thread is left");
  if (entries("/proc/self/fd") != descriptors)
    return put(message.complaint, "a descriptor is left");
  if (!compiler_leaks && pieces_held() > before && leaks(scenario, failure))
    return put(message.complaint, "memory is left");
  Message healthy;
  run_armed(scenario, {}, healthy);
  if (healthy.end != Outcome::End::done) {
    std::snprintf(message.complaint.data(), message.complaint.size(), "the next run failed: %.200s",
                  healthy.words.data());
  }
}

constexpr int exited_code = 98;

[[noreturn]] void be_child(const Scenario& scenario, const Failure& failure, int out) {
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::alarm(longest_s);
  // The folders of the test are not the child's.
  std::atexit([] { ::_exit(exited_code); });
  Message message;
  try {
    observe(scenario, failure, message);
  } catch (const std::exception& e) {
    put(message.complaint, e.what());
  }
  const bool written = ::write(out, &message, sizeof(message)) == sizeof(message);
  ::_exit(written ? 0 : 99);
}

}  // namespace

Outcome run_with(const Scenario& scenario, const Failure& failure) {
  std::array<int, 2> pipe{};
  if (::pipe(pipe.data()) != 0) throw std::runtime_error("pipe");
  const auto child = ::fork();
  if (child < 0) throw std::runtime_error("fork");
  if (child == 0) be_child(scenario, failure, pipe[1]);
  ::close(pipe[1]);
  Message message;
  const auto got = read_whole(pipe[0], &message, sizeof(message));
  ::close(pipe[0]);
  Outcome outcome;
  ::waitpid(child, &outcome.status, 0);
  if (got != sizeof(message) || outcome.status != 0) {
    outcome.words = WIFSIGNALED(outcome.status)
                        ? "signal " + std::to_string(WTERMSIG(outcome.status))
                        : "exit code " + std::to_string(WEXITSTATUS(outcome.status));
    if (WIFEXITED(outcome.status) && WEXITSTATUS(outcome.status) == exited_code)
      outcome.end = Outcome::End::exited;
    return outcome;
  }
  outcome.end = message.end;
  outcome.calls = message.calls;
  outcome.words = message.words.data();
  outcome.complaint = message.complaint.data();
  return outcome;
}

std::vector<std::uint64_t> points(std::uint64_t calls, std::uint64_t most, std::uint64_t phase) {
  std::vector<std::uint64_t> chosen;
  const auto count = std::min(calls, most);
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto spread = i * calls / count + phase % std::max<std::uint64_t>(calls / count, 1);
    chosen.push_back(1 + std::min(spread, calls - 1));
  }
  return chosen;
}

std::vector<std::string> sweep(const Scenario& scenario, Failure failure, std::uint64_t most,
                               const std::function<bool(const Outcome&)>& good) {
  const Failure counting{.call = failure.call, .nth = UINT64_MAX};
  std::uint64_t calls = 0;
  std::vector<std::string> wrong;
  const auto judge = [&](const Outcome& outcome) {
    if (outcome.end != Outcome::End::died && outcome.complaint.empty() && good(outcome)) return;
    wrong.push_back(std::string(scenario.name) + ", call " + std::to_string(failure.nth) +
                    (failure.step == 1 ? " and all after it: " : ": ") + outcome.words +
                    (outcome.complaint.empty() ? "" : "; ") + outcome.complaint);
  };
  // For debugging: one point, in this process.
  if (const char* const only = std::getenv("WEIR_FAIL_AT")) {
    failure.nth = std::strtoull(only, nullptr, 10);
    Message message;
    run_armed(scenario, failure, message);
    wrong.emplace_back(message.words.data());
    return wrong;
  }
  for (int repeat = 0; repeat < 3; ++repeat) {
    const auto outcome = run_with(scenario, counting);
    failure.nth = UINT64_MAX;
    judge(outcome);
    calls = std::max(calls, outcome.calls);
  }
  if (calls == 0) wrong.push_back(std::string(scenario.name) + " makes no such call");
  for (const auto nth : points(calls, most, failure.step)) {
    failure.nth = nth;
    judge(run_with(scenario, failure));
    if (wrong.size() > 20) break;
  }
  return wrong;
}

}  // namespace weir::test
