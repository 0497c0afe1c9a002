#pragma once

#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "weir/batch.hpp"
#include "weir/export.hpp"
#include "weir/progress.hpp"
#include "weir/stream.hpp"

namespace weir {

namespace api {
class EpochsState;
class EpochVisit;
}  // namespace api

/// How Loader::epochs() behaves at the end of an epoch.
struct EpochOptions {
  /// What follows an epoch that is left early, by `break` or `return`. false: its other samples do
  /// not come, and count as finished. true: the next Epoch has them. An epoch that an exception
  /// leaves always goes on.
  bool go_on_when_left = false;
  /// Whether the loader rests between epochs: the stream ends with each epoch, and the next one
  /// starts it anew. Between them the loader has no threads and no slabs. false: the next epoch is
  /// prefetched before this one has ended.
  bool rest = false;
};

/// One epoch of Epochs: a range of batches. Copies are the same epoch. It is left when the last copy
/// is destroyed. One thread at a time.
class WEIR_API Epoch {
 public:
  /// No epoch.
  Epoch() noexcept = default;
  /// Whether this is an epoch. It then has at least one batch.
  explicit operator bool() const noexcept { return visit_ != nullptr; }
  /// Number of the epoch, from 0; of no epoch 0.
  std::uint64_t number() const noexcept;
  /// Waits for the next batch. Empty at the end of the epoch, and if the stream was cancelled.
  /// Throws as Stream::next().
  [[nodiscard]] std::optional<Batch> next();

  using Iterator = NextIterator<Epoch, Batch>;  ///< iterates over the remaining batches
  /// For `for (weir::Batch& batch : epoch)`.
  Iterator begin() { return Iterator(*this); }
  /// The end, which is reached when next() returns nothing.
  std::default_sentinel_t end() const noexcept { return {}; }

 private:
  friend class Epochs;
  explicit Epoch(std::shared_ptr<api::EpochVisit> visit) noexcept : visit_(std::move(visit)) {}
  std::shared_ptr<api::EpochVisit> visit_;
};

/// The epochs of a loader, one after the other:
///
///     for (auto epoch : loader.epochs(3))
///       for (weir::Batch& batch : epoch) learn(batch);
///
/// One stream delivers them, so prefetching continues across the end of an epoch. It starts with the
/// first epoch that is taken, not before. Batch::sequence() begins again when the stream starts
/// anew: after an epoch that was left early (unless EpochOptions::go_on_when_left), and after a rest. An
/// epoch without batches does not appear.
///
/// One thread at a time. To cancel from another thread, use StreamOptions::stop. The destructor is
/// that of a Stream.
class WEIR_API Epochs {
 public:
  /// A moved-from object can only be assigned to or destroyed.
  Epochs(Epochs&&) noexcept;
  Epochs& operator=(Epochs&&) noexcept;
  ~Epochs();

  /// The next epoch; no epoch if there are no more, or if the stream was cancelled. Leaves the one
  /// before. Waits for the first batch. Throws as Loader::stream() and Stream::next().
  ///
  ///     for (weir::Batch& batch : validation.next()) evaluate(batch);
  [[nodiscard]] Epoch next();
  /// As Stream::progress(), of all epochs: a batch that was not trained stays unfinished when the
  /// stream starts anew, or rests. It comes again when training resumes, and not before. What was left
  /// early is finished.
  Progress progress() const;
  /// As Stream::progress_of_all().
  Progress progress_of_all() const;

  using Iterator = NextIterator<Epochs, Epoch, Epoch>;  ///< iterates over the remaining epochs
  /// For `for (auto epoch : epochs)`.
  Iterator begin() { return Iterator(*this); }
  /// The end, which is reached when there is no epoch.
  std::default_sentinel_t end() const noexcept { return {}; }

 private:
  friend class Loader;
  explicit Epochs(std::shared_ptr<api::EpochsState> state) noexcept;
  std::shared_ptr<api::EpochsState> state_;
};

}  // namespace weir
