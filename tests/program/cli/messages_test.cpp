#include "program.hpp"
#include "support/catch.hpp"
#include "support/sanitized.hpp"
#include "support/skip.hpp"
#include "support/text.hpp"
#include "unit/source/fixture.hpp"
#include "weir/source.hpp"

using weir::test::contains;
using weir::test::one_line;
using weir::test::run_program;
using weir::test::TemporaryFolder;
using weir::test::weir_interrupted;
using Arguments = std::vector<std::string>;

namespace {

void refuses(const Arguments& arguments, const std::string& message, int exit_code = 2) {
  const auto outcome = weir::test::weir(arguments);
  CAPTURE(arguments, outcome.err, message);
  CHECK(outcome.exit_code == exit_code);
  CHECK(contains(outcome.err, message));
  for (const auto* tail : {": bad options", ": source failed", ": sample failed", "too small"})
    CHECK_FALSE(contains(outcome.err, tail));
}

const std::string tiny_images = "synthetic:64,8x8";

}  // namespace

// tests/unit/cli/messages_test.cpp has the messages that need no program.
TEST_CASE("a refusal names the list of options or commands", "[message]") {
  refuses({"run", tiny_images, "--batch", "x"}, "`weir help run` lists the options.");
  refuses({}, "`weir help` lists the commands.");
}

TEST_CASE("a message names an option as written and a size to paste", "[message]") {
  refuses(
      {"run", tiny_images, "--workers", "1", "--memory-budget", "64"},
      "weir: --memory-budget 64 (64 bytes; did you mean 64MiB?): this needs at least 17.3MiB: ");
  refuses({"run", tiny_images, "--workers", "1", "--memory-budget=0"},
          "weir: --memory-budget 0: this needs at least 17.3MiB: ");
  refuses({"plan", "--batch", "1048576", "--size", "65500x65500", "--max-queue-size", "1048576"},
          "bytes are more than 2^64; lower it, --batch or --size\n");
  refuses({"plan", "--batch", "99999999"}, "weir: --batch 99999999: must be 1 to 1048576\n");
  for (const auto* command : {"run", "tune", "sweep"})  // before anything is measured
    refuses(
        {command, tiny_images, "--fit", "random", "--cache", "decoded:1MiB"},
        "weir: --cache decoded:1MiB: --fit random draws another crop each epoch; --cache encoded ");
  refuses({"run", tiny_images, "--size", "8x8", "--batch", "65", "--drop-last"},
          tiny_images +
              ": --drop-last leaves out everything: a batch of 65 takes more than 64 samples; "
              "write --batch 64 or less, or leave --drop-last out\n");
}

TEST_CASE("DATA that cannot be opened is answered with what DATA may be", "[message]") {
  const TemporaryFolder folder;
  const std::string image(folder.write("cat.jpg", "1")), text(folder.write("note.txt", "hallo\n")),
      labels(folder.write("m.tsv", "cat.jpg\tcat\n"));
  const std::string forms =
      "DATA is a folder, tar shards, a manifest with lines of path<TAB>label, "
      "cifar10:PATH, cifar100:PATH, mnist:PATH or synthetic:COUNT,HxW";
  const std::string synthetic_form = "; write synthetic:COUNT,HxW, as in synthetic:100,375x500\n";
  const struct {
    std::string data, message;
    int exit_code = 2;
  } rows[] = {
      {"/nope", "weir: /nope: no such folder or manifest; " + forms + '\n', 1},
      {"", "weir: DATA is empty; " + forms + '\n', 1},
      {"synthetic", "weir: synthetic: no such folder or manifest; " + forms + ", as in ", 1},
      {"synthetic:abc,4x4",
       "weir: synthetic:abc,4x4: COUNT 'abc' must be a whole number, 1 or more" + synthetic_form},
      {"synthetic:-1,4x4", "COUNT '-1' must be 1 or more" + synthetic_form},
      {"synthetic:9,0x0", "'0x0' must be HxW, each 1 to 65500, as in 224x224" + synthetic_form},
      {"synthetic:9,70000x70000", "'70000x70000' must be HxW, each 1 to 65500"},
      {"synthetic:100", "weir: synthetic:100: '' must be HxW"},
      {image, image + " is an image; give its folder, or a manifest"},
      {text, "note.txt:1: 'hallo' has no TAB; each line of a manifest is path<TAB>label\n", 1},
      {labels, "m.tsv:1: the label is not a whole number of 64 bits: 'cat'; give each class a ", 1},
      {"x-{0..1}.tar", "weir: shard x-0.tar: cannot open: No such file or directory\n", 1},
      {"x{.tar", "weir: the pattern x{.tar has a brace without its partner\n"},
      {"s3://b/x", "weir: s3://b/x: DATA over s3:// is not built yet; copy it into a folder\n"},
  };
  for (const auto& row : rows) refuses({"run", row.data}, row.message, row.exit_code);
}

