#include <algorithm>
#include <csignal>
#include <set>
#include <sstream>

#include <nlohmann/json.hpp>

#include "program.hpp"
#include "support/catch.hpp"
#include "support/text.hpp"

using weir::test::contains;
using weir::test::one_line;
using weir::test::read_file;
using weir::test::TemporaryFolder;
using Arguments = std::vector<std::string>;

namespace {

const std::string forty_one = "synthetic:41,8x8";

/// `weir COMMAND` on 41 samples, with small images and these options.
Arguments command(const std::string& name, const Arguments& options) {
  Arguments all{name, forty_one, "--quiet"};
  if (std::ranges::count(options, "--batch") == 0) all.insert(all.end(), {"--batch", "3"});
  if (name != "order") all.insert(all.end(), {"--size", "8x8"});
  all.insert(all.end(), options.begin(), options.end());
  return all;
}

weir::test::Outcome weir_with(const std::string& name, const Arguments& options) {
  return weir::test::weir(command(name, options));
}

void refuses(const std::string& name, const Arguments& options, const std::string& message,
             int exit_code = 2) {
  const auto outcome = weir_with(name, options);
  CAPTURE(name, options, outcome.err);
  CHECK(outcome.exit_code == exit_code);
  CHECK(contains(outcome.err, "weir: " + message));
}

/// The lines after the first.
std::vector<std::string> rows_of(const std::string& table) {
  std::vector<std::string> rows;
  for (std::size_t at = table.find('\n') + 1; at < table.size();) {
    const auto end = table.find('\n', at);
    rows.push_back(table.substr(at, end - at));
    at = end + 1;
  }
  return rows;
}

/// `weir` in an environment with these variables.
weir::test::Outcome launched(Arguments variables, const Arguments& arguments) {
  variables.insert(variables.begin(), "/usr/bin/env");
  variables.emplace_back(WEIR_PROGRAM);
  variables.insert(variables.end(), arguments.begin(), arguments.end());
  return weir::test::run_program(variables);
}

}  // namespace

TEST_CASE("wrong claims and files without {rank} are refused by name", "[ranks]") {
  refuses("run", {"--rank", "3"}, "--rank 3 needs --world W");
  refuses("run", {"--world", "3"}, "--world 3 needs --rank R");
  refuses("run", {"--rank", "3", "--world", "3"}, "--rank 3: must be below --world 3\n");
  refuses("run", {"--ranks", "auto", "--rank", "0", "--world", "2"},
          "--ranks and --rank exclude each other\n");
  refuses("plan", {"--ranks-per-node", "2"}, "--ranks-per-node 2 needs --world W\n");
  refuses("plan", {"--world", "2", "--ranks-per-node", "3"},
          "--ranks-per-node 3: must be 1 to --world 2\n");
  refuses("verify", {"--world", "65"}, "--world 65 must be 1 to 64");
  refuses(
      "run", {"--rank", "0", "--world", "8", "--drop-last", "--batch", "6"},
      forty_one +
          ": --drop-last leaves out everything: a batch of 6 on each of 8 ranks takes more than 41 "
          "samples; write --batch 5 or less");
  const TemporaryFolder folder;
  for (const auto* option : {"--json", "--html", "--trace", "--samples", "--save-progress"}) {
    const auto file = (folder.path() / "file").string();
    refuses(
        "run", {"--rank", "0", "--world", "2", option, file},
        option + (" " + file) + ": 2 ranks would write the same file; write {rank} in its name");
    CHECK(std::filesystem::is_empty(folder.path()));
  }
}

TEST_CASE("only --ranks asks launchers and a wrong claim is named", "[ranks]") {
  const auto run = [](const Arguments& variables, const Arguments& options) {
    auto arguments = command("run", {"--json", "-"});
    arguments.insert(arguments.end(), options.begin(), options.end());
    return launched(variables, arguments);
  };
  const Arguments stray{"RANK=1"}, torchrun{"RANK=1", "WORLD_SIZE=3", "LOCAL_WORLD_SIZE=2"};
  CHECK(run(stray, {}).json()["plan"]["ranks"].is_null());
  const auto refused = run(stray, {"--ranks", "auto"});
  CHECK(refused.exit_code == 2);
  CHECK(contains(refused.err,
                 "weir: --ranks auto: RANK is set, but WORLD_SIZE is not; torchrun "
                 "sets both. Unset it, or give --rank and --world\n"));
  CHECK(contains(
      run({"RANK=0", "WORLD_SIZE=2", "LOCAL_WORLD_SIZE=\033[31m"}, {"--ranks", "auto"}).err,
      "weir: --ranks auto: LOCAL_WORLD_SIZE=\\x1b[31m must be a whole number from 1; unset it, or "
      "give --rank, --world and --ranks-per-node\n"));
  auto both = torchrun;
  both.insert(both.end(), {"OMPI_COMM_WORLD_RANK=0", "OMPI_COMM_WORLD_SIZE=3"});
  CHECK(contains(
      run(both, {"--ranks", "auto"}).err,
      "weir: --ranks auto: the launchers differ: torchrun: RANK=1 WORLD_SIZE=3 LOCAL_WORLD_SIZE=2; "
      "openmpi: "
      "OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=3. Choose one, as in --ranks torchrun or "
      "openmpi\n"));
  const auto ranks = run(torchrun, {"--ranks", "auto"}).json()["plan"]["ranks"];
  CHECK(ranks["rank"] == 1);
  CHECK(ranks["world"] == 3);
  CHECK(ranks["local_world"] == 2);
}

