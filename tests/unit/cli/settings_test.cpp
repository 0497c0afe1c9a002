#include "cli/settings.hpp"

#include <iterator>
#include <sstream>
#include <stdexcept>

#include "cli/command_line.hpp"
#include "cli/next_command.hpp"
#include "cli/option_group.hpp"
#include "options/option_row.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"
#include "support/text.hpp"

using namespace weir;
using namespace weir::cli;
using test::contains;

namespace {

Refusal refusal(const std::vector<std::string>& arguments) {
  try {
    parse(arguments);
  } catch (const Refusal& refused) {
    return refused;
  }
  return {-1, "was not refused"};
}

Settings run_with(std::vector<std::string> options) {
  options.insert(options.begin(), {"run", "somewhere"});
  return parse(options);
}

}  // namespace

TEST_CASE("defaults are the library's", "[settings]") {
  const auto settings = run_with({});
  const Options library;
  CHECK(settings.command == Command::run);
  CHECK(settings.data == "somewhere");
  CHECK(settings.options.shape == library.shape);
  CHECK(settings.options.batch == library.batch);
  CHECK(settings.options.queue.max_queue_size == library.queue.max_queue_size);
  CHECK(settings.options.memory.budget_bytes == library.memory.budget_bytes);
  CHECK(settings.options.faults.policy == library.faults.policy);
  CHECK(settings.options.faults.strict);
  CHECK(settings.stream_epochs() == StreamOptions{}.epochs);
}

