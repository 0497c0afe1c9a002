#include "cli/settings.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <sstream>

#include "cli/option_group.hpp"
#include "weir/version.hpp"

namespace weir::cli {
namespace {

/// A command and its options: a row for each, here alone.
class OptionTable {
 public:
  OptionTable(CLI::App& sub, Command command, Settings& settings)
      : sub_(sub), command_(command), settings_(settings) {}

  void add() {
    using enum Command;
    if (is({footprint})) {
      add_footprint();
    } else if (is({page})) {
      add_page();
    } else if (!is({demo})) {
      sub_.add_option("DATA", settings_.data,
                      "a folder, a manifest of path<TAB>label lines, or synthetic:COUNT,HxW")
          ->type_name("")
          ->required(!is({plan}));
      add_pixels({sub_, "Pixels"});
      add_queue({sub_, "Queue and memory"});
      add_pace({sub_, "Order and pace"});
      add_faults({sub_, "Bad samples"});
      add_limits({sub_, "Limits of one sample, each a fault of kind limit"});
    }
    if (!is({page})) add_output({sub_, "Output"});
    add_hidden({sub_, ""});
  }

 private:
  bool is(std::initializer_list<Command> commands) const {
    return std::ranges::find(commands, command_) != commands.end();
  }

  void add_footprint() {
    auto& model = settings_.model;
    sub_.add_option("MODEL.json", model.path, "layers, input, element types, optimizer")
        ->type_name("")
        ->required();
    const OptionGroup training(sub_, "Training, in place of what MODEL.json says");
    training.positive("--batch", model.batch, "images in a batch [1]");
    add_micro_batch(training);
    training.choice("--dtype", model.dtype,
                    {{"float32", ElementType::f32},
                     {"float16", ElementType::f16},
                     {"bfloat16", ElementType::bf16},
                     {"float64", ElementType::f64}},
                    "of all accounts, but an input of uint8 stays");
    training.choice("--optimizer", model.optimizer,
                    {{"sgd", Optimizer::sgd},
                     {"momentum", Optimizer::momentum},
                     {"rmsprop", Optimizer::rmsprop},
                     {"adam", Optimizer::adam}},
                    "bytes of the parameters in all: x2, x3, x3, x4 [sgd]");
  }

  void add_micro_batch(const OptionGroup& group) {
    group.positive("--micro-batch", settings_.model.micro_batch,
                   "images that go through the network at once [the batch]");
  }

  void add_page() {
    sub_.add_option("REPORT", settings_.data,
                    "JSON that --json or a trainer's MemoryProfile has written")
        ->type_name("")
        ->required();
    sub_.add_option("--html", settings_.html, "the page: one file, opens without a network")
        ->type_name("FILE")
        ->required()
        ->group("Output");
  }

  void add_pixels(const OptionGroup& group) {
    auto& o = settings_.options;
    group.value("--size", "HxW", o.shape, parse_size, "height and width of every image [224x224]");
    group.enumerators("--fit", o.fit, {"center", "random", "stretch", "letterbox"},
                      "how an image becomes HxW [center]");
    group.enumerators(
        "--sizes", o.sizes.mode, {"fixed", "padded", "ragged"},
        "padded, ragged: images keep their own sizes, in blocks as large as the largest, "
        "or one behind the other [fixed: HxW]");
    group.text(
        "--max-size", "HxW",
        [&sizes = o.sizes](const std::string& t) {
          const auto bound = parse_size(t);
          sizes.max_height = bound.height;
          sizes.max_width = bound.width;
        },
        "padded, ragged: larger images are scaled down, aspect kept [none is]");
    group.positive("--bucket", o.sizes.bucket_batches,
                   "padded: sorted by size within N batches, for less padding [off]");
    group.number("--short-side", o.short_side,
                 "fit center: shorter side before the crop [256/224 of HxW]");
    group.flag("--antialias", o.antialias,
               "every pixel counts where an image is made smaller, as in Pillow and torchvision");
    group.enumerators("--decode", o.decode, {"exact", "fast"},
                      "fast: large JPEGs at 1/2, 1/4 or 1/8 of their size [exact]");
    group.enumerators("--exif", o.exif, {"apply", "ignore"}, "turn images upright [apply]");
    group.choice("--dtype", settings_.dtype,
                 {{"uint8", ElementType::u8},
                  {"float32", ElementType::f32},
                  {"float16", ElementType::f16},
                  {"bfloat16", ElementType::bf16}},
                 "what the consumer converts to [uint8: nothing]");
    group.enumerators("--layout", settings_.layout, {"nchw", "nhwc"},
                      "of converted batches [nchw]");
    group.value("--ext", ".E[,.E...]", settings_.extensions, parse_extensions,
                "only files that end so [every file]");
    group.enumerators(
        "--follow-symlinks", settings_.follow_symlinks, {"no", "inside-root", "yes"},
        "of a folder: to files in it; yes: to folders and out of it, too [inside-root]");
  }

