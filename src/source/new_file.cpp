#include "source/new_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

#include "base/sanitize.hpp"

namespace weir::source {

void NewFile::fail(const char* what) const {
  const int error = errno;
  throw std::system_error(error, std::generic_category(),
                          std::string("cannot ") + what + ' ' + sanitize(path_));
}

NewFile::NewFile(const std::string& path) : path_(path), temporary_(path + ".part") {
  constexpr int flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW;
  file_ = FileDescriptor(retried([&] { return ::open(temporary_.c_str(), flags, 0666); }));
  if (!file_) fail("write");
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

void NewFile::commit() {
  const auto sync = [this](const FileDescriptor& file) {
    // Some file systems cannot do it for a folder.
    if (retried([&] { return ::fsync(file.value()); }) != 0 && errno != EINVAL) fail("write");
  };
  sync(file_);
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) fail("rename a temporary file to");
  file_ = FileDescriptor();
  const auto slash = path_.rfind('/');
  const auto folder = slash == std::string::npos ? "." : path_.substr(0, slash + 1);
  const auto opened = open_at(AT_FDCWD, folder.c_str(), O_RDONLY | O_DIRECTORY);
  if (opened) sync(opened);
}

}  // namespace weir::source
