#include "cli/output.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <stdexcept>
#include <system_error>
#include <tuple>

#include "base/sanitize.hpp"
#include "cli/settings.hpp"
#include "report/table.hpp"

namespace weir::cli {
namespace {

[[noreturn]] void cannot_write(const std::string& path, int code) {
  throw std::runtime_error("cannot write " + path + ": " + errno_text(code));
}

/// What is at a path now.
struct Destination {
  struct stat status {};
  bool exists = false;
  int standard = -1;      ///< the descriptor of stdout or stderr, if that is the same file
  bool replaced = false;  ///< a regular file, or nothing yet: a new file takes its name
};

Destination destination_of(const std::string& path) {
  Destination to;
  to.exists = ::stat(path.c_str(), &to.status) == 0;
  if (!to.exists) {
    if (errno != ENOENT) cannot_write(path, errno);
    struct stat link {};
    to.replaced = ::lstat(path.c_str(), &link) != 0;  // a link that leads nowhere stays
    return to;
  }
  if (S_ISDIR(to.status.st_mode)) cannot_write(path, EISDIR);
  for (const int file : {STDOUT_FILENO, STDERR_FILENO}) {
    struct stat open {};
    if (::fstat(file, &open) == 0 && open.st_dev == to.status.st_dev &&
        open.st_ino == to.status.st_ino)
      to.standard = file;
  }
  to.replaced = S_ISREG(to.status.st_mode) && to.standard < 0;
  return to;
}

int retried_open(const std::string& path, int flags) {
  return retried([&] { return ::open(path.c_str(), flags | O_CLOEXEC, 0666); });
}

/// Opens what cannot be renamed. Empty, with errno set, if that fails.
FileDescriptor open_directly(const Destination& to, const std::string& path) {
  if (to.standard < 0)
    return FileDescriptor(retried_open(path, O_WRONLY | O_TRUNC | (to.exists ? 0 : O_CREAT)));
  // The same position in the file, so that no text overwrites another.
  std::fflush(stdout);
  return FileDescriptor(::fcntl(to.standard, F_DUPFD_CLOEXEC, 0));
}

void say_failure(const std::exception_ptr& failed) {
  try {
    std::rethrow_exception(failed);
  } catch (const std::exception& e) {
    say("weir: {}\n", sanitize_message(e.what(), SIZE_MAX));
  }
}

}  // namespace

void say_line(const std::string& text) {
  const bool live = isatty(STDERR_FILENO) == 1;
  say("{}{}{}\n", live ? "\r" : "", text, live ? "\x1b[K" : "");
}

void advise_user(const Settings& settings, const std::string& text) {
  if (settings.quiet || settings.only_depth) return;  // sweep says it once, not each child
  say_line(text);
}

void write_stdout(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    throw std::system_error(errno, std::generic_category(), "cannot write to stdout");
}

void write_wrapped(const std::string& text) {
  winsize size{};
  const bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  const std::size_t columns = known ? size.ws_col : report::text_width;
  write_stdout(report::wrapped(text, std::min(columns, report::text_width)));
}

OutputFile::OutputFile(std::string path)
    : path_(std::move(path)), buffer_(open(), std::ios::out, 1 << 16), stream_(&buffer_) {}

int OutputFile::open() {
  const auto to = destination_of(path_);
  FileDescriptor file;
  if (to.replaced) {
    // rename(2) would also replace a file that may not be written.
    if (to.exists && !FileDescriptor(retried_open(path_, O_WRONLY))) cannot_write(path_, errno);
    const int made = new_.emplace(file_to_replace(path_)).file().value();
    if (to.exists) {
      // Owner and mode of the previous file. Only root may give a file away.
      std::ignore = ::fchown(made, to.status.st_uid, to.status.st_gid);
      ::fchmod(made, to.status.st_mode & 07777);
    }
    file = FileDescriptor(::fcntl(made, F_DUPFD_CLOEXEC, 0));
  } else {
    file = open_directly(to, path_);
  }
  if (!file) cannot_write(path_, errno);
  return file.release();
}

void OutputFile::close() {
  const bool written = stream_.good();
  if (buffer_.close() == nullptr || !written) cannot_write(path_, errno);
  if (new_) new_->commit();
}

void check_output(const std::string& path) {
  const auto to = destination_of(path);
  if (to.replaced)
    const OutputFile removed_again(path);
  else if (to.exists && ::access(path.c_str(), W_OK) != 0)
    cannot_write(path, errno);
}

void write_file(const std::string& path, const std::string& content) {
  OutputFile file(path);
  file.stream() << content;
  file.close();
}

void write_all(std::initializer_list<std::function<void()>> writes) {
  std::exception_ptr failed;
  for (const auto& write : writes) {
    try {
      write();
    } catch (...) {
      if (failed) say_failure(failed);
      failed = std::current_exception();
    }
  }
  if (failed) std::rethrow_exception(failed);
}

}  // namespace weir::cli
