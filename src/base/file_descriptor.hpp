#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace weir {

/// Owns a POSIX descriptor. Not thread-safe.
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

/// Repeats a system call until no signal interrupts it.
template <class Call>
auto retried(const Call& call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

/// What to do with symbolic links in a path: follow them, or fail with ELOOP.
enum class Resolve : std::uint8_t { links, no_links };

/// openat(2) that retries EINTR, adds O_CLOEXEC and accepts paths of any length. Empty, with errno
/// set, if it fails.
FileDescriptor open_at(int directory, const char* path, int flags,
                       Resolve resolve = Resolve::links);

/// A regular file that was opened to read.
struct RegularFile {
  FileDescriptor file;      ///< empty if it could not be opened, or is not regular
  std::uint64_t bytes = 0;  ///< its size then
  int error = 0;            ///< errno of the open

  /// Why `file` is empty.
  std::string why() const;
};
/// Does not wait for the writer of a pipe.
RegularFile open_regular(const std::string& path);

/// Fills `into` from where the file is, or from `offset` of a regular file. Returns the bytes that were
/// read: fewer only at the end of the file, with errno 0, or before a failure, with errno set.
std::size_t read_full(const FileDescriptor& file, std::span<std::byte> into,
                      std::optional<std::uint64_t> offset = {}) noexcept;

/// Whether an open failed because of the path. Other errors, such as no free descriptors or an I/O
/// error, may disappear at the next attempt.
bool is_about_the_path(int code) noexcept;

/// The system's text for an errno. Thread-safe.
std::string errno_text(int code);

/// The path of an open descriptor as the kernel reports it (/proc/self/fd). Empty, with errno set,
/// if the kernel cannot report it.
std::string path_of(const FileDescriptor& file);

}  // namespace weir
