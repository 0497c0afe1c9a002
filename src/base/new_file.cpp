#include "base/new_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/sanitize.hpp"
#include "base/text.hpp"

namespace weir {

namespace {

[[noreturn]] void fail(int error, const char* what, const std::string& path, const char* why = "") {
  throw std::system_error(error, std::generic_category(),
                          concat("cannot ", what, ' ', sanitize(path), why));
}

/// Writes through to the disk. False if that failed, with errno.
bool sync(const FileDescriptor& file) {
  // Some file systems cannot do it for a folder.
  return retried([&] { return ::fsync(file.value()); }) == 0 || errno == EINVAL;
}

}  // namespace

void NewFile::fail(const char* what) const { weir::fail(errno, what, path_); }

NewFile::NewFile(const std::string& path) : path_(path) {
  constexpr std::size_t most = NAME_MAX - sizeof(".4294967295.part");
  const auto name = path.rfind('/') + 1;  // 0 if there is no '/'
  const auto start = path.substr(0, name) + path.substr(name, most);
  temporary_ = start + ".part";
  for (unsigned i = 2; !take(temporary_); ++i) temporary_ = concat(start, '.', i, ".part");
}

/// Opens and locks the file of that name. False if it cannot be taken from another writer.
bool NewFile::take(const std::string& temporary) {
  constexpr int flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  const auto open = [&](int more) {
    return FileDescriptor(retried([&] { return ::open(temporary.c_str(), flags | more, 0666); }));
  };
  auto file = open(O_EXCL);
  const bool is_new = static_cast<bool>(file);
  if (!is_new && errno != EEXIST) {
    const bool folder = errno == EACCES || errno == EROFS;
    weir::fail(errno, "write", path_, folder ? ", whose folder must take a temporary file" : "");
  }
  if (!is_new) file = open(0);
  if (!file) return false;
  // On a file system without locks, only a new file has no other writer for certain.
  const bool locked = retried([&] { return ::flock(file.value(), LOCK_EX | LOCK_NB); }) == 0;
  if (!locked && (!is_new || errno == EWOULDBLOCK)) return false;
  struct stat opened {};
  struct stat named {};
  if (retried([&] { return ::fstat(file.value(), &opened); }) != 0) {
    const int error = errno;
    if (is_new) ::unlink(temporary.c_str());
    errno = error;
    fail("write");
  }
  // Its writer may have renamed it between the open and the lock.
  if (!S_ISREG(opened.st_mode) ||
      retried([&] { return ::lstat(temporary.c_str(), &named); }) != 0 ||
      opened.st_dev != named.st_dev || opened.st_ino != named.st_ino)
    return false;
  if (!is_new && retried([&] { return ::ftruncate(file.value(), 0); }) != 0) fail("write");
  file_ = std::move(file);
  return true;
}

NewFile::~NewFile() {
  if (file_) ::unlink(temporary_.c_str());
}

void NewFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const auto done = retried([&] { return ::write(file_.value(), bytes.data(), bytes.size()); });
    if (done < 0) fail("write");
    bytes = bytes.subspan(static_cast<std::size_t>(done));
    size_ += static_cast<std::uint64_t>(done);
  }
}

void NewFile::overwrite() {
  const FileDescriptor file(
      retried([&] { return ::open(path_.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC); }));
  if (!file) fail("write");
  const auto whole = std::move(file_);  // the only copy until all is written, so nothing removes it
  constexpr std::size_t piece = 1 << 30;
  off_t done = 0;
  ssize_t more = 1;
  while (more > 0)
    more = retried([&] { return ::sendfile(file.value(), whole.value(), &done, piece); });
  if (more < 0 || !sync(file)) {
    const int error = errno;
    weir::fail(error, "write", path_, concat("; its content is in ", sanitize(temporary_)).c_str());
  }
  ::unlink(temporary_.c_str());
}

void NewFile::commit() {
  if (!sync(file_)) fail("write");
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) {
    if (errno != EBUSY) fail("rename a temporary file to");
    overwrite();
  }
  file_ = FileDescriptor();
  const auto slash = path_.rfind('/');
  const auto folder = slash == std::string::npos ? "." : path_.substr(0, slash + 1);
  const auto opened = open_at(AT_FDCWD, folder.c_str(), O_RDONLY | O_DIRECTORY);
  if (opened && !sync(opened)) fail("write");
}

std::string file_to_replace(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code failed;
  const auto status = fs::status(path, failed);
  if (fs::is_directory(status)) fail(EISDIR, "write", path);
  // A device or a pipe must not be renamed away.
  if (fs::exists(status) && !fs::is_regular_file(status))
    fail(EINVAL, "replace", path, ", which is no regular file");
  fs::path file(path);
  for (int links = 0; fs::is_symlink(file, failed); ++links) {
    if (links == 40) fail(ELOOP, "write", path);
    file = file.parent_path() / fs::read_symlink(file);
  }
  return file.string();
}

}  // namespace weir
