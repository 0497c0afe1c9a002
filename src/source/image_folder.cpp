#include "source/image_folder.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "base/sanitize.hpp"
#include "weir/error.hpp"

namespace weir::source {
namespace {

struct CloseDirectory {
  void operator()(DIR* directory) const noexcept { ::closedir(directory); }
};
using Directory = std::unique_ptr<DIR, CloseDirectory>;

[[noreturn]] void cannot_list(const std::string& path, int code) {
  throw Error(Errc::source_failed, Stage::read,
              "cannot list image folder " + sanitize(path) + ": " + errno_text(code));
}

FileDescriptor open_root(const std::string& path) {
  auto root = open_at(AT_FDCWD, path.c_str(), O_RDONLY | O_DIRECTORY);
  if (!root) cannot_list(path, errno);
  return root;
}

// Anything else (no descriptors, an I/O error) may be gone at the next attempt.
bool closed_to_us(int code) noexcept {
  return code == EACCES || code == EPERM || code == ENOENT || code == ENOTDIR || code == ELOOP;
}

char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::vector<std::string> suffixes_of(const FolderOptions& options) {
  auto suffixes = options.extensions;
  for (auto& suffix : suffixes) {
    if (!suffix.starts_with('.')) suffix.insert(0, ".");
    std::transform(suffix.begin(), suffix.end(), suffix.begin(), lower);
  }
  return suffixes;
}

bool has_suffix(std::string_view name, const std::vector<std::string>& suffixes) {
  return suffixes.empty() ||
         std::any_of(suffixes.begin(), suffixes.end(), [&](const std::string& suffix) {
           return name.size() >= suffix.size() &&
                  std::equal(suffix.begin(), suffix.end(),
                             name.end() - static_cast<std::ptrdiff_t>(suffix.size()),
                             [](char a, char b) { return a == lower(b); });
         });
}

unsigned char type_of(int directory, const dirent& entry) {
  if (entry.d_type != DT_UNKNOWN) return entry.d_type;
  struct stat status {};
  if (::fstatat(directory, entry.d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) return DT_UNKNOWN;
  return static_cast<unsigned char>(IFTODT(status.st_mode));
}

}  // namespace

ImageFolder::ImageFolder(const std::string& path, const FolderOptions& options)
    : path_(path), reader_(open_root(path), Links::inside, options.max_encoded_bytes) {
  const auto suffixes = suffixes_of(options);
  std::vector<std::string> pending;
  list("", suffixes, pending);
  classes_ = pending;
  std::sort(classes_.begin(), classes_.end());
  for (auto& directory : pending) directory += '/';
  while (!pending.empty()) {
    const auto directory = std::move(pending.back());
    pending.pop_back();
    const auto first = pending.size();
    list(directory, suffixes, pending);
    for (auto i = first; i < pending.size(); ++i) pending[i] = directory + pending[i] + '/';
  }
  names_.finish();
  classes_.shrink_to_fit();
}

void ImageFolder::list(const std::string& directory, const std::vector<std::string>& suffixes,
                       std::vector<std::string>& directories) {
  const auto where =
      directory.empty() ? std::string(".") : directory.substr(0, directory.size() - 1);
  auto opened = open_at(reader_.root(), where.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (!opened) {
    if (!closed_to_us(errno)) cannot_list(path_ + "/" + where, errno);
    ++skipped_;
    return;
  }
  const Directory stream(::fdopendir(opened.value()));
  if (!stream) cannot_list(path_ + "/" + where, errno);
  const int descriptor = opened.release();

  // NOLINTNEXTLINE(concurrency-mt-unsafe): only one stream's own calls would race
  for (errno = 0; const dirent* entry = ::readdir(stream.get()); errno = 0) {
    const std::string_view name(entry->d_name);
    if (name.starts_with('.')) continue;
    const auto type = type_of(descriptor, *entry);
    if (type == DT_DIR) {
      directories.emplace_back(name);
    } else if (has_suffix(name, suffixes)) {
      const bool regular =
          type == DT_REG ||
          (type == DT_LNK && reader_.link_leads_inside((directory + entry->d_name).c_str()));
      if (regular) {
        names_.add(directory, name);
      } else {
        ++skipped_;
      }
    }
  }
  if (errno != 0) cannot_list(path_ + "/" + where, errno);
}

std::int64_t ImageFolder::label(std::uint64_t i) const noexcept {
  if (classes_.empty()) return 0;
  const std::string_view name(names_[i]);
  const auto slash = name.find('/');
  if (slash == std::string_view::npos) return -1;
  return std::lower_bound(classes_.begin(), classes_.end(), name.substr(0, slash)) -
         classes_.begin();
}

Encoded ImageFolder::read(std::uint64_t i, ByteSink& sink) const {
  return {reader_.read(names_[i], sink), label(i)};
}

std::uint64_t ImageFolder::index_bytes() const noexcept {
  return sizeof(*this) + held_bytes(path_) + names_.bytes() + held_bytes(classes_);
}

}  // namespace weir::source

weir::AnySource weir::image_folder(const std::string& path, const FolderOptions& options) {
  return source::ImageFolder(path, options);
}
