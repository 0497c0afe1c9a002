#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "api/finished_batches.hpp"
#include "api/stream_state.hpp"
#include "weir/stream.hpp"

namespace weir::api {

class EpochVisit;

/// The data of Epochs: their schedule, the stream that delivers it, and where it stands. A stream that
/// starts anew goes on in the same schedule. One thread at a time.
class EpochsState {
 public:
  /// Throws Error{bad_options} for options that Loader::stream() would refuse.
  EpochsState(std::shared_ptr<LoaderState> its_loader, const StreamOptions& stream,
              const EpochOptions& how);
  ~EpochsState();

  /// Leaves the current epoch, and `visit` enters the next one. False if there is none.
  bool enter(EpochVisit& visit);
  /// The next batch of the epoch of this visit; empty if it has no more, or was left.
  std::optional<Batch> take(const EpochVisit& visit);
  /// `thrown`: an exception leaves the epoch, which then goes on. Its samples are not finished.
  void leave(const EpochVisit& visit, bool thrown = false) noexcept;
  Progress progress(bool all_ranks) const;

  const std::shared_ptr<LoaderState> loader;

 private:
  enum class At : std::uint8_t {
    outside,  ///< between epochs, or after an epoch that was left
    inside,   ///< the epoch has more batches
    end,      ///< the last batch was handed over
  };
  std::optional<Batch> next();
  /// Ends the stream. The next one begins after this epoch, whose other samples are finished.
  void end_stream() noexcept;
  void start();

  const std::stop_token stop_;
  const EpochOptions how_;
  const std::shared_ptr<const conductor::Schedule> schedule_;
  const std::shared_ptr<FinishedBatches> finished_;  ///< of the schedule
  std::shared_ptr<StreamState> stream_;  ///< null before the first epoch, and while it rests
  std::optional<Batch> ahead_;           ///< the epoch's first batch, until it is taken
  std::uint64_t next_ = 0;               ///< the next batch of the schedule
  const EpochVisit* visit_ = nullptr;    ///< the last epoch that was entered, until it is left
  At at_ = At::outside;
  bool over_ = false;      ///< the stream has ended, by itself or by an error
  bool threw_ = false;     ///< the last call of next()
  bool rest_due_ = false;  ///< an exception left the epoch at its end
};

}  // namespace weir::api
