#include "source/folder_walk.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <iterator>
#include <utility>

#include "base/directory.hpp"
#include "base/mutex.hpp"
#include "base/sanitize.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"
#include "source/extension.hpp"
#include "weir/error.hpp"

namespace weir::source {
namespace {

/// Extensions of files that lie beside images and never are any.
constexpr std::string_view never_images[] = {
    ".avi",   ".bak",  ".c",     ".cfg", ".conf",    ".cpp",    ".csv",  ".db",  ".doc",
    ".docx",  ".gz",   ".h",     ".h5",  ".hpp",     ".htm",    ".html", ".idx", ".ini",
    ".ipynb", ".json", ".jsonl", ".lnk", ".lock",    ".log",    ".mat",  ".md",  ".mov",
    ".mp3",   ".mp4",  ".npy",   ".npz", ".parquet", ".part",   ".pdf",  ".pkl", ".pt",
    ".pth",   ".py",   ".rar",   ".rst", ".sh",      ".sqlite", ".tar",  ".tex", ".tfrecord",
    ".tgz",   ".toml", ".tsv",   ".txt", ".url",     ".wav",    ".weir", ".xls", ".xlsx",
    ".xml",   ".yaml", ".yml",   ".zip"};

constexpr std::string_view shards[] = {".tar"};

bool has_suffix(std::string_view name, const auto& suffixes) {
  return std::ranges::any_of(
      suffixes, [&](std::string_view suffix) { return ends_in_any_case(name, suffix); });
}

/// Identifies a directory, whichever path leads to it.
struct Identity {
  dev_t device;
  ino_t inode;
  friend bool operator==(const Identity&, const Identity&) = default;
};

struct Pending {
  std::string path;             ///< relative to the root, ends with '/'; "": the root
  std::vector<Identity> above;  ///< its parent directories, if links to directories are followed
};

/// The results of one thread.
struct Found {
  NameTable names;
  AllLeftOut left_out;
  std::vector<Unreached> unreached;
  std::vector<Pending> directories;

  void leave_out(LeftOut why, std::string_view folder, std::string_view name) {
    auto& entries = left_out[static_cast<std::size_t>(why)];
    if (entries.count++ == 0) entries.example.append(folder).append(name);
  }
  void leave_out_unreached(std::string path, int code) {
    leave_out(LeftOut::unreached, path, "");
    unreached.push_back({std::move(path), errno_text(code)});
  }
};

using What = FileReader::Behind;

class Walk {
 public:
  Walk(const FileReader& reader, const std::string& path, const std::vector<std::string>& suffixes,
       const std::stop_token& stop)
      : reader_(reader), path_(path), suffixes_(suffixes), stop_(stop) {}

  /// Adds the samples and the subdirectories of `pending`.
  void list(const Pending& pending, Found& found) const {
    const auto& path = pending.path;
    const auto where = path.empty() ? std::string(".") : path.substr(0, path.size() - 1);
    auto opened = open_at(reader_.root(), where.c_str(), O_RDONLY | O_DIRECTORY,
                          links_to_directories() ? Resolve::links : Resolve::no_links);
    if (!opened) {
      if (!is_about_the_path(errno)) cannot_list(where, errno);
      found.leave_out_unreached(where, errno);
      return;
    }
    auto above = pending.above;
    if (links_to_directories()) {
      const auto self = identity_of(opened.value(), where);
      if (std::find(above.begin(), above.end(), self) != above.end()) {
        found.leave_out(LeftOut::link, where, "");
        return;
      }
      above.push_back(self);
    }
    const int descriptor = opened.value();
    Directory entries(std::move(opened));
    while (const auto* const entry = entries.next()) {
      if (stop_.stop_requested()) cannot_list(where, "stopped");
      list_entry(*entry, descriptor, path, above, found);
    }
    if (errno != 0) cannot_list(where, errno);
  }

  /// Marks one directory as listed and adds its subdirectories.
  void put(std::vector<Pending>& directories) {
    Lock lock(mutex_);
    std::ranges::move(directories, std::back_inserter(pending_));
    directories.clear();
    --busy_;
    wake_.notify_all();
  }

  /// Lists directories until none is left and no thread lists one that may add more.
  void work(Found& found) {
    try {
      for (Pending pending; take(pending);) {
        list(pending, found);
        put(found.directories);
      }
    } catch (...) {
      Lock lock(mutex_);
      failed_ = true;
      wake_.notify_all();
      throw;
    }
    found.names.finish(stop_);
  }