  void add_queue(const OptionGroup& group) {
    auto& o = settings_.options;
    group.positive("--batch", o.batch, "images in a batch [32]");
    group.bytes("--side-bytes", o.side_bytes,
                "beside the pixels of each sample: several labels, boxes, a mask; zeros here [0]");
    group.value("--max-queue-size", "N[,N...]", settings_.depths, parse_depths,
                "batches ahead of the consumer; a list for sweep [4]");
    group.value(
        "--max-queue-bytes", "BYTES", o.queue.max_bytes,
        [](const std::string& t) { return at_least_1(report::parse_bytes(t)); },
        "of the batches ahead of the consumer; one may always be there [no bound]");
    group.positive("--max-leases", o.queue.max_leases, "batches the consumer holds at once [1]");
    group.number("--workers", o.workers, "threads that decode [one per hardware thread]");
    group.number("--read-ahead", o.io.read_ahead, "reads kept outstanding [0: the worker reads]");
    group.enumerators("--tuning", o.tuning.mode, {"off", "automatic"},
                      "automatic: move queue, workers and read-ahead while running [off]");
    group.text(
        "--memory-budget", "BYTES|auto[:P%]",
        [&s = settings_](const std::string& t) { set_budget(t, s); },
        "the most that may ever be live: 64MiB, 2GiB; auto: half, or P%, of what is left [no "
        "bound]");
    group.bytes("--max-sample-bytes", o.memory.max_sample_bytes,
                "encoded bytes and scratch of one sample [by the plan]");
    group.value("--cache", "encoded|decoded[:BYTES]", o.cache, parse_cache,
                "keep samples from epoch to epoch, in what the budget leaves or in BYTES [off]");
    group.enumerators(
        "--slab-memory", settings_.slab_memory, {"pages", "huge", "locked", "pinned"},
        "huge pages for slabs; huge and locked against swapping; page-locked for a CUDA "
        "device [pages]");
  }

  void add_pace(const OptionGroup& group) {
    auto& o = settings_.options;
    group.number("--seed", o.seed, "of order, random crops and replacements [0]");
    group.flag("--shuffle", o.shuffle, "a new order each epoch");
    group.flag("--drop-last", o.drop_last, "leave out the short last batch of an epoch");
    group.positive("--epochs", settings_.epochs, "passes over the data [1; endless with --steps]");
    group.positive("--steps", settings_.steps, "end after this many batches are released");
    group.flag("--settle", settings_.settle, "then wait until the loader rests, and count");
    group.milliseconds("--consumer-ms", settings_.consumer_ms,
                       "milliseconds the consumer takes for a batch [0]");
    group.value("--consumer-trace", "FILE", settings_.consumer_trace, read_trace,
                "the same, batch for batch: a file of milliseconds, one a line, over and over");
    group.text(
        "--watchdog", "X", [&o](const std::string& t) { watch(t, o.watchdog); },
        "when nothing moves for X seconds, say on stderr what the stream waits for [off]");
    group.value("--read-delay-ms", "X[:D]", settings_.read_delay, parse_delay,
                "milliseconds more for each read: X, or log-normal of mean X and deviation D [0]");
  }

  void add_faults(const OptionGroup& group) {
    auto& faults = settings_.options.faults;
    group.enumerators("--on-fault", faults.policy, {"stop", "skip", "blank"},
                      "end; take another sample; leave the row zero [stop]");
    group.text(
        "--tolerate", "N|P%", [&faults](const std::string& t) { parse_tolerance(t, faults); },
        "faults before skip and blank give up [any number]");
    group.flag("--strict", faults.strict, "a decoder's warning is a fault [so it is]");
    group.flag("--lenient", settings_.lenient, "deliver those images, marked damaged");
    group.word("--exclude", "FILE", settings_.exclude,
               "leave out the samples it names, one a line, as probe --list-bad writes them");
  }

  void add_limits(const OptionGroup& group) {
    auto& limits = settings_.options.limits;
    group.bytes("--max-encoded-bytes", limits.max_encoded_bytes, "of a file [64MiB]");
    group.number("--max-pixels", limits.max_pixels, "width times height [100000000]");
    group.number("--max-side", limits.max_side, "width or height [65500]");
    group.number("--max-scans", limits.max_scans, "JPEG: scans that follow the first [100]");
    group.bytes("--max-header-bytes", limits.max_header_bytes,
                "JPEG: tables and frame before the first scan [1MiB]");
    group.number("--max-markers", limits.max_markers, "JPEG: markers before the first scan [1000]");
    group.bytes("--max-ancillary-bytes", limits.max_ancillary_bytes,
                "PNG: of one ancillary chunk [1MiB]");
  }

