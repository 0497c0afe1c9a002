#include "shards/folder_names.hpp"

#include <dirent.h>
#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string_view>

#include "base/file_descriptor.hpp"
#include "base/sanitize.hpp"
#include "weir/error.hpp"

namespace weir::shards {
namespace {

struct Close {
  void operator()(DIR* stream) const noexcept { ::closedir(stream); }
};

}  // namespace

std::vector<std::string> names_in(const std::string& folder) {
  const auto fail = [&folder] {
    throw Error(Errc::source_failed, Stage::read,
                "cannot list " + sanitize(folder) + ": " + errno_text(errno));
  };
  auto file = open_at(AT_FDCWD, folder.c_str(), O_RDONLY | O_DIRECTORY);
  const std::unique_ptr<DIR, Close> stream(file ? ::fdopendir(file.value()) : nullptr);
  if (!stream) fail();
  file.release();  // it belongs to the stream
  std::vector<std::string> names;
  for (;;) {
    errno = 0;
    const dirent* const entry = ::readdir(stream.get());
    if (entry == nullptr && errno == EINTR) continue;
    if (entry == nullptr && errno != 0) fail();
    if (entry == nullptr) return names;
    const std::string_view name(entry->d_name);
    if (name != "." && name != "..") names.emplace_back(name);
  }
}

std::vector<std::string> tar_names_in(const std::string& folder) {
  auto names = names_in(folder);
  std::erase_if(names, [](const std::string& name) { return !name.ends_with(".tar"); });
  std::ranges::sort(names);
  return names;
}

}  // namespace weir::shards
