#include "cli/output.hpp"

#include <cerrno>
#include <stdexcept>
#include <system_error>

namespace weir::cli {

void write_stdout(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    throw std::system_error(errno, std::generic_category(), "cannot write to stdout");
}

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
  errno = 0;
  file_.open(path_, std::ios::binary | std::ios::trunc);
  if (!file_) fail();
}

void OutputFile::close() {
  // A stream does not store the reason of an error. After a failed write it is still in errno.
  if (file_) errno = 0;
  file_.flush();
  if (file_) file_.close();
  if (!file_) fail();
}

void OutputFile::fail() const {
  const int code = errno;
  const auto reason = code == 0 ? "" : ": " + std::generic_category().message(code);
  throw std::runtime_error("cannot write " + path_ + reason);
}

void write_file(const std::string& path, const std::string& content) {
  OutputFile file(path);
  file.stream() << content;
  file.close();
}

}  // namespace weir::cli
