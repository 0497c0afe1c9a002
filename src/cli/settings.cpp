#include "cli/settings.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <string>

#include "cli/option_group.hpp"
#include "cli/plane_option.hpp"
#include "report/bytes.hpp"

namespace weir::cli {
namespace {

constexpr auto limits_heading = "Limits of one sample; beyond them it is a fault of kind limit";

void set_budget(const std::string& text, Settings& settings) {
  settings.budget_share = parse_auto_share(text);
  auto& budget = settings.options.memory.budget_bytes;
  budget.reset();
  if (!settings.budget_share) budget = report::parse_bytes(text);
}
void add_files(const OptionGroup& group, Settings& settings) {
  group.value("--ext", ".E[,.E...]", settings.extensions, parse_extensions,
              "Only files with these extensions; '*': every file. [all but extensions that are "
              "never an image's]");
  group.enumerators("--follow-symlinks", settings.follow_symlinks, {"no", "inside-root", "yes"},
                    "Links in a folder. inside-root: to files in it. yes: also to folders and "
                    "out of it. [inside-root]");
}

void add_budget(const OptionGroup& group, Settings& settings) {
  auto& o = settings.options;
  group.text(
      "--memory-budget", "BYTES|auto[:P%]",
      [&s = settings](const std::string& t) { set_budget(t, s); },
      "Maximum of live bytes, as in 64MiB or 2GiB. auto: half of the free memory. auto:P%: that "
      "percentage of it. [no limit]");
  group.rows({"memory.max_sample_bytes"}, o);
}

void add_order(const OptionGroup& group, Settings& settings) {
  auto& o = settings.options;
  group.rows({"seed"}, o);
  group.value(
      "--order", "ORDER", o.order, parse_order,
      "sequential. shuffle: a new order each epoch. blocks[:B[:K]]: a new order that reads runs "
      "of B samples and mixes those of K runs. every:N[:OFFSET]: each N-th sample. "
      "with_replacement[:DRAWS]: each draw takes any sample. weighted:FILE: the same by weight; "
      "FILE has one number on each line, for each sample. [sequential; blocks: 64, 64]");
  group.flag("--shuffle", settings.shuffle, "The same as --order shuffle.");
}

void add_exclude(const OptionGroup& group, Settings& settings) {
  group.word(
      "--exclude", "FILE", settings.exclude,
      "Leaves out the samples that FILE names, one per line, as probe --list-bad writes them.");
}

void add_limits(const OptionGroup& group, Settings& settings) {
  for (const auto& row : options::rows())
    if (row.part == options::Part::limit) group.rows({row.name}, settings.options);
}

void add_pack(CLI::App& sub, Settings& settings) {
  const auto group = [&](const char* heading) { return OptionGroup(sub, Command::pack, heading); };
  auto& o = settings.options;
  auto& p = settings.pack;
  // parse() takes OUT from the words of DATA: CLI11 gives them all to DATA.
  sub.add_option("OUT", p.out,
                 "Folder of the shards. The same command again goes on where a run ended.")
      ->type_name("")
      ->group("Arguments");
  const auto stored = group(pack_heading);
  stored.positive("--short-side", p.short_side,
                  "Larger images are reduced so that their shorter side has N pixels, and become "
                  "JPEGs. A JPEG that is not larger stays as it is.");
  stored.value(
      "--quality", "N", p.quality,
      [](const std::string& t) {
        return static_cast<std::uint32_t>(options::read_whole(t, 1, 100));
      },
      "Quality of these JPEGs, 1 to 100; 4:2:0. [90]");
  stored.flag("--keep", p.keep,
              "Copies the bytes of each image as they are. It is decoded only to find damage.");
  stored.positive(
      "--tiles", p.tiles,
      "Each JPEG gets about N restart intervals in each row of its blocks, and no pixel "
      "changes. Random crops and patches then decode fewer bytes. 16 is a good start. "
      "[no change]");
  stored.word("--jpegs-to", "DIR", p.files_to,
              "Writes images as files of the same names instead of shards. Write it without OUT. "
              "Files that DIR already has of an earlier run stay.");
  stored.texts(
      "--plane", "NAME[=SOURCE][,key=value...]",
      [&settings](const std::string& t) { add_plane(t, settings, Command::pack); },
      "A mask, depth or another image that is stored beside each image; several times for several "
      "planes. SOURCE: a folder with files of the same names; a list of files, one on each line; "
      "with tar shards, an extension as .mask.png; without SOURCE, DATA has the plane. Reduced "
      "planes become PNGs. Keys: format [stored8], missing=error|skip|absent. The word optional: a "
      "sample may be without it. [--keep: all planes of DATA]");
  stored.text(
      "--annotation", "SOURCE[,key=value...]",
      [&settings](const std::string& t) { add_annotation(t, settings); },
      "Boxes, captions or other bytes that are stored beside each image. SOURCE and keys: as of "
      "weir run. [the annotations of DATA, if a manifest has a column of them]");
  stored.value(
      "--shard-bytes", "BYTES", p.shard_bytes,
      [](const std::string& t) { return parse_bytes_within(t, {.low = 1}); },
      "Most bytes of a shard; one sample is always allowed. [256MiB]");
  add_order(group("Order"), settings);
  add_files(group("Files"), settings);
  const auto bad = group("Bad samples");
  bad.choice("--on-fault", o.faults.policy, {{"stop", OnFault::stop}, {"skip", OnFault::skip}},
             "stop: the first bad sample ends the pack. skip: it is left out and listed. [stop]");
  add_exclude(bad, settings);
  const auto resources = group("Threads and memory");
  resources.rows({"workers"}, o);
  add_budget(resources, settings);
  add_limits(group(limits_heading), settings);
}

/// The options of one command, one row for each option.
class OptionTable {
 public:
  OptionTable(CLI::App& sub, Command command, Settings& settings)
      : sub_(sub), command_(command), settings_(settings) {}