TEST_CASE("every limit of a sample has its default and its option", "[settings][limits]") {
  const auto usual = run_with({}).options.limits;
  CHECK(usual.max_encoded_bytes == 64ull << 20);
  CHECK(usual.max_pixels == 100'000'000);
  CHECK(usual.max_side == 65'500);
  CHECK(usual.max_scans == 100);
  CHECK(usual.max_header_bytes == 1ull << 20);
  CHECK(usual.max_markers == 1000);
  CHECK(usual.max_ancillary_bytes == 1ull << 20);
  const auto own = run_with({"--max-encoded-bytes", "3MiB", "--max-pixels", "4", "--max-side", "5",
                             "--max-scans", "6", "--max-header-bytes", "7KiB", "--max-markers", "8",
                             "--max-ancillary-bytes", "9"})
                       .options.limits;
  CHECK(own.max_encoded_bytes == 3ull << 20);
  CHECK(own.max_pixels == 4);
  CHECK(own.max_side == 5);
  CHECK(own.max_scans == 6);
  CHECK(own.max_header_bytes == 7ull << 10);
  CHECK(own.max_markers == 8);
  CHECK(own.max_ancillary_bytes == 9);
}

TEST_CASE("every option reaches the field it names", "[settings]") {
  const auto s = run_with({"--batch",
                           "128",
                           "--size",
                           "96x160",
                           "--fit",
                           "letterbox",
                           "--filter=antialiased",
                           "--decode",
                           "fast",
                           "--exif",
                           "ignore",
                           "--max-queue-size",
                           "10",
                           "--max-leases",
                           "2",
                           "--workers",
                           "7",
                           "--read-ahead",
                           "9",
                           "--memory-budget",
                           "64MiB",
                           "--max-sample-bytes",
                           "9MiB",
                           "--seed",
                           "42",
                           "--shuffle",
                           "--drop-last",
                           "--epochs",
                           "3",
                           "--steps",
                           "11",
                           "--settle",
                           "--on-fault",
                           "skip",
                           "--tolerate",
                           "5",
                           "--lenient",
                           "--dtype",
                           "bfloat16",
                           "--layout",
                           "nhwc",
                           "--consumer-ms",
                           "1.5",
                           "--read-delay-ms",
                           "0.25:0.5",
                           "--digest",
                           "--json",
                           "-",
                           "--quiet",
                           "--ext",
                           ".jpg,png"});
  CHECK(s.options.batch == 128);
  CHECK(s.options.shape == ImageSize{96, 160});
  CHECK(run_with({"--short-side", "300"}).options.short_side == 300);
  CHECK(s.options.fit == Fit::letterbox);
  CHECK(s.options.filter == Filter::antialiased);
  CHECK(s.options.decode == Decode::fast);
  CHECK(s.options.exif == Exif::ignore);
  CHECK(s.options.queue.max_queue_size == 10);
  CHECK(s.options.queue.max_leases == 2);
  CHECK(s.options.workers == 7);
  CHECK(s.options.io.read_ahead == 9);
  CHECK(s.options.memory.budget_bytes == 64ull << 20);
  CHECK(s.options.memory.max_sample_bytes == 9ull << 20);
  CHECK(run_with({"--max-sample-bytes", "measured"}).options.memory.max_sample_bytes ==
        ByteBound::measured);
  CHECK(s.options.seed == 42);
  CHECK(s.options.order == Order::shuffle());
  CHECK(s.options.drop_last);
  CHECK(s.epochs == 3u);
  CHECK(s.steps == 11u);
  CHECK(s.settle);
  CHECK(s.options.faults.policy == OnFault::skip);
  CHECK(s.options.faults.tolerate == 5);
  CHECK_FALSE(s.options.faults.strict);
  CHECK(s.dtype == weir::ElementType::bf16);
  CHECK(s.layout == Layout::nhwc);
  CHECK(s.consumer_ms == 1.5);
  CHECK(s.read_delay.mean_ms == 0.25);
  CHECK(s.read_delay.deviation_ms == 0.5);
  CHECK(s.digest);
  CHECK(s.json_on_stdout());
  CHECK(s.quiet);
  CHECK(s.files.extensions == std::vector<std::string>{".jpg", ".png"});
}

TEST_CASE("an option that is given twice is refused", "[settings]") {
  for (const auto& [words, why] :
       std::initializer_list<std::pair<std::vector<std::string>, const char*>>{
           {{"run", "x", "--batch", "32", "--batch", "64"}, "--batch is given 2 times"},
           {{"run", "x", "--batch=4", "--batch", "4"}, "--batch is given 2 times"},
           {{"run", "x", "--shuffle", "--shuffle=false"}, "--shuffle is given 2 times"},
           {{"tune", "x", "--quiet", "--quiet", "--quiet"}, "--quiet is given 3 times"}}) {
    const auto refused = refusal(words);
    CHECK(refused.exit_code == 2);
    CHECK(refused.text == "weir: " + std::string(why) + "; give it once\n");
  }
  // Each of them counts.
  CHECK(run_with({"--plane", "a", "--plane", "b"}).planes.size() == 2);
  // The parent of a sweep adds what it has computed.
  const auto child = parse(
      {"sweep", "--only-depth", "2", "x", "--memory-budget", "auto", "--memory-budget", "4096"});
  CHECK(child.options.memory.budget_bytes == 4096);
}

TEST_CASE("a tolerance is a number of faults or a share", "[settings]") {
  const auto share = [](const char* text) {
    return run_with({"--on-fault", "skip", "--tolerate", text}).options.faults.tolerate_share;
  };
  CHECK(share("2.5%") == 0.025);
  CHECK(share("0%") == 0);
  CHECK(refusal({"run", "x", "--tolerate", "101%"}).exit_code == 2);
  CHECK(refusal({"run", "x", "--tolerate", "nan%"}).exit_code == 2);
}

TEST_CASE("a trace has its events only where a file is named for it", "[settings]") {
  CHECK(run_with({}).options.trace.events == 0);
  CHECK(run_with({"--trace", "t.json"}).options.trace.events == 1u << 18);
  const auto settings = run_with({"--trace", "t.json", "--trace-events", "10"});
  CHECK(settings.options.trace.events == 10);
  CHECK(settings.trace == "t.json");
  CHECK(refusal({"run", "x", "--trace-events", "0"}).exit_code == 2);
  CHECK(refusal({"plan", "--trace", "t.json"}).exit_code == 2);
}

TEST_CASE("metrics have a port, and an address of this machine alone", "[settings]") {
  CHECK_FALSE(run_with({}).metrics_port);
  const auto settings = run_with({"--metrics-port", "0"});
  CHECK(settings.metrics_port == 0);
  CHECK(settings.metrics_address == "127.0.0.1");
  CHECK_FALSE(settings.metrics);
  CHECK(run_with({"--metrics-port", "9100", "--metrics-address", "0.0.0.0"}).metrics_address ==
        "0.0.0.0");
  CHECK(refusal({"run", "x", "--metrics-port", "65536"}).exit_code == 2);
  CHECK(refusal({"plan", "--metrics-port", "1"}).exit_code == 2);
}

TEST_CASE("a read delay is constant, or a mean and a deviation", "[settings]") {
  const auto constant = run_with({"--read-delay-ms", "5"});
  CHECK(constant.read_delay.mean_ms == 5);
  CHECK(constant.read_delay.deviation_ms == 0);
  const auto wrong = GENERATE("50:", ":20", "50:-1", "50:20:1", "50:nan", "0:20", "-1:2");
  CAPTURE(wrong);
  const auto refused = refusal({"run", "x", "--read-delay-ms", wrong});
  CHECK(refused.exit_code == 2);
  CHECK(contains(refused.text, "--read-delay-ms"));
}

TEST_CASE("steps without epochs run over as many epochs as they take", "[settings]") {
  CHECK(run_with({"--steps", "10"}).stream_epochs() == std::nullopt);
  CHECK(run_with({"--steps", "10", "--epochs", "2"}).stream_epochs() == 2u);
}

TEST_CASE("only sweep and plan take a list of depths", "[settings]") {
  const auto sweep = parse({"sweep", "x", "--max-queue-size", "1,2,16"});
  CHECK(sweep.depths == std::vector<std::uint32_t>{1, 2, 16});
  CHECK(parse({"plan", "--max-queue-size", "2,8"}).options.queue.max_queue_size == 8);
  CHECK(refusal({"run", "x", "--max-queue-size", "1,2"}).exit_code == 2);
  CHECK_FALSE(parse({"sweep", "x"}).depths.empty());
}

TEST_CASE("a child of a sweep has one depth whatever the list says", "[settings]") {
  const auto child = parse({"sweep", "--only-depth", "8", "x", "--max-queue-size", "1,2,16"});
  CHECK(child.only_depth == 8u);
  CHECK(child.options.queue.max_queue_size == 8);
}

TEST_CASE("what cannot be meant is a usage error that names the option", "[settings]") {
  const std::vector<std::string> options = GENERATE(
      std::vector<std::string>{"--batch", "0"}, std::vector<std::string>{"--batch", "-1"},
      std::vector<std::string>{"--batch", "1.5"}, std::vector<std::string>{"--consumer-ms", "nan"},
      std::vector<std::string>{"--consumer-ms", "inf"},
      std::vector<std::string>{"--batch", "4294967296"},
      std::vector<std::string>{"--steps", "18446744073709551616"},
      std::vector<std::string>{"--size", "224"}, std::vector<std::string>{"--size", "0x4"},
      std::vector<std::string>{"--size", "4x4x4"}, std::vector<std::string>{"--fit", "middle"},
      std::vector<std::string>{"--max-queue-size", "0"},
      std::vector<std::string>{"--max-queue-size", "1,,2"},
      std::vector<std::string>{"--max-queue-size", ""},
      std::vector<std::string>{"--memory-budget", "lots"},
      std::vector<std::string>{"--dtype", "int8"}, std::vector<std::string>{"--epochs", "0"},
      std::vector<std::string>{"--consumer-ms", "-1"}, std::vector<std::string>{"--seed", "x"});
  CAPTURE(options);
  auto arguments = options;
  arguments.insert(arguments.begin(), {"run", "x"});
  const auto refused = refusal(arguments);
  CHECK(refused.exit_code == 2);
  CHECK(contains(refused.text, options.front()));
}

TEST_CASE("an unknown option, command or missing DATA is a usage error", "[settings]") {
  CHECK(refusal({"run", "x", "--no-such-thing"}).exit_code == 2);
  CHECK(refusal({"fly"}).exit_code == 2);
  CHECK(refusal({}).exit_code == 2);
  CHECK(refusal({"run"}).exit_code == 2);
  CHECK(refusal({"run", "x", "y"}).exit_code == 2);
  CHECK(refusal({"run", "x", "--strict", "--lenient"}).exit_code == 2);
}

TEST_CASE("only commands that measure accept --html", "[settings]") {
  CHECK(run_with({"--html", "out.html"}).html == "out.html");
  CHECK(parse({"sweep", "x", "--html", "out.html"}).html == "out.html");
  CHECK(parse({"demo", "--html", "out.html"}).html == "out.html");
  CHECK(refusal({"verify", "x", "--html", "out.html"}).exit_code == 2);
  CHECK(refusal({"plan", "--html", "out.html"}).exit_code == 2);
}

TEST_CASE("shares and traces are read, or refused by name", "[settings]") {
  CHECK(parse({"tune", "x"}).options.tuning.target_readiness == AdviceOptions{}.target_readiness);
  CHECK(parse({"tune", "x", "--target-readiness", "0.9"}).options.tuning.target_readiness == 0.9);
  CHECK(parse({"tune", "x", "--target-readiness", "95%"}).options.tuning.target_readiness == 0.95);
  for (const auto* wrong : {"0", "1.01", "101%", "often"}) {
    const auto refused = refusal({"tune", "x", "--target-readiness", wrong});
    CHECK(refused.exit_code == 2);
    CHECK(contains(refused.text, "--target-readiness"));
  }
  CHECK(refusal({"run", "x", "--target-readiness", "0.9"}).exit_code == 2);
  CHECK(run_with({}).consumer_trace.empty());
}

TEST_CASE("a command and its help have no option without meaning", "[settings][help]") {
  const struct {
    const char* command;
    std::vector<const char*> without, with;
  } rows[] = {
      {"plan",
       {"--digest", "--consumer-ms", "--on-fault", "--epochs", "--settle", "--layout"},
       {"--grid", "--dtype", "--sizes", "--cache", "--slab-memory", "--shuffle", "--max-side"}},
      {"probe",
       {"--sizes", "--shuffle", "--steps", "--cache", "--tolerate", "--digest", "--html"},
       {"--batch", "--memory-budget", "--list-bad", "--lenient", "--read-delay-ms"}},
      {"tune",
       {"--sizes", "--tuning", "--digest", "--settle", "--steps", "--trace"},
       {"--shuffle", "--epochs"}},
      {"sweep", {"--tuning", "--target-readiness", "--trace"}, {"--rounds", "--digest", "--html"}},
      {"verify", {"--html", "--rounds", "--grid"}, {"--tuning", "--digest"}},
      {"run", {"--windows", "--each", "--rounds"}, {"--trace", "--tuning", "--metrics-port"}},
      {"footprint", {"--digest", "--html", "--shuffle"}, {"--fit", "--dtype", "--json"}},
      {"order",
       {"--pixels", "--memory-budget", "--json", "--digest", "--max-side", "--multiple-of"},
       {"--rank", "--resume", "--bucket", "--drop-last", "--size", "--windows"}},
      {"page", {}, {"--html", "--quiet"}},
  };
  for (const auto& row : rows) {
    const auto help = refusal({"help", row.command, "--all"}).text;
    for (const std::string option : row.without) {
      CAPTURE(row.command, option);
      CHECK_FALSE(contains(help, "  " + option + ' '));
      const auto refused = refusal({row.command, "x", option});
      CHECK(refused.exit_code == 2);
      CHECK(contains(refused.text, " has no " + option));
    }
    for (const std::string option : row.with) {
      CAPTURE(row.command, option);
      CHECK(contains(help, "  " + option + ' '));
    }
  }
  CHECK(contains(refusal({"help", "pack", "--all"}).text, "  --max-sample-bytes BYTES "));
  CHECK(contains(refusal({"plan", "--consumer-ms", "3"}).text,
                 "weir plan has no --consumer-ms; run, sweep, tune, verify have it\n"));
  CHECK(contains(refusal({"plan", "--dtype", "float32"}).text, "--dtype float32 is for --grid"));
}

TEST_CASE("an option without effect is refused by name", "[settings]") {
  const struct {
    std::vector<std::string> words;
    const char* message;
  } rows[] = {
      {{"plan", "/nope", "--grid"}, "DATA /nope has no effect on --grid, whose table "},
      {{"plan", "--grid", "--pixels", "grey8"}, "--pixels grey8 has no effect on --grid"},
      {{"plan", "--grid", "--batch", "7", "--dtype", "float32"}, "--batch 7 has no effect on "},
      {{"plan", "--grid", "--cache", "encoded"}, "--cache encoded has no effect on --grid"},
      {{"plan", "--grid", "--world", "4"}, "--world 4 has no effect on --grid"},
      {{"plan", "--grid", "--model", "m"}, "--model m has no effect on --grid"},
      {{"plan", "--grid", "--shuffle"}, "--shuffle has no effect on --grid"},
      {{"tune", "x", "--options", "batch=8,decode=none"}, "--options decode=none must be exact or"},
      {{"tune", "x", "--options", "sizes.mode=padded"},
       "--options sizes.mode=padded must be fixed"},
      {{"plan", "--options", "decode=none"}, "--options decode=none needs DATA"},
      {{"plan", "--options", "sizes.mode=padded"}, "--options sizes.mode=padded needs DATA"},
      {{"plan", "--options", "max_sample_bytes=measured"}, "--options max_sample_bytes=measured "},
      {{"run", "x", "--layout", "nhwc"}, "--layout nhwc needs --dtype float32"},
      {{"run", "x", "--layout", "nhwc", "--dtype", "uint8"}, "--layout nhwc needs --dtype"},
      {{"run", "x", "--layout", "nhwc", "--decode", "none"}, "--layout nhwc is for decoded images"},
      {{"order", "x", "--size", "8x8"}, "--size 8x8 is for --windows FILE"},
      {{"order", "x", "--sizes", "padded"}, "--sizes padded is for --windows FILE and --bucket N"},
      {{"order", "x", "--options", "sizes.mode=ragged", "--max-size", "8x8"},
       "--max-size 8x8 is for --windows FILE and --bucket N"},
      {{"plan", "--ext", ".jpg"}, "--ext .jpg needs DATA"},
      {{"run", "x", "--options", "faults.tolerate=3"}, "--options faults.tolerate=3 is for "},
      {{"run", "x", "--options", "most_queue=8"}, "--options most_queue=8 needs tuning.mode=auto"},
      {{"sweep", "x", "--options", "tuning.mode=automatic"},
       "--options tuning.mode=automatic must"},
  };
  for (const auto& [words, message] : rows) {
    const auto refused = refusal(words);
    CAPTURE(words, refused.text);
    CHECK(refused.exit_code == 2);
    CHECK(contains(refused.text, std::string("weir: ") + message));
  }
  CHECK(parse({"plan", "--grid", "--dtype", "float32", "--json", "-", "--quiet"}).grid);
}

TEST_CASE("order takes own sizes where it reads them", "[settings]") {
  const std::vector<std::string> uses[] = {
      {"--sizes", "padded", "--bucket", "4", "--max-size", "8x8", "--schedule", "epoch 0: 8"},
      {"--sizes", "ragged", "--windows", "w.json", "--max-size", "8x8"},
      {"--sizes", "fixed", "--schedule", "epoch 0: 8"}};
  for (auto words : uses) {
    words.insert(words.begin(), {"order", "x"});
    CHECK(parse(words).command == Command::order);
  }
}

TEST_CASE("what --options says counts where it has an effect", "[settings]") {
  CHECK(parse({"sweep", "x", "--options", "queue.max_queue_size=3"}).depths ==
        std::vector<std::uint32_t>{3});
  CHECK(parse({"sweep", "x", "--max-queue-size", "1,2", "--options", "max_queue_size=3"}).depths ==
        std::vector<std::uint32_t>{1, 2});
  // What the reports of such runs have.
  for (const std::string text : {"decode=none,sizes.mode=ragged", "ranks.rank=1,ranks.world=2",
                                 "tuning.mode=automatic,tuning.most_queue=8", "shape=32x32",
                                 "faults.policy=skip,faults.tolerate=3"})
    CHECK(run_with({"--options", text}).in_options.size() > 0);
  CHECK(parse({"tune", "x", "--options", "trace.events=7"}).options.trace.events == 0);
}

TEST_CASE("a flag takes true and false, and no other value", "[settings]") {
  CHECK(run_with({"--shuffle=true"}).options.order == Order::shuffle());
  CHECK(run_with({"--shuffle=false"}).options.order == Order::sequential());
  // A flag that is false is not given.
  CHECK(run_with({"--shuffle=false", "--order", "blocks:4"}).options.order == Order::blocks(4));
  CHECK_FALSE(run_with({"--options", "drop_last=true", "--drop-last=false"}).options.drop_last);
  CHECK(contains(refusal({"run", "x", "--shuffle", "--shuffle=false"}).text, "given 2 times"));
  for (const std::string value : {"3", "0", "yes", "-1"}) {
    const auto refused = refusal({"run", "x", "--shuffle=" + value});
    CAPTURE(value);
    CHECK(refused.exit_code == 2);
    CHECK(contains(refused.text, "weir: --shuffle " + value +
                                     ": takes no value; write --shuffle, or --shuffle=false\n"));
  }
  CHECK(refusal({"help", "run", "--all=3"}).exit_code == 2);
}

TEST_CASE("rank, world and ranks per node reach the options and {rank}", "[settings][ranks]") {
  const auto s = run_with({"--rank", "2", "--world", "6", "--ranks-per-node", "3", "--json",
                           "{rank}/{rank}.json", "--samples", "s{rank}"});
  CHECK(s.options.ranks == Ranks::given(2, 6, 3));
  CHECK(s.json == "2/2.json");
  CHECK(s.samples == "s2");
  const auto alone = run_with({"--ranks", "none", "--save-progress", "p{rank}"});
  CHECK(alone.options.ranks == Ranks::none());
  CHECK(alone.save_progress == "p0");
  CHECK(parse({"verify", "somewhere", "--world", "3"}).options.ranks == Ranks::none());
  const auto order = parse({"order", "somewhere", "--world", "3"});
  CHECK(order.options.ranks == Ranks::given(0, 3));
  CHECK(order.all_ranks());
  CHECK_FALSE(parse({"order", "somewhere", "--world", "3", "--rank", "1"}).all_ranks());
}

TEST_CASE("help and version are no errors", "[settings]") {
  CHECK(refusal({"--version"}).text == "weir 0.1.0\n");
  CHECK(refusal({"--version"}).exit_code == 0);
  const auto help = refusal({"--help"});
  CHECK(help.exit_code == 0);
  for (const auto* command :
       {"plan", "footprint", "probe", "run", "sweep", "tune", "verify", "order", "demo"})
    CHECK(contains(help.text, command));
  const auto run_help = refusal({"run", "--help"});
  CHECK(run_help.exit_code == 0);
  for (const auto* option :
       {"--batch", "--max-queue-size", "--memory-budget", "--on-fault", "--json"})
    CHECK(contains(run_help.text, option));
  CHECK_FALSE(contains(run_help.text, "--only-depth"));
}

TEST_CASE("every example of the help is a valid command line", "[settings][help]") {
  for (const auto& row : commands()) {
    CHECK(contains(refusal({row.name, "--help"}).text, row.summary));
    if (row.command == Command::help) continue;
    for (const std::string line : row.examples) {
      std::istringstream text(line);
      std::vector<std::string> words{std::istream_iterator<std::string>(text), {}};
      CAPTURE(line);
      REQUIRE(words.front() == "weir");
      words.erase(words.begin());
      CHECK(parse(words).command == row.command);
    }
  }
}

TEST_CASE("a slip of a letter or two is told from another word", "[settings][help]") {
  const std::vector<std::string> words{"plan", "run", "sweep"};
  CHECK(closest("rnu", words) == "run");
  CHECK(closest("swep", words) == "sweep");
  CHECK(closest("plans", words) == "plan");
  CHECK(closest("verify", words).empty());
}

TEST_CASE("a cache sets an automatic budget only if it has no bound", "[settings]") {
  const auto open = run_with({"--cache", "decoded"});
  CHECK(open.options.memory.budget_bytes);
  CHECK_FALSE(open.budget_how.empty());
  CHECK_FALSE(run_with({"--cache", "decoded:1GiB"}).options.memory.budget_bytes);
  const auto named = run_with({"--cache", "decoded", "--memory-budget", "1GiB"});
  CHECK(named.options.memory.budget_bytes == 1u << 30);
  CHECK(named.budget_how.empty());
}

TEST_CASE("a requested automatic budget is computed and says how", "[settings]") {
  const auto requested = cli::parse({"run", "x", "--memory-budget", "auto:25%"});
  CHECK(requested.options.memory.budget_bytes);
  CHECK(test::contains(requested.budget_how, "25 % of the "));
  const auto named = cli::parse({"run", "x", "--memory-budget", "64MiB"});
  CHECK(named.options.memory.budget_bytes == 64u << 20);
  CHECK(named.budget_how.empty());
}

TEST_CASE("each --plane adds a plane and where it comes from", "[settings][planes]") {
  const auto s = run_with({"--plane", "mask=some/masks,optional,fill=255", "--plane",
                           "depth=d.txt,format=grey16,filter=antialiased,scale=1/8,match=stretch,"
                           "missing=skip",
                           "--plane", "big=.big.jpg,format=rgb8,scale=4,fill=1:2:3"});
  REQUIRE(s.options.planes.size() == 3);
  const auto& mask = s.options.planes[0];
  CHECK(mask.name == "mask");
  CHECK(mask.pixels == PixelFormat::stored8);
  CHECK(mask.optional);
  CHECK(mask.fill == Fill{255});
  CHECK(s.planes[0].from == "some/masks");
  CHECK(s.planes[0].missing == MissingPlane::absent);
  const auto& depth = s.options.planes[1];
  CHECK(depth.pixels == PixelFormat::grey16);
  CHECK(depth.filter == Filter::antialiased);
  CHECK(depth.scale == Ratio{1, 8});
  CHECK(depth.match == PlaneMatch::stretch);
  CHECK_FALSE(depth.optional);
  CHECK(s.planes[1].missing == MissingPlane::skip);
  CHECK_FALSE(s.planes[1].is_extension());
  CHECK(s.options.planes[2].fill == Fill{1, 2, 3});
  CHECK(s.options.planes[2].scale == Ratio{4, 1});
  CHECK(s.planes[2].missing == MissingPlane::error);
  CHECK(s.planes[2].is_extension());
  CHECK(run_with({"--plane", "mask"}).planes[0].from.empty());
  CHECK(run_with({"--plane", "m=masks,missing=absent"}).options.planes[0].optional);
  CHECK_FALSE(run_with({"--plane", "m=../masks"}).planes[0].is_extension());
}

TEST_CASE("a --plane replaces the one that --options has", "[settings][planes]") {
  const std::string text = "planes=mask fill=7; depth pixels=grey16";
  const auto settings =
      parse({"run", "p", "--options", text, "--plane", "mask=masks,format=grey8,missing=skip"});
  const auto& planes = settings.options.planes;
  REQUIRE(planes.size() == 2);
  CHECK(planes[0].pixels == PixelFormat::grey8);
  CHECK(planes[0].fill == Fill{7});
  CHECK(planes[1].name == "depth");
  REQUIRE(settings.planes.size() == 2);
  CHECK(settings.planes[0].from == "masks");
  CHECK(settings.planes[0].missing == MissingPlane::skip);
  CHECK(settings.planes[1].from.empty());
  CHECK_THROWS_AS(parse({"run", "p", "--options", text, "--plane", "mask=a", "--plane", "mask=b"}),
                  Refusal);
}

TEST_CASE("pixels, fill, flips and crops reach their fields", "[settings]") {
  const auto s =
      run_with({"--pixels", "bgr8", "--fill", "7", "--fit", "random", "--random-area", "0.5,1",
                "--random-aspect", "1,2", "--flip-horizontal", "0", "--flip-vertical", "25%"});
  CHECK(s.options.pixels == PixelFormat::bgr8);
  CHECK(s.options.fill == Fill{7, 7, 7});
  CHECK(s.options.random == RandomOptions{{0.5, 1}, {1, 2}});
  CHECK(s.options.flip.horizontal == 0.0);
  CHECK(s.options.flip.vertical == 0.25);
  for (const auto name : options::find("pixels")->enumerators)
    CHECK(to_string(run_with({"--pixels", std::string(name)}).options.pixels) == name);
  CHECK(run_with({"--pixels", "rgb16", "--fill", "1,2,65535"}).options.fill == Fill{1, 2, 65535});
  const auto patch = run_with({"--fit", "patch", "--patch-padding", "4", "--patch-pad-small"});
  CHECK(patch.options.patch == PatchOptions{4, true});
  const auto letterbox =
      run_with({"--fit", "letterbox", "--letterbox-align", "top_left", "--no-enlarge"});
  CHECK(letterbox.options.letterbox == LetterboxOptions{LetterboxOptions::Align::top_left, false});
}
