#include "source/text_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "base/sanitize.hpp"
#include "base/text.hpp"
#include "source/file_descriptor.hpp"

namespace weir::source {

std::string read_text_file(const std::string& path, std::uint64_t most_bytes) {
  const auto fail = [&path](const std::string& why) {
    throw Error(Errc::source_failed, Stage::read, "cannot read " + sanitize(path) + ": " + why);
  };
  const auto file = open_at(AT_FDCWD, path.c_str(), O_RDONLY | O_NOCTTY);
  if (!file) fail(errno_text(errno));
  constexpr std::size_t piece = std::size_t{1} << 18;
  std::string text;
  for (;;) {
    const auto done = text.size();
    text.resize(done + piece);
    const auto got = retried([&] { return ::read(file.value(), text.data() + done, piece); });
    if (got < 0) fail(errno_text(errno));
    text.resize(done + static_cast<std::size_t>(got));
    if (got == 0) return text;
    if (text.find('\0', done) != text.npos) fail("it has a NUL byte, so it is no text");
    if (text.size() > most_bytes)
      fail(concat("it has more than ", most_bytes >> 20, " MiB, the most that is read"));
  }
}

}  // namespace weir::source
