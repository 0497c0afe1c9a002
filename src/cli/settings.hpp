#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/parse.hpp"
#include "report/figures.hpp"
#include "weir/advice.hpp"
#include "weir/convert.hpp"
#include "weir/loader.hpp"
#include "weir/model.hpp"

namespace weir::cli {

class MetricsServer;

enum class Command : std::uint8_t {
  plan,
  footprint,
  probe,
  run,
  sweep,
  tune,
  verify,
  demo,
  page,
  help
};

/// What slabs are made of.
enum class SlabMemory : std::uint8_t { pages, huge, locked, pinned };

/// Which model to look at, and what to put in place of what its file says.
struct ModelSettings {
  std::string path;  ///< of MODEL.json; empty: none
  std::optional<std::uint64_t> batch, micro_batch, fit_bytes;
  std::optional<ElementType> dtype;  ///< of all but input that is uint8 and tokens
  std::optional<Optimizer> optimizer;
};

/// What a command line asks for. Defaults are the library's.
struct Settings {
  Command command = Command::run;
  std::string data;    ///< for help, a command; empty: none was named
  std::string beside;  ///< verify: of a second loader on the same budget; empty: none
  Options options;
  ModelSettings model;
  /// plan: whether --batch and --size were given, or a model may say.
  bool batch_given = false, size_given = false;
  std::vector<std::uint32_t> depths;  ///< as --max-queue-size lists them; empty: not asked
  std::vector<std::string> extensions;
  FollowSymlinks follow_symlinks = FolderOptions{}.follow_symlinks;
  std::optional<std::uint64_t> epochs, steps;
  bool settle = false;
  bool digest = false;
  bool grid = false;
  bool quiet = false;
  bool lenient = false;
  bool each = false;     ///< probe: a line for each file, sound ones too; help: all options
  std::string list_bad;  ///< probe: file for the names of bad files; empty: none
  std::string exclude;   ///< file of names to leave out; empty: none
  ElementType dtype = ElementType::u8;
  Layout layout = Layout::nchw;
  double consumer_ms = 0;
  std::vector<double> consumer_trace;  ///< milliseconds by batch, over and over; empty: consumer_ms
  double target_readiness = AdviceOptions{}.target_readiness;
  DelaySpec read_delay;
  std::string budget_how;  ///< how --memory-budget auto was worked out; empty: bytes were named
  SlabMemory slab_memory = SlabMemory::pages;
  std::function<std::string()> slab_note;     ///< what that memory was refused; empty: of pages
  std::string json;                           ///< "-": stdout instead of the text
  std::string trace;                          ///< file of the trace; empty: none
  std::string html;                           ///< file of the page; empty: none
  std::optional<std::uint16_t> metrics_port;  ///< 0: a free one
  std::string metrics_address = "127.0.0.1";
  std::shared_ptr<MetricsServer> metrics;  ///< where the program listens; parse() leaves it empty
  /// sweep: whether throughput is predicted, too, and advice given. Not in demo, whose large pictures
  /// come in a row: a prediction takes them for shuffled.
  bool predict = true;
  /// Set in a process that sweeps one depth for another: it writes its JSON alone.
  std::optional<std::uint32_t> only_depth;

  /// The epochs a stream runs over: as asked, else as many as --steps takes, else the library's one.
  std::optional<std::uint64_t> stream_epochs() const {
    if (epochs) return epochs;
    return steps ? std::nullopt : StreamOptions{}.epochs;
  }
  bool json_on_stdout() const { return json == "-"; }
};

/// Why a command line is not run: help and version (exit 0), or a usage error (exit 2).
struct Refusal {
  int exit_code = 2;
  std::string text;
};

/// Throws Refusal. `arguments` without the program's name.
Settings parse(const std::vector<std::string>& arguments);

}  // namespace weir::cli
