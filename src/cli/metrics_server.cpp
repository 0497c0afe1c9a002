#include "cli/metrics_server.hpp"

#include <fmt/format.h>
#include <prometheus/collectable.h>
#include <prometheus/exposer.h>

#include <exception>
#include <mutex>

#include "base/clock.hpp"
#include "cli/settings.hpp"
#include "report/metrics.hpp"

namespace weir::cli {

class MetricsServer::View final : public prometheus::Collectable {
 public:
  void show(const Loader* loader) {
    const std::lock_guard lock(mutex_);
    loader_ = loader;
    ratchet_ = {};
  }
  std::vector<prometheus::MetricFamily> Collect() const override {
    const std::lock_guard lock(mutex_);  // the loader exists until the scrape ends
    std::vector<prometheus::MetricFamily> families;
    if (loader_ != nullptr) {
      const auto now = loader_->snapshot();
      report::Sight sight{loader_->report(), now.filling, now.ready, now.leased,
                          process_cpu_seconds()};
      // The report was taken a moment later. The metrics use one snapshot.
      sight.figures.memory = now.memory;
      sight.figures.samples = now.samples;
      families = report::metric_families(sight);
    }
    ratchet_.hold(families);
    families.push_back(report::build_info());
    return families;
  }

 private:
  mutable std::mutex mutex_;
  const Loader* loader_ = nullptr;
  mutable report::Ratchet ratchet_;
};

MetricsServer::MetricsServer(const std::string& address, std::uint16_t port)
    : view_(std::make_shared<View>()) {
  const auto endpoint = fmt::format("{}:{}", address, port);
  try {
    web_ = std::make_unique<prometheus::Exposer>(endpoint);
  } catch (const std::exception&) {  // the exception has no reason
    throw Refusal{2,
                  fmt::format("weir: --metrics-port {}: cannot listen on {}: the port is taken or "
                              "not allowed, or the address is none of this machine's; "
                              "--metrics-port 0 takes a free port\n",
                              port, endpoint)};
  }
  web_->RegisterCollectable(view_);
  const auto ports = web_->GetListeningPorts();
  url_ = fmt::format("http://{}:{}/metrics", address, ports.empty() ? port : ports.front());
}

MetricsServer::~MetricsServer() = default;

MetricsServer::Showing::Showing(MetricsServer* server, const Loader& loader) : server_(server) {
  if (server_ != nullptr) server_->view_->show(&loader);
}

MetricsServer::Showing::~Showing() {
  if (server_ != nullptr) server_->view_->show(nullptr);
}

}  // namespace weir::cli