  void add() {
    using enum Command;
    sub_.get_help_ptr()->group("");
    if (is({footprint})) {
      add_footprint();
    } else if (is({page})) {
      add_page();
    } else if (is({pack})) {
      add_data();
      add_config();
      add_pack(sub_, settings_);
      add_shards(group("Tar shards as DATA"));
    } else if (is({help})) {
      add_positional("COMMAND", "A command. Without one: the list of commands.");
      group("Options").flag("--all", settings_.each, "All options, not only the common ones.");
    } else if (is({index})) {
      add_words("SHARDS", "Tar shards, as in train-{000..015}.tar, or the folder that has them.")
          ->required();
      add_shards(group("Shards"));
    } else if (!is({demo})) {
      add_data()->required(!is({plan}));
      // The first one, so that the others replace what it says.
      group("Options as text")
          .text(
              "--options", "NAME=VALUE[,...]",
              [&s = settings_](const std::string& t) { take(t, s); },
              "Members of weir::Options, as plan.options in a report; docs/guide/options.md lists "
              "them. Other options replace what it says.");
      add_config();
      add_pixels(group("Pixels"));
      add_shards(group("Tar shards"));
      add_queue(group("Queue and memory"));
      add_pace(group("Order and pace"));
      add_ranks(group("Ranks and resumption"));
      add_faults(group("Bad samples"));
      if (!is({order})) add_limits(group(limits_heading), settings_);
    }
    add_output(group("Output"));
    group("").positive("--only-depth", settings_.only_depth, "");
  }

 private:
  bool is(std::initializer_list<Command> commands) const {
    return std::ranges::find(commands, command_) != commands.end();
  }

  OptionGroup group(const char* heading) { return {sub_, command_, heading}; }

  CLI::Option* add_positional(const char* name, const char* help) {
    return sub_.add_option(name, settings_.data, help)->type_name("")->group("Arguments");
  }

  CLI::Option* add_words(const char* name, const char* help) {
    return sub_.add_option(name, settings_.words, help)->type_name("")->group("Arguments");
  }

  CLI::Option* add_data() {
    return add_words("DATA",
                     "A folder, tar shards, a manifest with lines of path<TAB>label, cifar10:PATH, "
                     "cifar100:PATH, mnist:PATH or synthetic:COUNT,HxW.");
  }

  /// parse() replaces it by what is in the file.
  void add_config() {
    group("Options as text")
        .text(
            "--config", "FILE", [](const std::string&) {},
            "Takes options from FILE in TOML, by these names: batch = 64, shuffle = true. What is "
            "below [run] is for weir run alone. Options that are typed replace them.");
  }

