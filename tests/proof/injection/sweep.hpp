#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "proof/injection/failing.hpp"

namespace weir::test {

/// A piece of work that a failure may meet. Throws what the library throws; std::logic_error where
/// the library did what it must not.
struct Scenario {
  const char* name;
  std::function<void()> run;
};

/// How the work ended in a child process of its own.
struct Outcome {
  enum class End : std::uint8_t {
    done,      ///< the failure did no harm, or was a fault that the scenario allows
    memory,    ///< std::bad_alloc
    error,     ///< weir::Error, weir::SampleError or std::system_error, with words
    unwanted,  ///< any other exception
    died,      ///< a signal, std::terminate, a sanitizer; or it hung
  };
  End end = End::died;
  std::uint64_t calls = 0;  ///< of the kind armed
  std::string words;        ///< of the exception, or of what is wrong
  std::string complaint;    ///< a leak, a descriptor, a thread left, the next run failed; or none
  int status = 0;           ///< as waitpid gives it
};

/// Runs the scenario once in a child with `failure` armed, then once more with none. The caller has
/// one thread, and has run the scenario before.
Outcome run_with(const Scenario& scenario, const Failure& failure);

/// Which of `calls` points to try, at most `most` of them, spread over all and another choice for
/// each `phase`.
std::vector<std::uint64_t> points(std::uint64_t calls, std::uint64_t most, std::uint64_t phase);

/// Tries the scenario at points of all its calls of a kind and says what was wrong, a line each;
/// empty: nothing. `good` judges how a run ended.
std::vector<std::string> sweep(const Scenario& scenario, Failure failure, std::uint64_t most,
                               const std::function<bool(const Outcome&)>& good);

}  // namespace weir::test
