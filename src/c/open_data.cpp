#include "c/open_data.hpp"

#include <filesystem>

#include "base/sanitize.hpp"
#include "base/text.hpp"
#include "options/data_text.hpp"
#include "source/image_folder.hpp"
#ifdef WEIR_SHARDS
#include "shards/folder_names.hpp"
#include "weir/shards.hpp"
#endif

namespace weir::c {
namespace {

#ifdef WEIR_SHARDS
bool has_shards(const std::string& folder) { return !shards::tar_names_in(folder).empty(); }

AnySource open_shards(const std::string& data, const Options& options) {
  return tar_shards(data, {.max_encoded_bytes = options.limits.max_encoded_bytes});
}
#else
bool has_shards(const std::string&) { return false; }

AnySource open_shards(const std::string& data, const Options&) {
  throw_error(Errc::source_failed, Stage::read, sanitize(data),
              ": this library was built without libarchive, which tar shards need");
}
#endif

}  // namespace

AnySource open_data(const std::string& data, const Options& options) {
  if (options::names_shards(data)) return open_shards(data, options);
  if (auto named = options::open_named(data)) return *std::move(named);
  const FolderOptions files{.max_encoded_bytes = options.limits.max_encoded_bytes};
  if (!std::filesystem::is_directory(data)) return manifest(data, files);
  source::FolderNotes notes;
  try {
    return source::ImageFolder(data, files, &notes, {});
  } catch (const Error&) {
    if (!notes.no_samples || !has_shards(data)) throw;
    return open_shards(data, options);
  }
}

}  // namespace weir::c
