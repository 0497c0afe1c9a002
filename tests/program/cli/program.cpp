#include "program.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <utility>

namespace weir::test {
namespace {

std::vector<std::string> weir_with(const std::vector<std::string>& arguments) {
  std::vector<std::string> words{WEIR_PROGRAM};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return words;
}

pid_t start(std::vector<std::string> words, const std::string& out, const std::string& err) {
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  constexpr int flags = O_WRONLY | O_CREAT | O_TRUNC;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  pid_t pid = -1;
  int error = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out.c_str(), flags, 0600);
  if (error == 0)
    error = posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err.c_str(), flags, 0600);
  if (error == 0) error = posix_spawn(&pid, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::runtime_error("cannot run " + words[0]);
  return pid;
}

Outcome finish(pid_t pid, const std::string& out, const std::string& err) {
  int status = 0;
  if (waitpid(pid, &status, 0) != pid) throw std::runtime_error("cannot wait for a program");
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), read_file(out),
          read_file(err)};
}

}  // namespace

Outcome run_program(const std::vector<std::string>& words) {
  const TemporaryFolder folder;
  const auto out = folder.path() / "out", err = folder.path() / "err";
  return finish(start(words, out, err), out, err);
}

Outcome weir(const std::vector<std::string>& arguments) {
  return run_program(weir_with(arguments));
}

Outcome weir_interrupted(const std::vector<std::string>& arguments, int milliseconds) {
  return weir_signalled(arguments, SIGINT, milliseconds);
}

Outcome weir_signalled(const std::vector<std::string>& arguments, int signal, int milliseconds) {
  const TemporaryFolder folder;
  const auto out = folder.path() / "out", err = folder.path() / "err";
  const auto pid = start(weir_with(arguments), out, err);
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
  kill(pid, signal);
  return finish(pid, out, err);
}

Running::Running(const std::vector<std::string>& arguments)
    : folder_(std::make_unique<TemporaryFolder>()),
      out_(folder_->path() / "out"),
      err_(folder_->path() / "err"),
      pid_(start(weir_with(arguments), out_, err_)) {}

Running::~Running() {
  if (pid_ < 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

std::string Running::err() const { return read_file(err_); }

Outcome Running::end_by(int signal) {
  kill(pid_, signal);
  return finish(std::exchange(pid_, -1), out_, err_);
}

std::string read_file(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

}  // namespace weir::test
