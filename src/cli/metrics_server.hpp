#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "weir/loader.hpp"

namespace prometheus {
class Exposer;
}

namespace weir::cli {

/// Answers `GET /metrics` in Prometheus's text format, with two threads. The metrics are those of the
/// loader of the current Showing. Without one there are no metrics of a loader.
class MetricsServer {
 public:
  /// Starts to listen. Port 0 selects a free port. Throws Refusal if it cannot listen.
  MetricsServer(const std::string& address, std::uint16_t port);
  ~MetricsServer();
  MetricsServer(const MetricsServer&) = delete;
  MetricsServer& operator=(const MetricsServer&) = delete;

  /// For example "http://127.0.0.1:9100/metrics".
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
  class View;

  std::string url_;
  std::shared_ptr<View> view_;
  std::unique_ptr<prometheus::Exposer> web_;
};

}  // namespace weir::cli
