#pragma once

#include <cerrno>
#include <cstdint>
#include <string>
#include <utility>

namespace weir::source {

/// Owns a POSIX descriptor. One thread at a time.
class FileDescriptor {
 public:
  FileDescriptor() noexcept = default;
  explicit FileDescriptor(int value) noexcept : value_(value) {}
  FileDescriptor(FileDescriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  ~FileDescriptor();

  explicit operator bool() const noexcept { return value_ >= 0; }
  int value() const noexcept { return value_; }
  int release() noexcept { return std::exchange(value_, -1); }

 private:
  int value_ = -1;
};

/// A system call again and again until no signal interrupts it.
template <class Call>
auto retried(const Call& call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

/// Symbolic links on the way: followed, or ELOOP.
enum class Resolve : std::uint8_t { links, no_links };

/// openat(2) that retries EINTR, adds O_CLOEXEC and takes paths of any length. Empty, with errno
/// set, where it fails.
FileDescriptor open_at(int directory, const char* path, int flags,
                       Resolve resolve = Resolve::links);

/// Whether a failed open says something about the path, not about the moment: no descriptors left
/// and I/O errors may be gone at the next attempt.
bool is_about_the_path(int code) noexcept;

/// What the system says about an errno; any thread.
std::string errno_text(int code);

/// Where an open descriptor leads, as the kernel sees it (/proc/self/fd). Empty, with errno set,
/// where it cannot tell.
std::string path_of(const FileDescriptor& file);

}  // namespace weir::source
