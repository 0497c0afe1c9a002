#include "source/folder_walk.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <exception>
#include <memory>
#include <string_view>
#include <thread>
#include <utility>

#include "base/mutex.hpp"
#include "base/sanitize.hpp"
#include "base/threads.hpp"
#include "weir/error.hpp"

namespace weir::source {
namespace {

struct CloseDirectory {
  void operator()(DIR* directory) const noexcept { ::closedir(directory); }
};
using Directory = std::unique_ptr<DIR, CloseDirectory>;

// Anything else (no descriptors, an I/O error) may be gone at the next attempt.
bool closed_to_us(int code) noexcept {
  return code == EACCES || code == EPERM || code == ENOENT || code == ENOTDIR || code == ELOOP;
}

char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

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

/// What one thread found. Names and directories are relative to the root, directories end in '/'.
struct Found {
  NameTable names;
  std::uint64_t skipped = 0;
  std::vector<std::string> directories;
};

class Walk {
 public:
  Walk(const FileReader& reader, const std::string& path, const std::vector<std::string>& suffixes)
      : reader_(reader), path_(path), suffixes_(suffixes) {}

  /// Adds the samples of `directory` ("" or "a/b/") and the directories under it.
  void list(const std::string& directory, Found& found) const {
    const auto where =
        directory.empty() ? std::string(".") : directory.substr(0, directory.size() - 1);
    auto opened = open_at(reader_.root(), where.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    if (!opened) {
      if (!closed_to_us(errno)) cannot_list(where, errno);
      ++found.skipped;
      return;
    }
    const Directory stream(::fdopendir(opened.value()));
    if (!stream) cannot_list(where, errno);
    const int descriptor = opened.release();

    // NOLINTNEXTLINE(concurrency-mt-unsafe): only one stream's own calls would race
    for (errno = 0; const dirent* entry = ::readdir(stream.get()); errno = 0) {
      const std::string_view name(entry->d_name);
      if (name.starts_with('.')) continue;
      const auto type = type_of(descriptor, *entry);
      if (type == DT_DIR) {
        found.directories.push_back(directory + entry->d_name + '/');
      } else if (has_suffix(name, suffixes_)) {
        const bool regular =
            type == DT_REG ||
            (type == DT_LNK && reader_.link_leads_inside((directory + entry->d_name).c_str()));
        if (regular) {
          found.names.add(directory, name);
        } else {
          ++found.skipped;
        }
      }
    }
    if (errno != 0) cannot_list(where, errno);
  }

  void put(std::vector<std::string>& directories) {
    Lock lock(mutex_);
    for (auto& directory : directories) pending_.push_back(std::move(directory));
    directories.clear();
    wake_.notify_all();
  }

  /// Takes directories until none is left and nobody is listing one that may hold more.
  void work(Found& found) noexcept {
    try {
      for (std::string directory; take(directory);) {
        list(directory, found);
        put(found.directories);
        leave();
      }
    } catch (...) {
      Lock lock(mutex_);
      if (!error_) error_ = std::current_exception();
      pending_.clear();
      --busy_;
      wake_.notify_all();
    }
    found.names.finish();
  }

  void rethrow() {
    Lock lock(mutex_);
    if (error_) std::rethrow_exception(error_);
  }

 private:
  [[noreturn]] void cannot_list(const std::string& where, int code) const {
    throw Error(
        Errc::source_failed, Stage::read,
        "cannot list image folder " + sanitize(path_ + "/" + where) + ": " + errno_text(code));
  }

  bool take(std::string& directory) {
    Lock lock(mutex_);
    wake_.wait(lock.native(), [&]() WEIR_NO_THREAD_SAFETY_ANALYSIS {
      return !pending_.empty() || busy_ == 0 || error_;
    });
    if (pending_.empty() || error_) return false;
    directory = std::move(pending_.back());
    pending_.pop_back();
    ++busy_;
    return true;
  }

  void leave() {
    Lock lock(mutex_);
    if (--busy_ == 0) wake_.notify_all();
  }

  const FileReader& reader_;
  const std::string& path_;
  const std::vector<std::string>& suffixes_;
  Mutex mutex_;
  std::condition_variable wake_;
  std::vector<std::string> pending_ WEIR_GUARDED_BY(mutex_);
  unsigned busy_ WEIR_GUARDED_BY(mutex_) = 0;
  std::exception_ptr error_ WEIR_GUARDED_BY(mutex_);
};

}  // namespace

FolderListing walk_folder(const FileReader& reader, const std::string& path,
                          const std::vector<std::string>& suffixes, unsigned threads) {
  Walk walk(reader, path, suffixes);
  // Not by the walk: the root's own names are the classes.
  std::vector<Found> found(1);
  walk.list("", found[0]);
  FolderListing listing;
  for (const auto& top : found[0].directories)
    listing.tops.push_back(top.substr(0, top.size() - 1));
  std::sort(listing.tops.begin(), listing.tops.end());
  const auto most = std::min<std::size_t>(threads, std::max<std::size_t>(listing.tops.size(), 1));
  walk.put(found[0].directories);
  found.resize(most);
  std::vector<std::thread> helpers;
  helpers.reserve(most);
  try {
    for (std::size_t i = 1; i < most; ++i) {
      helpers.push_back(start_thread([&walk, &mine = found[i]] { walk.work(mine); }));
    }
  } catch (const std::exception&) {
    // As many as there are will do.
  }
  walk.work(found[0]);
  for (auto& helper : helpers) helper.join();
  walk.rethrow();
  for (auto& part : found) {
    listing.names.merge(std::move(part.names));
    listing.skipped += part.skipped;
  }
  listing.names.shrink();
  return listing;
}

}  // namespace weir::source
