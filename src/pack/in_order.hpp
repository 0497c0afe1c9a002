#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>

#include "base/defect.hpp"
#include "pack/member.hpp"
#include "source/sampler.hpp"

namespace weir::pack {

/// Makes the members of a range of positions on several threads, and hands them out in order.
class InOrder {
 public:
  /// `memory` must be empty. A stop request ends all calls with Stopped.
  InOrder(const AnySource& source, const source::Sampler& sampler, const Recipe& recipe,
          Memory& memory, unsigned threads, std::stop_token stop)
      : source_(source),
        sampler_(sampler),
        recipe_(recipe),
        memory_(memory),
        threads_(threads),
        stop_(std::move(stop)) {}

  using Make = Result<Member> (Maker::*)(source::Position position, std::uint64_t index);
  using Take = std::function<void(source::Position position, const Result<Member>& made)>;
  /// Calls `take` on the calling thread with what `make` gives for each position from `first` to
  /// before `end`. A member's memory is freed after the call. Throws what `take` and the source's
  /// threads throw, and Stopped.
  void run(source::Position first, source::Position end, Make make, const Take& take);

 private:
  class Work;

  const AnySource& source_;
  const source::Sampler& sampler_;
  const Recipe& recipe_;
  Memory& memory_;
  const unsigned threads_;
  const std::stop_token stop_;
};

}  // namespace weir::pack
