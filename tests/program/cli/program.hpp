#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "support/json.hpp"
#include "support/temporary_folder.hpp"

namespace weir::test {

/// What the built program said and did.
struct Outcome {
  int exit_code = 0;
  std::string out, err;

  /// stdout as JSON; discarded where it is none.
  Json json() const { return Json::try_parse(out); }
};

/// Runs the program at `words[0]` with the others as arguments, no shell between.
Outcome run_program(const std::vector<std::string>& words);
/// Runs `weir` with `arguments`, no shell between.
Outcome weir(const std::vector<std::string>& arguments);
/// The same; SIGINT after `milliseconds`.
Outcome weir_interrupted(const std::vector<std::string>& arguments, int milliseconds);

/// A `weir` at work: what it has said so far, and SIGINT. Killed where nobody waited for its end.
class Running {
 public:
  explicit Running(const std::vector<std::string>& arguments);
  ~Running();
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  std::string err() const;
  /// SIGINT, and its end.
  Outcome interrupt();

 private:
  std::unique_ptr<TemporaryFolder> folder_;
  std::string out_, err_;
  int pid_ = -1;
};

std::string read_file(const std::filesystem::path& path);

}  // namespace weir::test
