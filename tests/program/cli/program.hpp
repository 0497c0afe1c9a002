#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
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
/// A running `weir`: its output so far, and SIGINT. The destructor kills it if it still runs.
class Running {
 public:
  explicit Running(const std::vector<std::string>& arguments);
  /// The program at `words[0]`, with the other words as arguments.
  static Running program(const std::vector<std::string>& words) { return {words, 0}; }
  ~Running();
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  std::string out() const;
  std::string err() const;
  int pid() const noexcept { return pid_; }
  /// Sends SIGINT and waits for the end.
  Outcome interrupt() { return end_by(2); }
  /// Sends a signal and waits for the end.
  Outcome end_by(int signal);
  /// Waits until the program handles `signal` and `ready` holds. Throws after a minute.
  void await(int signal, const std::function<bool(const Running&)>& ready) const;

 private:
  Running(const std::vector<std::string>& words, int);
  std::unique_ptr<TemporaryFolder> folder_;
  std::string out_, err_;
  int pid_ = -1;
};

/// Runs `weir`, and sends a signal when the program handles it and `ready` holds.
Outcome weir_signalled(
    const std::vector<std::string>& arguments, int signal,
    const std::function<bool(const Running&)>& ready = [](const Running&) { return true; });
/// The same with SIGINT.
Outcome weir_interrupted(
    const std::vector<std::string>& arguments,
    const std::function<bool(const Running&)>& ready = [](const Running&) { return true; });

/// The answer of 127.0.0.1 to `GET path`, headers and body. Empty if nothing listens.
std::string get(std::uint16_t port, const std::string& path);

/// True if a program with --metrics-port has begun a run, or a sweep with it its latest run.
bool runs(const Running& program);

/// The bytes of the files in a folder. What `weir` writes there counts before it is complete.
std::uintmax_t bytes_in(const std::filesystem::path& folder);

std::string read_file(const std::filesystem::path& path);

}  // namespace weir::test