  void add_shards(const OptionGroup& group) {
    auto& s = settings_.shards;
    group.word("--out", "FILE", settings_.out,
               "The index, a file named index.weir above all shards. [beside the shards]");
    group.word("--image", "EXT", s.image,
               "Extension of the image in each sample. [the first that may be an image's]");
    group.word("--label", "EXT[:POINTER]", s.label,
               "The member that has the label: a decimal number, or a JSON pointer to it, as in "
               "json:/label. [cls]");
    group.word("--label-file", "FILE", s.label_file,
               "A file with lines of key<TAB>label, instead of --label.");
    group.word("--dali-index", "DIR", s.dali_index,
               is({Command::index})
                   ? "Also writes DIR/NAME.idx for each shard, as DALI's wds2idx v1.2 does."
                   : "Reads DIR/NAME.idx of DALI's wds2idx v1.2 instead of searching the shards.");
    group.flag("--verify", s.verify,
               "Compares each sample with its checksum in index.weir; a difference is a fault of "
               "kind corrupt.");
  }

  void add_footprint() {
    auto& model = settings_.model;
    sub_.add_option("MODEL.json", model.path, "Layers, input, element types and optimizer.")
        ->type_name("")
        ->group("Arguments")
        ->required();
    const auto training = group("Training options (they override MODEL.json)");
    training.positive("--batch", model.batch, "Images in a batch. [1]");
    add_micro_batch(training);
    training.choice("--dtype", model.dtype,
                    {{"float32", ElementType::f32},
                     {"float16", ElementType::f16},
                     {"bfloat16", ElementType::bf16},
                     {"float64", ElementType::f64}},
                    "Element type of all tensors. A uint8 input keeps its type.");
    training.choice(
        "--optimizer", model.optimizer,
        {{"sgd", Optimizer::sgd},
         {"momentum", Optimizer::momentum},
         {"rmsprop", Optimizer::rmsprop},
         {"adam", Optimizer::adam}},
        "Parameters, gradients and state take 2, 3, 3 or 4 times the parameters. [sgd]");
    group("Advice").value(
        "--fit", "BYTES", model.fit_bytes,
        [](const std::string& t) { return parse_bytes_within(t, {}); },
        "The largest batch and micro-batch that fit. Exit code 1: not even one image fits.");
  }

  void add_micro_batch(const OptionGroup& group) {
    group.positive("--micro-batch", settings_.model.micro_batch,
                   "Images that go through the network at once. [the batch]");
  }

  void add_page() {
    add_positional("REPORT", "JSON that --json or a trainer's MemoryProfile has written.")
        ->required();
    sub_.add_option("--html", settings_.html, "The page: one file that needs no network.")
        ->type_name("FILE")
        ->required()
        ->group("Output");
  }

  void add_pixels(const OptionGroup& group) {
    auto& o = settings_.options;
    group.rows({"shape", "fit"}, o);
    add_crops(group);
    group.rows({"pixels"}, o);
    group.value(
        "--fill", "V[,V...]", settings_.fill,
        [](const std::string& t) { return parse_fill(t, ','); },
        "What a row shows where it shows nothing of its image: one value, or one of each channel. "
        "[0]");
    group.texts(
        "--plane", "NAME[=SOURCE][,key=value...]",
        [&s = settings_, c = command_](const std::string& t) { add_plane(t, s, c); },
        "A mask, depth or another image of each sample; several times for several planes. SOURCE: "
        "a folder with files of the same names; a list of files, one on each line; with tar "
        "shards, an extension as .mask.png; without SOURCE, DATA has the plane. Keys: format "
        "[stored8], filter, fill=V[:V...], scale=A/B of the image's size, match=ratio|stretch, "
        "missing=error|skip|absent. The word optional: a sample may be without it.");
    group.rows({"sizes.mode"}, o);
    group.text(
        "--max-size", "HxW",
        [&sizes = o.sizes](const std::string& t) {
          const auto bound = read_size(t);
          sizes.max_height = bound.height;
          sizes.max_width = bound.width;
        },
        "padded, ragged: larger images are scaled down and keep their aspect ratio. [no limit]");
    group.value(
        "--schedule", "'epoch E: SIZE, ...'|FILE", settings_.schedule, read_schedule,
        "Sizes that change: from epoch E on, or from E+STEP on, images have SIZE, HxW or one "
        "number. padded, ragged: larger images are scaled down to it. FILE has E: SIZE on "
        "each line. [sizes do not change]");
    group.rows(
        {"sizes.bucket_batches", "sizes.multiple_of", "short_side", "filter", "decode", "exif"}, o);
    group.choice("--dtype", settings_.dtype,
                 {{"uint8", ElementType::u8},
                  {"float32", ElementType::f32},
                  {"float16", ElementType::f16},
                  {"bfloat16", ElementType::bf16}},
                 "Element type that the trainer converts the pixels to. [uint8: no conversion]");
    group.enumerators("--layout", settings_.layout, {"nchw", "nhwc"},
                      "Layout of converted batches. [nchw]");
    add_files(group, settings_);
    group.value(
        "--classes", "NAME[,NAME...]", settings_.classes, parse_classes,
        "The classes in the order of their labels: only these folders of a folder. [all, in "
        "byte order]");
  }

