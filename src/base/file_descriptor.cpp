#include "base/file_descriptor.hpp"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <string_view>
#include <system_error>

#include "base/text.hpp"

namespace weir {
namespace {

/// For kernels that cannot refuse links in a path: opens one name of the path at a time.
int open_by_names(int directory, std::string_view path, int flags) {
  FileDescriptor folder;
  if (path.starts_with('/')) {
    folder = FileDescriptor(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!folder) return -1;
  }
  for (;;) {
    path.remove_prefix(std::min(path.find_first_not_of('/'), path.size()));
    const auto name = std::string(path.substr(0, path.find('/')));
    const int from = folder ? folder.value() : directory;
    if (name.size() == path.size())
      return ::openat(from, name.empty() && folder ? "." : name.c_str(), flags | O_NOFOLLOW);
    auto next =
        FileDescriptor(::openat(from, name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    struct stat status {};
    if (!next && errno == ENOTDIR &&
        ::fstatat(from, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0)
      errno = S_ISLNK(status.st_mode) ? ELOOP : ENOTDIR;
    if (!next) return -1;
    folder = std::move(next);
    path.remove_prefix(name.size());
  }
}

int open_once(int directory, const char* path, int flags, Resolve resolve) {
  if (resolve == Resolve::links) return ::openat(directory, path, flags);
  open_how how{};
  how.flags = static_cast<decltype(how.flags)>(flags);
  how.resolve = RESOLVE_NO_SYMLINKS;
  const auto file = ::syscall(SYS_openat2, directory, path, &how, sizeof(how));
  // The kernel does not have openat2, or a sandbox does not allow it.
  if (file < 0 && (errno == ENOSYS || errno == EPERM)) return open_by_names(directory, path, flags);
  return static_cast<int>(file);
}

int open_short(int directory, const char* path, int flags, Resolve resolve) {
  return retried([=] { return open_once(directory, path, flags | O_CLOEXEC, resolve); });
}

}  // namespace

FileDescriptor::~FileDescriptor() {
  if (value_ < 0) return;
  const int kept = errno;  // the caller may be about to report it
  ::close(value_);
  errno = kept;
}

FileDescriptor open_at(int directory, const char* path, int flags, Resolve resolve) {
  FileDescriptor step;
  std::string_view rest(path);
  while (rest.size() >= PATH_MAX) {
    const auto cut = rest.rfind('/', PATH_MAX - 2);
    if (cut == std::string_view::npos || cut == 0) {
      errno = ENAMETOOLONG;
      return {};
    }
    step = FileDescriptor(open_short(directory, std::string(rest.substr(0, cut)).c_str(),
                                     O_PATH | O_DIRECTORY, resolve));
    if (!step) return {};
    directory = step.value();
    rest.remove_prefix(rest.find_first_not_of('/', cut));
  }
  return FileDescriptor(open_short(directory, rest.data(), flags, resolve));
}

std::string RegularFile::why() const {
  return error == 0 ? "not a regular file" : "cannot open: " + errno_text(error);
}

RegularFile open_regular(const std::string& path) {
  auto file = open_at(AT_FDCWD, path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY);
  struct stat status {};
  if (!file || retried([&] { return ::fstat(file.value(), &status); }) != 0)
    return {.file = {}, .error = errno};
  if (!S_ISREG(status.st_mode)) return {};
  return {std::move(file), static_cast<std::uint64_t>(status.st_size)};
}

std::size_t read_full(const FileDescriptor& file, std::span<std::byte> into,
                      std::optional<std::uint64_t> offset) noexcept {
  std::size_t done = 0;
  errno = 0;
  while (done < into.size()) {
    const auto rest = into.subspan(done);
    const auto got = retried([&] {
      return offset ? ::pread(file.value(), rest.data(), rest.size(),
                              static_cast<off_t>(*offset + done))
                    : ::read(file.value(), rest.data(), rest.size());
    });
    if (got == 0) errno = 0;
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

bool is_about_the_path(int code) noexcept {
  return code == EACCES || code == EPERM || code == ENOENT || code == ENOTDIR || code == ELOOP ||
         code == ENXIO || code == ENAMETOOLONG;
}

std::string errno_text(int code) { return std::generic_category().message(code); }

std::string path_of(const FileDescriptor& file) {
  std::array<char, PATH_MAX> buffer{};
  const auto link = concat("/proc/self/fd/", file.value());
  const auto length = ::readlink(link.c_str(), buffer.data(), buffer.size());
  return length < 0 ? std::string() : std::string(buffer.data(), static_cast<std::size_t>(length));
}

}  // namespace weir
