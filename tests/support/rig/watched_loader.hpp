#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "support/rig/attempts.hpp"
#include "support/rig/monitor.hpp"

namespace weir::test {

/// A loader with its laws and with counts outside its ledger. soak() of several may run at the same
/// time. All other functions are for one thread.
class WatchedLoader {
 public:
  /// `epochs` is the length of the stream.
  WatchedLoader(const AnySource& source, Options options, std::uint64_t epochs)
      : options_(std::move(options)),
        epochs_(epochs),
        attempts_(std::make_shared<Attempts>(source.size())) {
    options_.memory.upstream = upstream_;
    loader_.emplace(Watched{source, attempts_}, options_);
  }

  const Loader& loader() const { return *loader_; }
  LawBook& book() noexcept { return book_; }
  const Attempts& attempts() const noexcept { return *attempts_; }
  const Report& report() const noexcept { return report_; }
  const std::string& error() const noexcept { return error_; }  ///< of the stream

  /// Drains a stream with all checks. `consume` gets each batch.
  void soak(const std::function<void(const Batch&)>& consume = [](const Batch&) {}) {
    std::stop_source stop;
    Recount recount;
    auto stream = loader_->stream({.epochs = epochs_, .stop = stop.get_token()});
    Monitor monitor(*loader_, *upstream_, recount, book_, stop, std::chrono::seconds(60));
    CountingConsumer consumer(*loader_, stream, recount, book_);
    try {
      consumer.drain(std::nullopt, consume);
    } catch (const std::exception& e) {
      error_ = e.what();
    }
    monitor.stop();
    report_ = loader_->report();
    const auto& memory = report_.memory;
    book_.check(
        Law::bound,
        upstream_->live() == report::staging_bytes(memory.accounts) + memory[Account::cache],
        "{} bytes of slabs and cache allocated, with nothing running", upstream_->live());
    const auto seen = consumer.rows(RowStatus::replaced);
    book_.check(Law::conservation, report_.samples.replaced >= seen,
                "replaced is {}, the consumer saw {}", report_.samples.replaced, seen);
  }

  /// Destroys the loader. Then nothing may be left, and each sample must have been read as often as it
  /// was drawn.
  void close() {
    loader_.reset();
    book_.check(Law::held, upstream_->live() == 0, "{} bytes of slabs outlived loader and batches",
                upstream_->live());
    if (error_.empty()) check_attempts(*attempts_, options_, epochs_, report_, book_);
  }

 private:
  const std::shared_ptr<CountingResource> upstream_ = std::make_shared<CountingResource>();
  Options options_;
  const std::uint64_t epochs_;
  std::shared_ptr<Attempts> attempts_;
  LawBook book_;
  Report report_;
  std::string error_;
  std::optional<Loader> loader_;
};

}  // namespace weir::test
