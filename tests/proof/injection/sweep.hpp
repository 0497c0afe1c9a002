#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "proof/injection/failing.hpp"

namespace weir::test {

/// An operation in which failures are injected. Throws the library's exceptions, and
/// std::logic_error if the library's behaviour was forbidden.
struct Scenario {
  const char* name;
  std::function<void()> run;
};

/// The result of the operation in its own child process.
struct Outcome {
  enum class End : std::uint8_t {
    done,      ///< the failure had no effect, or was a fault that the scenario allows
    memory,    ///< std::bad_alloc
    error,     ///< weir::Error, weir::SampleError or std::system_error, with a message
    unwanted,  ///< any other exception
    exited,    ///< a library has called exit()
    died,      ///< a signal, std::terminate, a sanitizer; or it hung
  };
  End end = End::died;
  std::uint64_t calls = 0;  ///< of the kind armed
  std::string words;        ///< of the exception, or of the error found
  std::string complaint;    ///< a leak, a descriptor, a thread, a failed next run; or empty
  int status = 0;           ///< as from waitpid
};

/// Runs the scenario once in a child with `failure` armed, then once more without a failure. The
/// caller has one thread, and has run the scenario before.
Outcome run_with(const Scenario& scenario, const Failure& failure);

/// Selects at most `most` of the `calls` points, spread over all of them. Each `phase` gives
/// another selection.
std::vector<std::uint64_t> points(std::uint64_t calls, std::uint64_t most, std::uint64_t phase);

/// Fails the scenario's calls of one kind at selected points. Returns the errors, one in each line;
/// empty: none. `good` judges the outcome of a run.
std::vector<std::string> sweep(const Scenario& scenario, Failure failure, std::uint64_t most,
                               const std::function<bool(const Outcome&)>& good);

}  // namespace weir::test