TEST_CASE("a plan and a report say what one and all ranks deliver", "[ranks]") {
  const Arguments job{"--world", "4", "--ranks-per-node", "2", "--json", "-"};
  const auto plan = weir_with("plan", job).json()["plan"];
  CHECK(plan["epoch"]["batches"] == 4);
  CHECK(plan["epoch"]["samples"] == 11);  // 3 batches of 3, and 2 of the last 5
  CHECK(plan["epoch"]["all_samples"] == 41);
  CHECK(plan["epoch"]["padding_rows"] == 0);
  CHECK(plan["ranks"]["node_bytes"].get<std::uint64_t>() ==
        2 * plan["ceiling_bytes"].get<std::uint64_t>());
  const auto text = weir_with("plan", {"--world", "8", "--shuffle", "--cache", "decoded:1MiB"}).out;
  CHECK(contains(text, "rank 0 of 8: 2 batches an epoch with 6 samples; all ranks: 41 samples\n"));
  CHECK(contains(one_line(text), "cache hits are kept samples / all samples "));
  CHECK(contains(weir_with("run", {"--rank", "1", "--world", "4"}).out, "rank 1 of 4: "));
}

TEST_CASE("the budget of auto is divided by the ranks of this machine", "[ranks]") {
  const auto of = [](const Arguments& options) {
    auto all = options;
    all.insert(all.end(), {"--json", "-"});
    return weir_with("plan", all).json()["plan"];
  };
  const auto one = of({"--memory-budget", "auto"})["budget_bytes"].get<double>();
  const auto four = of({"--memory-budget", "auto", "--world", "4", "--ranks-per-node", "4"});
  CHECK(four["budget_bytes"].get<double>() < one / 2);
  CHECK(contains(four["budget_how"].get<std::string>(), "divided by 4 ranks on this machine"));
}

TEST_CASE("verify compares all ranks of a job with one process", "[ranks]") {
  const auto world = GENERATE("2", "8");
  const auto outcome =
      weir_with("verify", {"--shuffle", "--epochs", "2", "--world", world, "--json", "-"});
  CAPTURE(world, outcome.err, outcome.out);
  CHECK(outcome.exit_code == 0);
  const auto verify = outcome.json()["verify"];
  CHECK(verify["determinism"]["ranks"] == std::stoi(world));
  CHECK(verify["breaches"] == 0);
  for (const auto& law : verify["laws"])
    if (law["law"] == "ranks")
      CHECK(law["checks"].get<int>() == (std::string(world) == "2" ? 14 : 4));
}

