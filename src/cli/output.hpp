#pragma once

#include <fstream>
#include <string>

namespace weir::cli {

/// To stdout, all of it. Throws std::system_error.
void write_stdout(const std::string& text);

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
