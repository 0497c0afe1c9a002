#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "weir/loader.hpp"

namespace prometheus {
class Exposer;
}

namespace weir::cli {

/// Answers `GET /metrics` in Prometheus's text format from two threads of its own, about the loader
/// that is shown, or about none.
class MetricsServer {
 public:
  /// Listens at once; port 0: a free one. Throws Refusal where it cannot.
  MetricsServer(const std::string& address, std::uint16_t port);
  ~MetricsServer();
  MetricsServer(const MetricsServer&) = delete;
  MetricsServer& operator=(const MetricsServer&) = delete;

  /// "http://127.0.0.1:9100/metrics"
  const std::string& url() const noexcept { return url_; }

  /// While it lives, scrapes see `loader`. Null server: nothing happens.
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
