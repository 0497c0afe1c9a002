#pragma once

#include <exception>

#include "buffer/slab.hpp"

namespace weir::api {

/// The batch that this thread is passing to the taker of Stream::async_next. If the taker throws,
/// the exception destroys the batch, which then was not consumed.
class Offer {
 public:
  /// `slab` may be null.
  explicit Offer(const buffer::Slab* slab) noexcept { offered_ = slab; }
  ~Offer() { offered_ = nullptr; }
  Offer(const Offer&) = delete;
  Offer& operator=(const Offer&) = delete;

  static books::Parting parting_of(const buffer::Slab& slab) noexcept {
    return &slab == offered_ && std::uncaught_exceptions() > 0 ? books::Parting::discarded
                                                               : books::Parting::consumed;
  }

 private:
  static inline thread_local const buffer::Slab* offered_ = nullptr;
};

}  // namespace weir::api
