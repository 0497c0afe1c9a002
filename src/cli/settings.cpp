#include "cli/settings.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "report/bytes.hpp"
#include "weir/version.hpp"

namespace weir::cli {
namespace {

template <class T>
T parse_number(std::string_view text, std::string_view what) {
  T value{};
  const auto* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || stop != end || error != std::errc{})
    throw std::invalid_argument("'" + std::string(text) + "' is not " + std::string(what));
  return value;
}

// CLI11 turns the message into "--option: message".
template <class Setter>
auto checked(Setter setter) {
  return [setter](const std::string& text) {
    try {
      setter(text);
    } catch (const std::invalid_argument& e) {
      throw CLI::ValidationError(e.what());
    }
  };
}

std::vector<std::uint32_t> parse_depths(std::string_view text) {
  std::vector<std::uint32_t> depths;
  for (std::size_t from = 0; from <= text.size();) {
    const auto comma = std::min(text.find(',', from), text.size());
    const auto depth =
        parse_number<std::uint32_t>(text.substr(from, comma - from), "a queue depth");
    if (depth == 0) throw std::invalid_argument("a queue holds at least 1 batch, not 0");
    depths.push_back(depth);
    from = comma + 1;
  }
  return depths;
}

void parse_tolerance(const std::string& text, FaultOptions& faults) {
  if (!text.ends_with('%')) {
    faults.tolerate = parse_number<std::uint64_t>(text, "a number of faults or a percentage");
    return;
  }
  const auto percent =
      parse_number<double>(std::string_view(text).substr(0, text.size() - 1), "a percentage");
  if (!(percent >= 0 && percent <= 100))
    throw std::invalid_argument("'" + text + "' is not between 0% and 100%");
  faults.tolerate_share = percent / 100;
}

[[noreturn]] void not_built(std::string_view what) {
  throw Refusal{2, "weir: " + std::string(what) + " is not built yet\n"};
}

class Parser {
 public:
  Parser()
      : app_("Image batches through a bounded queue, every byte and sample on the books.", "weir") {
    app_.set_version_flag("--version", "weir " + std::string(version));
    app_.require_subcommand(1);
    app_.get_formatter()->column_width(34);
    add(Command::plan, "plan",
        "host bytes for each queue depth and element type, before reading a file", false);
    add(Command::probe, "probe",
        "what is there: formats, sizes, worst scratch, every file that will not decode");
    add(Command::run, "run",
        "drain epochs through a null, sleeping or converting consumer, and report");
    add(Command::sweep, "sweep",
        "the cost of each queue depth: bytes and throughput, predicted beside measured");
    add(Command::verify, "verify",
        "soak: check every law a thousand times a second; exit 1 on a breach");
    add(Command::demo, "demo", "make a few hundred JPEGs and sweep over them: no data needed",
        false);
    for (const auto* name : {"footprint", "tune"}) {
      auto* command = app_.add_subcommand(name, "not built yet")->group("")->allow_extras();
      command->set_help_flag();
      command->callback([name] { not_built(name); });
    }
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
      std::string text = "weir: " + std::string(e.what());
      throw Refusal{2, text + "\nRun with --help for the options.\n"};
    }
    finish();
    return std::move(settings_);
  }

 private:
  void add(Command command, const char* name, const char* summary, bool needs_data = true) {
    auto& sub = *app_.add_subcommand(name, summary);
    sub.callback([this, command] { settings_.command = command; });
    if (command != Command::demo)
      sub.add_option("DATA", settings_.data,
                     "a folder, a manifest of path<TAB>label lines, or synthetic:COUNT,HxW")
          ->required(needs_data);
    if (command == Command::plan)
      sub.add_flag("--grid", settings_.grid,
                   "GiB of the pixels of one batch, by batch and resolution");
    if (command == Command::sweep) sub.add_option("--only-depth", settings_.only_depth)->group("");
    if (command != Command::demo) {
      add_pixels(sub);
      add_queue(sub);
      add_pace(sub);
      add_faults(sub);
    }
    add_output(sub);
    add_unbuilt(sub);
  }

  template <class T>
  using Words = std::vector<std::pair<std::string_view, T>>;

