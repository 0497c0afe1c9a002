#include "cli/data.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

#include "base/sanitize.hpp"
#include "cli/interrupt.hpp"
#include "cli/parse.hpp"
#include "cli/progress.hpp"
#include "report/bytes.hpp"
#include "report/stats_text.hpp"
#include "source/delayed.hpp"
#include "source/image_folder.hpp"
#include "source/name_list.hpp"
#include "source/synthetic.hpp"

namespace weir::cli {
namespace {

constexpr std::string_view synthetic_prefix = "synthetic:";

AnySource open_synthetic(std::string_view data, const std::stop_token& stop) {
  const auto text = data.substr(synthetic_prefix.size());
  const auto comma = text.find(',');
  try {
    const auto count = at_least_1(parse_number<std::uint64_t>(text.substr(0, comma), "a count"));
    const auto shape = parse_size(comma == text.npos ? "" : text.substr(comma + 1));
    return source::synthetic(count, shape, 0, stop);
  } catch (const std::invalid_argument&) {
    throw std::invalid_argument(std::string(data) + ": write synthetic:COUNT,HxW, COUNT 1 or more");
  }
}

void refuse_no_list(const std::string& data) {
  std::error_code failed;
  const auto what = std::filesystem::status(data, failed).type();
  if (what == std::filesystem::file_type::not_found)
    throw Error(Errc::source_failed, Stage::read, data + ": no such folder, manifest or shard");
  auto extension = std::filesystem::path(data).extension().string();
  std::ranges::transform(extension, extension.begin(), source::lower);
  constexpr std::string_view images[] = {".jpg", ".jpeg", ".png", ".webp", ".bmp",
                                         ".tif", ".tiff", ".pnm", ".ppm",  ".pgm"};
  if (std::ranges::count(images, extension) > 0)
    throw std::invalid_argument(data + " is an image; give its folder, or a manifest");
}

void refuse_unbuilt(std::string_view data) {
  for (const std::string_view scheme : {"http://", "https://", "s3://"})
    if (data.starts_with(scheme))
      throw Refusal{2, "weir: DATA over " + std::string(scheme) + " is not built yet\n"};
  if (data.ends_with(".tar") || data.ends_with(".tar.gz") || data.ends_with(".tgz"))
    throw Refusal{2, "weir: .tar shards as DATA are not built yet\n"};
}

AnySource open_folder(const Settings& settings, const FolderOptions& options,
                      const std::stop_token& stop, std::vector<source::Unreached>* unreached) {
  try {
    return source::ImageFolder(settings.data, options, unreached, stop);
  } catch (const Error&) {
    if (stop.stop_requested())
      throw Refusal{interrupted_exit,
                    "weir: interrupted while " + sanitize(settings.data) + " was listed\n"};
    throw;
  }
}

AnySource open_whole(const Settings& settings, const std::stop_token& stop,
                     std::vector<source::Unreached>* unreached) {
  const auto& data = settings.data;
  if (data.starts_with(synthetic_prefix)) return open_synthetic(data, stop);
  refuse_unbuilt(data);
  const FolderOptions options{.extensions = settings.extensions,
                              .max_encoded_bytes = settings.options.limits.max_encoded_bytes,
                              .follow_symlinks = settings.follow_symlinks};
  if (!std::filesystem::is_directory(data)) {
    refuse_no_list(data);
    return manifest(data, options);
  }
  return open_folder(settings, options, stop, unreached);
}

AnySource without_excluded(AnySource source, const Settings& settings) {
  if (settings.exclude.empty()) return source;
  const auto whole = source.size();
  auto rest = source::without(std::move(source), source::read_name_list(settings.exclude));
  if (rest.unknown > 0)
    hint(settings, "hint: no file is called as " + report::plural(rest.unknown, "line") + " of " +
                       sanitize(settings.exclude) + " says");
  if (rest.source.size() == 0)
    throw Error(Errc::source_failed, Stage::read,
                "no samples: --exclude " + sanitize(settings.exclude) + " leaves out all " +
                    report::grouped(whole) + " of " + sanitize(settings.data));
  return std::move(rest.source);
}

void tell_skipped(const Settings& settings, std::uint64_t skipped) {
  if (skipped == 0) return;
  hint(settings, "hint: skipped under " + sanitize(settings.data) + ": " +
                     report::grouped(skipped) +
                     " (files that are never images, see --ext; links that are not followed, see "
                     "--follow-symlinks; folders that cannot be listed; neither file nor folder)");
}

}  // namespace

AnySource open_undelayed(const Settings& settings, const std::stop_token& stop,
                         std::vector<source::Unreached>* unreached) {
  auto source = without_excluded(open_whole(settings, stop, unreached), settings);
  tell_skipped(settings, source.skipped());
  return source;
}

AnySource delayed(AnySource source, const Settings& settings, std::stop_token stop) {
  const auto [mean_ms, deviation_ms] = settings.read_delay;
  if (mean_ms == 0) return source;
  const source::ReadDelay delay(mean_ms, deviation_ms, settings.options.seed);
  return source::delayed(std::move(source), delay, std::move(stop));
}

AnySource open_data(const Settings& settings, std::stop_token stop,
                    std::vector<source::Unreached>* unreached) {
  return delayed(open_undelayed(settings, stop, unreached), settings, stop);
}

}  // namespace weir::cli
