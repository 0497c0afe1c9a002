#include <sstream>
#include <string>
#include <vector>

#include "base/sanitize.hpp"
#include "cli/messages.hpp"
#include "cli/option_group.hpp"
#include "cli/settings.hpp"
#include "options/option_row.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"
#include "support/text.hpp"

using namespace weir;
using namespace weir::cli;
using test::contains;

namespace {

/// The words of a command line. '' is an empty word.
std::vector<std::string> line_words(const std::string& line) {
  std::istringstream text(line);
  std::vector<std::string> words;
  for (std::string word; text >> word;) words.push_back(word == "''" ? "" : word);
  return words;
}

Refusal refusal_of_line(const std::string& line) {
  try {
    parse(line_words(line));
  } catch (const Refusal& refused) {
    return refused;
  }
  return {-1, "was not refused"};
}

}  // namespace

TEST_CASE("an impossible command line is refused with the way out", "[message]") {
  const struct {
    const char *line, *message;
  } rows[] = {
      // whole numbers
      {"run p --batch -3", "--batch -3: must be 1 to 1048576\n"},
      {"run p --batch 0", "--batch 0: must be 1 to 1048576\n"},
      {"run p --batch 99999999999", "--batch 99999999999: must be 1 to 1048576\n"},
      {"run p --batch=x", "--batch x: must be a whole number, 1 to 1048576\n"},
      {"run p --batch ''", "--batch '': must be a whole number, 1 to 1048576\n"},
      {"run p --epochs -1", "--epochs -1: must be 1 or more\n"},
      {"run p --epochs 0", "--epochs 0: must be 1 or more\n"},
      {"run p --steps 1e3", "--steps 1e3: must be a whole number, 1 or more; write 1000\n"},
      {"run p --steps 18446744073709551616", "must be at most 18446744073709551615\n"},
      {"run p --workers two", "--workers two: must be a whole number, 0 to 1024\n"},
      {"run p --read-ahead -1", "--read-ahead -1: must be 0 to 4096\n"},
      {"run p --seed -1", "--seed -1: must be 0 or more\n"},
      {"run p --max-leases 0", "--max-leases 0: must be 1 to 65536\n"},
      {"run p --metrics-port 99999", "--metrics-port 99999: must be 0 to 65535\n"},
      {"run p --max-pixels 10k", "--max-pixels 10k: must be a whole number, 1 or more\n"},
      {"run p --max-pixels 0", "--max-pixels 0: must be 1 or more\n"},
      {"footprint m --batch 0", "--batch 0: must be 1 or more\n"},
      // queue depths
      {"run p --max-queue-size 0", "--max-queue-size 0: must be 1 to 1048576\n"},
      {"run p --max-queue-size 4-8", "4-8: must be a whole number, 1 to 1048576\n"},
      {"sweep p --max-queue-size 1,,2", "--max-queue-size 1,,2: must be a whole number"},
      {"run p --max-queue-size 1,2",
       "--max-queue-size 1,2 must be one number; weir sweep and weir plan take a list\n"},
      // planes, pixels, crops
      {"run p --plane Mask", "--plane Mask: 'Mask': the name of a plane has 1 to 32 characters"},
      {"run p --plane m --plane m", "--plane m: 'm': there is a plane of this name"},
      {"run p --plane m=", "--plane m=: has no SOURCE after =: a folder, a list of files"},
      {"run p --plane m,fomat=grey8", "'fomat=grey8' is none of format, filter, fill, scale"},
      {"run p --plane m,fomat=grey8", "missing, optional; did you mean format?\n"},
      {"run p --plane m=a,b/c", "the name of a SOURCE has no comma\n"},
      {"run p --plane m,format=grey9", "format=grey9 must be one of rgb8|bgr8|rgba8|grey8|"},
      {"run p --plane m,scale=1/0", "scale=1/0 must be A or A/B, each 1 to 256, as in 1/8\n"},
      {"run p --plane m,fill=x", "fill=x must be a whole number, 0 to 65535\n"},
      {"run p --plane m,missing=skip", "missing is for a plane with a SOURCE; write NAME=SOURCE"},
      {"run p --plane m --decode none", "--plane m is for decoded images; --decode none"},
      {"run p --fill 1,2,3,4,5", "--fill 1,2,3,4,5: must have at most 4 values\n"},
      {"run p --fill 1:2", "--fill 1:2: must be one value, or 3 for the channels of rgb8\n"},
      {"run p --fill 1,2,3 --pixels grey8", "must be one value, because grey8 has one channel\n"},
      {"run p --plane m,fill=1:2,format=rgb8", "fill=1:2 must be one value, or 3 for the channels"},
      {"run p --flip-vertical 2", "--flip-vertical 2: must be 0 to 1, as in 0.5 or 50%"},
      {"run p --random-area 0.5,1", "--random-area 0.5,1 is for --fit random\n"},
      {"run p --fit random --random-area 1,0.5", "must be A:B, each 0.001 to 1, and A no more"},
      {"run p --patch-padding 4", "--patch-padding 4 is for --fit patch\n"},
      {"run p --no-enlarge", "--no-enlarge is for --fit letterbox\n"},
      // sizes, times, shares, bytes
      {"run p --size 224x", "--size 224x: must be HxW, each 1 to 65500, as in 224x224\n"},
      {"run p --size 0x224", "--size 0x224: must be HxW, each 1 to 65500"},
      {"run p --size 70000x8", "--size 70000x8: must be HxW, each 1 to 65500"},
      {"run p --watchdog -1", "--watchdog -1: must be 0.001 to 86400 seconds\n"},
      {"run p --watchdog 0", "--watchdog 0: must be 0.001 to 86400 seconds\n"},
      {"run p --watchdog nan", "--watchdog nan: must be 0.001 to 86400 seconds\n"},
      {"run p --watchdog 5s", "0.001 to 86400 seconds; write 5\n"},
      {"run p --consumer-ms 5ms", "--consumer-ms 5ms: must be 0 to 86400000 milliseconds; write 5"},
      {"run p --read-delay-ms 5:", "--read-delay-ms '5:': must be X or X:D, each 0 to 86400000 "},
      {"run p --read-delay-ms x:1", "--read-delay-ms x:1: must be X or X:D"},
      {"run p --read-delay-ms 0:2", "has a deviation D but no mean X; write X:D, as in 5:2\n"},
      {"tune p --target-readiness 99",
       "--target-readiness 99: must be above 0 and at most 1, as in 0.99 or 99%\n"},
      {"tune p --target-readiness 0", "--target-readiness 0: must be above 0 and at most 1"},
      {"run p --memory-budget auto:25",
       "--memory-budget auto:25: must be auto or auto:P%, with P above 0 "},
      {"run p --memory-budget auto:0%", "must be auto or auto:P%, with P above 0 and at most 100"},
      {"run p --memory-budget lots", "--memory-budget lots: must be a number of bytes, as in 4096"},
      {"run p --max-encoded-bytes 0", "--max-encoded-bytes 0: must be 1 or more bytes\n"},
      {"run p --max-sample-bytes 0", "--max-sample-bytes 0: must be 1 to 1125899906842624 bytes\n"},
      {"run p --max-queue-bytes 0", "--max-queue-bytes 0: must be 1 or more bytes\n"},
      {"run p --annotation-bytes 2TiB", "--annotation-bytes 2TiB: must be 0 to 4294967295 bytes\n"},
      {"run p --tolerate 200%", "--tolerate 200%: must be 0 to 1, as in 0.5 or 50%\n"},
      {"run p --cache both", "--cache both: must be one of nothing|encoded|decoded\n"},
      {"run p --fit middle",
       "--fit middle: must be one of center|random|stretch|letterbox|patch\n"},
      {"run p --ext ''", "--ext '': must be names with commas between them\n"},
      {"run p --batch 32 --batch 64", "--batch is given 2 times; give it once\n"},
      // missing values and arguments
      {"run p --batch", "--batch needs a value; write --batch N\n"},
      {"run p --exclude= --batch 2", "--exclude needs a value; write --exclude FILE\n"},
      {"run p --config ''", "--config '': must not be empty\n"},
      {"run p --options ''", "--options '': must not be empty\n"},
      {"run p --shuffle=", "--shuffle takes no value; write --shuffle, or --shuffle=false\n"},
      {"run p --lenient= --quiet", "--lenient takes no value; write --lenient, or --lenient=false"},
      {"run p --json", "--json needs a value; write --json FILE|-\n"},
      {"run p --html --quiet",
       "--html --quiet: an option is not a value; write --html FILE, as in ./--quiet\n"},
      {"run p --html ''", "--html '': must not be empty\n"},
      {"run p --html -", "--html - is not written to stdout; name a file, or ./- for"},
      {"probe p --list-bad -", "--list-bad - is not written to stdout"},
      {"page r.json", "weir page needs --html FILE\n"},
      {"run", "weir run needs DATA: A folder, tar shards, a manifest "},
      {"run p q", "weir run takes one DATA, or several tar shards; q is a second one\n"},
      {"help run x", "weir help takes one COMMAND; x is a second one\n"},
      {"demo x", "weir demo takes options only; x is none\n"},
      {"--worker", "--worker is before the command; write weir COMMAND --worker\n"},
      // options that go with others
      {"run p --tolerate 5", "--tolerate 5 is for --on-fault skip and --on-fault blank; with stop"},
      {"run p --short-side 300 --fit stretch", "--short-side 300 is for --fit center\n"},
      {"pack p q --keep --list-bad f",
       "--list-bad f needs --on-fault skip, because otherwise the first bad sample ends the "
       "pack\n"},
      {"run p --trace-events 10", "--trace-events 10 needs --trace FILE\n"},
      {"run p --trace t --trace-events 0", "--trace-events 0 must be 1 or more\n"},
      {"run p --metrics-address 1.2.3.4", "--metrics-address 1.2.3.4 needs --metrics-port\n"},
      {"run p --max-size 100x100", "--max-size 100x100 is for --sizes padded and ragged; with "},
      {"run p --sizes padded --size 64x64", "--size 64x64 is for --sizes fixed; with padded and"},
      {"run p --sizes ragged --fit random", "--fit random is for --sizes fixed; "},
      {"run p --sizes ragged --bucket 5", "--bucket 5 is for --sizes padded; a ragged batch "},
      {"run p --decode none --size 64x64",
       "--size 64x64 is for decoded images; --decode none delivers encoded samples\n"},
      {"run p --decode none --sizes ragged", "--sizes ragged is for decoded images; "},
      {"tune p --decode none", "--decode none must be exact or fast here, because this command "},
      {"plan --decode none", "--decode none needs DATA, because the samples are measured\n"},
      {"probe p --options sizes.mode=ragged",
       "--options sizes.mode=ragged must be fixed here, because this command takes images of one "},
      {"tune p --sizes padded",
       "weir tune has no --sizes; plan, run, sweep, verify, order have it"},
      {"plan --sizes padded", "--sizes padded needs DATA, because the images are measured\n"},
      {"plan --micro-batch 3", "--micro-batch 3 needs --model\n"},
      // names
      {"rnu p", "there is no command 'rnu'; did you mean run?\n"},
      {"run p --bach 3", "weir run has no --bach; did you mean --batch?\n"},
      {"run p --budget 64MiB", "weir run has no --budget; did you mean --memory-budget?\n"},
      {"run p --num-workers 3", "weir run has no --num-workers; did you mean --workers?\n"},
      {"run p --num_workers=3", "weir run has no --num_workers; did you mean --workers?\n"},
      {"run p --batch-size 3", "weir run has no --batch-size; did you mean --batch?\n"},
      {"run p --prefetch_factor 3", "did you mean --max-queue-size?\n"},
      {"run p --queue 3", "weir run has no --queue; did you mean --max-queue-size?\n"},
      {"run p --pin-memory", "weir run has no --pin-memory; did you mean --slab-memory?\n"},
      {"run p --max_leases 3", "weir run has no --max_leases; did you mean --max-leases?\n"},
      {"run -q p", "weir run has no -q; did you mean --quiet?\n"},
      {"run p --version", "weir run has no --version; `weir --version` prints the version\n"},
      {"verify p --html x", "weir verify has no --html; run, "},
      {"run p --windows q", "weir run has no --windows; order has it\n"},
      {"run p --world-size 2", "weir run has no --world-size; did you mean --world?\n"},
      {"verify p --rank 2", "weir verify has no --rank; run, "},
      {"run p --only-depth 3", "weir run has no --only-depth\n"},
      {"run p --unheard-of-thing", "weir run has no --unheard-of-thing\n"},
  };
  for (const auto& [line, message] : rows) {
    const auto refused = refusal_of_line(line);
    CAPTURE(line, message, refused.text);
    CHECK(refused.exit_code == 2);
    CHECK(refused.text.starts_with("weir: "));
    CHECK(contains(refused.text, message));
  }
}

