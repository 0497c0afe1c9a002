#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/parse.hpp"
#include "plan/ranks.hpp"
#include "plan/resolve.hpp"
#include "weir/convert.hpp"
#include "weir/footprint.hpp"
#include "weir/loader.hpp"
#include "weir/shards.hpp"
#include "weir/source.hpp"

namespace weir::observe {
class MetricsServer;
}

namespace weir::cli {

enum class Command : std::uint8_t {
  plan,
  footprint,
  probe,
  run,
  sweep,
  tune,
  verify,
  order,
  pack,
  index,
  demo,
  page,
  help
};

/// The kind of memory for slabs.
enum class SlabMemory : std::uint8_t { pages, huge, locked, pinned };

/// A model file, and values that replace those of the file.
struct ModelSettings {
  std::string path;  ///< path of MODEL.json; empty: no model
  std::optional<std::uint64_t> batch, micro_batch, fit_bytes;
  std::optional<ElementType> dtype;  ///< not for uint8 input and tokens
  std::optional<Optimizer> optimizer;
};

/// Quality of the JPEGs that pack makes.
inline constexpr std::uint32_t usual_quality = 90;

/// What `weir pack` writes, and where.
struct PackSettings {
  std::string out;                          ///< folder of the shards, or of the files
  std::optional<std::uint32_t> short_side;  ///< empty: the bytes are kept
  std::optional<std::uint32_t> quality;
  std::optional<std::uint32_t> tiles;  ///< restart intervals in each row of a JPEG; empty: as it is
  std::optional<std::uint64_t> shard_bytes;
  std::string files_to;  ///< the folder of --jpegs-to; empty: shards are written
  bool keep = false;
};

/// Where the files of a plane come from.
struct PlaneSource {
  std::string name;  ///< PlaneOptions::name
  std::string
      from{};  ///< a folder, a list of files, or the extension of a member; empty: DATA has it
  MissingPlane missing = MissingPlane::error;
  bool of_options = false;  ///< --options has it; --plane replaces what that says

  /// Whether it is the extension of a member of tar shards, as ".mask.png".
  bool is_extension() const {
    return from.starts_with('.') && from != "." && from != ".." && from.find('/') == from.npos;
  }
};

/// Where annotations come from.
struct AnnotationSource {
  std::string from;       ///< a folder, or the extension of a member; empty: nowhere
  std::string extension;  ///< of the files in a folder; empty: .txt
  MissingPlane missing = MissingPlane::error;

