#include "cli/settings.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <sstream>
#include <utility>

#include "cli/option_group.hpp"
#include "cli/size_settings.hpp"
#include "cli/words.hpp"
#include "report/bytes.hpp"
#include "weir/version.hpp"

namespace weir::cli {
namespace {

[[noreturn]] void not_built(std::string_view what) {
  throw Refusal{2, "weir: " + std::string(what) + " is not built yet\n"};
}

class Parser {
 public:
  Parser() {
    app_.set_version_flag("--version", "weir " + std::string(version));
    app_.require_subcommand(1);
    constexpr std::size_t names_width = 28;
    app_.get_formatter()->column_width(names_width);
    add(Command::plan, "plan", "bytes by queue depth and element type, before reading a file");
    add_footprint();
    add(Command::probe, "probe", "formats, sizes, worst scratch, every file that will not decode");
    add(Command::run, "run", "drain epochs as a trainer would, and report");
    add(Command::sweep, "sweep", "what each queue depth costs, predicted beside measured");
    add(Command::tune, "tune",
        "what bounds the run, the smallest setting that is as fast, and why");
    add(Command::verify, "verify", "soak: every law, a thousand times a second");
    add_page();
    add(Command::demo, "demo", "make a few hundred JPEGs and sweep over them");
  }

  Settings parse(std::vector<std::string> arguments) {
    std::reverse(arguments.begin(), arguments.end());  // as CLI11 wants them
    try {
      app_.parse(std::move(arguments));
    } catch (const CLI::Success& e) {
      std::ostringstream text;
      app_.exit(e, text, text);
      throw Refusal{0, text.str()};
    } catch (const CLI::ParseError& e) {
      throw Refusal{2, "weir: " + std::string(e.what()) + "\nRun with --help for the options.\n"};
    }
    finish();
    return std::move(settings_);
  }

 private:
  void add_footprint() {
    auto& sub = *app_.add_subcommand("footprint", "memory of training, before anything runs");
    sub.callback([this] { settings_.command = Command::footprint; });
    auto& model = settings_.model;
    sub.add_option("MODEL.json", model.path, "layers, input, element types, optimizer")
        ->type_name("")
        ->required();
    OptionGroup training(sub, "Training, in place of what MODEL.json says");
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
    OptionGroup output(sub, "Output");
    output.text(
        "--fit", "BYTES",
        [&model](const std::string& t) { model.fit_bytes = report::parse_bytes(t); },
        "largest batch and micro-batch whose peak that holds; exit 1: not an image");
    add_json(output);
  }

  void add_micro_batch(OptionGroup& group) {
    group.positive("--micro-batch", settings_.model.micro_batch,
                   "images that go through the network at once [the batch]");
  }

  void add_json(OptionGroup& output) {
    output.text(
        "--json", "FILE|-", [this](const std::string& t) { settings_.json = t; },
        "the report as JSON; -: to stdout, instead of the text");
  }

