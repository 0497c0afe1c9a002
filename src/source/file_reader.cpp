#include "source/file_reader.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "base/text.hpp"
#include "source/plane_names.hpp"

namespace weir::source {
namespace {

// Opening a FIFO, a terminal or a tape must not block, and must not make it the controlling
// terminal.
constexpr int harmless = O_NONBLOCK | O_NOCTTY;

[[noreturn]] void fail(const char* what, int code) {
  // open(2) returns these for a socket and for a device that does not exist.
  if (code == ENXIO || code == ENODEV)
    throw SampleError(FaultKind::unsupported, "not a regular file");
  const bool too_many = code == EMFILE || code == ENFILE;
  throw SampleError(FaultKind::io, concat(what, ": ", errno_text(code),
                                          too_many ? "; raise the limit with `ulimit -n`" : ""));
}

struct stat status_of(const FileDescriptor& file) {
  struct stat status {};
  if (retried([&] { return ::fstat(file.value(), &status); }) != 0) fail("cannot stat", errno);
  return status;
}

std::uint64_t regular_size(const FileDescriptor& file) {
  const auto status = status_of(file);
  if (!S_ISREG(status.st_mode)) throw SampleError(FaultKind::unsupported, "not a regular file");
  return static_cast<std::uint64_t>(status.st_size);
}

/// As regular_size(), but lseek(2) takes less than half the time of fstat(2). Where it gives the end of
/// something else, that is 0 (a character device) or far (a disk), or a read fails (a folder).
std::uint64_t size_to_read(const FileDescriptor& file) {
  constexpr std::int64_t small_file = 64 << 10;
  const auto end = ::lseek(file.value(), 0, SEEK_END);
  return end > 0 && end <= small_file ? static_cast<std::uint64_t>(end) : regular_size(file);
}

bool lies_under(const std::string& path, const std::string& root) {
  return root == "/" ||
         (path.starts_with(root) && path.size() > root.size() && path[root.size()] == '/');
}

void fill(const FileDescriptor& file, std::span<std::byte> bytes) {
  const auto got = read_full(file, bytes, 0);
  if (got == bytes.size()) return;
  if (errno == EISDIR) throw SampleError(FaultKind::unsupported, "not a regular file");
  if (errno != 0) fail("cannot read", errno);
  throw SampleError(FaultKind::truncated,
                    concat("the file ended after ", got, " of ", bytes.size(), " bytes"));
}

}  // namespace

FileDescriptor open_folder(const std::string& path, const std::string& what, int flags) {
  auto folder = open_at(AT_FDCWD, path.c_str(), flags | O_DIRECTORY);
  if (!folder) throw Error(Errc::source_failed, Stage::read, what + ": " + errno_text(errno));
  return folder;
}

bool FileReader::lies_inside(const FileDescriptor& file) const {
  const auto root = path_of(root_);
  const auto real = root.empty() ? root : path_of(file);
  // If the path is too long for the kernel to report, the file counts as outside.
  if (real.empty() && errno != ENAMETOOLONG) fail("cannot follow the symbolic link", errno);
  return lies_under(real, root);
}

FileDescriptor FileReader::link_target(const char* path) const {
  if (links_ == FollowSymlinks::no)
    throw SampleError(FaultKind::unsupported, "a symbolic link, and none is followed");
  // O_PATH does not open the target. Opening a device may have side effects.
  auto target = open_at(root_.value(), path, O_PATH);
  if (!target) fail("cannot follow the symbolic link", errno);
  if (!lies_inside(target))
    throw SampleError(FaultKind::unsupported, "a symbolic link out of the folder");
  regular_size(target);
  return target;
}

FileDescriptor FileReader::open(const char* path) const {
  constexpr int flags = O_RDONLY | harmless;
  const bool anywhere = links_ == FollowSymlinks::yes;
  auto file = open_at(root_.value(), path, flags, anywhere ? Resolve::links : Resolve::no_links);
  if (!file && errno == ELOOP && !anywhere) {
    const auto target = link_target(path);
    const auto real = concat("/proc/self/fd/", target.value());
    file = open_at(AT_FDCWD, real.c_str(), flags);
  }
  if (!file) fail("cannot open", errno);
  return file;
}

FileReader::Behind FileReader::behind_link(const char* path) const {
  if (links_ == FollowSymlinks::no) return Behind::nothing;
  const auto target = open_at(root_.value(), path, O_PATH);
  if (!target) {
    if (!is_about_the_path(errno)) fail("cannot follow the symbolic link", errno);
    return Behind::unreachable;
  }
  const auto mode = status_of(target).st_mode;
  if (links_ == FollowSymlinks::yes && S_ISDIR(mode)) return Behind::directory;
  if (!S_ISREG(mode)) return Behind::nothing;
  const bool followed = links_ == FollowSymlinks::yes || lies_inside(target);
  return followed ? Behind::file : Behind::nothing;
}

std::optional<Encoded> FileReader::read(const char* path, std::int64_t label,
                                        ByteSink& sink) const {
  const auto bytes = read_bytes(path, sink);
  if (!bytes) return std::nullopt;
  if (bytes->empty()) throw SampleError(FaultKind::corrupt, "empty file");
  return Encoded{*bytes, label};
}

std::optional<std::span<const std::byte>> FileReader::read_annotation(const char* path,
                                                                      ByteSink& sink) const {
  if (*path == '\0') return std::span<const std::byte>();
  try {
    return read_bytes(path, sink);
  } catch (const SampleError& error) {
    throw fault_of_annotation(path, error);
  }
}

std::optional<std::span<const std::byte>> FileReader::read_bytes(const char* path,
                                                                 ByteSink& sink) const {
  const auto file = open(path);
  const auto size = size_to_read(file);
  if (size == 0) return std::span<const std::byte>();
  if (size > max_encoded_bytes_) {
    throw SampleError(
        FaultKind::limit,
        concat("the file has ", size, " bytes, `max_encoded_bytes` is ", max_encoded_bytes_));
  }
  const auto bytes = sink.try_take(static_cast<std::size_t>(size));
  if (!bytes) return std::nullopt;
  fill(file, *bytes);
  return *bytes;
}

std::optional<std::uint64_t> FileReader::size_of(const char* path) const {
  struct stat status {};
  if (retried([&] { return ::fstatat(root_.value(), path, &status, 0); }) != 0 ||
      !S_ISREG(status.st_mode))
    return std::nullopt;
  return static_cast<std::uint64_t>(status.st_size);
}

}  // namespace weir::source