TEST_CASE("a run resumes where another has ended, with other ranks", "[ranks]") {
  const TemporaryFolder folder;
  const auto file = [&](const std::string& name) { return (folder.path() / name).string(); };
  const Arguments order{"--order", "blocks:4:2", "--seed", "3"};
  std::multiset<std::string> seen;
  const auto run = [&](Arguments options, const std::string& samples) {
    options.insert(options.end(), order.begin(), order.end());
    options.insert(options.end(), {"--samples", file("{rank}-" + samples)});
    const auto outcome = weir_with("run", options);
    CAPTURE(options, outcome.err);
    CHECK(outcome.exit_code == 0);
    for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
      if (entry.path().string().ends_with("-" + samples)) {
        for (auto& row : rows_of(read_file(entry.path()))) seen.insert(row);
        std::filesystem::remove(entry.path());
      }
  };
  for (const auto* rank : {"0", "1"})
    run({"--rank", rank, "--world", "2", "--steps", "3", "--save-progress", file("p{rank}")}, "a");
  const auto states = file("p0") + "," + file("p1");
  auto left = order;
  left.insert(left.end(), {"--resume", states, "--world", "3"});
  const auto listed = rows_of(weir_with("order", left).out);
  REQUIRE(listed.size() == 41 - 18);
  CHECK(listed.front().starts_with("0\t18\t2\t0\t"));  // two steps of nine samples are finished
  for (const auto* rank : {"0", "1", "2"})
    run({"--rank", rank, "--world", "3", "--batch", "2", "--resume", states}, "b");
  CHECK(seen.size() == 41);
  CHECK(std::set(seen.begin(), seen.end()).size() == 41);

  run({"--resume", states, "--save-progress", file("all")}, "c");
  for (const auto* name : {"run", "order"}) {
    auto again = order;
    again.insert(again.end(), {"--resume", file("all")});
    refuses(
        name, again,
        "--resume " + file("all") +
            ": nothing is left: the first unfinished epoch is 1, counted from 0, and --epochs 1 "
            "counts from the beginning of the training; set --epochs 2 or more, or --steps N "
            "without it");
  }
  // The usual way to go on: one file for both.
  run({"--resume", file("all"), "--epochs", "2", "--save-progress", file("all")}, "d");
  auto once_more = Arguments{"run", forty_one, "--size", "8x8", "--resume", file("all")};
  once_more.insert(once_more.end(), {"--epochs", "2"});
  once_more.insert(once_more.end(), order.begin(), order.end());
  CHECK(contains(weir::test::weir(once_more).err,
                 "hint: --resume " + file("all") + ": nothing is left"));

  const auto refuses_to_resume = [&](const Arguments& options, const std::string& why) {
    for (const auto* name : {"run", "order"}) {
      auto all = options;
      all.insert(all.end(), {"--resume", file("p0")});
      refuses(name, all, "--resume " + file("p0") + ": " + why);
    }
  };
  refuses_to_resume({"--order", "blocks:4:2"}, "seed is 3; ");
  refuses_to_resume({"--order", "with_replacement:9", "--seed", "3"}, "samples is ");
  refuses_to_resume({"--order", "blocks:4:3", "--seed", "3"}, "order is blocks:4:2; ");
  for (const auto* name : {"run", "order"}) {
    Arguments sorted{name, forty_one, "--sizes", "padded", "--bucket", "2", "--resume", file("p0")};
    sorted.insert(sorted.end(), order.begin(), order.end());
    CHECK(contains(weir::test::weir(sorted).err, "epoch 0 is partly finished with --bucket 0; "));
  }
  for (const auto* text : {"", "{\"version\": 1", "{\"version\": 99}"}) {
    folder.write("bad", text);
    refuses("run", {"--resume", states + "," + file("bad")},
            "--resume " + states + "," + file("bad") + ": " + file("bad") + ": ");
  }
  refuses("run", {"--resume", file("none")}, "--resume " + file("none") + ": cannot read ", 1);
  const auto here = folder.path().string();
  refuses("run", {"--resume", here},
          "--resume " + here + ": cannot read " + here + ": Is a directory", 1);

  std::filesystem::create_symlink("p0", file("link"));
  run({"--save-progress", file("link")}, "d");
  CHECK(std::filesystem::is_symlink(file("link")));
}

TEST_CASE("SIGTERM ends a run as SIGINT does and saves what is finished", "[ranks]") {
  const TemporaryFolder folder, list;
  const auto progress = (folder.path() / "p").string(), samples = (list.path() / "s").string();
  const auto outcome = weir::test::weir_signalled(
      command("run", {"--consumer-ms", "1", "--epochs", "1000000", "--save-progress", progress,
                      "--samples", samples}),
      SIGTERM, [&](const auto&) { return weir::test::bytes_in(list.path()) > 0; });
  CHECK(outcome.exit_code == 130);
  const auto delivered = rows_of(read_file(samples)).size();
  CHECK(delivered > 0);
  const auto saved = weir::test::Json::try_parse(read_file(progress));
  REQUIRE(saved["epochs"].size() == 1);
  const auto& done = saved["epochs"][0]["done"];
  const auto finished = 41 * saved["epochs"][0]["epoch"].get<std::uint64_t>() +
                        (done.size() == 0 ? 0 : done[0][1].get<std::uint64_t>());
  // The batch on which the consumer was interrupted comes again.
  CHECK(finished <= delivered);
  CHECK(finished + 3 >= delivered);
}

TEST_CASE("a run keeps the earlier state until it finishes a batch", "[ranks]") {
  const TemporaryFolder folder, list;
  const auto state = folder.path() / "p";
  folder.write("p", "earlier");
  // The list of so many samples is written before the consumer has the batch.
  const weir::test::Running run({"run", "synthetic:3000,8x8", "--size", "8x8", "--batch", "3000",
                                 "--consumer-ms", "100000", "--save-progress", state.string(),
                                 "--samples", (list.path() / "s").string()});
  run.await(SIGTERM, [&](const auto&) { return weir::test::bytes_in(list.path()) > 0; });
  CHECK(read_file(state) == "earlier");
  folder.write("bad/a.jpg", "no image");
  CHECK(
      weir::test::weir({"run", (folder.path() / "bad").string(), "--save-progress", state.string()})
          .exit_code == 1);
  CHECK(read_file(state) == "earlier");
}