  void add(Command command, const char* name, const char* summary) {
    auto& sub = *app_.add_subcommand(name, summary);
    sub.callback([this, command] { settings_.command = command; });
    if (command != Command::demo) {
      const bool needs_data = command != Command::plan;
      sub.add_option("DATA", settings_.data,
                     "a folder, a manifest of path<TAB>label lines, or synthetic:COUNT,HxW")
          ->type_name("")
          ->required(needs_data);
      add_pixels({sub, "Pixels"});
      add_queue({sub, "Queue and memory"});
      add_pace({sub, "Order and pace"});
      add_faults({sub, "Bad samples"});
      add_limits({sub, "Limits of one sample, each a fault of kind limit"});
    }
    if (command == Command::tune) {
      OptionGroup(sub, "Advice")
          .text(
              "--target-readiness", "SHARE",
              [this](const std::string& t) { settings_.target_readiness = parse_share(t); },
              "share of steps at which a batch is to be waiting [0.99]");
    }
    if (command == Command::verify)
      OptionGroup(sub, "Two loaders")
          .text(
              "--beside", "DATA2", [this](const std::string& t) { settings_.beside = t; },
              "soak these data at the same time, by a loader of their own on the same budget");
    OptionGroup output(sub, "Output");
    if (command == Command::plan)
      output.flag("--grid", settings_.grid, "GiB of the pixels of one batch, by batch and size");
    if (command == Command::plan) {
      OptionGroup training(sub, "Training");
      training.text(
          "--model", "MODEL.json", [this](const std::string& t) { settings_.model.path = t; },
          "training memory, too; says --batch and --size where those are not given");
      add_micro_batch(training);
    }
    if (command != Command::demo)
      output.flag("--digest", settings_.digest, "SHA-256 of all pixels, labels and indices");
    add_json(output);
    if (command != Command::plan && command != Command::probe && command != Command::verify)
      output.text(
          "--html", "FILE", [this](const std::string& t) { settings_.html = t; },
          "the report as a page with charts: one file, opens without a network");
    if (command == Command::probe) {
      output.flag("--each", settings_.each, "a line for each file, sound ones too");
      output.text(
          "--list-bad", "FILE", [this](const std::string& t) { settings_.list_bad = t; },
          "names of bad files, one a line, as in a manifest's first column (a backslash, newline "
          "or "
          "carriage return in a name as \\\\, \\n, \\r); for --exclude or a filter of your own");
    }
    output.flag("--quiet", settings_.quiet, "no progress and no hints");
    if (command == Command::run || command == Command::sweep || command == Command::verify) {
      output.number("--metrics-port", settings_.metrics_port,
                    "while it runs, serve Prometheus's format at /metrics; 0: a free port [off]");
      output.text(
          "--metrics-address", "ADDR",
          [this](const std::string& t) { settings_.metrics_address = t; },
          "address to listen on; 0.0.0.0: every one of this machine's [127.0.0.1]");
    }

    if (command == Command::run) {
      output.text(
          "--trace", "FILE", [this](const std::string& t) { settings_.trace = t; },
          "what happened when on each thread, for a trace viewer such as ui.perfetto.dev");
      output.positive("--trace-events", trace_events_,
                      "the first so many events are kept, 48 bytes each [262144]");
    }

    OptionGroup hidden(sub, "");
    if (command == Command::sweep)
      hidden.text(
          "--only-depth", "N",
          [this](const std::string& t) { settings_.only_depth = parse_depths(t).front(); }, "");
    for (const auto* unbuilt : {"--rank", "--world"})
      hidden.text(
          unbuilt, "", [unbuilt](const std::string&) { not_built(unbuilt); }, "");
  }

  void add_page() {
    auto& sub =
        *app_.add_subcommand("page", "a report that was saved as JSON, as a page with charts");
    sub.callback([this] { settings_.command = Command::page; });
    sub.add_option("REPORT", settings_.data,
                   "JSON that --json or a trainer's MemoryProfile has written")
        ->type_name("")
        ->required();
    sub.add_option("--html", settings_.html, "the page: one file, opens without a network")
        ->type_name("FILE")
        ->required()
        ->group("Output");
  }

  void add_pixels(OptionGroup group) {
    auto& o = settings_.options;
    group.text(
        "--size", "HxW",
        [this, &o](const std::string& t) {
          o.shape = parse_size(t);
          settings_.size_asked = true;
        },
        "height and width of every image [224x224]");
    group.choice("--fit", o.fit,
                 {{"center", Fit::center},
                  {"random", Fit::random},
                  {"stretch", Fit::stretch},
                  {"letterbox", Fit::letterbox}},
                 "how an image becomes HxW [center]");
    add_sizes(group, o.sizes);
    group.number("--short-side", o.short_side,
                 "fit center: shorter side before the crop [256/224 of HxW]");
    group.flag("--antialias", o.antialias,
               "every pixel counts where an image is made smaller, as in Pillow and torchvision");
    group.choice("--decode", o.decode, {{"exact", Decode::exact}, {"fast", Decode::fast}},
                 "fast: large JPEGs at 1/2, 1/4 or 1/8 of their size [exact]");
    group.choice("--exif", o.exif, {{"apply", Exif::apply}, {"ignore", Exif::ignore}},
                 "turn images upright [apply]");
    group.choice("--dtype", settings_.dtype,
                 {{"uint8", ElementType::u8},
                  {"float32", ElementType::f32},
                  {"float16", ElementType::f16},
                  {"bfloat16", ElementType::bf16}},
                 "what the consumer converts to [uint8: nothing]");
    group.choice("--layout", settings_.layout, {{"nchw", Layout::nchw}, {"nhwc", Layout::nhwc}},
                 "of converted batches [nchw]");
    group.text(
        "--ext", ".E[,.E...]",
        [this](const std::string& t) { settings_.extensions = parse_extensions(t); },
        "only files that end so [every file]");
    group.choice("--follow-symlinks", settings_.follow_symlinks,
                 {{"no", FollowSymlinks::no},
                  {"inside-root", FollowSymlinks::inside_root},
                  {"yes", FollowSymlinks::yes}},
                 "of a folder: to files in it; yes: to folders and out of it, too [inside-root]");
  }