TEST_CASE("the error of a state that is resumed names its file once", "[message]") {
  const test::TemporaryFolder folder;
  const auto state = folder.write("state", "{}");
  CHECK(refusal_of_line("run p --resume " + state)
            .text.starts_with("weir: --resume " + state + ": progress: "));
  const auto two = state + "," + state;
  CHECK(refusal_of_line("run p --resume " + two)
            .text.starts_with("weir: --resume " + two + ": " + state + ": progress: "));
}

TEST_CASE("each number of the table is refused beyond its bounds", "[message]") {
  unsigned tried = 0;
  for (const auto& row : options::rows()) {
    const std::string option(row.option);
    // Those that the program reads in another form, and those whose bounds are rules of ranks.
    const bool own = option == "--max-size" || option == "--watchdog" || option == "--tolerate" ||
                     row.name.starts_with("ranks.");
    if (option.empty() || own || !options::help_form(row).starts_with('N')) continue;
    ++tried;
    const auto refused = [&](std::vector<std::string> words) {
      words.insert(words.begin(), {"run", "p"});
      try {
        parse(words);
      } catch (const Refusal& refusal) {
        CHECK(refusal.exit_code == 2);
        return refusal.text;
      }
      return std::string("was accepted");
    };
    std::vector<std::string> wrong{"", "x", "-1", "1.5", "18446744073709551616"};
    if (row.least > 0) wrong.push_back(std::to_string(row.least - 1));
    if (row.most < UINT64_MAX) wrong.push_back(std::to_string(row.most + 1));
    for (const auto& value : wrong) {
      const auto text = refused({option, value});
      CAPTURE(option, value, text);
      CHECK(text.starts_with("weir: " + option + ' ' + as_typed(value) + ": "));
      CHECK(contains(text, "must be "));
      CHECK(contains(text, "`weir help "));
    }
    const auto least = std::to_string(row.least);
    for (const auto& value : {least, std::to_string(row.most)})
      if (value != std::to_string(UINT64_MAX)) {
        CAPTURE(option, value);
        CHECK_FALSE(contains(refused({option, value}), ": must be "));
      }
    CHECK(contains(refused({option, least, option, least}), " is given 2 times; give it once"));
  }
  CHECK(tried >= 15);
}