  void add_crops(const OptionGroup& group) {
    auto& o = settings_.options;
    group.rows(
        {"flip.horizontal", "flip.vertical", "random.area", "random.aspect", "patch.padding"}, o);
    group.flag("patch.pad_small", o.patch.pad_small);
    group.rows({"letterbox.align"}, o);
    group.flag("--no-enlarge", settings_.no_enlarge,
               "fit letterbox: images that are smaller than the row keep their size.");
  }

  void add_queue(const OptionGroup& group) {
    auto& o = settings_.options;
    group.rows({"batch"}, o);
    group.text(
        "--annotation", "SOURCE[,key=value...]",
        [&s = settings_](const std::string& t) { add_annotation(t, s); },
        "Boxes, captions or other bytes of each sample. SOURCE: with tar shards, the extension of "
        "the member; with other DATA, a folder with a file of the same name for each image. Keys: "
        "ext [.txt], missing=error|skip|absent.");
    group.row(*options::find("annotation_bytes"), o, "measured with --annotation, else 0");
    group.rows({"partners.count"}, o);
    const bool list = is({Command::sweep, Command::plan});
    group.value("--max-queue-size", list ? "N[,N...]" : "N", settings_.depths, parse_depths,
                is({Command::sweep}) ? "Batches ahead of the consumer: a list, or one. [1,2,4,8,16]"
                : list               ? "Batches ahead of the consumer: one number, or a list. [4]"
                                     : "Batches ahead of the consumer. [4]");
    group.rows({"queue.max_bytes", "queue.max_leases", "workers", "io.read_ahead", "tuning.mode"},
               o);
    add_budget(group, settings_);
    group.value(
        "--cache", "encoded|decoded[:BYTES]", o.cache, parse_cache,
        "Caches samples across epochs. The cache uses BYTES at most, or the unused part of the "
        "budget. [off]");
    group.rows({"cache.tiles"}, o);
    group.enumerators("--slab-memory", settings_.slab_memory, {"pages", "huge", "locked", "pinned"},
                      "Memory of the slabs. locked: huge pages that are not swapped out. pinned: "
                      "page-locked for a "
                      "CUDA device. [pages]");
  }

  void add_pace(const OptionGroup& group) {
    auto& o = settings_.options;
    add_order(group, settings_);
    group.flag("drop_last", o.drop_last);
    group.positive("--rounds", settings_.rounds,
                   "Runs of each depth, in turns. [at least 3, and 2 seconds for each depth]");
    group.positive(
        "--epochs", settings_.epochs,
        "Passes over the data. tune: those of the training, in which a cache with tiles must "
        "pay. [1; tune: 90; with --steps: no limit]");
    group.positive("--steps", settings_.steps, "Ends after this many batches.");
    group.flag("--settle", settings_.settle,
               "Waits after the last batch until no work is under way, then prints the counts.");
    group.value("--consumer-ms", "X", settings_.consumer_ms, parse_milliseconds,
                "Milliseconds that the consumer takes for a batch. [0]");
    group.value("--consumer-trace", "FILE", settings_.consumer_trace, read_trace,
                "Reads the consumer's time for each batch from FILE, one value in milliseconds per "
                "line. The list repeats from the start.");
    group.text(
        "--watchdog", "X", [&o](const std::string& t) { watch(t, o.watchdog); },
        "Prints the cause on stderr if no sample makes progress for X seconds. [off]");
    group.value("--read-delay-ms", "X[:D]", settings_.read_delay, parse_delay,
                "Adds X milliseconds to each read. With D, the delay is log-normal with mean X and "
                "standard deviation D. [0]");
  }

