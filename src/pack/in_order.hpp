#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>

#include "base/defect.hpp"
#include "pack/member.hpp"
#include "source/sampler.hpp"

namespace weir::pack {

/// How members are made.
struct Making {
  const AnySource& source;
  const source::Sampler& sampler;
  const Recipe& recipe;
  Memory& memory;  ///< must be empty between the calls of make_in_order()
  unsigned threads = 1;
  std::stop_token stop{};  ///< a request ends all calls with Stopped
};

using Make = Result<Member> (Maker::*)(source::Position position, std::uint64_t index);
using Take = std::function<void(source::Position position, const Result<Member>& made)>;
/// Calls `take` on the calling thread, in order, with what `make` gives on several threads for each
/// position from `first` to before `end`. A member's memory is freed after the call. Throws what `take`
/// and the source's threads throw, and Stopped.
void make_in_order(const Making& how, source::Position first, source::Position end, Make make,
                   const Take& take);

}  // namespace weir::pack
