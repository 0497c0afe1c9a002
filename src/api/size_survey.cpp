#include "api/size_survey.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/mutex.hpp"
#include "base/sanitize.hpp"
#include "base/threads.hpp"
#include "codec/probe.hpp"
#include "weir/error.hpp"

namespace weir::api {
namespace {

/// Thrown out of take() where the budget refused: deliberately not a std::exception, as a source that
/// catches those lets it through.
struct NoRoom {
  std::uint64_t bytes = 0;
};

/// What a read is given, on the books. Each part in a piece of its own, kept for the next sample.
class Pieces final : public ByteSink {
 public:
  explicit Pieces(MemoryLedger& ledger) noexcept : ledger_(ledger) {}

  std::span<std::byte> take(std::size_t bytes) override {
    if (used_ == pieces_.size()) pieces_.emplace_back();
    auto& piece = pieces_[used_];
    if (piece.size < bytes) {
      piece = {};
      auto charge = ledger_.try_charge(Account::encoded, bytes);
      if (!charge) {
        refused_ = bytes;
        throw NoRoom{bytes};
      }
      piece.charge = std::move(*charge);
      piece.data = std::make_unique_for_overwrite<std::byte[]>(bytes);
      piece.size = bytes;
    }
    ++used_;
    return {piece.data.get(), bytes};
  }
  void begin() noexcept {
    used_ = 0;
    refused_ = 0;
  }
  void free() noexcept { pieces_.clear(); }
  /// Bytes that the budget refused since begin(), 0: none.
  std::uint64_t refused() const noexcept { return refused_; }

 private:
  struct Piece {
    Charge charge;  ///< goes after the memory
    std::unique_ptr<std::byte[]> data;
    std::size_t size = 0;

    Piece() = default;
    Piece(Piece&&) noexcept = default;
    Piece& operator=(Piece&& other) noexcept {
      data = std::move(other.data);
      charge = std::move(other.charge);
      size = std::exchange(other.size, 0);
      return *this;
    }
  };
  MemoryLedger& ledger_;
  std::vector<Piece> pieces_;
  std::size_t used_ = 0;
  std::uint64_t refused_ = 0;
};

/// Several threads, a sample each at a time. One that the budget has no room for is read once all others
/// have let go of theirs.
class Survey {
 public:
  Survey(const AnySource& source, const Options& options, MemoryLedger& ledger)
      : source_(source),
        options_(options),
        ledger_(ledger),
        sizes_(static_cast<std::size_t>(source.size())) {}

  void work() noexcept {
    {
      Lock lock(mutex_);
      ++awake_;
    }
    try {
      Pieces pieces(ledger_);
      for (auto i = next_++; i < sizes_.size() && !failed_.load(); i = next_++) look_at(i, pieces);
    } catch (...) {
      failed_.store(true);
      Lock lock(mutex_);
      if (!error_) error_ = std::current_exception();
    }
    {
      Lock lock(mutex_);
      --awake_;
    }
    turns_.notify_all();
  }
  std::vector<ImageSize> sizes() {
    Lock lock(mutex_);
    if (error_) std::rethrow_exception(error_);
    return std::move(sizes_);
  }

 private:
  void look_at(std::uint64_t i, Pieces& pieces) {
    if (const auto known = source_.image_size(i)) {
      sizes_[static_cast<std::size_t>(i)] = *known;
      return;
    }
    {
      Lock lock(mutex_);
      if (alone_) {
        pieces.free();
        sleep(lock);
      }
    }
    if (!read(i, pieces)) read_alone(i, pieces);
  }

  /// While somebody is alone.
  void sleep(Lock& lock) WEIR_REQUIRES(mutex_) {
    --awake_;
    turns_.notify_all();
    turns_.wait(lock.native(), [this]() WEIR_NO_THREAD_SAFETY_ANALYSIS { return !alone_; });
    ++awake_;
  }

  void read_alone(std::uint64_t i, Pieces& pieces) {
    pieces.free();
    {
      Lock lock(mutex_);
      while (alone_) sleep(lock);
      alone_ = true;
      turns_.wait(lock.native(), [this]() WEIR_NO_THREAD_SAFETY_ANALYSIS { return awake_ == 1; });
    }
    const bool done = read(i, pieces);
    const auto refused = pieces.refused();
    pieces.free();
    {
      Lock lock(mutex_);
      alone_ = false;
    }
    turns_.notify_all();
    if (done) return;
    throw Error(Errc::budget_too_small, Stage::read,
                "memory.budget_bytes: no room for the " + std::to_string(refused) + " bytes of " +
                    sanitize(source_.name(i)) + ", to learn its size; " +
                    std::to_string(ledger_.snapshot().live) + " of " +
                    std::to_string(ledger_.budget()) + " are in use, " +
                    std::to_string(ledger_.promised()) + " promised");
  }

  /// False where the budget has no room. A sample that cannot be read or probed keeps no size: it fails
  /// when it is drawn.
  bool read(std::uint64_t i, Pieces& pieces) {
    pieces.begin();
    try {
      const auto encoded = source_.read(i, pieces);
      const auto info = codec::probe_image(encoded.bytes, decoder_);
      if (!info) return true;
      const auto shape = codec::upright_shape(*info, options_.exif);
      sizes_[static_cast<std::size_t>(i)] = {shape.height, shape.width};
    } catch (const NoRoom&) {
      return false;
    } catch (const std::bad_alloc&) {
      throw;
    } catch (...) {
      return pieces.refused() == 0;
    }
    return true;
  }

  const AnySource& source_;
  const Options& options_;
  MemoryLedger& ledger_;
  const codec::DecoderOptions decoder_{.exif = options_.exif,
                                       .strict = options_.faults.strict,
                                       .limits = options_.limits,
                                       .codecs = options_.codecs};
  std::vector<ImageSize> sizes_;  ///< each entry by the thread that took it
  std::atomic<std::uint64_t> next_{0};
  std::atomic<bool> failed_{false};
  Mutex mutex_;
  std::condition_variable turns_;
  std::uint32_t awake_ WEIR_GUARDED_BY(mutex_) = 0;
  bool alone_ WEIR_GUARDED_BY(mutex_) = false;
  std::exception_ptr error_ WEIR_GUARDED_BY(mutex_);
};

}  // namespace

std::shared_ptr<const SizeIndex> survey_sizes(const AnySource& source, const Options& options,
                                              MemoryLedger& ledger) {
  Survey survey(source, options, ledger);
  const auto asked = options.workers != 0 ? options.workers : std::thread::hardware_concurrency();
  const auto threads = std::min<std::uint64_t>(std::max(asked, 1u), source.size());
  std::vector<std::thread> others;
  others.reserve(static_cast<std::size_t>(threads));
  try {
    for (std::uint64_t i = 1; i < threads; ++i)
      others.push_back(start_thread([&survey] { survey.work(); }));
  } catch (const std::exception&) {
    // Those that could start do it.
  }
  survey.work();
  for (auto& thread : others) thread.join();
  return std::make_shared<const SizeIndex>(survey.sizes());
}

}  // namespace weir::api

namespace weir {

std::shared_ptr<const SizeIndex> measure_sizes(const AnySource& source, const Options& options) {
  if (options.memory.ledger) return api::survey_sizes(source, options, *options.memory.ledger);
  MemoryLedger ledger(options.memory.budget_bytes);
  return api::survey_sizes(source, options, ledger);
}

}  // namespace weir
