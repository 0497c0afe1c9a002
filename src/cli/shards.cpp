#include "cli/shards.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "base/sanitize.hpp"
#include "cli/commands.hpp"
#include "cli/data.hpp"
#include "cli/interrupt.hpp"
#include "cli/messages.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "options/data_text.hpp"
#include "report/bytes.hpp"
#include "report/stats_text.hpp"
#ifdef WEIR_SHARDS
#include "shards/folder_names.hpp"
#include "shards/make_index.hpp"
#endif

namespace weir::cli {
namespace {

namespace fs = std::filesystem;

}  // namespace

bool is_shards(const Settings& settings) {
  return settings.words.size() > 1 || options::names_shards(settings.data);
}

report::Json to_json(const ChecksumFindings& findings) {
  if (!findings.compared) return nullptr;
  return {{"shards", findings.shards}, {"samples", findings.samples}, {"wrong", findings.wrong}};
}

std::string to_text(const ChecksumFindings& findings) {
  if (!findings.compared) return {};
  constexpr std::size_t most_lines = 20;
  const auto wrong = findings.wrong.size();
  auto text = fmt::format("checksums of {} in {}: {}\n", report::plural(findings.samples, "sample"),
                          report::plural(findings.shards, "shard"),
                          wrong == 0 ? "all are right" : report::grouped(wrong) + " differ");
  for (std::size_t i = 0; i < std::min(wrong, most_lines); ++i)
    text += "  " + findings.wrong[i] + '\n';
  return text + (wrong > most_lines ? "  …\n" : "");
}

std::string open_files_text(std::uint64_t open_files) {
  rlimit limit{};
  if (open_files == 0 || getrlimit(RLIMIT_NOFILE, &limit) != 0) return {};
  return fmt::format("  open files {}, one for each shard; this process may have {} (ulimit -n)\n",
                     report::grouped(open_files), report::grouped(limit.rlim_cur));
}

#ifdef WEIR_SHARDS
bool has_shards(const std::string& folder) { return !shards::tar_names_in(folder).empty(); }

namespace {

std::vector<std::string> paths_of(const Settings& settings) {
  return settings.words.size() > 1 ? settings.words : std::vector{settings.data};
}

/// Each shard keeps a file open, and the usual soft limit is 1024.
void raise_descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

void hint_left_out(const Settings& settings, const shards::Scan& scan) {
  if (scan.index.skipped > 0)
    hint(settings, fmt::format("hint: skipped {} without an image{}",
                               report::plural(scan.index.skipped, "sample"),
                               scan.left_out.empty() ? std::string("; `weir probe` names them")
                                                     : ", as " + sanitize(scan.left_out[0].name)));
  if (scan.more_images > 0)
    hint(settings, fmt::format("hint: {} may be images and are not used, as {}; a sample has one "
                               "image, and --image names its extension",
                               report::plural(scan.more_images, "more member"),
                               sanitize(scan.another_image)));
  if (scan.unlabelled > 0)
    hint(settings,
         fmt::format("hint: {} label, so it is -1, as {}; {}",
                     scan.unlabelled == 1 ? std::string("1 sample has no")
                                          : report::grouped(scan.unlabelled) + " samples have no",
                     sanitize(scan.unlabelled_key),
                     settings.shards.label_file.empty()
                         ? std::string("--label or --label-file says where it is")
                         : typed_option("--label-file", settings.arguments) + " lacks its key"));
}

/// Shards beside an index that does not list them. An index that DATA names is what the user wants.
void hint_unlisted(const Settings& settings, const shards::TarShards& opened) {
  const fs::path folder(settings.data);
  std::error_code failed;
  if (settings.words.size() > 1 || !fs::exists(folder / options::shards_index, failed)) return;
  std::vector<std::string> names;
  try {
    names = shards::tar_names_in(folder.string());
  } catch (const Error&) {
    return;  // an index also serves where the folder cannot be listed
  }
  std::set<std::string_view> listed;
  for (const auto& file : opened.files()) listed.insert(file.name);
  std::erase_if(names, [&](const std::string& name) { return listed.contains(name); });
  if (!names.empty())
    hint(settings,
         fmt::format("hint: {} does not list {} beside it, as {}; run `weir index {}` again",
                     as_typed((folder / options::shards_index).string()),
                     report::plural(names.size(), "shard"), sanitize(names.front()),
                     as_typed(settings.data)));
}

shards::TarShards open_tar_shards(const Settings& settings, const std::stop_token& stop,
                                  shards::OldIndex old_index = shards::OldIndex::use) {
  if (!settings.extensions.empty())
    throw std::invalid_argument(
        typed_option("--ext", settings.arguments) +
        " is for folders; with tar shards, --image names the extension of the image");
  raise_descriptor_limit();
  auto options = settings.shards;
  options.max_encoded_bytes = settings.options.limits.max_encoded_bytes;
  options.annotation = settings.annotation.from;
  for (const auto& plane : settings.planes)
    if (plane.is_extension()) options.planes.push_back({plane.name, plane.from.substr(1)});
  return shards::open_shards(paths_of(settings), options, stop, old_index);
}

}  // namespace

shards::TarShards search_shards(const Settings& settings, const std::stop_token& stop) {
  auto searched = settings;
  searched.shards.dali_index.clear();  // it is written
  auto opened = open_tar_shards(searched, stop, shards::OldIndex::ignore);
  hint_left_out(settings, opened.scan());
  return opened;
}

AnySource open_shards(const Settings& settings, const std::stop_token& stop, DataNotes* notes) {
  auto opened = open_tar_shards(settings, stop);
  hint_left_out(settings, opened.scan());
  hint_unlisted(settings, opened);
  if (notes) notes->open_files = opened.files().size();
  if (notes && settings.command == Command::probe && opened.skipped() > 0) {
    // An index only counts them.
    auto found = opened.scan().left_out;
    if (found.empty()) found = shards::scan_shards(opened.files(), settings.shards, stop).left_out;
    for (auto& each : found) notes->without_image.push_back({std::move(each.name), each.offset});
  }
  return opened;
}

ChecksumFindings compare_checksums(const Settings& settings, const std::stop_token& stop) {
  if (!is_shards(settings)) return {};
  const auto opened = open_tar_shards(settings, stop);
  if (!opened.has_checksums()) {
    hint(settings,
         "hint: without index.weir there are no checksums to verify; `weir index` makes "
         "it");
    return {};
  }
  std::atomic<std::uint64_t> done{0};
  const Progress progress(settings, [&] {
    return ProgressLine{ProgressField{
        .text = fmt::format("verify: {} of the shards read", report::human_bytes(done.load()))}};
  });
  const auto& index = opened.index();
  ChecksumFindings findings{.compared = true,
                            .shards = index.shards.size(),
                            .samples = index.samples.size(),
                            .wrong = {}};
  const auto wrong = shards::wrong_checksums(
      opened, {.limits = settings.options.limits, .stop = stop, .done = &done});
  for (const auto& [shard, sample] : wrong) {
    const auto name = sanitize(index.shards[shard].name);
    findings.wrong.push_back(
        sample ? fmt::format("{}: the checksum of sample {} differs, {} at byte {}",
                             sanitize(opened.name(*sample)), *sample,
                             report::human_bytes(index.samples[*sample].bytes),
                             index.samples[*sample].offset)
               : name + ": its checksum differs, outside of the samples");
  }
  return findings;
}
#else
namespace {
[[noreturn]] void refuse_shards() {
  throw Refusal{usage_exit,
                "weir: this program was built without libarchive, which tar shards need\n"};
}
}  // namespace
bool has_shards(const std::string&) { return false; }
AnySource open_shards(const Settings&, const std::stop_token&, DataNotes*) { refuse_shards(); }
ChecksumFindings compare_checksums(const Settings&, const std::stop_token&) { return {}; }
int index_command(const Settings&, const Interrupt&) { refuse_shards(); }
#endif

}  // namespace weir::cli
