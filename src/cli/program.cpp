#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <map>
#include <new>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/file_start.hpp"
#include "base/sanitize.hpp"
#include "base/text_file.hpp"
#include "cli/commands.hpp"
#include "cli/data.hpp"
#include "cli/messages.hpp"
#include "cli/mpi_job.hpp"
#include "cli/output.hpp"
#include "codec/decoder.hpp"
#include "observe/metrics_server.hpp"
#include "report/json.hpp"
#include "report/page/page.hpp"
#include "source/image_folder.hpp"
#include "weir/error.hpp"

namespace weir::cli {
namespace {

/// Starts the metrics server before the data are opened, so that a port in use is reported at once.
void listen(Settings& settings) {
  const bool children_do = settings.command == Command::sweep && !settings.only_depth;
  if (!settings.metrics_port || children_do) return;
  try {
    settings.metrics =
        std::make_shared<observe::MetricsServer>(settings.metrics_address, *settings.metrics_port);
  } catch (const std::runtime_error& e) {
    throw misuse(
        "--metrics-address {} --metrics-port {}: cannot listen: {}; 127.0.0.1 is an address of "
        "every machine, and port 0 a free one",
        settings.metrics_address, *settings.metrics_port, e.what());
  }
  say("metrics: {}\n", settings.metrics->url());
}

/// Files, and the option or the argument that names each first.
using NamedFiles = std::map<std::filesystem::path, std::string>;

std::filesystem::path absolute(std::string_view path) {
  std::error_code failed;
  return std::filesystem::weakly_canonical(std::filesystem::absolute(path, failed), failed);
}

/// The files that a command reads. Folders may be among them.
NamedFiles inputs_of(const Settings& settings) {
  NamedFiles files;
  const auto add = [&files](std::string_view path, const char* option) {
    if (!path.empty()) files.emplace(absolute(path), option);
  };
  for (const auto* option :
       {"--config", "--consumer-trace", "--exclude", "--label-file", "--model", "--schedule"})
    add(typed(option, settings.arguments), option);
  const auto order = typed("--order", settings.arguments);
  if (order.starts_with("weighted:")) add(order.substr(order.find(':') + 1), "--order");
  const auto states = typed("--resume", settings.arguments);
  for (const auto path : split(states, ',')) add(path, "--resume");
  if (settings.command == Command::footprint) add(settings.model.path, "MODEL.json");
  const auto* const data = settings.command == Command::page ? "REPORT" : "DATA";
  for (const std::string_view path : settings.paths()) {
    add(path, data);
    add(path.substr(path.find(':') + 1), data);  // cifar10:PATH
  }
  for (const auto& plane : settings.planes) add(plane.from, "--plane");
  return files;
}

/// A folder that a command lists.
struct ListedFolder {
  std::filesystem::path path;
  std::string option;
  std::vector<std::string> extensions{};  ///< FolderOptions::extensions

