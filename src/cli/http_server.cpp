#include "cli/http_server.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <exception>
#include <new>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/threads.hpp"

namespace weir::cli {
namespace {

using source::FileDescriptor;

constexpr auto patience = std::chrono::seconds(2);
constexpr auto pause_without_descriptors = std::chrono::milliseconds(100);
constexpr std::size_t most_clients = 64, most_request_bytes = 8192;

constexpr std::pair<int, const char*> reasons[] = {{200, "OK"},
                                                   {400, "Bad Request"},
                                                   {404, "Not Found"},
                                                   {405, "Method Not Allowed"},
                                                   {431, "Request Header Fields Too Large"},
                                                   {500, "Internal Server Error"}};

std::string message(int status, std::string_view type, std::string_view body, bool with_body) {
  const auto* const reason =
      std::ranges::find(reasons, status, &std::pair<int, const char*>::first);
  return fmt::format(
      "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n{}\r\n{}",
      status, reason->second, type, body.size(), status == 405 ? "Allow: GET, HEAD\r\n" : "",
      with_body ? body : std::string_view());
}

std::string failure(int status) {
  const auto* const reason =
      std::ranges::find(reasons, status, &std::pair<int, const char*>::first);
  return message(status, "text/plain", std::string(reason->second) + '\n', true);
}

bool would_block() noexcept { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

}  // namespace

/// One connection: reads a request, writes the answer, then waits until the client closes. If it
/// were closed at once, the rest of what the client sends would reset it before the answer is read.
class HttpServer::Client {
 public:
  explicit Client(FileDescriptor socket) : socket_(std::move(socket)) {}

  pollfd watched() const noexcept {
    return {socket_.value(), static_cast<short>(state_ == State::writes ? POLLOUT : POLLIN), 0};
  }
  Clock::time_point until() const noexcept { return until_; }
  bool done() const noexcept { return state_ == State::done; }
  void drop() noexcept { state_ = State::done; }

  /// Call it when the socket is ready.
  void proceed(const HttpServer& server) {
    if (state_ == State::reads) read(server);
    if (state_ == State::writes) write();
    if (state_ == State::ends) discard();
  }

 private:
  enum class State { reads, writes, ends, done };

  void enter(State state) {
    state_ = state;
    until_ = Clock::now() + patience;
  }

  /// Empty at the end, and if nothing has come.
  std::string_view received() {
    const auto got = ::recv(socket_.value(), buffer_.data(), buffer_.size(), MSG_DONTWAIT);
    if (got == 0 || (got < 0 && !would_block())) state_ = State::done;
    return {buffer_.data(), got > 0 ? static_cast<std::size_t>(got) : 0};
  }

  void read(const HttpServer& server) {
    text_ += received();
    if (done()) return;
    const bool whole = text_.find("\r\n\r\n") != text_.npos;
    if (!whole && text_.size() < most_request_bytes) return;
    text_ = whole ? server.answer(text_) : failure(431);
    enter(State::writes);
  }

  void write() {
    const auto left = std::string_view(text_).substr(sent_);
    const auto went =
        ::send(socket_.value(), left.data(), left.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (went < 0 && !would_block()) state_ = State::done;
    if (went <= 0) return;
    sent_ += static_cast<std::size_t>(went);
    if (sent_ < text_.size()) return;
    ::shutdown(socket_.value(), SHUT_WR);
    enter(State::ends);
  }

  void discard() {
    while (!received().empty()) {
    }
  }

  FileDescriptor socket_;
  State state_ = State::reads;
  Clock::time_point until_ = Clock::now() + patience;
  std::string text_;  ///< the request, then the answer
  std::size_t sent_ = 0;
  std::array<char, 4096> buffer_{};
};

HttpServer::HttpServer(FileDescriptor listener, std::string path, std::string type, Page page)
    : listener_(std::move(listener)),
      wake_(::eventfd(0, EFD_CLOEXEC)),
      path_(std::move(path)),
      type_(std::move(type)),
      page_(std::move(page)) {
  if (!wake_) throw std::system_error(errno, std::generic_category(), "cannot make an event");
  thread_ = start_thread([this] { serve(); });
}

HttpServer::~HttpServer() {
  ::eventfd_write(wake_.value(), 1);
  thread_.join();
}

std::string HttpServer::answer(const std::string& request) const {
  const auto line = std::string_view(request).substr(0, request.find("\r\n"));
  const auto method_end = std::min(line.find(' '), line.size());
  const auto method = line.substr(0, method_end);
  const auto target = line.substr(std::min(method_end + 1, line.size()));
  const auto target_end = target.find(" HTTP/1.");
  if (target_end == target.npos) return failure(400);
  if (method != "GET" && method != "HEAD") return failure(405);
  const auto path = target.substr(0, target_end);
  if (path.substr(0, path.find('?')) != path_) return failure(404);
  try {
    return message(200, type_, page_(), method == "GET");
  } catch (const std::exception&) {  // no memory for the page
    return failure(500);
  }
}

void HttpServer::serve() {
  std::vector<Client> clients;
  std::vector<pollfd> watched;
  // Reserved here, so that the loop allocates for requests and answers only.
  clients.reserve(most_clients);
  watched.reserve(most_clients + 2);
  bool full = false;  // no descriptor is free
  for (;;) {
    watched.assign({{wake_.value(), POLLIN, 0}, {full ? -1 : listener_.value(), POLLIN, 0}});
    auto until = full ? Clock::now() + pause_without_descriptors : Clock::time_point::max();
    for (const auto& client : clients) {
      watched.push_back(client.watched());
      until = std::min(until, client.until());
    }
    int timeout = -1;
    if (until != Clock::time_point::max()) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
      timeout = static_cast<int>(std::max<std::int64_t>(left.count(), 0));
    }
    if (::poll(watched.data(), watched.size(), timeout) < 0 && errno != EINTR) return;
    if (watched[0].revents != 0) return;

    for (std::size_t i = 0; i < clients.size(); ++i) {
      if (watched[i + 2].revents == 0) continue;
      try {
        clients[i].proceed(*this);
      } catch (const std::bad_alloc&) {
        clients[i].drop();
      }
    }
    std::erase_if(clients, [now = Clock::now()](const Client& client) {
      return client.done() || client.until() <= now;
    });
    full = false;
    while (watched[1].revents != 0) {
      FileDescriptor socket(::accept4(listener_.value(), nullptr, nullptr, SOCK_CLOEXEC));
      full = !socket && (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS);
      if (!socket) break;
      if (clients.size() == most_clients) clients.erase(clients.begin());
      clients.emplace_back(std::move(socket));
    }
  }
}

}  // namespace weir::cli
