#pragma once

#include <fmt/format.h>
#include <ext/stdio_filebuf.h>

#include <cstdio>
#include <functional>
#include <initializer_list>
#include <optional>
#include <ostream>
#include <string>
#include <utility>

#include "base/new_file.hpp"

namespace weir::cli {

struct Settings;

/// Writes all of `text` to stdout. Throws std::system_error.
void write_stdout(const std::string& text);
/// The same, with lines of at most 80 columns, or as many as a narrower terminal has.
void write_wrapped(const std::string& text);

/// Writes to stderr. Errors are ignored, because they cannot be reported and must not fail a run.
template <class... T>
void say(fmt::format_string<T...> format, T&&... arguments) {
  const auto text = fmt::format(format, std::forward<T>(arguments)...);
  std::fwrite(text.data(), 1, text.size(), stderr);
}

/// Writes a line to stderr. On a terminal it overwrites the line of progress, which is written again
/// below.
void say_line(const std::string& text);
/// The same unless --quiet was given.
void advise_user(const Settings& settings, const std::string& text);
/// The same behind "hint: ".
template <class... T>
void hint(const Settings& settings, fmt::format_string<T...> format, T&&... arguments) {
  advise_user(settings, "hint: " + fmt::format(format, std::forward<T>(arguments)...));
}

/// An output file. A regular file is written beside its place and then renamed, so that it is
/// complete or keeps its previous content. Links to it are followed. Pipes, devices, and the files
/// that are stdout or stderr are written directly.
class OutputFile {
 public:
  /// Throws std::runtime_error with the name and the reason if the file cannot be written. Without
  /// close(), what is written is discarded.
  explicit OutputFile(std::string path);

  std::ostream& stream() noexcept { return stream_; }
  /// Completes the file. Throws as the constructor does.
  void close();

 private:
  int open();

  std::string path_;
  std::optional<NewFile> new_;  ///< empty if nothing is renamed
  __gnu_cxx::stdio_filebuf<char> buffer_;
  std::ostream stream_;
};

/// Throws as OutputFile does if `path` cannot be written now. Changes nothing, and does not wait
/// for the reader of a pipe.
void check_output(const std::string& path);

void write_file(const std::string& path, const std::string& content);

/// Makes every call of `writes`, also after one has failed. Then throws the last failure. Says the
/// other failures on stderr.
void write_all(std::initializer_list<std::function<void()>> writes);

}  // namespace weir::cli
