#include "base/text_file.hpp"

#include <fcntl.h>

#include <cerrno>
#include <span>

#include "base/file_descriptor.hpp"
#include "base/sanitize.hpp"
#include "base/text.hpp"

namespace weir {

std::string read_text_file(const std::string& path, std::uint64_t most_bytes) {
  const auto fail = [&path](const std::string& why) {
    throw Error(Errc::source_failed, Stage::read, "cannot read " + sanitize(path) + ": " + why);
  };
  struct Counted {
    Counted() noexcept { ++texts_being_read; }
    ~Counted() { --texts_being_read; }
  } const counted;
  const auto file = open_at(AT_FDCWD, path.c_str(), O_RDONLY | O_NOCTTY);
  if (!file) fail(errno_text(errno));
  constexpr std::size_t piece = std::size_t{1} << 18;
  std::string text;
  for (;;) {
    const auto done = text.size();
    text.resize(done + piece);
    const auto got = read_full(file, std::as_writable_bytes(std::span(text).subspan(done)));
    if (got < piece && errno != 0) fail(errno_text(errno));
    text.resize(done + got);
    if (text.find('\0', done) != text.npos) fail("it has a NUL byte, so it is no text");
    if (text.size() > most_bytes)
      fail(concat("it has more than ", most_bytes >> 20, " MiB, the most that is read"));
    if (got < piece) return text;
  }
}

}  // namespace weir