TEST_CASE("a line of a trace that is no time is named", "[message]") {
  const test::TemporaryFolder folder;
  CHECK(contains(
      refusal_of_line("run p --consumer-trace " + folder.write("t", "1.5\n\nhallo\n")).text,
      "/t: line 3: 'hallo' must be 0 to 86400000 milliseconds"));
  CHECK(contains(refusal_of_line("run p --consumer-trace " + folder.write("e", "\n")).text,
                 "/e: the file has no times; write one on each line, as in 12.5"));
}

TEST_CASE("a library error names options and values as they were typed", "[message]") {
  const auto message = [](const std::string& line, const OptionProblem& problem) {
    const auto settings = parse(line_words(line));
    return message_of(Error(Errc::bad_options, Stage::wait, problem), &settings);
  };
  CHECK(message("run p --memory-budget 64", {"memory.budget_bytes", "64", "too little"}) ==
        "--memory-budget 64 (64 bytes; did you mean 64MiB?): too little");
  CHECK(message("run p --memory-budget 0", {"memory.budget_bytes", "0", "too little"}) ==
        "--memory-budget 0: too little");
  CHECK(message("run p --memory-budget=1MiB",
                {"memory.budget_bytes", "1048576", "too little", "set more"}) ==
        "--memory-budget 1MiB: too little; set more");
  // Only the option that the error is about has its typed value.
  CHECK(message("run p --cache decoded:1MiB",
                {"cache.keep", "decoded", "no; `cache.keep` = encoded"}) ==
        "--cache decoded:1MiB: no; --cache encoded");
  CHECK(message("run p --plane m,format=grey8", {"planes[0].scale", "1/3", "must be 1"}) ==
        "--plane m: scale 1/3: must be 1");
  CHECK(message("run p --fill 300", {"fill[0]", "300", "must be 0 to 255"}) ==
        "--fill 300: must be 0 to 255");
  CHECK(message("run p", {"memory.alignment", "3", "must be a power of two"}) ==
        "memory.alignment = 3: must be a power of two");
  const Error link(Errc::bad_options, Stage::wait, "a link, which `follow_symlinks` = yes follows");
  const auto settings = parse(line_words("run p --memory-budget 1MiB"));
  CHECK(message_of(link, &settings) == "a link, which --follow-symlinks yes follows");
  // Only what is in backticks is a name, and only if it is one of an option.
  const Error path(Errc::source_failed, Stage::read,
                   "cache.keep = x, `my file`: see `limits.max_side`");
  CHECK(message_of(path, &settings) == "cache.keep = x, `my file`: see --max-side");
  const Error open(Errc::source_failed, Stage::read, "a`b: `order` = shuffle");
  CHECK(message_of(open, &settings) == "a`b: --order shuffle");
  const Error room(Errc::bad_options, Stage::wait, "`memory.budget_bytes`: no room for the index");
  CHECK(message_of(room, &settings) == "--memory-budget 1MiB: no room for the index");
}

TEST_CASE("the ways out of bad samples are those that help", "[message]") {
  const auto ways = [](const std::string& data, const std::string& error) {
    return ways_out(parse({"run", data}), error);
  };
  CHECK(contains(ways("x", "a.jpg: truncated (it ends)"), "`weir probe x --list-bad bad.txt`"));
  CHECK(contains(ways("x", "b.jpg: limit (its side is 9, --max-side is 8)"), "raise --max-side"));
  CHECK(with_option_names("cannot read " + sanitize("`batch`.json")) ==
        "cannot read \\x60batch\\x60.json");
  const std::string changed =
      "a.jpg: corrupt (the image is 3x3; when sizes were measured it was 2x2)";
  CHECK(ways("x", changed) ==
        "run again: the file has changed; --on-fault skip takes other samples");
  CHECK(ways("x.tar", changed) == "run `weir index` again; --on-fault skip takes other samples");
}
