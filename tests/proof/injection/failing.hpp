#pragma once

#include <cstdint>

namespace weir::test {

/// What can be made to fail, by replacing the C library's functions in this program.
///   allocate  malloc and its family, and mmap; under a sanitizer operator new
///   thread    pthread_create
///   open      openat, openat2, open; stat: fstat, fstatat; list: readdir; read: read; map: mmap
enum class Call : std::uint8_t { none, allocate, thread, open, stat, list, read, map };

/// The `nth` call fails, and then every `step`-th after it; step 0: no other, 1: all.
struct Failure {
  Call call = Call::none;
  std::uint64_t nth = 1, step = 0;
  int error = 0;  ///< errno; 0 for `read`: it succeeds with one byte
};

/// From now on calls of this kind are counted, by all threads, and fail as `failure` says.
void arm(const Failure& failure) noexcept;
/// Nothing fails any more; the calls since arm().
std::uint64_t disarm() noexcept;

/// While one lives nothing fails and nothing is counted: for what is the test's own.
class Pause {
 public:
  Pause() noexcept;
  ~Pause();
  Pause(const Pause&) = delete;
  Pause& operator=(const Pause&) = delete;
};

/// Pieces of memory that this program holds: malloc's or, under a sanitizer, those of operator new;
/// and anonymous mappings.
std::int64_t pieces_held() noexcept;

namespace detail {
/// Counts the call; true where it is to fail, with errno set.
bool fails(Call call) noexcept;
}  // namespace detail

}  // namespace weir::test
