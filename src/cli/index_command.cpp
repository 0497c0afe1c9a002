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
#include "report/bytes.hpp"
#include "report/json.hpp"
#include "report/stats_text.hpp"
#include "shards/dali_index.hpp"
#include "shards/make_index.hpp"

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
    if (!shards::is_below(name))
      throw std::invalid_argument(fmt::format(
          "shard {} is not below the folder of --out {}; write the index into a folder that has "
          "all shards, as --out {}",
          sanitize(path), as_typed(out.string()),
          as_typed((folder_of(opened) / shards::index_name).string())));
    index.shards[i].name = std::move(name);
  }
}

report::Json to_json(const shards::Index& index, const shards::Scan& scan, const fs::path& out) {
  auto left_out = report::Json::array();
  for (const auto& [name, offset] : scan.left_out)
    left_out.push_back({{"name", sanitize(name)}, {"offset", offset}});
  std::uint64_t bytes = 0;
  for (const auto& shard : index.shards) bytes += shard.bytes;
  auto json = report::envelope("index");
  json["index"] = {{"path", sanitize(out.string(), SIZE_MAX)},
                   {"shards", index.shards.size()},
                   {"samples", index.samples.size()},
                   {"bytes", bytes},
                   {"skipped", index.skipped},
                   {"without_image", std::move(left_out)}};
  return json;
}

std::string to_text(const shards::Index& index, const shards::Scan& scan, const fs::path& out) {
  std::uint64_t bytes = 0, unknown = 0;
  for (const auto& shard : index.shards) bytes += shard.bytes;
  for (const auto& sample : index.samples) unknown += sample.height == 0 ? 1 : 0;
  auto text = fmt::format("{} of {} in {}: {}\n", report::plural(index.samples.size(), "sample"),
                          report::human_bytes(bytes), report::plural(index.shards.size(), "shard"),
                          sanitize(out.string(), SIZE_MAX));
  if (unknown > 0)
    text += entry("without a size", "{}, turned by EXIF or not readable", report::grouped(unknown));
  for (const auto& [name, offset] : scan.left_out)
    text += entry("without image", "{}: its files begin at byte {}", sanitize(name), offset);
  return text;
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
  emit(settings, to_json(index, opened.scan(), out), to_text(index, opened.scan(), out));
  return done_exit;
}

#else
int index_command(const Settings& settings, const Interrupt& interrupt) {
  open_data(settings, interrupt.token());  // says that it was built without them
  return usage_exit;
}
#endif

}  // namespace weir::cli