  void add_queue(OptionGroup group) {
    auto& o = settings_.options;
    group.positive("--batch", o.batch, "images in a batch [32]");
    group.text(
        "--side-bytes", "BYTES",
        [&o](const std::string& t) { o.side_bytes = report::parse_bytes(t); },
        "beside the pixels of each sample: several labels, boxes, a mask; zeros here [0]");
    group.text(
        "--max-queue-size", "N[,N...]",
        [this](const std::string& t) { settings_.depths = parse_depths(t); },
        "batches ahead of the consumer; a list for sweep [4]");
    add_queue_bytes(group, o.queue);
    group.positive("--max-leases", o.queue.max_leases, "batches the consumer holds at once [1]");
    group.number("--workers", o.workers, "threads that decode [one per hardware thread]");
    group.number("--read-ahead", o.io.read_ahead, "reads kept outstanding [0: the worker reads]");
    group.choice("--tuning", o.tuning.mode,
                 {{"off", Tuning::off}, {"automatic", Tuning::automatic}},
                 "automatic: move queue, workers and read-ahead while running [off]");
    group.text(
        "--memory-budget", "BYTES|auto[:P%]", [this](const std::string& t) { set_budget(t); },
        "the most that may ever be live: 64MiB, 2GiB; auto: half, or P%, of what is left [no "
        "bound]");
    group.text(
        "--max-sample-bytes", "BYTES",
        [&o](const std::string& t) { o.memory.max_sample_bytes = report::parse_bytes(t); },
        "encoded bytes and scratch of one sample [by the plan]");
    group.text(
        "--cache", "encoded|decoded[:BYTES]",
        [&o](const std::string& t) { o.cache = parse_cache(t); },
        "keep samples from epoch to epoch, in what the budget leaves or in BYTES [off]");
    group.choice(
        "--slab-memory", slab_memory_,
        {{"pages", SlabMemory::pages}, {"huge", SlabMemory::huge}, {"locked", SlabMemory::locked}},
        "huge pages for slabs; huge and locked against swapping [pages]");
  }

  void add_pace(OptionGroup group) {
    auto& o = settings_.options;
    group.number("--seed", o.seed, "of order, random crops and replacements [0]");
    group.flag("--shuffle", o.shuffle, "a new order each epoch");
    group.flag("--drop-last", o.drop_last, "leave out the short last batch of an epoch");
    group.positive("--epochs", settings_.epochs, "passes over the data [1; endless with --steps]");
    group.positive("--steps", settings_.steps, "end after this many batches are released");
    group.flag("--settle", settings_.settle, "then wait until the loader rests, and count");
    group.milliseconds("--consumer-ms", settings_.consumer_ms,
                       "milliseconds the consumer takes for a batch [0]");
    group.text(
        "--consumer-trace", "FILE",
        [this](const std::string& t) { settings_.consumer_trace = read_trace(t); },
        "the same, batch for batch: a file of milliseconds, one a line, over and over");
    group.text(
        "--watchdog", "X", [&o](const std::string& t) { watch(t, o.watchdog); },
        "when nothing moves for X seconds, say on stderr what the stream waits for [off]");
    group.text(
        "--read-delay-ms", "X[:D]", [this](const std::string& t) { set_read_delay(t); },
        "milliseconds more for each read: X, or log-normal of mean X and deviation D [0]");
  }

  void add_faults(OptionGroup group) {
    auto& faults = settings_.options.faults;
    group.choice("--on-fault", faults.policy,
                 {{"stop", OnFault::stop}, {"skip", OnFault::skip}, {"blank", OnFault::blank}},
                 "end; take another sample; leave the row zero [stop]");
    group.text(
        "--tolerate", "N|P%", [&faults](const std::string& t) { parse_tolerance(t, faults); },
        "faults before skip and blank give up [any number]");
    group.flag("--strict", strict_, "a decoder's warning is a fault [so it is]");
    group.flag("--lenient", lenient_, "deliver those images, marked damaged");
    group.text(
        "--exclude", "FILE", [this](const std::string& t) { settings_.exclude = t; },
        "leave out the samples it names, one a line, as probe --list-bad writes them");
  }