  std::string file_extension() const { return extension.empty() ? ".txt" : extension; }
};

/// The parsed command line. Defaults are those of the library.
struct Settings {
  Command command = Command::run;
  std::vector<std::string> arguments;  ///< the parsed words, without the program's name
  std::vector<std::string> words;      ///< DATA as typed; several: tar shards
  std::string data;  ///< DATA as one word; help: the name of a command; empty: not given
  Options options;
  ModelSettings model;
  PackSettings pack;
  /// plan: true if --batch and --size were given. Otherwise a model may decide them.
  bool batch_given = false, size_given = false;
  std::vector<PlaneSource> planes;  ///< beside options.planes
  AnnotationSource annotation;
  std::vector<options::SizeChange> schedule;  ///< empty: sizes do not change
  std::optional<ImageSize>
      measured_size;                  ///< sweep, tune: the only size of `schedule` that they load
  std::vector<std::uint32_t> depths;  ///< the list of --max-queue-size; empty: not given
  /// The members that --options gives, and the part of its text that does.
  std::vector<std::pair<std::string_view, std::string>> in_options;
  FolderOptions files;  ///< of a folder; without max_encoded_bytes and skip_other_classes
  ShardOptions shards;  ///< without annotation, max_encoded_bytes and planes
  std::string out;      ///< index: the file; empty: beside the shards
  std::optional<std::uint64_t> epochs, steps;
  std::optional<std::uint64_t> rounds;  ///< sweep: runs of each depth; empty: by time
  bool settle = false;
  bool digest = false;
  bool grid = false;
  bool quiet = false;
  bool each = false;     ///< probe: one line for each file, valid files too; help: all options
  std::string list_bad;  ///< probe: output file for the names of bad files; empty: none
  std::string exclude;   ///< file with names of samples to leave out; empty: none
  ElementType dtype = ElementType::u8;
  Layout layout = Layout::nchw;
  double consumer_ms = 0;
  std::vector<double> consumer_trace;  ///< milliseconds of each batch; repeats; empty: consumer_ms
  DelaySpec read_delay;
  std::optional<double> budget_share;      ///< of --memory-budget auto; empty: not automatic
  std::string budget_how;                  ///< how that budget was computed; empty: not automatic
  std::string sample_how;                  ///< what was measured of the samples; empty: nothing
  plan::LargestSample sample;              ///< what was measured of the samples
  std::optional<plan::Launcher> launcher;  ///< --ranks
  std::optional<std::uint32_t> rank, world, ranks_per_node;
  std::optional<weir::Progress> resume;  ///< the files of --resume, merged
  SlabMemory slab_memory = SlabMemory::pages;
  std::function<std::string()> slab_note;  ///< why that memory was not available; empty for pages
  std::string json;                        ///< "-": JSON on stdout, no text
  std::string trace;                       ///< file for the trace; empty: none
  std::string samples;                     ///< run: file for the delivered rows; empty: none
  std::string windows;                     ///< order: file for the windows; empty: none
  std::string save_progress;               ///< run: file for the Progress; empty: none
  bool joint = false;                      ///< whether one rank reports for all (cli/mpi_job)
  bool save_progress_by_rank = true;  ///< whether each rank has a file; otherwise one has all ranks
  std::string html;                   ///< file for the page; empty: none
  std::optional<std::uint16_t> metrics_port;  ///< 0: a free port
  std::string metrics_address = "127.0.0.1";
  std::shared_ptr<observe::MetricsServer> metrics;  ///< set by program(); parse() leaves it empty
  /// Set in a child process of sweep, which measures one depth. It writes only its JSON.
  std::optional<std::uint32_t> only_depth;

  /// The epochs of a stream: --epochs; or unlimited with --steps; or the library's default.
  std::optional<std::uint64_t> stream_epochs() const {
    if (epochs) return epochs;
    return steps ? std::nullopt : StreamOptions{}.epochs;
  }
  /// DATA: one text, or the paths of several tar shards.
  std::vector<std::string> paths() const {
    return words.size() > 1 ? words : std::vector<std::string>{data};
  }
  /// Whether a command is for all ranks of --world and not for one of them.
  bool all_ranks() const { return world && !rank; }
  bool json_on_stdout() const { return json == "-"; }
};

/// The options that name a file to write.
inline constexpr struct {
  const char* option;
  std::string Settings::*path;
  bool by_rank = false;  ///< whether each rank writes one
  bool joint = false;    ///< whether, with MPI, one rank can write it for all
} output_files[] = {{"--json", &Settings::json, true, true},
                    {"--html", &Settings::html, true, true},
                    {"--trace", &Settings::trace, true},
                    {"--samples", &Settings::samples, true},
                    {"--save-progress", &Settings::save_progress, true, true},
                    {"--list-bad", &Settings::list_bad},
                    {"--windows", &Settings::windows}};

/// The reason to end before a command runs: help and version (exit 0), or a usage error (exit 2).
struct Refusal {
  int exit_code = 2;
  std::string text;
};
/// The refusal of a usage error: "weir: ", this text and a newline.
template <class... T>
Refusal misuse(fmt::format_string<T...> format, T&&... arguments) {
  return {2, "weir: " + fmt::format(format, std::forward<T>(arguments)...) + '\n'};
}

/// Parses a command line without the program's name, and reads the file of --config. Throws Refusal.
Settings parse(const std::vector<std::string>& words);

}  // namespace weir::cli