  void add_ranks(const OptionGroup& group) {
    auto& s = settings_;
    using plan::Launcher;
    group.choice("--ranks", s.launcher,
                 {{"none", Launcher::none},
                  {"auto", Launcher::automatic},
                  {"torchrun", Launcher::torchrun},
                  {"openmpi", Launcher::openmpi},
                  {"slurm", Launcher::slurm}},
                 "The launcher whose variables give rank and world. auto: any of them. [none]");
    group.number("--rank", s.rank, "This process, 0 to W-1 of --world W.");
    group.positive("--world", s.world,
                   "Number of ranks: processes that train together. Each has batches of --batch.");
    group.positive("--ranks-per-node", s.ranks_per_node,
                   "Ranks of --world that share the CPUs and the memory of this machine. [1]");
    group.value(
        "--resume", "FILE[,FILE...]", s.resume, read_progress,
        "Continues after the samples that --save-progress or a trainer has written. --epochs "
        "counts from the beginning of the training.");
  }

  void add_faults(const OptionGroup& group) {
    auto& faults = settings_.options.faults;
    group.rows({"faults.policy"}, settings_.options);
    group.text(
        "--tolerate", "N|P%", [&faults](const std::string& t) { parse_tolerance(t, faults); },
        "Number or share of faults that skip and blank allow. More faults end the run. [no limit]");
    group.flag("--strict", faults.strict, "A decoder's warning is a fault. [default]");
    group.flag("--lenient", settings_.lenient,
               "Delivers images with such a warning, marked as damaged.");
    add_exclude(group, settings_);
  }

  void add_output(const OptionGroup& output) {
    auto& s = settings_;
    group("Advice").value("--target-readiness", "SHARE", s.target_readiness, parse_share,
                          "Share of the steps that must find a batch ready. [0.99]");
    if (is({Command::plan})) {
      const auto training = group("Training");
      training.word(
          "--model", "MODEL.json", s.model.path,
          "Adds the memory of training. Gives --batch and --size where they are not set.");
      add_micro_batch(training);
    }
    output.flag("--grid", s.grid, "GiB of the pixels of one batch, by batch and size.");
    output.flag("--digest", s.digest, "SHA-256 of all pixels, labels and indices.");
    output.word("--json", "FILE|-", s.json,
                "The report as JSON; -: to stdout, instead of the text.");
    output.word("--html", "FILE", s.html,
                "The report as a page with charts, and of run and tune small pictures of the first "
                "rows: one file that needs no network.");
    output.flag("--each", s.each, "Prints a line for each file, also for good ones.");
    output.word("--list-bad", "FILE", s.list_bad,
                "Writes the names of bad files, one a line, for --exclude. A backslash, newline or "
                "carriage return in a name is written as \\\\, \\n, \\r.");
    output.flag("--quiet", s.quiet, "No progress and no hints.");
    output.number("--metrics-port", s.metrics_port,
                  "Serves Prometheus's format at /metrics while it runs; 0: a free port. [off]");
    output.word("--metrics-address", "ADDR", s.metrics_address,
                "Address to listen on; 0.0.0.0: all addresses of this machine. [127.0.0.1]");
    output.word(
        "--samples", "FILE", s.samples,
        "Writes a line for each row: epoch, position, index, name, label, status, with tabs.");
    output.word("--windows", "FILE", s.windows,
                "Writes as JSON which rectangle of its image each row shows, and where.");
    output.word(
        "--save-progress", "FILE", s.save_progress,
        "Writes which samples are finished: after a batch, at most once a second, and at the end.");
    output.word("--trace", "FILE", s.trace,
                "Records the work of each thread, for a trace viewer such as ui.perfetto.dev.");
    output.row(*options::find("trace.events"), s.options, "262144");
  }

  static void take(const std::string& text, Settings& settings) {
    settings.options = Options::parse(text);
    settings.planes.clear();
    for (const auto& plane : settings.options.planes) settings.planes.push_back({plane.name, {}});
  }

  static void watch(const std::string& text, WatchdogOptions& watchdog) {
    watchdog.after = std::chrono::milliseconds(std::llround(parse_seconds(text) * 1000));
    watchdog.on_stall = [](const std::string& stall) { fmt::print(stderr, "weir: {}\n", stall); };
  }

  CLI::App& sub_;
  const Command command_;
  Settings& settings_;
};

}  // namespace

void add_options(CLI::App& command, Command which, Settings& settings) {
  OptionTable(command, which, settings).add();
}

}  // namespace weir::cli
