#include "program.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <utility>

#include "support/spawn.hpp"

namespace weir::test {
namespace {

std::vector<std::string> weir_with(const std::vector<std::string>& arguments) {
  std::vector<std::string> words{WEIR_PROGRAM};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return words;
}

pid_t start(const std::vector<std::string>& words, const std::string& out, const std::string& err) {
  const auto pid = spawn(words, {{STDOUT_FILENO, out}, {STDERR_FILENO, err}});
  if (pid < 0) throw std::runtime_error("cannot run " + words[0]);
  return pid;
}

/// True if the process blocks a signal. weir does while a thread of its own waits for signals.
bool blocks(pid_t pid, int signal) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("SigBlk:"))
      return (std::stoull(line.substr(7), nullptr, 16) >> (signal - 1) & 1) != 0;
  return false;
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

Outcome weir_signalled(const std::vector<std::string>& arguments, int signal,
                       const std::function<bool(const Running&)>& ready) {
  Running program(arguments);
  program.await(signal, ready);
  return program.end_by(signal);
}

Outcome weir_interrupted(const std::vector<std::string>& arguments,
                         const std::function<bool(const Running&)>& ready) {
  return weir_signalled(arguments, SIGINT, ready);
}

std::string get(std::uint16_t port, const std::string& path) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::string answer;
  if (connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
    const auto request =
        "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    if (send(socket, request.data(), request.size(), MSG_NOSIGNAL) > 0) {
      std::array<char, 4096> buffer{};
      for (ssize_t got = 0; (got = recv(socket, buffer.data(), buffer.size(), 0)) > 0;)
        answer.append(buffer.data(), static_cast<std::size_t>(got));
    }
  }
  close(socket);
  return answer;
}

bool runs(const Running& program) {
  constexpr std::string_view before = "metrics: http://127.0.0.1:", drawn = "{state=\"drawn\"} ";
  const auto said = program.err();
  const auto at = said.rfind(before);
  if (at == said.npos || said.find('\n', at) == said.npos) return false;
  const auto port = std::stoi(said.substr(at + before.size()));
  const auto metrics = get(static_cast<std::uint16_t>(port), "/metrics");
  const auto value = metrics.find(drawn);
  return value != metrics.npos && std::stod(metrics.substr(value + drawn.size())) > 0;
}

std::uintmax_t bytes_in(const std::filesystem::path& folder) {
  std::uintmax_t bytes = 0;
  std::error_code gone;  // a file that was renamed meanwhile
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (const auto size = entry.file_size(gone); !gone) bytes += size;
  return bytes;
}

Running::Running(const std::vector<std::string>& arguments) : Running(weir_with(arguments), 0) {}

Running::Running(const std::vector<std::string>& words, int)
    : folder_(std::make_unique<TemporaryFolder>()),
      out_(folder_->path() / "out"),
      err_(folder_->path() / "err"),
      pid_(start(words, out_, err_)) {}

Running::~Running() {
  if (pid_ < 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

std::string Running::out() const { return read_file(out_); }
std::string Running::err() const { return read_file(err_); }

void Running::await(int signal, const std::function<bool(const Running&)>& ready) const {
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!blocks(pid_, signal) || !ready(*this)) {
    if (std::chrono::steady_clock::now() > give_up)
      throw std::runtime_error("waited a minute for the program; it said: " + err());
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

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