TEST_CASE("weir order writes the windows of the rows as JSON", "[ranks][windows]") {
  const TemporaryFolder folder;
  const auto file = (folder.path() / "windows.json").string();
  const auto outcome = weir::test::weir({"order", "synthetic:7,40x60", "--fit", "random", "--size",
                                         "16x16", "--seed", "3", "--windows", file});
  REQUIRE(outcome.exit_code == 0);
  const auto rows = nlohmann::json::parse(read_file(file));
  REQUIRE(rows.size() == 7);
  for (std::size_t i = 0; i < 7; ++i) {
    const auto& row = rows[i];
    CHECK(row["index"] == i);
    CHECK(row["orientation"] == 1);
    CHECK(row["target"] == nlohmann::json::array({0, 0, 16, 16}));
    const std::vector<double> source = row["source"];
    CHECK(source[0] + source[2] <= row["image"][1].get<double>());
    CHECK(source[1] + source[3] <= row["image"][0].get<double>());
  }
  CHECK(rows[0]["source"] != rows[1]["source"]);
  folder.write("bad/a.jpg", "no image");
  REQUIRE(
      weir::test::weir({"order", (folder.path() / "bad").string(), "--windows", file}).exit_code ==
      0);
  CHECK(contains(nlohmann::json::parse(read_file(file))[0]["fault"].get<std::string>(),
                 "first bytes"));
  // What was there stays.
  const auto list = read_file(file);
  const auto interrupted = weir::test::weir_interrupted(
      {"order", "synthetic:7,40x60", "--epochs", "1000000", "--windows", file},
      [](const weir::test::Running& program) { return !program.out().empty(); });
  CHECK(interrupted.exit_code == 130);
  CHECK(contains(interrupted.err, "weir: interrupted; --windows " + file + " has no new list\n"));
  CHECK(read_file(file) == list);
  const auto refused = weir::test::weir({"order", "synthetic:7,40x60", "--fit", "random"});
  CHECK(refused.exit_code == 2);
  CHECK(contains(refused.err, "--fit random is for --windows FILE"));
}

TEST_CASE("weir order lists the partners of the rows", "[ranks][partners]") {
  const auto all = rows_of(weir_with("order", {"--shuffle", "--partners", "3"}).out);
  REQUIRE(all.size() == 41);
  std::set<std::string> rows;
  for (const auto& line : all) {
    std::istringstream cells(line);
    std::string epoch, position, step, rank, own, partners, number;
    cells >> epoch >> position >> step >> rank >> own >> partners;
    std::set<std::string> samples{own};
    std::istringstream numbers(partners);
    while (std::getline(numbers, number, ',')) samples.insert(number);
    CHECK(samples.size() == 4);
    rows.insert(position + ' ' + partners);
  }
  // Ranks draw those of one process. In the last step 11 of 13 have a padding row.
  for (const auto& line :
       rows_of(weir_with("order", {"--shuffle", "--partners", "3", "--world", "13"}).out)) {
    std::istringstream cells(line);
    std::string epoch, position, step, rank, own, partners;
    cells >> epoch >> position >> step >> rank >> own >> partners;
    CHECK((own == "-" ? partners == "-" : rows.contains(position + ' ' + partners)));
    CHECK(std::ranges::count(line, '\t') == 6);
  }
  refuses("order", {"--partners", "41"}, "--partners 41");
  for (const auto* name : {"order", "run"})
    refuses(name, {"--partners", "6", "--options", "partners.pick=same_label"},
            "--partners 6: a row needs 7 samples of its label");
}

TEST_CASE("names in tables are escaped", "[ranks]") {
  const TemporaryFolder folder;
  folder.write("a\tb.jpg", "no image");
  const auto samples = (folder.path() / "list.tsv").string();
  const auto run = weir::test::weir(
      {"run", folder.path().string(), "--on-fault", "blank", "--quiet", "--samples", samples});
  CHECK(rows_of(read_file(samples)) == std::vector<std::string>{"0\t0\t0\ta\\tb.jpg\t-1\tblank"});
  CHECK(rows_of(weir::test::weir({"order", folder.path().string()}).out) ==
        std::vector<std::string>{"0\t0\t0\t0\t0\ta\tb.jpg"});
}
