#pragma once

#include <cstdint>
#include <memory>

#include "weir/export.hpp"

namespace weir {

namespace api {
class Finished;
}

/// Stands for a batch that the trainer has not finished. The batch is finished when the receipt is
/// destroyed, and then belongs to Stream::progress(). A destruction by a C++ exception does not
/// finish it, because a step that threw was not trained. Move-only. It may outlive batch and stream.
/// One thread at a time.
class WEIR_API Receipt {
 public:
  /// A receipt of no batch.
  Receipt() noexcept = default;
  Receipt(Receipt&& other) noexcept;
  /// Finishes the batch that this receipt stood for.
  Receipt& operator=(Receipt&& other) noexcept;
  ~Receipt();

  /// The batch is finished now.
  void finish() noexcept;
  /// The batch is not finished. It comes again when training resumes.
  void abandon() noexcept;

 private:
  friend struct Internals;
  Receipt(std::shared_ptr<api::Finished> finished, std::uint64_t sequence) noexcept;
  std::shared_ptr<api::Finished> finished_;
  std::uint64_t sequence_ = 0;
  int exceptions_ = 0;  ///< exceptions in flight when it was made
};

}  // namespace weir