  void add_output(const OptionGroup& group) {
    using enum Command;
    auto& s = settings_;
    const OptionGroup advice(sub_, "Advice", is({tune})), pair(sub_, "Two loaders", is({verify})),
        training(sub_, "Training", is({plan}));
    advice.value("--target-readiness", "SHARE", s.target_readiness, parse_share,
                 "share of steps at which a batch is to be waiting [0.99]");
    pair.word("--beside", "DATA2", s.beside,
              "soak these data at the same time, by a loader of their own on the same budget");
    group.when(is({plan}))
        .flag("--grid", s.grid, "GiB of the pixels of one batch, by batch and size");
    training.word("--model", "MODEL.json", s.model.path,
                  "training memory, too; says --batch and --size where those are not given");
    if (is({plan})) add_micro_batch(training);
    group.when(is({footprint}))
        .bytes("--fit", s.model.fit_bytes,
               "largest batch and micro-batch whose peak that holds; exit 1: not an image");
    group.when(!is({footprint, demo}))
        .flag("--digest", s.digest, "SHA-256 of all pixels, labels and indices");
    group.word("--json", "FILE|-", s.json, "the report as JSON; -: to stdout, instead of the text");
    group.when(is({run, sweep, tune, demo}))
        .word("--html", "FILE", s.html,
              "the report as a page with charts: one file, opens without a network");
    group.when(is({probe})).flag("--each", s.each, "a line for each file, sound ones too");
    group.when(is({probe}))
        .word("--list-bad", "FILE", s.list_bad,
              "names of bad files, one a line, as in a manifest's first column (a backslash, "
              "newline or carriage return in a name as \\\\, \\n, \\r); for --exclude or a filter "
              "of your own");
    group.when(!is({footprint})).flag("--quiet", s.quiet, "no progress and no hints");
    group.when(is({run, sweep, verify}))
        .number("--metrics-port", s.metrics_port,
                "while it runs, serve Prometheus's format at /metrics; 0: a free port [off]");
    group.when(is({run, sweep, verify}))
        .word("--metrics-address", "ADDR", s.metrics_address,
              "address to listen on; 0.0.0.0: every one of this machine's [127.0.0.1]");
    group.when(is({run})).word(
        "--trace", "FILE", s.trace,
        "what happened when on each thread, for a trace viewer such as ui.perfetto.dev");
    group.when(is({run})).positive("--trace-events", s.options.trace.events,
                                   "the first so many events are kept, 48 bytes each [262144]");
  }

  void add_hidden(const OptionGroup& group) {
    using enum Command;
    group.when(is({sweep})).positive("--only-depth", settings_.only_depth, "");
    for (const auto* unbuilt : {"--rank", "--world"})
      group.when(!is({footprint, page}))
          .text(
              unbuilt, "",
              [unbuilt](const std::string&) {
                throw Refusal{2, fmt::format("weir: {} is not built yet\n", unbuilt)};
              },
              "");
  }

  static void watch(const std::string& text, WatchdogOptions& watchdog) {
    watchdog.after = std::chrono::milliseconds(std::llround(parse_milliseconds(text) * 1000));
    watchdog.on_stall = [](const std::string& stall) { fmt::print(stderr, "weir: {}\n", stall); };
  }

  static void set_budget(const std::string& text, Settings& settings) {
    const auto share = parse_auto_share(text);
    const auto budget = share ? auto_budget(*share) : AutoBudget{report::parse_bytes(text), {}};
    settings.options.memory.budget_bytes = budget.bytes;
    settings.budget_how = budget.how;
  }

  CLI::App& sub_;
  const Command command_;
  Settings& settings_;
};

constexpr struct {
  Command command;
  const char *name, *summary;
} commands[] = {
    {Command::plan, "plan", "bytes by queue depth and element type, before reading a file"},
    {Command::footprint, "footprint", "memory of training, before anything runs"},
    {Command::probe, "probe", "formats, sizes, worst scratch, every file that will not decode"},
    {Command::run, "run", "drain epochs as a trainer would, and report"},
    {Command::sweep, "sweep", "what each queue depth costs, predicted beside measured"},
    {Command::tune, "tune", "what bounds the run, the smallest setting that is as fast, and why"},
    {Command::verify, "verify", "soak: every law, a thousand times a second"},
    {Command::page, "page", "a report that was saved as JSON, as a page with charts"},
    {Command::demo, "demo", "make a few hundred JPEGs and sweep over them"},
};

}  // namespace

Settings parse(const std::vector<std::string>& arguments) {
  CLI::App app("Image batches through a bounded queue, every byte and sample on the books.",
               "weir");
  app.set_version_flag("--version", "weir " + std::string(version));
  app.require_subcommand(1);
  constexpr std::size_t names_width = 28;
  app.get_formatter()->column_width(names_width);
  Settings settings;
  for (const auto& [command, name, summary] : commands) {
    auto& sub = *app.add_subcommand(name, summary);
    sub.callback([&settings, chosen = command] { settings.command = chosen; });
    OptionTable(sub, command, settings).add();
  }
  try {
    app.parse(std::vector(arguments.rbegin(), arguments.rend()));  // the order that CLI11 wants
  } catch (const CLI::Success& e) {
    std::ostringstream text;
    app.exit(e, text, text);
    throw Refusal{0, text.str()};
  } catch (const CLI::ParseError& e) {
    throw Refusal{2, "weir: " + std::string(e.what()) + "\nRun with --help for the options.\n"};
  }
  apply_rules(*app.get_subcommands().front(), settings);
  return settings;
}

}  // namespace weir::cli
