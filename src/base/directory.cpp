#include "base/directory.hpp"

#include <fcntl.h>

#include <cerrno>
#include <string_view>

#include "base/sanitize.hpp"
#include "base/text.hpp"

namespace weir {

Directory::Directory(FileDescriptor opened) noexcept {
  while (opened && !stream_) {
    stream_.reset(::fdopendir(opened.value()));
    if (!stream_ && errno != EINTR) return;
  }
  opened.release();  // it belongs to the stream
}

const dirent* Directory::next() noexcept {
  while (stream_) {
    errno = 0;
    // NOLINTNEXTLINE(concurrency-mt-unsafe): only calls for the same stream would race
    const dirent* const entry = ::readdir(stream_.get());
    if (entry == nullptr && errno == EINTR) continue;
    const std::string_view name(entry == nullptr ? "" : entry->d_name);
    if (name != "." && name != "..") return entry;
  }
  return nullptr;
}

std::vector<std::string> names_in(const std::string& folder) {
  Directory entries(open_at(AT_FDCWD, folder.c_str(), O_RDONLY | O_DIRECTORY));
  std::vector<std::string> names;
  while (const auto* const entry = entries.next()) names.emplace_back(entry->d_name);
  if (errno != 0)
    throw_error(Errc::source_failed, Stage::read, "cannot list ", sanitize(folder), ": ",
                errno_text(errno));
  return names;
}

}  // namespace weir
