#include "cli/data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "api/survey.hpp"
#include "base/sanitize.hpp"
#include "base/terms.hpp"
#include "base/text.hpp"
#include "base/text_file.hpp"
#include "cli/interrupt.hpp"
#include "cli/messages.hpp"
#include "cli/output.hpp"
#include "cli/parse.hpp"
#include "cli/progress.hpp"
#include "plan/pixel_plan.hpp"
#include "plan/resolve.hpp"
#include "report/bytes.hpp"
#include "report/stats_text.hpp"
#include "source/delayed.hpp"
#include "source/name_list.hpp"
#include "source/order.hpp"
#include "source/plane_names.hpp"
#include "weir/error.hpp"

namespace weir::cli {
namespace {

/// So many samples `weir plan` measures unasked, for the figure of this data. They take seconds.
constexpr std::uint64_t measured_unasked = 10'000;

/// What the SOURCE of a plane is.
enum class PlaneFiles : std::uint8_t {
  folder,  ///< its files have the names of the images
  list,    ///< a text file with one file on each line, for each sample of DATA
};

namespace fs = std::filesystem;

std::string option_of(const PlaneSource& plane) {
  return plane.from.empty() ? "--plane " + plane.name
                            : "--plane " + as_typed(plane.name + '=' + plane.from);
}

/// The files of a list, relative to its folder. An empty line is an empty path.
std::vector<std::string> read_list(const std::string& list) {
  const auto text = read_text_file(list, most_list_bytes);
  std::vector<std::string> paths;
  for (std::string_view rest = text; !rest.empty();) {
    const auto line = take_line(rest);
    paths.push_back(line.empty() ? std::string()
                                 : (fs::path(list).parent_path() / fs::path(line)).string());
  }
  return paths;
}

void hint_left_out(const Settings& settings, const std::string& option, std::uint64_t samples) {
  if (samples > 0)
    hint(settings, "{} leaves out {} without it", option, report::plural(samples, "sample"));
}

AnySource with_plane(AnySource samples, const PlaneSource& plane, const Settings& settings) {
  const auto missing = settings.command == Command::probe && plane.missing == MissingPlane::error
                           ? MissingPlane::absent
                           : plane.missing;
  const FolderOptions options{.max_encoded_bytes = settings.options.limits.max_encoded_bytes,
                              .follow_symlinks = settings.files.follow_symlinks};
  if (!fs::is_directory(plane.from))
    return weir::with_plane(std::move(samples), plane.name, read_list(plane.from), missing,
                            options);
  return weir::with_plane(std::move(samples), plane.name, image_folder(plane.from, options),
                          missing);
}

/// The names of a folder's samples begin at it. So a plane's file in another folder than its image, as
/// val/1.png for train/1.jpg, may be a mistake.
void hint_other_folder(const Settings& settings, const std::string& option,
                       const AnySource& source) {
  const auto folder_of = [](const std::string& name) { return fs::path(name).parent_path(); };
  const auto plane = source.planes().size() - 1;
  std::uint64_t i = 0;
  while (i < source.size() && source.plane_name(i, plane).empty()) ++i;
  if (i == source.size()) return;
  const auto name = source.name(i), file = source.plane_name(i, plane);
  if (folder_of(name) != folder_of(file))
    hint(settings, "{} pairs files of other folders: {} with {}", option, sanitize(name),
         sanitize(file));
}

/// `source` with the planes of --plane whose files are `files`. Throws Error that names the option.
/// For `probe`, a sample without a plane that it must have is a fault and no Error.
AnySource with_planes(AnySource source, const Settings& settings, PlaneFiles files, bool shards) {
  for (const auto& plane : settings.planes) {
    const bool is_folder = fs::is_directory(plane.from);
    if (plane.from.empty() || plane.is_extension() || is_folder != (files == PlaneFiles::folder))
      continue;
    if (!fs::exists(plane.from))
      throw Error(Errc::source_failed, Stage::read,
                  option_of(plane) + ": no such folder or list of files");
    const auto all = source.size();
    source = with_plane(std::move(source), plane, settings);
    hint_left_out(settings, option_of(plane), all - source.size());
    if (is_folder && !shards && fs::is_directory(settings.data))
      hint_other_folder(settings, option_of(plane), source);
  }
  return source;
}

/// Throws if --annotation is for a folder of files. In tar shards, members are annotations.
void check_member(const AnnotationSource& annotation) {
  const auto& [from, extension, missing] = annotation;
  const auto refuse = [&named = from](const std::string& why) {
    throw misuse("--annotation {}{}", as_typed(named), why);
  };
  if (fs::is_directory(from))
    refuse(": a folder; with tar shards, write the extension of the member, as .json");
  if (!extension.empty())
    refuse(fmt::format(",ext={0} is for a folder; with tar shards, write --annotation {0}",
                       as_typed(extension)));
  if (missing == MissingPlane::skip)
    refuse(",missing=skip is for a folder; with tar shards, write missing=absent");
}

/// `source` with the annotations of --annotation. Shards have theirs already. Throws as with_planes().
AnySource with_annotation(AnySource source, const Settings& settings, bool shards) {
  const auto& annotation = settings.annotation;
  if (annotation.from.empty()) return source;
  if (shards) {
    check_member(annotation);  // a folder of shards without an index is known only now
    return source;
  }
  const auto all = source.size();
  source = with_annotations(std::move(source), annotation.from, annotation.file_extension(),
                            annotation.missing,
                            {.max_encoded_bytes = settings.options.limits.max_encoded_bytes});
  hint_left_out(settings, "--annotation " + as_typed(annotation.from), all - source.size());
  return source;
}

/// Throws Error if DATA lacks a plane of --plane.
void check_planes(const AnySource& source, const Settings& settings) {
  const auto offered = source.planes();
  for (const auto& [name, from, missing, of_options] : settings.planes) {
    if (std::ranges::find(offered, name) != offered.end()) continue;
    const auto has = offered.empty() ? "no planes" : "the planes " + source::list_of(offered);
    const auto way = data::are_shards(settings.paths())
                         ? fmt::format("write --plane {}=.EXTENSION of its member", name)
                         : std::string("name its column in a manifest");
    refuse(Stage::read, "--plane ", name, ": ", as_typed(settings.data), " has ", has, "; ", way,
           ", or write --plane ", name, "=FOLDER");
  }
}

/// With drop_last, a batch that is larger than the data leaves nothing.
void refuse_no_batch(const Settings& settings, std::uint64_t samples) {
  const auto& o = settings.options;
  const auto world = o.ranks.world;
  if (!o.drop_last || samples / world >= o.batch) return;
  const auto way = samples >= world ? fmt::format("--batch {} or less", samples / world)
                                    : fmt::format("--world {} or less", samples);
  throw std::invalid_argument(fmt::format(
      "{}: --drop-last leaves out everything: a batch of {}{} takes more than {}; write {}, or "
      "leave --drop-last out",
      sanitize(settings.data), o.batch, world > 1 ? fmt::format(" on each of {} ranks", world) : "",
      report::plural(samples, "sample"), way));
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
    hint(settings, "--exclude {}: {} has no sample named '{}'{}", named, as_typed(settings.data),
         sanitize(rest.first_unknown, 80),
         rest.unknown == 1
             ? ""
             : fmt::format(", and none of {} other names", report::grouped(rest.unknown - 1)));
  if (rest.source.size() == 0)
    throw Error(Errc::source_failed, Stage::read,
                "no samples: --exclude " + named + " leaves out all " + report::grouped(whole) +
                    " of " + sanitize(settings.data));
  return std::move(rest.source);
}

}  // namespace

data::How how_to_open(const Settings& settings, const std::stop_token& stop) {
  data::How how{
      .files = settings.files,
      .shards = settings.shards,
      .wants_names = settings.command == Command::probe,
      .hint =
          [&settings](const std::string& text) { hint(settings, "{}", with_option_names(text)); },
      .stop = stop};
  how.files.max_encoded_bytes = settings.options.limits.max_encoded_bytes;
  how.files.skip_other_classes = !settings.files.classes.empty();
  if (!settings.annotation.from.empty() && data::are_shards(settings.paths()))
    check_member(settings.annotation);
  how.shards.annotation = settings.annotation.from;
  how.shards.needs_annotation = settings.annotation.missing == MissingPlane::error;
  for (const auto& plane : settings.planes)
    if (plane.is_extension()) how.shards.planes.push_back({plane.name, plane.from.substr(1)});
  return how;
}

AnySource open_undelayed(const Settings& settings, const std::stop_token& stop,
                         data::Notes* notes) {
  data::Notes found;
  auto& known = notes ? *notes : found;
  auto source = data::open(settings.paths(), how_to_open(settings, stop), &known);
  const bool shards = known.open_files > 0;
  source = with_planes(std::move(source), settings, PlaneFiles::list, shards);
  source = without_excluded(std::move(source), settings);
  source = with_planes(std::move(source), settings, PlaneFiles::folder, shards);
  source = with_annotation(std::move(source), settings, shards);
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

AnySource open_data(const Settings& settings, std::stop_token stop, data::Notes* notes) {
  return delayed(open_undelayed(settings, stop, notes), settings, stop);
}

Settings surveyed(Settings settings, const AnySource& source, const std::stop_token& stop) {
  auto& options = settings.options;
  options = plan::with_annotation_bytes(std::move(options), source);
  auto& max_sample_bytes = options.memory.max_sample_bytes;
  const bool sizes = options.sizes.mode != Sizes::fixed && !options.sizes.index;
  const bool all = max_sample_bytes == ByteBound::measured;
  const bool unasked = settings.command == Command::plan && source.size() <= measured_unasked;
  if (!sizes && !all && !unasked) return settings;
  api::Survey found;
  {
    std::atomic<std::uint64_t> reads{0};
    const Progress progress(settings, [&] {
      return fmt::format("measuring: {} of {}", report::grouped(reads),
                         report::plural(source.size(), "sample"));
    });
    auto tried = options;
    if (!sizes && !all) tried.memory.budget_bytes.reset();  // the plan says what is too little
    found = api::survey(source, tried, all || unasked, stop, nullptr, &reads);
  }
  if (stop.stop_requested())
    throw Refusal{interrupted_exit, fmt::format("weir: interrupted while the samples of {} were "
                                                "measured\n",
                                                as_typed(settings.data))};
  if (sizes) options.sizes.index = std::move(found.sizes);
  settings.sample = found.sample;
  if (found.sample.both == 0) return settings;
  if (all) {
    max_sample_bytes = found.sample.both;
  } else if (sizes && !max_sample_bytes && !options.memory.ledger) {
    // As a Loader does. With a shared ledger, what it takes depends on the loaders before it.
    max_sample_bytes =
        plan::resolve(options, {source.index_bytes(), 0, source.size(), found.sample})
            .max_sample_bytes;
  } else {
    return settings;
  }
  settings.sample_how =
      fmt::format("the largest of {} needs {} ({} bytes)", report::plural(source.size(), "sample"),
                  report::human_bytes(found.sample.both), report::grouped(found.sample.both));
  return settings;
}

Plan plan_of(const Settings& settings, std::uint64_t index_bytes, std::uint64_t samples) {
  // surveyed() has set what the data bound.
  return plan::resolve(plan::with_row_sizes(settings.options),
                       {index_bytes, 0, samples, settings.sample, false});
}

Surveyed open_surveyed(const Settings& settings, const std::stop_token& stop, data::Notes* notes) {
  const auto source = open_undelayed(settings, stop, notes);
  auto known = surveyed(settings, source, stop);
  auto slow = delayed(source, known, stop);
  return {std::move(known), std::move(slow)};
}

}  // namespace weir::cli