TEST_CASE("an unusable file is named with its option and the reason", "[message]") {
  const TemporaryFolder folder;
  const std::string text(folder.write("note.txt", "hallo\n")), empty(folder.write("c.json", "{}"));
  const auto same = (folder.path() / "same").string();
  refuses({"run", tiny_images, "--exclude", "/no/bad"},
          "weir: --exclude /no/bad: cannot read /no/bad: No", 1);
  refuses({"run", tiny_images, "--exclude", folder.string()}, ": Is a directory", 1);
  refuses({"run", tiny_images, "--consumer-trace", folder.string()}, ": Is a directory", 1);
  refuses({"footprint", "/nope.json"}, "weir: cannot read /nope.json: No such file or directory",
          1);
  refuses({"plan", "--model", "/nope.json"},
          "weir: --model /nope.json: cannot read /nope.json: No such file or directory", 1);
  folder.write("images/a.jpg", "");
  const auto images = folder.string() + "/images";
  refuses({"plan", images, "--annotation", "/nope,ext=.json"},
          "weir: --annotation /nope,ext=.json: cannot open /nope: No such file or directory", 1);
  refuses({"plan", images, "--classes", "a,a"}, "weir: --classes a: occurs twice\n");
  refuses({"footprint", text}, text + ": is not JSON (line 1, column 1: 'h')\n");
  refuses({"footprint", empty}, empty +
                                    ": input is missing; write \"input\": {\"channels\": 3, "
                                    "\"height\": 224, \"width\": 224}\n");
  refuses({"page", text, "--html", same},
          text + " is not a report; page reads what --json or MemoryProfile::write_json wrote\n");
  refuses({"run", tiny_images, "--html", same, "--json", same},
          "weir: --json and --html name the same file " + same + "; give each its own\n");
  refuses({"run", tiny_images, "--exclude", text, "--samples", text},
          "weir: --exclude and --samples name the same file " + text);
  refuses({"probe", tiny_images, "--exclude", text, "--list-bad", folder.string() + "/./note.txt"},
          "weir: --exclude and --list-bad name the same file ");
  const std::string weights(folder.write("weights", "1\n2\n"));
  refuses({"run", tiny_images, "--order", "weighted:" + weights, "--samples", weights},
          "weir: --order and --samples name the same file " + weights);
  refuses({"page", text, "--html", text}, "weir: REPORT and --html name the same file " + text);
  refuses({"footprint", empty, "--json", empty}, "weir: MODEL.json and --json name the same file ");
  refuses({"run", "cifar10:" + text, "--trace", text},
          "weir: DATA and --trace name the same file ");
  refuses({"run", text, "--trace", text}, "weir: DATA and --trace name the same file " + text);
  for (const auto* name : {"index.weir", "0.tar"})
    refuses({"index", folder.string(), "--json", folder.string() + '/' + name},
            std::string(name) + ": shards and their index have such names; give another\n");
  const auto both = weir::test::weir({"run", tiny_images, "--size", "8x8", "--html", "/dev/null",
                                      "--json", "/dev/null", "--exclude", text});
  CHECK(both.exit_code == 0);
  CHECK(contains(
      both.err, "hint: --exclude " + text + ": " + tiny_images + " has no sample named 'hallo'\n"));
}

