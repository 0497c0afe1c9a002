#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "weir/loader.hpp"

namespace weir::observe {

/// Answers `GET /metrics` in Prometheus's text format. The metrics are those of the loader of the
/// current Showing. Without one there are no metrics of a loader. It holds 64 connections at most. A
/// further one ends the oldest.
class MetricsServer {
 public:
  /// Starts to listen. `address` is an IPv4 or IPv6 address or the name of a host. Port 0 selects a
  /// free port. Throws std::runtime_error with the reason if it cannot listen.
  MetricsServer(const std::string& address, std::uint16_t port);
  ~MetricsServer();
  MetricsServer(const MetricsServer&) = delete;
  MetricsServer& operator=(const MetricsServer&) = delete;

  /// For example "http://127.0.0.1:9100/metrics" or "http://[::1]:9100/metrics".
  const std::string& url() const noexcept { return url_; }

  /// While it exists, scrapes return the metrics of `loader`. No effect if `server` is null.
  class Showing {
   public:
    Showing(MetricsServer* server, const Loader& loader);
    ~Showing();
    Showing(const Showing&) = delete;
    Showing& operator=(const Showing&) = delete;

   private:
    MetricsServer* server_;
  };

 private:
  class Web;
  std::unique_ptr<Web> web_;
  std::string url_;
};

}  // namespace weir::observe
