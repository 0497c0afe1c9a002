#include "cli/child.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <span>
#include <system_error>

#include "base/file_descriptor.hpp"

namespace weir::cli {
namespace {

void require(int error, const char* what) {
  if (error != 0) throw std::system_error(error, std::generic_category(), what);
}

struct Pipe {
  FileDescriptor out, in;
};

Pipe make_pipe() {
  std::array<int, 2> ends{};
  require(pipe2(ends.data(), O_CLOEXEC) == 0 ? 0 : errno, "cannot make a pipe");
  return {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

std::string read_all(const FileDescriptor& file) {
  std::string text;
  std::array<char, 4096> buffer{};
  for (std::size_t got = buffer.size(); got == buffer.size();) {
    got = read_full(file, std::as_writable_bytes(std::span(buffer)));
    text.append(buffer.data(), got);
  }
  return text;
}

pid_t spawn_self(const std::vector<std::string>& arguments, int stdout_fd) {
  static constexpr auto self = "/proc/self/exe";
  std::vector<std::string> parts{"weir"};
  parts.insert(parts.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  argv.reserve(parts.size() + 1);
  for (auto& word : parts) argv.push_back(word.data());
  argv.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  require(posix_spawn_file_actions_init(&actions), "cannot start a process");
  posix_spawnattr_t attributes;
  pid_t pid = -1;
  int error = posix_spawn_file_actions_adddup2(&actions, stdout_fd, STDOUT_FILENO);
  if (error == 0) error = posix_spawnattr_init(&attributes);
  if (error == 0) {
    error = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    if (error == 0) error = posix_spawn(&pid, self, &actions, &attributes, argv.data(), environ);
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_destroy(&actions);
  require(error, "cannot start a process");
  return pid;
}

}  // namespace

void end_with_parent() { prctl(PR_SET_PDEATHSIG, SIGTERM); }

ChildResult run_self(const std::vector<std::string>& arguments, const std::stop_token& stop) {
  auto pipe = make_pipe();
  const auto pid = spawn_self(arguments, pipe.in.value());
  pipe.in = {};
  ChildResult result;
  {
    const std::stop_callback pass_on(stop, [pid] { kill(pid, SIGINT); });
    result.output = read_all(pipe.out);
  }
  int status = 0;
  require(retried([&] { return waitpid(pid, &status, 0); }) < 0 ? errno : 0,
          "cannot wait for a process");
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

}  // namespace weir::cli
