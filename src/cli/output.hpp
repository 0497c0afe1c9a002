#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <utility>

namespace weir::cli {

/// To stdout, all of it. Throws std::system_error.
void write_stdout(const std::string& text);

/// To stderr. Where that is full or closed nobody can be told, and no run fails for it.
template <class... T>
void say(fmt::format_string<T...> format, T&&... arguments) {
  const auto text = fmt::format(format, std::forward<T>(arguments)...);
  std::fwrite(text.data(), 1, text.size(), stderr);
}

/// A file that is being written. What could not be is thrown by close() as std::runtime_error, with
/// the file's name and, where it is known, the reason.
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
