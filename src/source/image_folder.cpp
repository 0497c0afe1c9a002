#include "source/image_folder.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <thread>
#include <utility>

#include "base/sanitize.hpp"
#include "weir/error.hpp"

namespace weir::source {
namespace {

FileDescriptor open_root(const std::string& path) {
  auto root = open_at(AT_FDCWD, path.c_str(), O_RDONLY | O_DIRECTORY);
  if (!root) {
    throw Error(Errc::source_failed, Stage::read,
                "cannot list image folder " + sanitize(path) + ": " + errno_text(errno));
  }
  return root;
}

std::vector<std::string> suffixes_of(const FolderOptions& options) {
  auto suffixes = options.extensions;
  if (std::ranges::count(suffixes, "*") > 0) return {""};  // every name ends so
  for (auto& suffix : suffixes) {
    if (!suffix.starts_with('.')) suffix.insert(0, ".");
    std::transform(suffix.begin(), suffix.end(), suffix.begin(), lower);
  }
  return suffixes;
}

// Listing waits for storage, so more threads than cores help. The maximum protects small machines.
unsigned walkers() noexcept { return std::clamp(std::thread::hardware_concurrency(), 2u, 16u); }

}  // namespace

ImageFolder::ImageFolder(const std::string& path, const FolderOptions& options,
                         std::vector<Unreached>* unreached)
    : path_(path), reader_(open_root(path), options.follow_symlinks, options.max_encoded_bytes) {
  auto listing = walk_folder(reader_, path_, suffixes_of(options), walkers());
  names_ = std::move(listing.names);
  classes_ = std::move(listing.tops);
  classes_.shrink_to_fit();
  skipped_ = listing.skipped;
  if (unreached) *unreached = std::move(listing.unreached);
}

std::int64_t ImageFolder::label(std::uint64_t i) const noexcept {
  if (classes_.empty()) return 0;
  const std::string_view name(names_[i]);
  const auto slash = name.find('/');
  if (slash == std::string_view::npos) return -1;
  return std::lower_bound(classes_.begin(), classes_.end(), name.substr(0, slash)) -
         classes_.begin();
}

std::optional<Encoded> ImageFolder::try_read(std::uint64_t i, ByteSink& sink) const {
  return reader_.read(names_[i], label(i), sink);
}

std::uint64_t ImageFolder::index_bytes() const noexcept {
  return sizeof(*this) + held_bytes(path_) + names_.bytes() + held_bytes(classes_);
}

}  // namespace weir::source

weir::AnySource weir::image_folder(const std::string& path, const FolderOptions& options) {
  return source::ImageFolder(path, options);
}