  /// Whether the listing would take a file, which need not exist.
  bool takes(const std::filesystem::path& file) const {
    const auto below = file.lexically_relative(path);
    const auto is_hidden = [](const std::filesystem::path& part) {
      return part.native().starts_with('.');  // also "..", if the file lies elsewhere
    };
    return std::ranges::none_of(below, is_hidden) && source::takes_file(file.native(), extensions);
  }
};

std::vector<ListedFolder> listed_by(const Settings& settings) {
  std::vector<ListedFolder> folders;
  const auto add = [&](std::string_view path, const std::string& option,
                       const std::vector<std::string>& extensions = {}) {
    if (!path.empty()) folders.push_back({absolute(path), option + as_typed(path), extensions});
  };
  if (!data::are_shards(settings.paths())) add(settings.data, "", settings.files.extensions);
  for (const auto& plane : settings.planes) add(plane.from, "--plane " + plane.name + '=');
  const auto& annotation = settings.annotation;
  add(annotation.from, "--annotation ", {annotation.file_extension()});
  return folders;
}

/// Whether a file is none that an earlier command wrote: those are text.
bool is_no_report(const std::string& path) {
  char start[4096];
  const auto text = file_start(path.c_str(), start);
  if (text.empty()) return false;
  const auto image = codec::probe_image(std::as_bytes(std::span(text)), {});
  // The first bytes of an image are cut; a text that begins as one does is corrupt.
  return text.find('\0') != text.npos || image || image.defect().kind == FaultKind::truncated;
}

/// Before the first sample, so that no run ends without its report, and no report replaces data.
void check_outputs(const Settings& settings) {
  if (settings.only_depth) return;
  auto files = inputs_of(settings);
  const auto folders = listed_by(settings);
  for (const auto& [option, member, by_rank, joint] : output_files) {
    const auto& path = settings.*member;
    if (path.empty() || path == "-") continue;
    check_output(path);
    std::error_code failed;
    if (std::filesystem::is_other(path, failed)) {
      if (member == &Settings::save_progress)
        throw misuse("{} {}: a device or a pipe keeps no state; name a file", option,
                     as_typed(path));
      continue;  // it takes several outputs
    }
    if (data::are_shards({path}))
      throw misuse("{} {}: shards and their index have such names; give another", option,
                   as_typed(path));
    const auto file = absolute(path);
    const auto [other, added] = files.emplace(file, option);
    const bool goes_on = other->second == "--resume" && member == &Settings::save_progress;
    if (!added && !goes_on)
      throw misuse("{} and {} name the same file {}; give each its own", other->second, option,
                   as_typed(path));
    if (is_no_report(path))
      throw misuse("{} {}: this file is no report, and would be replaced; name another", option,
                   as_typed(path));
    const auto lists = [&](const ListedFolder& folder) { return folder.takes(file); };
    if (const auto by = std::ranges::find_if(folders, lists); by != folders.end())
      throw misuse("{} {}: {} would take this file as data; give {}another folder", option,
                   as_typed(path), by->option,
                   by->extensions.empty() ? "it an extension as .json, or " : "");
  }
}

/// Links are followed in a folder of images and in those of planes.
void check_links(const Settings& settings) {
  const auto is_folder = [](const std::string& path) {
    std::error_code failed;
    return std::filesystem::is_directory(path, failed);
  };
  if (settings.files.follow_symlinks == FolderOptions().follow_symlinks) return;
  std::error_code failed;
  const bool shards = data::are_shards(settings.paths());
  if (!shards && settings.data.find(':') == std::string::npos &&
      !std::filesystem::exists(settings.data, failed))
    return;  // opening it says so
  const bool images = is_folder(settings.data) && !shards;
  if (!images && std::ranges::none_of(settings.planes, is_folder, &PlaneSource::from))
    throw misuse("{} is for a folder of images or of a plane; {} is none",
                 typed_option("--follow-symlinks", settings.arguments), as_typed(settings.data));
}

constexpr std::pair<Command, int (*)(const Settings&, const Interrupt&)> runners[] = {
    {Command::plan, plan_command},     {Command::footprint, footprint_command},
    {Command::probe, probe_command},   {Command::run, run_command},
    {Command::sweep, sweep_command},   {Command::tune, tune_command},
    {Command::verify, verify_command}, {Command::order, order_command},
    {Command::pack, pack_command},     {Command::index, index_command},
    {Command::page, page_command},     {Command::demo, demo_command}};

/// Each tar shard keeps a file open, and the usual soft limit is 1024.
void raise_descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

int dispatch(Settings& settings) {
  raise_descriptor_limit();
  check_outputs(settings);
  check_links(settings);
  check_settings(settings);
  const Interrupt interrupt;
  listen(settings);
  try {
    return std::ranges::find(runners, settings.command, [](const auto& each) { return each.first; })
        ->second(settings, interrupt);
  } catch (const Error&) {
    if (!interrupt.raised()) throw;
    throw Refusal{interrupted_exit,
                  fmt::format("weir: interrupted while {} was read\n", as_typed(settings.data))};
  }
}

bool is_usage(const std::exception& error) noexcept {
  const auto* const own = dynamic_cast<const Error*>(&error);
  return own ? own->code() == Errc::bad_options || own->code() == Errc::budget_too_small
             : dynamic_cast<const std::invalid_argument*>(&error) != nullptr;
}

void complain(const std::exception& error, const Settings* settings) noexcept {
  const bool no_memory = dynamic_cast<const std::bad_alloc*>(&error) != nullptr;
  const char* what = no_memory ? "out of memory" : error.what();
  std::string fit;
  try {
    // It may contain a raw path.
    fit = rank_in_job(settings) + sanitize_message(message_of(error, settings), SIZE_MAX);
    what = fit.c_str();
  } catch (const std::exception&) {
    // No memory for a better message.
  }
  std::fprintf(stderr, "weir: %s\n", what);
}

void refuse(const Refusal& refusal, const Settings* settings) {
  constexpr std::string_view program = "weir: ";
  auto text = refusal.text;
  if (text.starts_with(program)) text.insert(program.size(), rank_in_job(settings));
  if (refusal.exit_code == done_exit) {
    write_wrapped(text);
  } else {
    std::fputs(text.c_str(), stderr);
  }
}

/// The page of the guide that explains words, installed with this program or in the tree that built it.
/// Empty if it is not there.
std::string guide_page() {
  std::error_code failed;
  const auto folder = std::filesystem::read_symlink("/proc/self/exe", failed).parent_path();
  for (const auto* root : {"../share/doc/weir", "../.."}) {
    const auto page = (folder / root / "docs/guide/concepts.md").lexically_normal();
    if (std::filesystem::exists(page, failed)) return page;
  }
  return "";
}

/// A report with a trainer's profile has tens of MiB at most. JSON takes ten times its size when it
/// is parsed.
constexpr std::uint64_t most_report_bytes = 256ull << 20;

}  // namespace

int page_command(const Settings& settings, const Interrupt&) {
  const auto& path = settings.data;
  const auto text = read_text_file(path, most_report_bytes);
  report::Json report;
  try {
    report = report::read_report(text);
  } catch (const std::invalid_argument& e) {
    throw std::invalid_argument(sanitize(path) + " " + e.what());
  }
  write_file(settings.html, report::page(report, {}, guide_page()));
  return done_exit;
}

void emit(const Settings& settings, const report::Json& json, const std::string& text,
          std::span<const report::PicturedRow> pictures) {
  write_all({[&] {
               if (!settings.json.empty() && !settings.json_on_stdout())
                 write_file(settings.json, report::write(json));
             },
             [&] {
               if (!settings.html.empty())
                 write_file(settings.html, report::page(json, pictures, guide_page()));
             },
             [&] {
               if (settings.json_on_stdout()) return write_stdout(report::write(json));
               // The next command has DATA as it must be typed.
               const auto next = std::min(text.rfind("\nNext: "), text.size());
               write_wrapped(with_option_names(text.substr(0, next)) + text.substr(next));
             }});
}

int exit_code(const report::Run& run) {
  if (run.interrupted) return interrupted_exit;
  return run.error.empty() && !run.output_failure ? done_exit : failed_exit;
}

int program(const std::vector<std::string>& arguments) {
  std::optional<Settings> settings;
  const Settings* known = nullptr;
  int code = done_exit;
  try {
    try {
      known = &settings.emplace(parse(arguments));
      return dispatch(*settings);
    } catch (const Refusal& refusal) {
      refuse(refusal, known);
      code = refusal.exit_code;
    }
  } catch (const std::exception& e) {
    complain(e, known);
    code = is_usage(e) ? usage_exit : failed_exit;
  }
  end_job(code);
  return code;
}

}  // namespace weir::cli