TEST_CASE("an output that is data or would be is refused", "[message]") {
  const TemporaryFolder folder;
  const auto path = [&](const std::string& name) { return (folder.path() / name).string(); };
  const auto jpeg = weir::test::read_text(weir::synthetic(1, {20, 20}), 0);
  folder.write("i/cat/a.jpg", jpeg);
  folder.write("m.tsv", "i/cat/a.jpg\t0\n");
  folder.write("text.pgm", "P5 9 9 255\n" + std::string(81, 'x'));
  folder.write("l/cat/a.txt", "a cat");
  folder.write("c/data_batch_1.bin", std::string(3073, '\0'));
  folder.write("list", "P5/a.jpg\n");
  std::filesystem::create_symlink(path("i/cat/a.jpg"), path("link"));
  const std::string replaced = ": this file is no report, and would be replaced; name another\n";
  const std::string would = " would take this file as data; give ",
                    extension = "it an extension as .json, or another folder\n";
  const struct {
    Arguments data;
    std::string option, file, why;
  } rows[] = {
      {{path("m.tsv")}, "--json", "i/cat/a.jpg", replaced},
      {{path("m.tsv")}, "--samples", "link", replaced},
      {{tiny_images}, "--html", "text.pgm", replaced},
      {{path("i")}, "--save-progress", "i/cat/state", path("i") + would + extension},
      {{path("i"), "--ext", ".jpg,*"}, "--json", "i/r.json", path("i") + would + "another folder"},
      {{"cifar10:" + path("c")}, "--json", "c/data_batch_1.bin", replaced},
      {{tiny_images, "--plane", "m=" + path("i")}, "--json", "i/b", path("i") + would + extension},
      {{path("i"), "--annotation", path("l")}, "--json", "l/cat/b.txt", would + "another folder\n"},
  };
  for (const auto& row : rows) {
    Arguments arguments{"run"};
    arguments.insert(arguments.end(), row.data.begin(), row.data.end());
    arguments.insert(arguments.end(), {row.option, path(row.file)});
    refuses(arguments, row.why);
    CHECK(std::filesystem::exists(path(row.file)) == (row.why == replaced));
  }
  CHECK(weir::test::read_file(path("i/cat/a.jpg")) == jpeg);
  refuses({"run", tiny_images, "--save-progress", "/dev/null"},
          "a device or a pipe keeps no state");
  for (const auto* const file : {"i/r.json", "i/state.db", "i/.state", "j", "list"})
    CHECK(weir::test::weir({"run", path("i"), "--size", "8x8", "--save-progress", path(file)})
              .exit_code == 0);
  // That source takes only the files of its names.
  CHECK(weir::test::weir({"plan", "cifar10:" + path("c"), "--json", path("c/state")}).exit_code ==
        0);
}