  template <class T>
  CLI::Option* choice(CLI::App& sub, const std::string& name, T& target, Words<T> words,
                      const std::string& help) {
    const auto choose = [&target, words = std::move(words)](const std::string& text) {
      std::string known;
      for (const auto& [word, value] : words) {
        if (word == text) {
          target = value;
          return;
        }
        known += (known.empty() ? "" : ", ") + std::string(word);
      }
      throw std::invalid_argument("'" + text + "' is none of " + known);
    };
    return sub.add_option_function<std::string>(name, checked(choose), help);
  }

  void add_pixels(CLI::App& sub) {
    auto& o = settings_.options;
    const std::string group = "Pixels";
    sub.add_option_function<std::string>(
           "--size", checked([&o](const std::string& t) { o.shape = parse_size(t); }),
           "height and width of every image, HxW [224x224]")
        ->group(group);
    choice(sub, "--fit", o.fit,
           {{"center", Fit::center},
            {"random", Fit::random},
            {"stretch", Fit::stretch},
            {"letterbox", Fit::letterbox}},
           "how an image becomes HxW [center]")
        ->group(group);
    sub.add_option("--short-side", o.short_side,
                   "fit center: the shorter side before the crop [HxW * 256/224]")
        ->group(group);
    choice(sub, "--exif", o.exif, {{"apply", Exif::apply}, {"ignore", Exif::ignore}},
           "EXIF orientation [apply]")
        ->group(group);
    choice(sub, "--dtype", settings_.dtype,
           {{"uint8", report::ElementType::u8},
            {"float32", report::ElementType::f32},
            {"float16", report::ElementType::f16},
            {"bfloat16", report::ElementType::bf16}},
           "what the consumer converts each batch to [uint8: nothing]")
        ->group(group);
    choice(sub, "--layout", settings_.layout, {{"nchw", Layout::nchw}, {"nhwc", Layout::nhwc}},
           "of converted batches [nchw]")
        ->group(group);
    sub.add_option_function<std::string>(
           "--ext", checked([this](const std::string& t) { add_extensions(t); }),
           "only files that end so: .jpg,.png [every file]")
        ->group(group);
  }

  void add_queue(CLI::App& sub) {
    auto& o = settings_.options;
    const std::string group = "Queue and memory";
    sub.add_option("--batch", o.batch, "images in a batch [32]")
        ->check(CLI::PositiveNumber)
        ->group(group);
    sub.add_option_function<std::string>(
           "--max-queue-size",
           checked([this](const std::string& t) { settings_.depths = parse_depths(t); }),
           "batches ahead of the consumer; sweep takes a list N,N [4]")
        ->group(group);
    sub.add_option("--max-leases", o.queue.max_leases, "batches the consumer holds at once [1]")
        ->check(CLI::PositiveNumber)
        ->group(group);
    sub.add_option("--workers", o.workers, "threads that decode [one per hardware thread]")
        ->group(group);
    sub.add_option("--read-ahead", o.io.read_ahead, "reads kept outstanding [0: the worker reads]")
        ->group(group);
    sub.add_option_function<std::string>(
           "--memory-budget", checked([&o](const std::string& t) {
             if (t == "auto") not_built("--memory-budget auto");
             o.memory.budget_bytes = report::parse_bytes(t);
           }),
           "the most bytes that may ever be live: 64MiB, 2GiB [no bound]")
        ->group(group);
    sub.add_option_function<std::string>("--max-sample-bytes", checked([&o](const std::string& t) {
                                           o.memory.max_sample_bytes = report::parse_bytes(t);
                                         }),
                                         "encoded bytes and scratch of one sample [from the plan]")
        ->group(group);
  }

