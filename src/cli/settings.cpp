#include "cli/settings.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <span>
#include <string>

#include "base/byte_text.hpp"
#include "cli/command_line.hpp"
#include "cli/option_group.hpp"
#include "cli/output.hpp"
#include "options/values.hpp"
#include "weir/error.hpp"

namespace weir::cli {
namespace {

/// An option of the program.
struct Row {
  std::string_view name;        ///< "--epochs"; or a member of Options, which has its row there
  std::string_view commands{};  ///< with blanks between; empty: those that have its part
  std::string_view form{};      ///< of the value in the help; empty: a flag, or that of the member
  /// Of a member: behind its meaning, instead of its default.
  std::string_view help{};
  /// Reads the value, or "true" or "false" of a flag. Throws std::invalid_argument, or Error, that says what
  /// it must be. Null: the row of the member does.
  void (*read)(const Row& row, const std::string& text, Settings& settings) = nullptr;
  std::uint64_t least = 1, most = UINT64_MAX;
  bool repeats = false;        ///< whether each value counts
  const char* bare = nullptr;  ///< the value of the option without one; null: it needs one
};

void refuse_empty(const std::string& text) {
  if (text.empty()) refuse_text("must not be empty");
}

template <class T>
void take(const Row& row, const std::string& text, T& target) {
  if constexpr (std::is_same_v<T, bool>) {
    target = text == "true";
  } else if constexpr (std::is_same_v<T, std::string>) {
    refuse_empty(text);
    target = text;
  } else if constexpr (std::is_enum_v<T>) {
    const auto words = split(row.form, '|');
    const auto at = std::ranges::find(words, text) - words.begin();
    if (at == std::ssize(words)) refuse_text("must be one of " + std::string(row.form));
    target = static_cast<T>(at);
    if constexpr (requires { to_string(target); })
      for (target = T{}; to_string(target) != text;)
        target = static_cast<T>(static_cast<int>(target) + 1);
  } else if constexpr (std::is_integral_v<T>) {
    target = static_cast<T>(options::read_whole(
        text, row.least, std::min<std::uint64_t>(row.most, std::numeric_limits<T>::max())));
  } else {
    take(row, text, target.emplace());
  }
}

/// A row whose value goes into the member of Settings that `Get` reaches, as its type is read.
template <class Get>
constexpr Row into(std::string_view name, std::string_view commands, std::string_view form, Get,
                   std::string_view help, std::uint64_t least = 1, std::uint64_t most = UINT64_MAX,
                   const char* bare = nullptr) {
  return {name,
          commands,
          form,
          help,
          [](const Row& row, const std::string& text, Settings& s) { take(row, text, Get{}(s)); },
          least,
          most,
          false,
          bare};
}
/// The same with a function that reads it.
template <auto parse, class Get>
constexpr Row read_by(std::string_view name, std::string_view commands, std::string_view form, Get,
                      std::string_view help) {
  return {name, commands, form, help,
          [](const Row&, const std::string& text, Settings& s) { Get{}(s) = parse(text); }};
}
#define WEIR_AT(member) \
  [](Settings & s) -> auto& { return s.member; }

void read_member(std::string_view member, std::string_view text, Settings& s) {
  const auto& row = *options::find(member);
  row.read(row, text, s.options);
}

// Files that are compiled together have variables of these names.
namespace table {

constexpr std::string_view streams = "run sweep tune verify", plans = "plan run sweep tune verify",
                           epochs = "run sweep verify", loads = "plan probe run sweep tune verify",
                           positions = "plan run sweep tune verify order pack",
                           all_data = "plan probe run sweep tune verify order pack",
                           shards = "plan probe run sweep tune verify order pack index";

// probe takes batch, queue and threads, because they decide what a budget leaves for one sample. tune takes
// order and epochs, because the command that it proposes has them.

constexpr Row as_text[] = {
    // The first one, so that the others replace what it says.
    {"--options", "plan probe run sweep tune verify order", "NAME=VALUE[,...]",
     "Members of weir::Options, as plan.options in a report; docs/guide/options.md lists them. "
     "Other options replace what it says.",
     [](const Row&, const std::string& text, Settings& s) {
       refuse_empty(text);
       s.options = Options::parse(text);
       s.planes.clear();
       for (const auto& plane : s.options.planes)
         s.planes.push_back({.name = plane.name, .of_options = true});
       for (const auto part : split(text, ','))
         if (const auto* const row = options::find(part.substr(0, part.find('=')))) {
           s.in_options.emplace_back(row->name, part);
           if (row->name == "queue.max_queue_size") s.depths = {s.options.queue.max_queue_size};
         }
     }},
    // parse() replaces it by what is in the file.
    {"--config", all_data, "FILE",
     "Takes options from FILE in TOML, by these names: batch = 64, shuffle = true. What is below "
     "[run] is for weir run alone. Options that are typed replace them.",
     [](const Row&, const std::string& text, Settings&) { refuse_empty(text); }}};

constexpr Row stored[] = {
    into("--short-side", "pack", "N", WEIR_AT(pack.short_side),
         "Larger images are reduced so that their shorter side has N pixels, and become JPEGs. A "
         "JPEG that is not larger stays as it is."),
    into("--quality", "pack", "N", WEIR_AT(pack.quality),
         "Quality of these JPEGs, 1 to 100; 4:2:0. [90]", 1, 100),
    into("--keep", "pack", "", WEIR_AT(pack.keep),
         "Copies the bytes of each image as they are. It is decoded only to find damage."),
    into(
        "--tiles", "pack", "[N]", WEIR_AT(pack.tiles),
        "Each JPEG gets about N restart intervals in each row of its blocks, and no pixel changes. "
        "Random crops and patches then decode fewer bytes. Without N: 16. [no change]",
        1, UINT64_MAX, "16"),
    into("--jpegs-to", "pack", "DIR", WEIR_AT(pack.files_to),
         "Writes images as files of the same names instead of shards. Write it without OUT. Files "
         "that DIR already has of an earlier run stay."),
    {"--shard-bytes", "pack", "BYTES",
     "Most bytes of a shard; one sample is always allowed. [256MiB]",
     [](const Row&, const std::string& text, Settings& s) {
       s.pack.shard_bytes = parse_bytes(text);
       if (s.pack.shard_bytes == 0u) refuse_text("must be 1 or more bytes");
     }}};

constexpr Row training[] = {
    into("--batch", "footprint", "N", WEIR_AT(model.batch), "Images in a batch. [1]"),
    into("--model", "plan", "MODEL.json", WEIR_AT(model.path),
         "Adds the memory of training. Gives --batch and --size where they are not set."),
    into(
        "--micro-batch", "plan footprint", "N", WEIR_AT(model.micro_batch),
        "Images that go through the network at once; a smaller batch goes as a whole. [the batch]"),
    into("--dtype", "footprint", "float32|float16|bfloat16|float64", WEIR_AT(model.dtype),
         "Element type of all tensors. A uint8 input keeps its type."),
    into("--optimizer", "footprint", "sgd|momentum|rmsprop|adam", WEIR_AT(model.optimizer),
         "Parameters, gradients and state take 2, 3, 3 or 4 times the parameters. [sgd]")};

constexpr Row advice[] = {
    read_by<parse_bytes>(
        "--fit", "footprint", "BYTES", WEIR_AT(model.fit_bytes),
        "The largest batch and micro-batch that fit. Exit code 1: not even one image fits."),
    {"tuning.target_readiness", "tune", "SHARE"}};

constexpr Row pixels[] = {
    {"shape"},
    {"fit", "plan probe run sweep tune verify order"},
    {"flip.horizontal"},
    {"flip.vertical"},
    {"random.area"},
    {"random.aspect"},
    {"patch.padding"},
    {"patch.pad_small"},
    {"letterbox.align"},
    {"--no-enlarge", "plan probe run sweep tune verify order", "",
     "fit letterbox: images that are smaller than the row keep their size.",
     [](const Row&, const std::string& text, Settings& s) {
       s.options.letterbox.enlarge = text != "true";
     }},
    {"pixels"},
    {"fill"},
    {"planes", all_data, "NAME[=SOURCE][,key=value...]",
     "One option for each. SOURCE: a folder with files of the same names; a list of files, one on "
     "each line; with tar shards, an extension as .mask.png; without SOURCE, DATA has the plane. "
     "Keys: format [stored8], filter, fill=V[:V...], scale=A/B of the image's size, "
     "match=ratio|stretch, missing=error|skip|absent; pack takes format and missing. The word "
     "optional: a sample may be without it.",
     [](const Row&, const std::string& text, Settings& s) { add_plane(text, s); }, 0, 0, true},
    {"sizes.mode"},
    {"sizes.max_height", "", "HxW", "[no limit]",
     [](const Row&, const std::string& text, Settings& s) {
       const auto bound = read_size(text);
       s.options.sizes.max_height = bound.height;
       s.options.sizes.max_width = bound.width;
     }},
    read_by<read_schedule>(
        "--schedule", "plan run sweep tune verify order", "'epoch E: SIZE, ...'|FILE",
        WEIR_AT(schedule),
        "Sizes that change: from epoch E on, or from E+STEP on, images have SIZE, HxW or one "
        "number. padded, ragged: larger images are scaled down to it. FILE has E: SIZE on each "
        "line. [sizes do not change]"),
    {"sizes.bucket_batches"},
    {"sizes.multiple_of", "plan run sweep verify"},
    {"short_side", "probe run sweep tune verify order"},
    {"filter"},
    {"decode"},
    {"exif"},
    into("--dtype", "plan run sweep tune verify", "uint8|float32|float16|bfloat16", WEIR_AT(dtype),
         "Element type that the trainer converts the pixels to. [uint8: no conversion]"),
    into("--layout", streams, "nchw|nhwc", WEIR_AT(layout), "Layout of converted batches. [nchw]")};

constexpr Row files[] = {
    read_by<parse_extensions>("--ext", all_data, ".E[,.E...]", WEIR_AT(files.extensions),
                              "Only files with these extensions; '*': every file. [all but "
                              "extensions that are never an image's]"),
    into("--follow-symlinks", all_data, "no|inside-root|yes", WEIR_AT(files.follow_symlinks),
         "Links in a folder. inside-root: to files in it. yes: also to folders and out of it. "
         "[inside-root]"),
    read_by<parse_names>("--classes", "plan probe run sweep tune verify order", "NAME[,NAME...]",
                         WEIR_AT(files.classes),
                         "The classes in the order of their labels: only these folders of a "
                         "folder. [all, in byte order]"),
    {"--annotation", "plan probe run sweep tune verify pack", "SOURCE[,key=value...]",
     "Boxes, captions or other bytes of each sample. SOURCE: with tar shards, the extension of the "
     "member; with other DATA, a folder with a file of the same name for each image. Keys: ext "
     "[.txt], missing=error|skip|absent.",
     [](const Row&, const std::string& text, Settings& s) { add_annotation(text, s); }},
    {"annotation_bytes", "", "", "[measured with --annotation, else 0]"},
    {"partners.count", "plan run sweep tune verify order"}};

constexpr Row tar_shards[] = {
    into("--out", "index", "FILE", WEIR_AT(out),
         "The index, a file named index.weir above all shards. [beside the shards]"),
    into("--image", shards, "EXT", WEIR_AT(shards.image),
         "Extension of the image in each sample. [that of index.weir; without one, "
         "the first that may be an image's]"),
    into("--label", shards, "EXT[:POINTER]", WEIR_AT(shards.label),
         "The member that has the label: a decimal number, or a JSON pointer to it, as in "
         "json:/label. cls: the labels of index.weir, if there is one. [cls]"),
    into("--label-file", shards, "FILE", WEIR_AT(shards.label_file),
         "A file with lines of key<TAB>label, instead of --label."),
    into("--dali-index", all_data, "DIR", WEIR_AT(shards.dali_index),
         "Reads DIR/NAME.idx of DALI's wds2idx v1.2 instead of searching the shards."),
    into("--dali-index", "index", "DIR", WEIR_AT(shards.dali_index),
         "Also writes DIR/NAME.idx for each shard, as DALI's wds2idx v1.2 does."),
    into("--verify", "probe run sweep tune", "", WEIR_AT(shards.verify),
         "Compares each image with its checksum in index.weir; a difference is a fault of kind "
         "corrupt.")};

constexpr Row queue[] = {
    {"batch", "plan probe run sweep tune verify order"},
    read_by<parse_depths>("--max-queue-size", "sweep", "N[,N...]", WEIR_AT(depths),
                          "Batches ahead of the consumer: a list, or one. [1,2,4,8,16]"),
    read_by<parse_depths>("--max-queue-size", "plan", "N[,N...]", WEIR_AT(depths),
                          "Batches ahead of the consumer: one number, or a list. [4]"),
    read_by<parse_depths>("--max-queue-size", "probe run tune verify", "N", WEIR_AT(depths),
                          "Batches ahead of the consumer. [4]"),
    {"queue.max_bytes"},
    {"queue.max_leases"},
    {"workers", all_data},
    {"io.read_ahead"},
    {"tuning.mode", "plan run verify"},
    {"memory.budget_bytes", "", "BYTES|auto[:P%]",
     "As in 64MiB or 2GiB. auto: half of the free memory. auto:P%: that percentage of it. [no "
     "limit]",
     [](const Row&, const std::string& text, Settings& s) {
       s.budget_share = parse_auto_share(text);
       auto& budget = s.options.memory.budget_bytes;
       budget.reset();
       if (!s.budget_share) budget = parse_bytes(text);
     }},
    {"memory.max_sample_bytes", loads},
    {"--max-sample-bytes", "pack", "BYTES",
     "Encoded bytes and scratch memory of one sample. [about half of the budget]",
     [](const Row&, const std::string& text, Settings& s) {
       read_member("memory.max_sample_bytes", text, s);
     }},
    {"cache.keep", plans, "encoded|decoded[:BYTES]",
     "BYTES: its bound, otherwise what the budget leaves. [off]",
     [](const Row&, const std::string& text, Settings& s) {
       const auto colon = std::min(text.find(':'), text.size());
       s.options.cache = {};
       read_member("cache.keep", text.substr(0, colon), s);
       if (colon < text.size()) read_member("cache.max_bytes", text.substr(colon + 1), s);
     }},
    {"cache.tiles", plans},
    into(
        "--slab-memory", plans, "pages|huge|locked|pinned", WEIR_AT(slab_memory),
        "Memory of the slabs. locked: huge pages that are not swapped out. pinned: page-locked for "
        "a CUDA device. [pages]")};

constexpr Row pace[] = {
    {"seed"},
    {"order", "", "ORDER",
     "sequential. shuffle: a new order each epoch. blocks[:B[:K]]: a new order that reads runs of "
     "B "
     "samples and mixes those of K runs. every:N[:OFFSET]: each N-th sample. "
     "with_replacement[:DRAWS]: each draw takes any sample. weighted:FILE: the same by weight; "
     "FILE "
     "has one number on each line, for each sample. [sequential; blocks: 64, 64]",
     [](const Row&, const std::string& text, Settings& s) { s.options.order = parse_order(text); }},
    {"--shuffle", positions, "", "The same as --order shuffle.",
     [](const Row&, const std::string& text, Settings& s) {
       if (text == "true") s.options.order = Order::shuffle();
     }},
    {"drop_last"},
    into("--rounds", "sweep", "N", WEIR_AT(rounds),
         "Runs of each depth, in turns. [at least 3, and 2 seconds for each depth]"),
    into("--epochs", "run sweep tune verify order", "N", WEIR_AT(epochs),
         "Passes over the data. tune: those of the training, in which a cache with tiles must pay. "
         "[1; tune: 90; others with --steps: no limit]"),
    into("--steps", "run sweep verify order", "N", WEIR_AT(steps), "Ends after this many batches."),
    into("--settle", epochs, "", WEIR_AT(settle),
         "Waits after the last batch until no work is under way, then prints the counts."),
    read_by<parse_milliseconds>("--consumer-ms", streams, "X", WEIR_AT(consumer_ms),
                                "Milliseconds of the consumer for each batch. [0]"),
    read_by<read_trace>("--consumer-trace", streams, "FILE", WEIR_AT(consumer_trace),
                        "Reads the consumer's time for each batch from FILE, one value in "
                        "milliseconds per line. The list repeats from the start."),
    {"--watchdog", streams, "X",
     "Prints the cause on stderr if no sample makes progress, or no batch is asked for, for X "
     "seconds. [off]",
     [](const Row&, const std::string& text, Settings& s) {
       s.options.watchdog = {std::chrono::milliseconds(std::llround(parse_seconds(text) * 1000)),
                             [](const std::string& stall) { say_line("weir: " + stall); }};
     }},
    read_by<parse_delay>("--read-delay-ms", "probe run sweep tune verify", "X[:D]",
                         WEIR_AT(read_delay),
                         "Adds X milliseconds to each read. With D, the delay is log-normal with "
                         "mean X and standard deviation D. [0]")};

constexpr Row ranks[] = {
    into("--ranks", "run sweep tune order", "none|auto|torchrun|openmpi|slurm", WEIR_AT(launcher),
         "The launcher whose variables give rank and world. auto: any of them. [none]"),
    into("--rank", "run sweep tune order", "N", WEIR_AT(rank),
         "This process, 0 to W-1 of --world W.", 0),
    into("--world", "plan run sweep tune verify order", "N", WEIR_AT(world),
         "Number of ranks: processes that train together. Each has batches of --batch."),
    into("--ranks-per-node", "plan run sweep tune", "N", WEIR_AT(ranks_per_node),
         "Ranks of --world that share the CPUs and the memory of this machine. [1]"),
    read_by<read_progress>("--resume", "run order", "FILE[,FILE...]", WEIR_AT(resume),
                           "Continues after the samples that --save-progress or a trainer has "
                           "written. --epochs counts from the beginning of the training.")};

constexpr Row faults[] = {
    {"faults.policy", streams},
    into("--on-fault", "pack", "stop|skip", WEIR_AT(options.faults.policy),
         "stop: the first bad sample ends the pack. skip: it is left out and listed. [stop]"),
    {"--tolerate", streams, "N|P%",
     "Number or share of faults that skip and blank allow. More faults end the run when a batch "
     "is complete. [no limit]",
     [](const Row&, const std::string& text, Settings& s) {
       read_member(text.ends_with('%') ? "faults.tolerate_share" : "faults.tolerate", text, s);
     }},
    into("--strict", loads, "", WEIR_AT(options.faults.strict),
         "A decoder's warning is a fault. [default]"),
    {"--lenient", loads, "", "Delivers images with such a warning, marked as damaged.",
     [](const Row&, const std::string& text, Settings& s) {
       s.options.faults.strict = text != "true";
     }},
    into("--exclude", all_data, "FILE", WEIR_AT(exclude),
         "Leaves out the samples that FILE names, one per line, as probe --list-bad writes them.")};

constexpr Row output[] = {
    into("--all", "help", "", WEIR_AT(each), "All options, not only the common ones."),
    into("--grid", "plan", "", WEIR_AT(grid), "GiB of the pixels of one batch, by batch and size."),
    into(
        "--digest", epochs, "", WEIR_AT(digest),
        "SHA-256 of all pixels, labels, indices, planes and annotations. There is no verdict then, "
        "because its time counts as the consumer's."),
    into("--json", "plan footprint probe run sweep tune verify pack index demo", "FILE|-",
         WEIR_AT(json), "The report as JSON; -: to stdout, instead of the text."),
    into("--html", "run sweep tune demo page", "FILE", WEIR_AT(html),
         "The report as a page with charts: one file that needs no network. run and tune add small "
         "pictures of the first rows."),
    into("--each", "probe", "", WEIR_AT(each), "Prints a line for each file, also for good ones."),
    into("--list-bad", "probe pack", "FILE", WEIR_AT(list_bad),
         "Writes the names of bad files, one a line, for --exclude. A backslash, newline or "
         "carriage return in a name is written as \\\\, \\n, \\r."),
    into("--quiet", "plan footprint probe run sweep tune verify order pack index demo page", "",
         WEIR_AT(quiet), "No progress and no hints."),
    into("--metrics-port", epochs, "N", WEIR_AT(metrics_port),
         "Serves Prometheus's format at /metrics while it runs; 0: a free port. [off]", 0),
    into("--metrics-address", epochs, "ADDR", WEIR_AT(metrics_address),
         "Address to listen on; 0.0.0.0: all addresses of this machine. [127.0.0.1]"),
    into("--samples", "run", "FILE", WEIR_AT(samples),
         "Writes a line for each row: epoch, position, index, name, label, status, with tabs."),
    into("--windows", "order", "FILE", WEIR_AT(windows),
         "Writes as JSON which rectangle of its image each row shows, and where."),
    into("--save-progress", "run", "FILE", WEIR_AT(save_progress),
         "Writes which samples are finished: after a batch, at most once a second, and at the "
         "end."),
    into("--trace", "run", "FILE", WEIR_AT(trace),
         "Records the work of each thread, for a trace viewer such as ui.perfetto.dev."),
    {"trace.events", "run", "", "[262144]"}};

constexpr Row hidden[] = {into("--only-depth", "sweep", "N", WEIR_AT(only_depth), "")};

}  // namespace table

#undef WEIR_AT

/// The commands that have a part of the loader.
std::string_view commands_of(options::Part part) {
  using options::Part;
  switch (part) {
    case Part::window: return "plan probe run sweep tune verify order";
    case Part::sizes: return "plan run sweep verify order";
    case Part::order: return table::positions;
    case Part::batch: return "plan run sweep tune verify order";
    case Part::sample:
    case Part::limit: return "plan probe run sweep tune verify pack";
    default: return table::loads;
  }
}

/// Reads `text` by `row`, and names the option and the value in its errors.
void read_option(const Row& row, const options::Row* member, const std::string& name,
                 const std::string& form, const std::string& text, Settings& settings) {
  const auto given = name + ' ' + as_typed(text);
  try {
    if (text.starts_with("--"))
      refuse_text("an option is not a value; write " + name + ' ' + form +
                  (form.starts_with("FILE") ? ", as in ./" + text : ""));
    if (row.read)
      row.read(row, text, settings);
    else
      member->read(*member, text, settings.options);
  } catch (const std::invalid_argument& e) {
    throw CLI::ValidationError(given, e.what());
  } catch (const std::system_error& e) {
    if (e.code() == Errc::bad_options) throw CLI::ValidationError(given, e.what());
    // A file that cannot be read. The command line is not wrong.
    throw std::runtime_error(given + ": " + e.what());
  }
}

void add_option(CLI::App& app, std::string_view command, const char* heading, const Row& row,
                Settings& settings) {
  const auto* const member = row.name.starts_with("--") ? nullptr : options::find(row.name);
  if (!lists(row.commands.empty() ? commands_of(member->part) : row.commands, command)) return;
  const std::string name(member ? member->option : row.name);
  const auto form =
      row.form.empty() && member ? options::help_form(*member) : std::string(row.form);
  auto help = std::string(row.help);
  if (member && help.empty() && !form.empty())
    help = fmt::format("[{}]", member->text(*member, {}));
  if (member) help = fmt::format("{}{}{}", member->meaning, help.empty() ? "" : " ", help);
  const auto read = [&row, member, name, form, &settings](const std::string& text) {
    read_option(row, member, name, form, text, settings);
  };
  if (form.empty()) {
    const auto check = [name](const std::string& text) {
      return text == "true" || text == "false"
                 ? std::string()
                 : "takes no value; write " + name + ", or " + name + "=false";
    };
    const auto set = [read](std::int64_t on) { read(on > 0 ? "true" : "false"); };
    app.add_flag_function(name, set, help)->check(check)->group(heading);
    return;
  }
  const auto each = [read](const std::vector<std::string>& texts) {
    for (const auto& text : texts) read(text);
  };
  auto* const option = app.add_option_function<std::vector<std::string>>(name, each, help);
  option->type_name(form)->group(heading)->allow_extra_args(false);
  if (!row.repeats) option->expected(row.bare ? 0 : 1, 1)->take_last();
  if (row.bare) option->default_str(row.bare);
  option->required(name == "--html" && command == "page");
}

void add_words(CLI::App& app, const char* name, const char* help, auto& target, bool required) {
  app.add_option(name, target, help)->type_name("")->group("Arguments")->required(required);
}

}  // namespace

void add_options(CLI::App& app, Command which, Settings& s) {
  app.get_help_ptr()->group("");
  switch (which) {
    case Command::demo: break;
    case Command::help:
      add_words(app, "COMMAND", "A command. Without one: the list of commands.", s.data, false);
      break;
    case Command::footprint:
      add_words(app, "MODEL.json",
                "Layers, input, element types and optimizer. Options replace its values.",
                s.model.path, true);
      break;
    case Command::page:
      add_words(app, "REPORT", "JSON that --json or a trainer's MemoryProfile has written.", s.data,
                true);
      break;
    case Command::index:
      add_words(app, "SHARDS",
                "Tar shards, as in train-{000..015}.tar, or the folder that has them.", s.words,
                true);
      break;
    default:
      add_words(app, "DATA",
                "A folder, tar shards, a manifest of path<TAB>label, cifar10:PATH, "
                "cifar100:PATH, cifar100-coarse:PATH, mnist:PATH or synthetic:COUNT,HxW.",
                s.words, which != Command::plan && which != Command::pack);
  }
  // parse() takes OUT from the words of DATA: CLI11 gives them all to DATA.
  if (which == Command::pack)
    add_words(app, "OUT", "Folder of the shards. The same command again goes on where a run ended.",
              s.pack.out, false);
  static const auto limits = [] {
    std::vector<Row> rows;
    for (const auto& row : options::rows())
      if (row.part == options::Part::limit) rows.push_back({row.name});
    return rows;
  }();
  const struct {
    const char* heading;
    std::span<const Row> rows;
  } groups[] = {{"Options as text", table::as_text},
                {pack_heading, table::stored},
                {"Training", table::training},
                {"Pixels", table::pixels},
                {"Files", table::files},
                {"Tar shards", table::tar_shards},
                {"Queue and memory", table::queue},
                {"Order and pace", table::pace},
                {"Ranks and resumption", table::ranks},
                {"Bad samples", table::faults},
                {"Limits of one sample; beyond them it is a fault of kind limit", limits},
                {"Advice", table::advice},
                {"Output", table::output},
                {"", table::hidden}};
  for (const auto& [heading, rows] : groups)
    for (const auto& row : rows) add_option(app, name_of(which), heading, row, s);
}

}  // namespace weir::cli
