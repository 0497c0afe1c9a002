#include "chromium.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <exception>
#include <stdexcept>
#include <utility>

#include "support/spawn.hpp"

namespace weir::test {
namespace {

using nlohmann::json;

constexpr int longest_wait_ms = 60'000;

/// The descriptors from which Chromium reads messages and to which it writes them.
constexpr int commands = 3, answers = 4;
/// Above all descriptors that the child gets.
constexpr int spare = 16;

/// Resolves when all listeners of the load event have run.
const std::string loaded =
    "new Promise((done) => {"
    "  const end = () => setTimeout(done);"
    "  document.readyState === 'complete' ? end() : addEventListener('load', end);"
    "})";

}  // namespace

Chromium::Chromium(const std::string& program) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw std::runtime_error("socketpair failed");
  const int theirs = fcntl(ends[1], F_DUPFD_CLOEXEC, spare);
  close(ends[1]);
  socket_ = ends[0];
  pid_ = spawn({program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                "--no-first-run", "--user-data-dir=" + (folder_.path() / "profile").string(),
                "--window-size=1600,1000", "--remote-debugging-pipe", "about:blank"},
               {{STDOUT_FILENO, "/dev/null"},
                {STDERR_FILENO, "/dev/null"},
                {commands, {}, theirs},
                {answers, {}, theirs}});
  close(theirs);
  try {
    call("Browser.getVersion");
  } catch (...) {
    end();
    throw;
  }
}

Chromium::~Chromium() { end(); }

void Chromium::end() noexcept {
  try {
    session_.clear();
    call("Browser.close");
  } catch (const std::exception&) {
    if (pid_ > 0) kill(pid_, SIGKILL);
  }
  close(socket_);
  if (pid_ <= 0) return;
  waitpid(pid_, nullptr, 0);
}

Chromium::Shown Chromium::show(const std::string& html, const std::string& expression) {
  const auto page = folder_.write("page.html", html);
  console_.clear();
  session_.clear();
  const auto target = call("Target.createTarget", {{"url", "about:blank"}})["targetId"];
  session_ = call("Target.attachToTarget", {{"targetId", target}, {"flatten", true}})["sessionId"];
  for (const auto* domain : {"Page.enable", "Runtime.enable", "Log.enable"}) call(domain);
  call("Page.navigate", {{"url", "file://" + page}});
  const auto shown =
      call("Runtime.evaluate",
           {{"expression", loaded + ".then(() => " + expression + ")"}, {"awaitPromise", true}});
  session_.clear();
  call("Target.closeTarget", {{"targetId", target}});
  return {shown["result"]["value"], console_};
}

json Chromium::call(const char* method, json parameters) {
  json message{{"id", ++calls_}, {"method", method}, {"params", std::move(parameters)}};
  if (!session_.empty()) message["sessionId"] = session_;
  const auto text = message.dump();
  // With the zero byte at its end.
  for (std::size_t sent = 0; sent < text.size() + 1;) {
    const auto more = send(socket_, text.c_str() + sent, text.size() + 1 - sent, MSG_NOSIGNAL);
    if (more < 0 && errno != EINTR) throw std::runtime_error("Chromium takes no message");
    if (more > 0) sent += static_cast<std::size_t>(more);
  }
  for (;;) {
    auto answer = receive();
    if (answer.value("id", 0) != calls_) {
      note(answer);
    } else if (answer.contains("error")) {
      throw std::runtime_error(std::string(method) + ": " + answer["error"].dump());
    } else {
      return answer["result"];
    }
  }
}

json Chromium::receive() {
  for (;;) {
    if (const auto end = received_.find('\0'); end != std::string::npos) {
      const auto message = received_.substr(0, end);
      received_.erase(0, end + 1);
      return json::parse(message);
    }
    pollfd wait{socket_, POLLIN, 0};
    if (poll(&wait, 1, longest_wait_ms) == 0)
      throw std::runtime_error("Chromium has not answered for a minute");
    std::array<char, 65'536> bytes{};
    const auto size = recv(socket_, bytes.data(), bytes.size(), 0);
    if (size == 0 || (size < 0 && errno != EINTR)) throw std::runtime_error("Chromium has ended");
    if (size > 0) received_.append(bytes.data(), static_cast<std::size_t>(size));
  }
}

void Chromium::note(const json& event) {
  const auto method = event.value("method", "");
  if (method == "Runtime.consoleAPICalled") console_ += event["params"]["args"].dump() + '\n';
  if (method == "Runtime.exceptionThrown")
    console_ += event["params"]["exceptionDetails"].dump() + '\n';
  if (method == "Log.entryAdded") console_ += event["params"]["entry"]["text"].dump() + '\n';
}

}  // namespace weir::test
