#include "engine/row_times.hpp"

#include <algorithm>

namespace weir::engine {

void RowTimes::waited(const Row& s) noexcept {
  const auto now = Clock::now();
  thread_stats_.add(Stage::wait, now - s.parked_at, s.granted.bytes);
  span(Stage::wait, s, s.parked_at, now);
}

void RowTimes::read_ends(const Row& s, Clock::time_point begun, Clock::time_point ended) noexcept {
  if (s.has_bytes) read_cpu_.ends(ended - begun);
  std::uint64_t bytes = 0;
  for (const auto& sample : s.samples)
    if (s.has_bytes && !sample.kept)
      bytes += sample.data.image_bytes() + sample.data.annotation.size();
  thread_stats_.add(Stage::read, ended - begun, bytes);
  span(Stage::read, s, begun, ended);
  this->bytes();
}

void RowTimes::decode_begins(Clock::time_point now) noexcept {
  decode_cpu_.begins();
  decode_begun_ = now;
  fit_ = {};
}

std::chrono::nanoseconds RowTimes::decode_ends(const Row& s, std::uint64_t written) noexcept {
  // Lines are fitted while they are decoded. The trace shows all fitting at the end of the decode.
  const auto ended = Clock::now();
  // The time of fitting is an estimate from some of the lines.
  const auto fit = std::min<Clock::duration>(fit_, ended - decode_begun_);
  std::uint64_t bytes = 0;
  for (const auto& sample : s.samples) bytes += sample.data.image_bytes();
  thread_stats_.add(Stage::decode, ended - decode_begun_ - fit, bytes);
  thread_stats_.add(Stage::fit, fit, written);
  decode_cpu_.ends(ended - decode_begun_);
  span(Stage::decode, s, decode_begun_, ended - fit);
  span(Stage::fit, s, ended - fit, ended);
  return ended - decode_begun_;
}

}  // namespace weir::engine
