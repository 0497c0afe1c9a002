#pragma once

#include <cstdint>

namespace weir::test {

/// The kinds of calls that can fail. This program replaces the C library's functions.
///   allocate  malloc and its family, and mmap; under a sanitizer operator new
///   thread    pthread_create
///   open      openat, openat2, open; stat: fstat, fstatat; list: readdir; read: read, pread
///   map       mmap; write: write; sync: fsync; rename: rename
enum class Call : std::uint8_t {
  none,
  allocate,
  thread,
  open,
  stat,
  list,
  read,
  map,
  write,
  sync,
  rename
};

/// The `nth` call fails, and after it every `step`-th one. Step 0: no other; step 1: all.
struct Failure {
  Call call = Call::none;
  std::uint64_t nth = 1, step = 0;
  int error = 0;  ///< errno; 0 for `read` and `write`: the call succeeds with one byte
};

/// Starts to count calls of this kind in all threads, and to fail them according to `failure`.
void arm(const Failure& failure) noexcept;
/// Ends failures. Returns the number of calls since arm().
std::uint64_t disarm() noexcept;

/// While one exists, nothing fails and nothing is counted. For the test's own operations.
class Pause {
 public:
  Pause() noexcept;
  ~Pause();
  Pause(const Pause&) = delete;
  Pause& operator=(const Pause&) = delete;
};

/// The blocks of memory that this program holds: malloc's or, under a sanitizer, those of operator
/// new; and anonymous mappings.
std::int64_t pieces_held() noexcept;

namespace detail {
/// Counts the call. Returns true, with errno set, if it must fail.
bool fails(Call call) noexcept;
}  // namespace detail

}  // namespace weir::test
