#include "proof/rss/children.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <sstream>

namespace weir::test {
namespace {

/// Runs between fork and exec, so it must not allocate.
[[noreturn]] void become_child(int output, const char* procs, char* const* arguments) {
  ::dup2(output, STDOUT_FILENO);
  if (*procs != '\0') {
    const int file = ::open(procs, O_WRONLY | O_CLOEXEC);
    if (file < 0 || ::write(file, "0", 1) != 1) ::_exit(125);
  }
  ::execv(arguments[0], arguments);
  ::_exit(126);
}

std::string read_all(int file) {
  std::string text;
  std::array<char, 256> buffer{};
  for (ssize_t n = 0; (n = ::read(file, buffer.data(), buffer.size())) > 0;) {
    text.append(buffer.data(), static_cast<std::size_t>(n));
  }
  return text;
}

}  // namespace

ChildRun run_child(std::uint64_t budget, const std::vector<std::filesystem::path>& folders,
                   const std::filesystem::path& group) {
  std::vector<std::string> words{WEIR_RSS_CHILD, std::to_string(budget)};
  for (const auto& folder : folders) words.push_back(folder.string());
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const auto procs = group.empty() ? std::string() : (group / "cgroup.procs").string();

  ChildRun run;
  std::array<int, 2> pipe{};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) return run;
  const auto child = ::fork();
  if (child == 0) become_child(pipe[1], procs.c_str(), arguments.data());
  ::close(pipe[1]);
  std::istringstream said(child < 0 ? std::string() : read_all(pipe[0]));
  ::close(pipe[0]);
  if (child > 0) ::waitpid(child, &run.status, 0);
  said >> run.start >> run.peak >> run.books_peak >> run.faults >> run.rows;
  return run;
}

}  // namespace weir::test