  void add_pace(CLI::App& sub) {
    const std::string group = "Order and pace";
    auto& o = settings_.options;
    sub.add_option("--seed", o.seed, "of order, random crops and replacements [0]")->group(group);
    sub.add_flag("--shuffle", o.shuffle, "a new order each epoch")->group(group);
    sub.add_flag("--drop-last", o.drop_last, "leave out the short last batch of an epoch")
        ->group(group);
    sub.add_option("--epochs", settings_.epochs,
                   "passes over the data [1; with --steps: as many as it takes]")
        ->check(CLI::PositiveNumber)
        ->group(group);
    sub.add_option("--steps", settings_.steps, "end after this many batches are released")
        ->check(CLI::PositiveNumber)
        ->group(group);
    sub.add_flag("--settle", settings_.settle,
                 "after the last step wait until the loader rests, then count")
        ->group(group);
    sub.add_option("--consumer-ms", settings_.consumer_ms,
                   "milliseconds the consumer takes for a batch [0]")
        ->check(CLI::NonNegativeNumber)
        ->group(group);
    sub.add_option("--read-delay-ms", settings_.read_delay_ms,
                   "milliseconds added to each read [0]")
        ->check(CLI::NonNegativeNumber)
        ->group(group);
  }

  void add_faults(CLI::App& sub) {
    auto& faults = settings_.options.faults;
    const std::string group = "Bad samples";
    choice(sub, "--on-fault", faults.policy,
           {{"stop", OnFault::stop}, {"skip", OnFault::skip}, {"blank", OnFault::blank}},
           "stop; replace the sample; leave its row blank [stop]")
        ->group(group);
    sub.add_option_function<std::string>(
           "--tolerate", checked([&faults](const std::string& t) { parse_tolerance(t, faults); }),
           "faults before skip and blank give up, N or P% [any number]")
        ->group(group);
    auto* strict = sub.add_flag_callback(
                          "--strict", [&faults] { faults.strict = true; },
                          "a decoder's warning is a fault [default]")
                       ->group(group);
    sub.add_flag_callback(
           "--lenient", [&faults] { faults.strict = false; }, "deliver, and mark the row damaged")
        ->excludes(strict)
        ->group(group);
  }

  void add_output(CLI::App& sub) {
    const std::string group = "Output";
    sub.add_option("--json", settings_.json,
                   "write the report as JSON to a file, or to stdout with -")
        ->group(group);
    if (sub.get_option_no_throw("--batch") != nullptr)
      sub.add_flag("--digest", settings_.digest,
                   "SHA-256 over every delivered pixel, label and index")
          ->group(group);
    sub.add_flag("--quiet", settings_.quiet, "no progress and no hints")->group(group);
  }

  void add_unbuilt(CLI::App& sub) {
    for (const auto* name : {"--html", "--rank", "--world", "--trace", "--metrics-port"})
      sub.add_option_function<std::string>(name, [name](const std::string&) { not_built(name); })
          ->group("");
  }

  void add_extensions(const std::string& list) {
    std::istringstream parts(list);
    for (std::string extension; std::getline(parts, extension, ',');) {
      if (extension.empty()) throw std::invalid_argument("an empty extension in '" + list + "'");
      settings_.extensions.push_back(extension.starts_with('.') ? extension : '.' + extension);
    }
  }

  void finish() {
    auto& s = settings_;
    if (s.depths.size() > 1 && s.command != Command::sweep && s.command != Command::plan)
      throw Refusal{2, "weir: only sweep and plan take a list of depths in --max-queue-size\n"};
    if (s.command == Command::sweep && s.depths.empty()) s.depths = {1, 2, 4, 8, 16};
    if (s.only_depth) s.depths = {*s.only_depth};
    if (!s.depths.empty())
      s.options.queue.max_queue_size = *std::max_element(s.depths.begin(), s.depths.end());
  }

  Settings settings_;
  CLI::App app_;
};

}  // namespace

Shape parse_size(const std::string& text) {
  const auto cross = text.find('x');
  const auto side = [&](std::string_view part) {
    return parse_number<std::uint32_t>(part, "a size; write HxW, as in 224x224");
  };
  if (cross == std::string::npos)
    throw std::invalid_argument("'" + text + "' is not a size; write HxW, as in 224x224");
  Shape shape{.height = side(std::string_view(text).substr(0, cross)),
              .width = side(std::string_view(text).substr(cross + 1))};
  if (shape.height == 0 || shape.width == 0)
    throw std::invalid_argument("'" + text + "' has a side of 0");
  return shape;
}

Settings parse(const std::vector<std::string>& arguments) { return Parser().parse(arguments); }

}  // namespace weir::cli
