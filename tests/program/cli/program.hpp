#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "support/json.hpp"
#include "support/temporary_folder.hpp"

namespace weir::test {

/// The output and the exit code of the program.
struct Outcome {
  int exit_code = 0;
  std::string out, err;

  /// stdout as JSON. Discarded if it is not JSON.
  Json json() const { return Json::try_parse(out); }
};

/// Runs the program at `words[0]` with the other words as arguments, without a shell.
Outcome run_program(const std::vector<std::string>& words);
/// Runs `weir` with `arguments`, without a shell.
Outcome weir(const std::vector<std::string>& arguments);
/// Runs `weir` and sends SIGINT after `milliseconds`.
Outcome weir_interrupted(const std::vector<std::string>& arguments, int milliseconds);
/// The same with another signal.
Outcome weir_signalled(const std::vector<std::string>& arguments, int signal, int milliseconds);

/// A running `weir`: its output so far, and SIGINT. The destructor kills it if it still runs.
class Running {
 public:
  explicit Running(const std::vector<std::string>& arguments);
  ~Running();
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  std::string err() const;
  int pid() const noexcept { return pid_; }
  /// Sends SIGINT and waits for the end.
  Outcome interrupt() { return end_by(2); }
  /// Sends a signal and waits for the end.
  Outcome end_by(int signal);

 private:
  std::unique_ptr<TemporaryFolder> folder_;
  std::string out_, err_;
  int pid_ = -1;
};

std::string read_file(const std::filesystem::path& path);

}  // namespace weir::test
