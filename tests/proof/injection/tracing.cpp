#include "proof/injection/tracing.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>
#include <vector>

#include "support/spawn.hpp"
#include "unit/source/fixture.hpp"

namespace weir::test {
namespace {

constexpr auto longest = std::chrono::seconds(30);

pid_t start(const std::vector<std::string>& words, const std::string& out) {
  return spawn(words, {{STDOUT_FILENO, out}, {STDERR_FILENO, "/dev/null"}});
}

std::string content(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

std::string field(pid_t process, const std::string& key) {
  std::ifstream file("/proc/" + std::to_string(process) + "/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(key)) return line.substr(key.size());
  }
  return {};
}

template <class Condition>
bool wait_until(const Condition& condition) {
  const auto end = std::chrono::steady_clock::now() + longest;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

bool ended(pid_t process, int& status) { return ::waitpid(process, &status, WNOHANG) != 0; }

/// An injection_child. The destructor ends it.
class Child {
 public:
  Child(const std::string& folder, const std::string& out)
      : out_(out), pid_(start({WEIR_INJECTION_CHILD, folder}, out)) {}
  ~Child() {
    if (pid_ < 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  pid_t pid() const noexcept { return pid_; }
  /// Waits until it has printed `lines` lines and stopped, or has ended.
  bool stops_after(int lines) {
    return wait_until([&] {
      const auto text = content(out_);
      if (std::count(text.begin(), text.end(), '\n') >= lines) {
        const auto state = field(pid_, "State:");
        if (state.find_first_of("Tt") != std::string::npos) return true;
      }
      return over();
    });
  }
  void go_on() const { ::kill(pid_, SIGCONT); }
  bool over() {
    if (pid_ >= 0 && ended(pid_, status_)) pid_ = -1;
    return pid_ < 0;
  }
  int status() const noexcept { return status_; }

 private:
  std::string out_;
  pid_t pid_;
  int status_ = 0;
};

/// strace, attached to a process until detach().
class Tracer {
 public:
  Tracer(pid_t process, const std::string& inject, const std::string& log) {
    const auto calls = inject.substr(0, inject.find(':'));
    pid_ = start({"strace", "-f", "-qq", "-o", log, "-e", "trace=" + calls, "-e",
                  "inject=" + inject, "-p", std::to_string(process)},
                 "/dev/null");
    wait_until([&] {
      attached_ = field(process, "TracerPid:\t") == std::to_string(pid_);
      return attached_ || over();
    });
  }
  ~Tracer() { detach(); }
  Tracer(const Tracer&) = delete;
  Tracer& operator=(const Tracer&) = delete;

  bool attached() const noexcept { return attached_; }
  void detach() {
    if (over()) return;
    ::kill(pid_, SIGTERM);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }

 private:
  bool over() {
    int status = 0;
    if (pid_ >= 0 && ended(pid_, status)) pid_ = -1;
    return pid_ < 0;
  }
  pid_t pid_ = -1;
  bool attached_ = false;
};

}  // namespace

Traced run_traced(const std::string& folder, const std::string& inject) {
  const TemporaryFolder scratch;
  const auto out = (scratch / "out").string(), log = (scratch / "log").string();
  Traced traced;
  Child child(folder, out);
  if (!child.stops_after(1)) return traced;
  {
    Tracer tracer(child.pid(), inject, log);
    traced.possible = tracer.attached();
    if (!traced.possible) return traced;
    child.go_on();
    child.stops_after(2);
  }
  traced.injected = content(log).find("(INJECTED)") != std::string::npos;
  // A stop by the tracer looks like the child's own. Another one may follow, so more than one
  // SIGCONT may be needed.
  const auto over = [&] {
    if (child.over()) return true;
    child.go_on();
    return false;
  };
  if (wait_until(over))
    traced.status = child.status();
  else
    traced.status = -1;
  std::istringstream lines(content(out));
  std::string ready;
  std::getline(lines, ready);
  std::getline(lines, traced.first);
  std::getline(lines, traced.second);
  std::getline(lines, traced.last);
  return traced;
}

}  // namespace weir::test
