#include "cli/metrics_server.hpp"

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <prometheus/text_serializer.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <mutex>

#include "base/clock.hpp"
#include "cli/settings.hpp"
#include "report/metrics.hpp"

namespace weir::cli {
namespace {

using source::FileDescriptor;
using Addresses = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

Addresses resolved(const std::string& address, std::uint16_t port) {
  auto host = address;
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  // A wrong number is not looked up as a name, which may take seconds.
  if (host.find_first_not_of("0123456789.:") == host.npos) hints.ai_flags |= AI_NUMERICHOST;
  addrinfo* found = nullptr;
  const int error = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (error == 0) return {found, freeaddrinfo};
  throw Refusal{
      2, fmt::format(
             "weir: --metrics-address {}: neither an address nor the name of a host ({}); write "
             "127.0.0.1 or 0.0.0.0\n",
             address, gai_strerror(error))};
}

[[noreturn]] void cannot_listen(const std::string& address, std::uint16_t port, int code) {
  std::string why;
  if (code == EADDRINUSE)
    why = fmt::format(
        "--metrics-port {}: the port is taken on {}; --metrics-port 0 takes a free port", port,
        address);
  else if (code == EACCES)
    why = fmt::format(
        "--metrics-port {}: this port is not allowed; --metrics-port 0 takes a free port", port);
  else if (code == EADDRNOTAVAIL)
    why = fmt::format("--metrics-address {}: this machine does not have the address", address);
  else
    why = fmt::format("--metrics-address {} --metrics-port {}: cannot listen: {}", address, port,
                      source::errno_text(code));
  throw Refusal{2, "weir: " + why + '\n'};
}

FileDescriptor listen_on(const std::string& address, std::uint16_t port) {
  const auto found = resolved(address, port);
  int code = 0;
  for (const auto* at = found.get(); at != nullptr; at = at->ai_next) {
    FileDescriptor socket(
        ::socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, at->ai_protocol));
    // The port is free again at once after a run. Two programs cannot share it.
    constexpr int yes = 1;
    if (socket && setsockopt(socket.value(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) == 0 &&
        bind(socket.value(), at->ai_addr, at->ai_addrlen) == 0 &&
        listen(socket.value(), SOMAXCONN) == 0)
      return socket;
    code = errno;
  }
  cannot_listen(address, port, code);
}

/// "127.0.0.1:9100" or "[::1]:9100".
std::string endpoint_of(const FileDescriptor& socket) {
  sockaddr_storage bound{};
  socklen_t size = sizeof bound;
  auto* const address = reinterpret_cast<sockaddr*>(&bound);
  std::array<char, NI_MAXHOST> host{};
  std::array<char, NI_MAXSERV> port{};
  if (getsockname(socket.value(), address, &size) != 0 ||
      getnameinfo(address, size, host.data(), host.size(), port.data(), port.size(),
                  NI_NUMERICHOST | NI_NUMERICSERV) != 0)
    return "?";
  const bool six = bound.ss_family == AF_INET6;
  return fmt::format("{}{}{}:{}", six ? "[" : "", host.data(), six ? "]" : "", port.data());
}

}  // namespace

class MetricsServer::View {
 public:
  void show(const Loader* loader) {
    const std::lock_guard lock(mutex_);
    loader_ = loader;
    ratchet_ = {};
  }
  /// The metrics in Prometheus's text format.
  std::string text() {
    const std::lock_guard lock(mutex_);  // the loader exists until the scrape ends
    std::vector<prometheus::MetricFamily> families;
    if (loader_ != nullptr) {
      const auto now = loader_->snapshot();
      report::Sight sight{loader_->report(), now.filling,           now.ready,
                          now.leased,        process_cpu_seconds(), process_parts()};
      // The report was taken a moment later. The metrics use one snapshot.
      sight.figures.memory = now.memory;
      sight.figures.samples = now.samples;
      families = report::metric_families(sight);
    }
    ratchet_.hold(families);
    families.push_back(report::build_info());
    return prometheus::TextSerializer().Serialize(families);
  }

 private:
  std::mutex mutex_;
  const Loader* loader_ = nullptr;
  report::Ratchet ratchet_;
};

MetricsServer::MetricsServer(const std::string& address, std::uint16_t port)
    : view_(std::make_unique<View>()) {
  constexpr auto path = "/metrics", type = "text/plain; version=0.0.4; charset=utf-8";
  auto socket = listen_on(address, port);
  url_ = "http://" + endpoint_of(socket) + path;
  web_ = std::make_unique<HttpServer>(std::move(socket), path, type,
                                      [view = view_.get()] { return view->text(); });
}

MetricsServer::~MetricsServer() = default;

MetricsServer::Showing::Showing(MetricsServer* server, const Loader& loader) : server_(server) {
  if (server_ != nullptr) server_->view_->show(&loader);
}

MetricsServer::Showing::~Showing() {
  if (server_ != nullptr) server_->view_->show(nullptr);
}

}  // namespace weir::cli