 private:
  /// `directory` is the descriptor of `path`, whose parents and itself are `above`.
  void list_entry(const dirent& entry, int directory, const std::string& path,
                  const std::vector<Identity>& above, Found& found) const {
    const std::string_view name(entry.d_name);
    if (name.starts_with('.')) return found.leave_out(LeftOut::hidden, path, name);
    if (name == unfinished_pack)
      throw_error(Errc::source_failed, Stage::read,
                  sanitize(path.empty() ? path_ : path_ + '/' + path.substr(0, path.size() - 1)),
                  ": a `weir pack` into it has not ended; run it again, or remove ",
                  unfinished_pack);
    const bool wanted = takes_name(name, suffixes_);
    const auto unwanted = !suffixes_.empty()         ? LeftOut::other_extension
                          : has_suffix(name, shards) ? LeftOut::shard
                                                     : LeftOut::never_image;
    const bool link = entry.d_type == DT_LNK;
    if (link && !wanted && !links_to_directories()) return found.leave_out(unwanted, path, name);
    int why = 0;
    switch (what_is(entry, directory, path, why)) {
      case What::directory: found.directories.push_back({path + entry.d_name + '/', above}); break;
      case What::file:
        if (wanted)
          found.names.add(path, name);
        else
          found.leave_out(unwanted, path, name);
        break;
      case What::unreachable:
        if (wanted)
          found.leave_out_unreached(path + entry.d_name, why);
        else
          found.leave_out(unwanted, path, name);
        break;
      case What::nothing:
        found.leave_out(!wanted                           ? unwanted
                        : link && !links_to_directories() ? LeftOut::link
                                                          : LeftOut::no_file,
                        path, name);
    }
  }

  [[noreturn]] void cannot_list(const std::string& where, const std::string& why) const {
    throw Error(Errc::source_failed, Stage::read,
                "cannot list image folder " + sanitize(path_ + "/" + where) + ": " + why);
  }
  [[noreturn]] void cannot_list(const std::string& where, int code) const {
    cannot_list(where, errno_text(code));
  }

  bool links_to_directories() const noexcept { return reader_.links() == FollowSymlinks::yes; }

  Identity identity_of(int directory, const std::string& where) const {
    struct stat status {};
    if (retried([&] { return ::fstat(directory, &status); }) != 0) cannot_list(where, errno);
    return {status.st_dev, status.st_ino};
  }

  /// Sets `why` to errno if the entry is unreachable.
  What what_is(const dirent& entry, int directory, const std::string& path, int& why) const {
    auto type = entry.d_type;
    if (type == DT_UNKNOWN) {
      struct stat status {};
      const auto failed =
          retried([&] { return ::fstatat(directory, entry.d_name, &status, AT_SYMLINK_NOFOLLOW); });
      if (failed != 0 && !is_about_the_path(errno)) cannot_list(path + entry.d_name, errno);
      if (failed == 0) type = static_cast<unsigned char>(IFTODT(status.st_mode));
    }
    if (type == DT_REG) return What::file;
    if (type == DT_DIR) return What::directory;
    return type == DT_LNK ? behind(path + entry.d_name, why) : What::nothing;
  }

  What behind(const std::string& link, int& why) const {
    try {
      const auto found = reader_.behind_link(link.c_str());
      why = errno;
      return found;
    } catch (const SampleError& error) {
      cannot_list(link, error.what());
    }
  }

  bool take(Pending& pending) {
    Lock lock(mutex_);
    wake_.wait(lock.native(), [&]() WEIR_NO_THREAD_SAFETY_ANALYSIS {
      return !pending_.empty() || busy_ == 0 || failed_;
    });
    if (pending_.empty() || failed_) return false;
    pending = std::move(pending_.back());
    pending_.pop_back();
    ++busy_;
    return true;
  }

  const FileReader& reader_;
  const std::string& path_;
  const std::vector<std::string>& suffixes_;
  const std::stop_token& stop_;
  Mutex mutex_;
  std::condition_variable wake_;
  std::vector<Pending> pending_ WEIR_GUARDED_BY(mutex_);
  unsigned busy_ WEIR_GUARDED_BY(mutex_) = 1;  ///< directories being listed; the root at first
  bool failed_ WEIR_GUARDED_BY(mutex_) = false;
};

}  // namespace

bool takes_name(std::string_view name, const std::vector<std::string>& suffixes) {
  return suffixes.empty() ? !has_suffix(name, never_images) : has_suffix(name, suffixes);
}

FolderListing walk_folder(const FileReader& reader, const std::string& path,
                          const std::vector<std::string>& suffixes, const ClassLabels* only,
                          unsigned threads, const std::stop_token& stop) {
  Walk walk(reader, path, suffixes, stop);
  // The root is listed here, because its subdirectories are the classes.
  std::vector<Found> found(1);
  walk.list({}, found[0]);
  FolderListing listing;
  std::erase_if(found[0].directories, [&](const Pending& pending) {
    const auto& top = listing.tops.emplace_back(pending.path, 0, pending.path.size() - 1);
    const bool other = only && only->label_of(top) < 0;
    if (other) found[0].leave_out(LeftOut::other_class, top, "");
    return other;
  });
  std::sort(listing.tops.begin(), listing.tops.end());
  const auto most = std::min<std::size_t>(threads, std::max<std::size_t>(listing.tops.size(), 1));
  walk.put(found[0].directories);
  found.resize(most);
  for_each_index(most, threads, [&] { return [&](std::uint64_t i) { walk.work(found[i]); }; });
  for (auto& part : found) {
    listing.names.merge(std::move(part.names), stop);
    for (std::size_t why = 0; why < listing.left_out.size(); ++why) {
      auto& all = listing.left_out[why];
      if (all.count == 0) all.example = std::move(part.left_out[why].example);
      all.count += part.left_out[why].count;
    }
    std::ranges::move(part.unreached, std::back_inserter(listing.unreached));
  }
  listing.names.shrink();
  std::ranges::sort(listing.unreached, {}, &Unreached::path);
  return listing;
}

}  // namespace weir::source
