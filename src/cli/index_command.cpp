#include <fmt/format.h>

#include <atomic>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "base/sanitize.hpp"
#include "cli/commands.hpp"
#include "cli/data.hpp"
#include "cli/output.hpp"
#include "cli/parse.hpp"
#include "cli/progress.hpp"
#include "findings/index.hpp"
#include "report/bytes.hpp"
#include "shards/dali_index.hpp"
#include "shards/make_index.hpp"
#include "source/checked_path.hpp"

namespace weir::cli {
#ifdef WEIR_SHARDS
namespace {

namespace fs = std::filesystem;

/// The deepest folder that has all shards below it.
fs::path folder_of(const shards::TarShards& opened) {
  // The names in the index are relative to it.
  const auto& file = opened.files().front();
  const auto own = file.path.substr(0, file.path.size() - file.name.size());
  return own.empty() ? fs::path(".") : fs::path(own);
}

/// Renames the shards relative to the folder of `out`.
void name_shards(shards::Index& index, const shards::TarShards& opened, const fs::path& out) {
  const auto folder = fs::absolute(out).lexically_normal().parent_path();
  for (std::size_t i = 0; i < index.shards.size(); ++i) {
    const auto& path = opened.files()[i].path;
    auto name = fs::absolute(path).lexically_normal().lexically_relative(folder).generic_string();
    if (!source::is_below(name))
      throw std::invalid_argument(fmt::format(
          "shard {} is not below the folder of --out {}; write the index into a folder that has "
          "all shards, as --out {}",
          sanitize(path), as_typed(out.string()),
          as_typed((folder_of(opened) / shards::index_name).string())));
    index.shards[i].name = std::move(name);
  }
}

}  // namespace

int index_command(const Settings& settings, const Interrupt& interrupt) {
  auto how = how_to_open(settings, interrupt.token());
  how.shards.dali_index.clear();  // it is written
  const auto opened = data::open_tars(settings.paths(), how, shards::OldIndex::ignore);
  data::hint_left_out(opened.scan(), how);
  const auto out =
      settings.out.empty() ? folder_of(opened) / shards::index_name : fs::path(settings.out);
  if (out.filename() != shards::index_name)
    throw std::invalid_argument(
        fmt::format("--out {} must be a file named {}; a folder of shards "
                    "is known by it",
                    as_typed(settings.out), shards::index_name));
  const auto& dali = settings.shards.dali_index;
  if (!dali.empty()) shards::check_dali_names(dali, opened.files());  // before all bytes are read
  std::atomic<std::uint64_t> done{0};
  shards::Index index;
  {
    const Progress progress(settings, [&] {
      return fmt::format("index: {} of the shards read", report::human_bytes(done.load()));
    });
    index = shards::complete_index(
        opened, {.limits = settings.options.limits, .stop = interrupt.token(), .done = &done});
  }
  name_shards(index, opened, out);
  if (!dali.empty())
    for (const auto& file : opened.files()) shards::write_dali_index(dali, file, interrupt.token());
  shards::write_index(out.string(), index);
  const auto& scan = opened.scan();
  emit(settings, findings::to_json(index, scan, out.string()),
       findings::to_text(index, scan, out.string()));
  return done_exit;
}

#else
int index_command(const Settings& settings, const Interrupt& interrupt) {
  open_data(settings, interrupt.token());  // says that it was built without them
  return usage_exit;
}
#endif

}  // namespace weir::cli
