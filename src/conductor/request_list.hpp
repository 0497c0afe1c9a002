#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/mutex.hpp"
#include "books/book.hpp"
#include "conductor/supply.hpp"

namespace weir::conductor {

/// The batches that a trainer asks for while the stream runs: a Supply without an end, in epoch 0.
/// The rows of a request have the positions after those of the requests before it. A request stays
/// here until it is finished. Thread-safe. Allocates only in the constructor and in outstanding().
class RequestList final : public Supply {
 public:
  /// The most that the list holds.
  struct Bounds {
    std::uint32_t most = 1;     ///< requests that are not finished
    std::uint32_t rows = 1;     ///< rows of a request
    std::uint64_t samples = 1;  ///< of the source
  };
  /// Wakes the conductor of `book` when there is a new request.
  RequestList(std::shared_ptr<books::Book> book, const Bounds& bounds);
  /// Bytes that the constructor allocates.
  static std::uint64_t memory_bytes(const Bounds& bounds) noexcept;
  const Bounds& bounds() const noexcept { return bounds_; }

  /// Adds a batch of 1 to Bounds::rows rows. False if Bounds::most requests are not finished, or
  /// after close().
  [[nodiscard]] bool ask(std::span<const std::uint64_t> indices) noexcept;
  /// The trainer has finished this request. Does nothing after close().
  void finish(std::uint64_t sequence) noexcept;
  /// The indices of all requests that are not finished, in the order asked.
  std::vector<std::uint64_t> outstanding() const;
  /// Frees the memory. No thread may use the Supply any more.
  void close() noexcept;

  std::uint64_t known() const noexcept override;
  std::uint64_t end() const noexcept override { return UINT64_MAX; }
  BatchSlot at(std::uint64_t sequence) const noexcept override;
  source::Position position(const BatchSlot&, std::uint64_t ordinal) const noexcept override {
    return source::Position(ordinal);
  }
  std::uint64_t index(const BatchSlot& batch, source::Position position) const noexcept override;
  /// Each Bounds::samples rows count as an epoch.
  std::uint64_t samples_begun(const BatchSlot& batch) const noexcept override;
  std::uint64_t bucket_rows(const BatchSlot&) const noexcept override { return 0; }
  std::uint64_t most_bucket_rows() const noexcept override { return 1; }

 private:
  struct Request {
    std::uint64_t sequence = 0;
    std::uint64_t first = 0;  ///< position of its first row
    std::uint32_t rows = 0;
    std::uint32_t cell = 0;  ///< of its indices
  };
  using Requests = std::vector<Request>;

  Requests::const_iterator find(std::uint64_t sequence) const noexcept WEIR_REQUIRES(mutex_);
  std::span<const std::uint64_t> indices_of(const Request& request) const noexcept
      WEIR_REQUIRES(mutex_);

  const std::shared_ptr<books::Book> book_;
  const Bounds bounds_;
  mutable Mutex mutex_;
  Requests requests_ WEIR_GUARDED_BY(mutex_);                   ///< not finished, by sequence
  std::vector<std::uint64_t> indices_ WEIR_GUARDED_BY(mutex_);  ///< Bounds::rows for each cell
  std::vector<std::uint32_t> free_ WEIR_GUARDED_BY(mutex_);     ///< cells
  std::uint64_t known_ WEIR_GUARDED_BY(mutex_) = 0, known_rows_ WEIR_GUARDED_BY(mutex_) = 0;
};

}  // namespace weir::conductor
