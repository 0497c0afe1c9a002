#include "source/file_reader.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "weir/error.hpp"

namespace weir::source {
namespace {

// A FIFO, a terminal or a tape must neither block nor become ours.
constexpr int harmless = O_NONBLOCK | O_NOCTTY;

[[noreturn]] void fail(const char* what, int code) {
  // open(2) says ENXIO for a socket and for a device that is not there.
  if (code == ENXIO) throw SampleError(FaultKind::unsupported, "not a regular file");
  throw SampleError(FaultKind::io, std::string(what) + ": " + errno_text(code));
}

std::uint64_t regular_size(const FileDescriptor& file) {
  struct stat status {};
  if (::fstat(file.value(), &status) != 0) fail("cannot stat", errno);
  if (!S_ISREG(status.st_mode)) throw SampleError(FaultKind::unsupported, "not a regular file");
  return static_cast<std::uint64_t>(status.st_size);
}

bool lies_under(const std::string& path, const std::string& root) {
  return root == "/" ||
         (path.starts_with(root) && path.size() > root.size() && path[root.size()] == '/');
}

void fill(const FileDescriptor& file, std::span<std::byte> bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const auto got = ::read(file.value(), bytes.data() + done, bytes.size() - done);
    if (got > 0) {
      done += static_cast<std::size_t>(got);
    } else if (got == 0) {
      throw SampleError(FaultKind::truncated, "the file ended after " + std::to_string(done) +
                                                  " of " + std::to_string(bytes.size()) + " bytes");
    } else if (errno != EINTR) {
      fail("cannot read", errno);
    }
  }
}

}  // namespace

FileDescriptor FileReader::link_target(const char* path) const {
  // O_PATH looks without touching: opening a device could already do something.
  auto target = open_at(root_.value(), path, O_PATH);
  if (!target) fail("cannot follow the symbolic link", errno);
  const auto root = path_of(root_);
  const auto real = path_of(target);
  if (root.empty() || real.empty()) fail("cannot follow the symbolic link", errno);
  if (!lies_under(real, root))
    throw SampleError(FaultKind::unsupported, "a symbolic link out of the folder");
  regular_size(target);
  return target;
}

FileDescriptor FileReader::open(const char* path) const {
  const int flags = O_RDONLY | harmless | (links_ == Links::inside ? O_NOFOLLOW : 0);
  auto file = open_at(root_.value(), path, flags);
  if (!file && errno == ELOOP && links_ == Links::inside) {
    const auto target = link_target(path);
    const auto real = "/proc/self/fd/" + std::to_string(target.value());
    file = open_at(AT_FDCWD, real.c_str(), O_RDONLY | harmless);
  }
  if (!file) fail("cannot open", errno);
  return file;
}

bool FileReader::link_leads_inside(const char* path) const {
  try {
    link_target(path);
    return true;
  } catch (const SampleError&) {
    return false;
  }
}

std::span<const std::byte> FileReader::read(const char* path, ByteSink& sink) const {
  const auto file = open(path);
  const auto size = regular_size(file);
  if (size == 0) throw SampleError(FaultKind::corrupt, "empty file");
  if (size > max_encoded_bytes_) {
    throw SampleError(FaultKind::limit, "the file has " + std::to_string(size) +
                                            " bytes, max_encoded_bytes is " +
                                            std::to_string(max_encoded_bytes_));
  }
  const auto bytes = sink.take(static_cast<std::size_t>(size));
  fill(file, bytes);
  return bytes;
}

}  // namespace weir::source
