#include "cli/data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

#include "base/sanitize.hpp"
#include "base/terms.hpp"
#include "cli/interrupt.hpp"
#include "cli/messages.hpp"
#include "cli/output.hpp"
#include "cli/parse.hpp"
#include "cli/plane_data.hpp"
#include "cli/shards.hpp"
#include "options/data_text.hpp"
#include "report/bytes.hpp"
#include "report/stats_text.hpp"
#include "source/delayed.hpp"
#include "source/extension.hpp"
#include "source/image_folder.hpp"
#include "source/name_list.hpp"
#include "source/order.hpp"

namespace weir::cli {
namespace {

constexpr auto forms =
    "DATA is a folder, tar shards, a manifest with lines of path<TAB>label, or synthetic:COUNT,HxW";

[[noreturn]] void refuse_missing(const std::string& data) {
  const auto what =
      data.empty() ? std::string("DATA is empty") : as_typed(data) + ": no such folder or manifest";
  throw Error(Errc::source_failed, Stage::read,
              fmt::format("{}; {}{}", what, forms,
                          data.starts_with("synthetic") ? ", as in synthetic:100,375x500" : ""));
}

void refuse_no_list(const std::string& data) {
  std::error_code failed;
  const auto what = std::filesystem::status(data, failed).type();
  if (what == std::filesystem::file_type::not_found) refuse_missing(data);
  const auto extension = std::filesystem::path(data).extension().string();
  if (source::may_be_image(source::lower_case(extension)))
    throw std::invalid_argument(data + " is an image; give its folder, or a manifest");
}

void refuse_unbuilt(std::string_view data) {
  for (const std::string_view scheme : {"http://", "https://", "s3://"})
    if (data.starts_with(scheme))
      throw Refusal{2,
                    fmt::format("weir: {}: DATA over {} is not built yet; copy it into a folder\n",
                                as_typed(data), scheme)};
}

void refuse_shard_options(const Settings& settings) {
  const ShardOptions usual;
  const auto& s = settings.shards;
  const std::pair<const char*, bool> given[] = {
      {"--image", s.image != usual.image},
      {"--label", s.label != usual.label},
      {"--label-file", !s.label_file.empty()},
      {"--dali-index", !s.dali_index.empty()},
      {"--verify", s.verify},
      {"a SOURCE as .mask.png of --plane",
       std::ranges::any_of(settings.planes, &PlaneSource::is_extension)}};
  for (const auto& [option, is_given] : given)
    if (is_given)
      throw std::invalid_argument(
          fmt::format("{} is no tar shards, which {} is for", as_typed(settings.data), option));
}

/// With drop_last, a batch that is larger than the data leaves nothing.
void refuse_no_batch(const Settings& settings, std::uint64_t samples) {
  const auto& o = settings.options;
  const auto world = o.ranks.world;
  if (!o.drop_last || samples / world >= o.batch) return;
  const auto way = samples >= world ? fmt::format("--batch {} or less", samples / world)
                                    : fmt::format("--world {} or less", samples);
  throw std::invalid_argument(fmt::format(
      "{}: --drop-last leaves out everything: {} are less than a batch of {}{}; write {}, or leave "
      "--drop-last out",
      sanitize(settings.data), report::plural(samples, "sample"), o.batch,
      world > 1 ? fmt::format(" on each of {} ranks", world) : "", way));
}

AnySource open_folder(const Settings& settings, const FolderOptions& options,
                      const std::stop_token& stop, DataNotes* into) {
  source::FolderNotes notes;
  try {
    source::ImageFolder folder(settings.data, options, &notes, stop);
    refuse_shard_options(settings);
    if (folder.skipped() > 0)
      hint(settings, fmt::format("hint: skipped under {}: {}", as_typed(settings.data),
                                 sanitize(with_option_names(notes.skipped), SIZE_MAX)));
    if (into) into->unreached = std::move(notes.unreached);
    return folder;
  } catch (const Error&) {
    if (stop.stop_requested())
      throw Refusal{interrupted_exit,
                    "weir: interrupted while " + sanitize(settings.data) + " was listed\n"};
    if (!notes.no_samples || !has_shards(settings.data)) throw;
    if (std::filesystem::exists(std::filesystem::path(settings.data) / "pack.txt"))
      throw Error(Errc::source_failed, Stage::read,
                  as_typed(settings.data) + ": a `weir pack` into it has not ended; run it again");
    hint(settings,
         fmt::format("hint: {0} has no images, so its tar shards are read; with the index "
                     "of `weir index {0}` they open at once and have checksums",
                     as_typed(settings.data)));
    return open_shards(settings, stop, into);
  }
}

AnySource open_whole(const Settings& settings, const std::stop_token& stop, DataNotes* notes) {
  const auto& data = settings.data;
  refuse_unbuilt(data);
  if (is_shards(settings)) return open_shards(settings, stop, notes);
  // Only the list of a folder shows whether it has shards.
  const bool is_folder = std::filesystem::is_directory(data);
  if (!is_folder) refuse_shard_options(settings);
  if (auto named = options::open_named(data, stop)) return *std::move(named);
  const FolderOptions options{.extensions = settings.extensions,
                              .max_encoded_bytes = settings.options.limits.max_encoded_bytes,
                              .follow_symlinks = settings.follow_symlinks,
                              .classes = settings.classes,
                              .skip_other_classes = !settings.classes.empty()};
  if (!is_folder) {
    refuse_no_list(data);
    return manifest(data, options);
  }
  return open_folder(settings, options, stop, notes);
}

std::vector<std::string> read_excluded(const std::string& path) {
  try {
    return source::read_name_list(path);
  } catch (const Error& e) {
    throw Error(Errc::source_failed, Stage::read,
                fmt::format("--exclude {}: {}", as_typed(path), plain_text(e)));
  }
}

AnySource without_excluded(AnySource source, const Settings& settings) {
  if (settings.exclude.empty()) return source;
  const auto whole = source.size();
  const auto named = as_typed(settings.exclude);
  auto names = read_excluded(settings.exclude);
  auto rest = source::without(std::move(source), std::move(names));
  if (rest.unknown > 0)
    hint(settings, fmt::format("hint: --exclude {}: {} has no sample named '{}'{}", named,
                               as_typed(settings.data), sanitize(rest.first_unknown, 80),
                               rest.unknown == 1 ? ""
                                                 : fmt::format(", and none of {} other names",
                                                               report::grouped(rest.unknown - 1))));
  if (rest.source.size() == 0)
    throw Error(Errc::source_failed, Stage::read,
                "no samples: --exclude " + named + " leaves out all " + report::grouped(whole) +
                    " of " + sanitize(settings.data));
  return std::move(rest.source);
}

}  // namespace

AnySource open_undelayed(const Settings& settings, const std::stop_token& stop, DataNotes* notes) {
  auto source = with_planes(open_whole(settings, stop, notes), settings, PlaneFiles::list);
  source = with_planes(without_excluded(std::move(source), settings), settings, PlaneFiles::folder);
  source = with_annotation(std::move(source), settings);
  check_planes(source, settings);
  refuse_no_batch(settings, source::positions_of(settings.options.order, source.size()));
  return source;
}

AnySource delayed(AnySource source, const Settings& settings, std::stop_token stop) {
  const auto [mean_ms, deviation_ms] = settings.read_delay;
  if (mean_ms == 0) return source;
  const source::ReadDelay delay(mean_ms, deviation_ms, settings.options.seed);
  return source::delayed(std::move(source), delay, std::move(stop));
}

AnySource open_data(const Settings& settings, std::stop_token stop, DataNotes* notes) {
  return delayed(open_undelayed(settings, stop, notes), settings, stop);
}

}  // namespace weir::cli