  void add_limits(OptionGroup group) {
    auto& limits = settings_.options.limits;
    const auto bytes = [&group](const char* name, std::uint64_t& target, const char* help) {
      group.text(
          name, "BYTES", [&target](const std::string& t) { target = report::parse_bytes(t); },
          help);
    };
    bytes("--max-encoded-bytes", limits.max_encoded_bytes, "of a file [64MiB]");
    group.number("--max-pixels", limits.max_pixels, "width times height [100000000]");
    group.number("--max-side", limits.max_side, "width or height [65500]");
    group.number("--max-scans", limits.max_scans, "JPEG: scans that follow the first [100]");
    bytes("--max-header-bytes", limits.max_header_bytes,
          "JPEG: tables and frame before the first scan [1MiB]");
    group.number("--max-markers", limits.max_markers, "JPEG: markers before the first scan [1000]");
    bytes("--max-ancillary-bytes", limits.max_ancillary_bytes,
          "PNG: of one ancillary chunk [1MiB]");
  }

  static void watch(const std::string& text, WatchdogOptions& watchdog) {
    watchdog.after = std::chrono::milliseconds(std::llround(parse_milliseconds(text) * 1000));
    watchdog.on_stall = [](const std::string& stall) { fmt::print(stderr, "weir: {}\n", stall); };
  }

  void set_budget(const std::string& text) {
    auto& budget = settings_.options.memory.budget_bytes;
    settings_.budget_how.clear();
    if (const auto share = parse_auto_share(text)) {
      auto worked_out = auto_budget(*share);
      budget = worked_out.bytes;
      settings_.budget_how = std::move(worked_out.how);
    } else {
      budget = report::parse_bytes(text);
    }
  }

  void set_read_delay(const std::string& text) {
    const auto delay = parse_delay(text);
    settings_.read_delay_ms = delay.mean_ms;
    settings_.read_delay_deviation_ms = delay.deviation_ms;
  }

  void finish() {
    auto& s = settings_;
    if (slab_memory_ != SlabMemory::pages) {
      s.slab_memory = std::make_shared<PageMemory>(
          PageOptions{.huge = true, .lock = slab_memory_ == SlabMemory::locked});
      s.options.memory.upstream = s.slab_memory;
    }
    if (!s.trace.empty()) s.options.trace.events = trace_events_;
    check_sizes(*app_.get_subcommands().front(), s);
    if (strict_ && lenient_) throw Refusal{2, "weir: --strict and --lenient exclude each other\n"};
    s.options.faults.strict = !lenient_;
    // Only a command that has both is given a trace.
    if (!s.consumer_trace.empty() && app_.get_subcommands().front()->count("--consumer-ms") > 0)
      throw Refusal{2, "weir: --consumer-ms and --consumer-trace exclude each other\n"};
    if (s.depths.size() > 1 && s.command != Command::sweep && s.command != Command::plan)
      throw Refusal{2, "weir: --max-queue-size takes a list in sweep and plan alone\n"};
    if (s.command == Command::sweep && s.depths.empty()) s.depths = {1, 2, 4, 8, 16};
    const auto& plan = *app_.get_subcommand("plan");
    s.batch_asked = plan.count("--batch") > 0;
    if (s.grid && !s.model.path.empty())
      throw Refusal{2, "weir: --grid and --model exclude each other\n"};
    if (s.command == Command::plan && s.model.micro_batch && s.model.path.empty())
      throw Refusal{2, "weir: --micro-batch needs --model\n"};
    if (s.only_depth) s.depths = {*s.only_depth};
    if (!s.depths.empty())
      s.options.queue.max_queue_size = *std::max_element(s.depths.begin(), s.depths.end());
  }

  enum class SlabMemory : std::uint8_t { pages, huge, locked };

  Settings settings_;
  SlabMemory slab_memory_ = SlabMemory::pages;
  bool strict_ = false, lenient_ = false;
  std::uint64_t trace_events_ = 1u << 18;
  CLI::App app_{"Image batches through a bounded queue, every byte and sample on the books.",
                "weir"};
};

}  // namespace

Settings parse(const std::vector<std::string>& arguments) { return Parser().parse(arguments); }

}  // namespace weir::cli
