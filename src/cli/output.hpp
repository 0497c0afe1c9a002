#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <utility>

namespace weir::cli {

/// Writes all of `text` to stdout. Throws std::system_error.
void write_stdout(const std::string& text);

/// Writes to stderr. Errors are ignored, because they cannot be reported and must not fail a run.
template <class... T>
void say(fmt::format_string<T...> format, T&&... arguments) {
  const auto text = fmt::format(format, std::forward<T>(arguments)...);
  std::fwrite(text.data(), 1, text.size(), stderr);
}

/// An output file. If a write failed, close() throws std::runtime_error with the file name and the
/// reason, if it is known.
class OutputFile {
 public:
  explicit OutputFile(std::string path);
  std::ostream& stream() noexcept { return file_; }
  void close();

 private:
  [[noreturn]] void fail() const;

  std::string path_;
  std::ofstream file_;
};

void write_file(const std::string& path, const std::string& content);

}  // namespace weir::cli