TEST_CASE("a hint names the queue's limiting option or a value for it", "[message]") {
  const auto hinted = [](const Arguments& options, const std::string& hint) {
    Arguments arguments{"run", tiny_images, "--steps", "1"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const auto outcome = weir::test::weir(arguments);
    CAPTURE(options, hint, outcome.err);
    CHECK(outcome.exit_code == 0);
    CHECK(contains(outcome.err, hint));
  };
  hinted({"--max-queue-bytes", "1"},
         "hint: --max-queue-bytes 1 allows a queue of 1, not the 4 of --max-queue-size; ");
  hinted({"--workers", "1", "--memory-budget", "17.3MiB"},
         "hint: --memory-budget 17.3MiB allows a queue of 1, not the 4 of --max-queue-size; ");
  hinted({"--max-queue-size", "1000000"}, "hint: --max-queue-size 1000000 may take 4.38 TiB; ");
  const auto plan = weir::test::weir({"plan", "--size", "65500x65500"});
  CHECK(plan.exit_code == 0);
  CHECK(
      contains(plan.err, "hint: a batch takes 383.58 GiB (--batch 32, --size 65500x65500), and "));
}

TEST_CASE("a lack of memory or threads is named with the way out", "[message]") {
  if (weir::test::sanitized) return weir::test::skip("a sanitizer needs more address space");
  // In KiB of address space.
  const auto limited = [](const std::string& kib, const Arguments& arguments) {
    Arguments words{"/bin/sh", "-c", "ulimit -v " + kib + "; exec \"$0\" \"$@\"", WEIR_PROGRAM,
                    "run"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    const auto outcome = weir::test::run_program(words);
    CAPTURE(arguments);
    CHECK(outcome.exit_code != 0);
    CHECK(outcome.exit_code <= 2);
    CHECK_FALSE(contains(outcome.err, "bad_alloc"));
    return outcome.err;
  };
  CHECK(contains(limited("4000000", {tiny_images, "--batch", "1048576"}),
                 "weir: a batch takes 147.09 GiB (--batch 1048576, --size 224x224), and there are "
                 "at least 2; 3.81 GiB are available; lower --batch, "));
  CHECK(contains(
      limited("4000000", {tiny_images, "--trace", "/dev/null", "--trace-events", "4294967296"}),
      "--trace-events 4294967296: the events take "));
  // A batch has room for 512 images, but an epoch has one. While the consumer works on one of eight
  // batches, a few others fill the memory.
  const TemporaryFolder folder;
  const auto times = folder.write("times", "400\n0\n0\n0\n0\n0\n0\n0\n");
  CHECK(contains(
      limited("400000", {"synthetic:1,8x8", "--workers", "2", "--batch", "512", "--max-queue-size",
                         "8", "--epochs", "1000", "--dtype", "uint8", "--consumer-trace", times}),
      "out of memory: a batch takes 73.55 MiB (--batch 512, --size 224x224), all of them "
      "661.93 MiB (--max-queue-size 8, --max-leases 1); lower these, or "));
  CHECK(contains(limited("2000000", {tiny_images, "--workers", "1000", "--size", "8x8"}),
                 "cannot start a thread: Resource temporarily unavailable; --workers 1000 and "));
}

TEST_CASE("bad samples that end a run are told with the ways out", "[message]") {
  const TemporaryFolder folder;
  const auto data_of = [&](const std::string& name) { return (folder.path() / name).string(); };
  for (const auto* name : {"bad/a.jpg", "bad/b.jpg"}) folder.write(name, "no image");
  folder.write("list.tsv", "gone.jpg\t0\n");
  folder.write("large/a.jpg", weir::test::read_text(weir::synthetic(1, {20, 20}), 0));
  folder.write("none.txt", "");
  const std::string without = "--exclude bad.txt leaves out what `weir probe ";
  const struct {
    std::string data;
    Arguments options;
    std::string message, ways;
  } rows[] = {
      {"bad",
       {"--on-fault", "blank", "--tolerate", "1"},
       "more faults than allowed by --tolerate 1: 2 samples failed\n",
       "raise --tolerate 1; " + without},
      {"bad",
       {"--on-fault", "blank", "--tolerate", "50%"},
       "more faults than allowed by --tolerate 50%: 2 samples failed\n",
       "raise --tolerate 50%; " + without},
      {"bad",
       {"--on-fault", "skip"},
       " failed 64 times; --on-fault blank shows --fill in such rows; last with ",
       "ways out: --ext names the extensions of images; " + without},
      {"bad", {}, "unsupported (", "--ext names the extensions of images; " + without},
      {"list.tsv", {}, "; entry 1 of ", "weir: ways out: " + without},
      {"large",
       {"--max-side", "10", "--save-progress", "state.json"},
       "--max-side 10",
       "ways out: raise --max-side 10; " + without + data_of("large") +
           " --size 8x8 --max-side 10 --list-bad bad.txt` finds, for a run from the start; "},
      {"large",
       {"--max-side", "10", "--exclude", data_of("none.txt")},
       "--max-side 10",
       "ways out: raise --max-side 10; add to " + data_of("none.txt") + " what `weir probe "},
      {"large",
       {"--max-sample-bytes", "100B"},
       "--max-sample-bytes is 100",
       "ways out: raise --max-sample-bytes 100B; " + without},
  };
  for (const auto& row : rows) {
    const auto json = data_of("report.json");
    Arguments arguments{"run", data_of(row.data), "--size", "8x8", "--quiet", "--json", json};
    arguments.insert(arguments.end(), row.options.begin(), row.options.end());
    const auto outcome = weir::test::weir(arguments);
    CAPTURE(arguments, outcome.err);
    CHECK(outcome.exit_code == 1);
    CHECK(contains(outcome.err, row.message));
    CHECK(contains(outcome.err, row.ways));
    // The names of the library have backticks.
    CHECK_FALSE(contains(weir::test::read_file(json), "`"));
    // Nothing was delivered, so there is no verdict.
    CHECK_FALSE(contains(outcome.out, "Regime"));
    CHECK(contains(outcome.out, "no batch was delivered"));
  }
  const auto tuned =
      weir::test::weir({"tune", data_of("bad"), "--size", "8x8", "--quiet", "--on-fault", "blank"});
  CHECK(tuned.exit_code == 1);
  CHECK(contains(tuned.err, "nothing was measured: no sample could be decoded, the first is "));

  // With the smallest limit at which both folders open, no file can be read: that is no bad sample.
  // A sanitizer has descriptors of its own, and then there is no such limit.
  if (weir::test::sanitized) return;
  folder.write("notes/a.txt", "a note");
  std::string few;
  for (int limit = 5; !contains(few, "a.jpg"); ++limit) {
    const auto shell = "ulimit -n " + std::to_string(limit) +
                       "; exec \"$0\" run \"$1\" --size 8x8 --annotation \"$2\"";
    few =
        run_program({"/bin/sh", "-c", shell, WEIR_PROGRAM, data_of("large"), data_of("notes")}).err;
    REQUIRE(limit < 99);
  }
  CAPTURE(few);
  CHECK(contains(few, "Too many open files; raise the limit with `ulimit -n`"));
  CHECK_FALSE(contains(few, "ways out"));
}

TEST_CASE("inputs that never end are refused", "[message]") {
  refuses({"run", tiny_images, "--consumer-trace", "/dev/zero"},
          "cannot read /dev/zero: it has a NUL", 1);
  const TemporaryFolder folder;
  refuses({"page", "/dev/zero", "--html", (folder.path() / "p.html").string()},
          "weir: cannot read /dev/zero: it has a NUL byte", 1);
}

TEST_CASE("an interrupted sweep says so and shows what is finished", "[message][sweep]") {
  const auto outcome = weir_interrupted(
      {"sweep", "synthetic:100000,16x16", "--size", "16x16", "--epochs", "1000", "--consumer-ms",
       "1", "--max-queue-size", "1,2", "--quiet", "--metrics-port", "0"},
      weir::test::runs);
  CHECK(outcome.exit_code == 130);
  CHECK(outcome.out == "Interrupted after 0 finished runs.\n");
}

TEST_CASE("an interrupted probe says what it has not examined", "[message]") {
  const TemporaryFolder folder;
  const auto bad = (folder.path() / "bad.txt").string();
  const auto outcome = weir_interrupted(
      {"probe", "synthetic:100000,16x16", "--read-delay-ms", "50", "--list-bad", bad, "--quiet"});
  CHECK(outcome.exit_code == 130);
  CHECK(outcome.out.starts_with("Interrupted: "));
  CHECK(contains(one_line(outcome.out),
                 " of 100,000 files were examined, so " + bad + " is not complete. "));
}

TEST_CASE("an interrupted tune says so", "[message][tune]") {
  const auto outcome = weir_interrupted(
      {"tune", "synthetic:100000,16x16", "--size", "16x16", "--consumer-ms", "200", "--quiet"});
  CHECK(outcome.exit_code == 130);
  CHECK(outcome.out == "Interrupted: the measurement did not end, so there is no advice.\n");
}

TEST_CASE("a cache without bound gets what an automatic budget leaves", "[message][cache]") {
  const std::string kind = GENERATE("encoded", "decoded");
  const auto outcome = weir::test::weir({"run", tiny_images, "--size", "8x8", "--cache", kind});
  CHECK(outcome.exit_code == 0);
  CHECK(contains(outcome.out, "cache of " + kind + " samples: "));
  CHECK(contains(outcome.out, "auto budget "));
  const auto json = weir::test::weir({"plan", "--cache", kind, "--json", "-"}).json();
  CHECK(json["plan"]["budget_bytes"].get<std::uint64_t>() < UINT64_MAX);
  CHECK(contains(json["plan"]["budget_how"].get<std::string>(), "50 % of the "));
  CHECK(json["cache"]["most_bytes"].get<std::uint64_t>() > 0);
}

TEST_CASE("files that are never images are skipped and counted", "[message]") {
  const TemporaryFolder folder;
  const auto images = (folder.path() / "images").string();
  folder.write("images/notes.txt", "no image");
  folder.write("images/Thumbs.db", "no image");
  folder.write("images/.hidden.jpg", "no image");
  folder.write("images/bad.jpg", "no image");
  const auto probed = weir::test::weir({"probe", images, "--json", "-"}).json();
  CHECK(probed["probe"]["files"] == 1);
  CHECK(probed["probe"]["skipped"] == 2);
  const auto all = weir::test::weir({"probe", images, "--ext", "*", "--json", "-"}).json();
  CHECK(all["probe"]["files"] == 3);
  const auto run = weir::test::weir({"run", images, "--size", "8x8"});
  CHECK(run.exit_code == 1);
  CHECK(contains(run.err, "ways out: --ext "));
  CHECK(contains(run.err, "--exclude "));
  CHECK(contains(run.err, "--on-fault skip "));
  const auto swept =
      weir::test::weir({"sweep", images, "--size", "8x8", "--max-queue-size", "1,2", "--quiet"});
  CHECK(swept.exit_code == 1);
  CHECK(contains(swept.err, "ways out: --ext "));
  CHECK(swept.err.find("ways") == swept.err.rfind("ways"));
  const auto skipped = weir::test::weir({"run", images, "--size", "8x8", "--on-fault", "blank"});
  CHECK_FALSE(contains(skipped.err, "ways out"));
}
