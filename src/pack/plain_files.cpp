#include "pack/plain_files.hpp"

#include <algorithm>
#include <filesystem>

#include "base/new_file.hpp"
#include "base/sanitize.hpp"
#include "base/text.hpp"
#include "weir/error.hpp"

namespace weir::pack {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(std::string_view name, const char* why) {
  weir::refuse(Stage::read, "cannot write '", sanitize(name, 80), "' as a file: ", why);
}

}  // namespace

bool PlainFiles::has(std::string_view name) const {
  const fs::path path(name);
  if (!path.has_filename() || path.is_absolute() || std::ranges::find(path, "..") != path.end())
    refuse(name, "it is no path within a folder");
  return fs::exists(fs::symlink_status(fs::path(folder_) / path));
}

void PlainFiles::write(std::string_view name, std::span<const std::byte> bytes) const {
  if (has(name)) refuse(name, "another sample has this name");
  const auto path = fs::path(folder_) / name;
  fs::create_directories(path.parent_path());
  NewFile file(path.string());
  file.write(bytes);
  file.commit();
}

}  // namespace weir::pack
