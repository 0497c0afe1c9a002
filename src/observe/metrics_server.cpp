#include "observe/metrics_server.hpp"

#include <prometheus/text_serializer.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <deque>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "base/clock.hpp"
#include "base/threads.hpp"
#include "observe/metrics.hpp"
#include "weir/profile.hpp"

namespace weir::observe {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;

constexpr auto patience = std::chrono::seconds(2);
constexpr auto pause_without_descriptors = std::chrono::milliseconds(100);
constexpr std::size_t most_clients = 64;
constexpr std::uint32_t most_request_bytes = 8192;
constexpr auto metrics_path = "/metrics";

tcp::acceptor listen_on(asio::io_context& io, const std::string& address, std::uint16_t port) {
  auto host = address;
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  auto flags = tcp::resolver::passive | tcp::resolver::numeric_service;
  // A wrong number is not looked up as a name, which may take seconds.
  if (host.find_first_not_of("0123456789.:") == host.npos) flags |= tcp::resolver::numeric_host;
  error_code failed;
  const auto found = tcp::resolver(io).resolve(host, std::to_string(port), flags, failed);
  if (failed) throw std::runtime_error(failed.message());
  for (const auto& each : found) {
    try {
      // The port is free again at once after a run. Two programs cannot share it.
      return {io, each.endpoint(), true};
    } catch (const boost::system::system_error& e) {
      failed = e.code();
    }
  }
  throw std::runtime_error(failed.message());
}

/// What a scrape gets. Thread-safe.
class View {
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
    std::string memory;
    if (loader_ != nullptr) {
      const auto now = loader_->snapshot();
      const auto figures = loader_->report();
      families = metric_families(figures, now, process_cpu_seconds());
      memory = MemoryReport{now.memory, figures.process_now, process_parts()}.metrics();
    }
    ratchet_.hold(families);
    families.push_back(build_info());
    return prometheus::TextSerializer().Serialize(families) + memory;
  }

 private:
  std::mutex mutex_;
  const Loader* loader_ = nullptr;
  Ratchet ratchet_;
};

/// One connection: reads a request, writes the answer, then waits until the client closes. If it
/// were closed at once, the rest of what the client sends would reset it before the answer is read.
class Client : public std::enable_shared_from_this<Client> {
 public:
  Client(tcp::socket socket, View& view) : stream_(std::move(socket)), view_(view) {
    request_.header_limit(most_request_bytes);
  }
  void start() {
    stream_.expires_after(patience);
    http::async_read_header(
        stream_, received_, request_,
        [self = shared_from_this()](error_code failed, std::size_t) { self->reply(failed); });
  }
  void close() { stream_.close(); }

 private:
  void reply(error_code failed) {
    const bool refused = failed.category() == make_error_code(http::error()).category();
    if (failed && !refused) return;
    answer(failed);
    answer_.keep_alive(false);
    answer_.prepare_payload();
    if (request_.get().method() == http::verb::head) answer_.body().clear();
    stream_.expires_after(patience);
    http::async_write(stream_, answer_, [self = shared_from_this()](error_code, std::size_t) {
      error_code closed;
      self->stream_.socket().shutdown(tcp::socket::shutdown_send, closed);
      self->stream_.expires_after(patience);
      self->discard();
    });
  }
  void answer(error_code failed) {
    const auto& request = request_.get();
    const auto method = request.method();
    const auto target = request.target();
    auto status = http::status::ok;
    if (failed)
      status = failed == http::error::header_limit ? http::status::request_header_fields_too_large
                                                   : http::status::bad_request;
    else if (method != http::verb::get && method != http::verb::head)
      status = http::status::method_not_allowed;
    else if (target.substr(0, target.find('?')) != metrics_path)
      status = http::status::not_found;
    try {
      if (status == http::status::ok) answer_.body() = view_.text();
    } catch (const std::exception&) {  // no memory for the page
      status = http::status::internal_server_error;
    }
    answer_.result(status);
    if (status == http::status::method_not_allowed) answer_.set(http::field::allow, "GET, HEAD");
    const bool ok = status == http::status::ok;
    answer_.set(http::field::content_type,
                ok ? "text/plain; version=0.0.4; charset=utf-8" : "text/plain");
    if (!ok) answer_.body() = std::string(answer_.reason()) + '\n';
  }
  void discard() {
    stream_.async_read_some(asio::buffer(rest_),
                            [self = shared_from_this()](error_code failed, std::size_t) {
                              if (!failed) self->discard();
                            });
  }

  boost::beast::tcp_stream stream_;
  View& view_;
  boost::beast::flat_buffer received_;
  http::request_parser<http::empty_body> request_;
  http::response<http::string_body> answer_;
  std::array<char, 4096> rest_{};
};

}  // namespace

/// Answers in one thread. No client delays another: the server never waits for one, and closes a
/// connection that has not sent its request, or not read its answer, within two seconds.
class MetricsServer::Web {
 public:
  Web(const std::string& address, std::uint16_t port) : acceptor_(listen_on(io_, address, port)) {
    std::ostringstream text;
    text << "http://" << acceptor_.local_endpoint() << metrics_path;
    url = text.str();
    thread_ = start_thread([this] { serve(); });
  }
  /// Ends all connections at once. Waits only for a running scrape.
  ~Web() {
    io_.stop();
    thread_.join();
  }
  View view;
  std::string url;

 private:
  void serve() {
    while (!io_.stopped()) {
      try {
        if (!accepting_) accept();
        io_.run_one();
      } catch (const std::exception&) {
        // There was no memory for a client, so its connection ended.
      }
    }
  }
  void accept() {
    acceptor_.async_accept([this](error_code failed, tcp::socket socket) {
      if (failed) {  // no descriptor is free
        pause_.expires_after(pause_without_descriptors);
        return pause_.async_wait([this](error_code) { accepting_ = false; });
      }
      accepting_ = false;
      std::erase_if(clients_, [](const auto& client) { return client.expired(); });
      if (clients_.size() == most_clients) {
        if (const auto oldest = clients_.front().lock()) oldest->close();
        clients_.pop_front();
      }
      const auto client = std::make_shared<Client>(std::move(socket), view);
      clients_.push_back(client);
      client->start();
    });
    accepting_ = true;
  }

  asio::io_context io_{1};
  // Without a pending accept, io_ would stop when its last client ends.
  asio::executor_work_guard<asio::io_context::executor_type> work_{io_.get_executor()};
  tcp::acceptor acceptor_;
  asio::steady_timer pause_{io_};
  std::deque<std::weak_ptr<Client>> clients_;  ///< oldest first
  bool accepting_ = false;
  std::thread thread_;
};

MetricsServer::MetricsServer(const std::string& address, std::uint16_t port)
    : web_(std::make_unique<Web>(address, port)), url_(web_->url) {}
MetricsServer::~MetricsServer() = default;

MetricsServer::Showing::Showing(MetricsServer* server, const Loader& loader) : server_(server) {
  if (server_ != nullptr) server_->web_->view.show(&loader);
}
MetricsServer::Showing::~Showing() {
  if (server_ != nullptr) server_->web_->view.show(nullptr);
}

}  // namespace weir::observe
