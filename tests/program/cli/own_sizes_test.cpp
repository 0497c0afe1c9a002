// Images at their own sizes, with the program.
#include "program.hpp"
#include "support/catch.hpp"
#include "support/text.hpp"

using namespace weir::test;

namespace {

const std::string low_images = "synthetic:120,40x60";

}  // namespace

TEST_CASE("verify of all size modes at their floors finds no breach", "[verify][sizes]") {
  const std::vector<std::vector<std::string>> kinds{
      {"--sizes", "padded", "--batch", "8"},
      {"--sizes", "ragged", "--max-queue-bytes", "60KiB", "--batch", "1"},
      {"--sizes", "padded", "--schedule", "epoch 0: 30, 1+3: 42x60, 2: 35x20", "--batch", "8"},
      {"--sizes", "padded", "--bucket", "4", "--shuffle", "--max-size", "42x60", "--batch", "8"}};
  for (const auto& kind : kinds) {
    const auto with = [&](std::vector<std::string> words) {
      for (const auto* word : {"--max-queue-size", "5", "--max-leases", "2", "--workers", "3",
                               "--max-sample-bytes", "40KiB", "--json", "-"})
        words.emplace_back(word);
      words.insert(words.end(), kind.begin(), kind.end());
      return weir::test::weir(words);
    };
    const std::uint64_t floor =
        with({"plan", low_images}).json()["plan"]["floor_bytes"].get<std::uint64_t>();
    const auto outcome = with({"verify", low_images, "--epochs", "3", "--dtype", "float32",
                               "--memory-budget", std::to_string(floor)});
    CAPTURE(kind, floor, outcome.err);
    REQUIRE(outcome.exit_code == 0);
    const auto json = outcome.json();
    const auto peak = json["memory"]["peak"].get<std::uint64_t>(),
               waits = json["stages"][1]["count"].get<std::uint64_t>();
    CAPTURE(peak, waits);
    CHECK(json["plan"]["budget_bytes"] == floor);
    CHECK(peak <= floor);
    CHECK((waits > 0 || peak > floor / 100 * 85));
    CHECK(json["verify"]["breaches"] == 0);
    CHECK(json["verify"]["determinism"]["batches"] == json["queue"]["batches"]);
    for (const auto& law : json["verify"]["laws"]) {
      CAPTURE(law.dump());
      CHECK(law["checks"].get<int>() > 0);
      CHECK(law["breaches"] == 0);
    }
    const auto& sizes = json["sizes"];
    CHECK(sizes["mode"] == kind[1]);
    CHECK(sizes["delivered"]["images"] == 360);
    CHECK(sizes["least_slab_bytes"] <= sizes["typical_slab_bytes"]);
    CHECK(sizes["typical_slab_bytes"] <= sizes["most_slab_bytes"]);
    if (kind[1] == "ragged") CHECK(sizes["delivered"]["padding"] == 0.0);
  }
}

TEST_CASE("a schedule of sizes breaks no law, and order lists it", "[verify][sizes]") {
  const std::string schedule = "epoch 0: 16, 1+2: 24x32, 2: 20";
  const auto outcome =
      weir::test::weir({"verify", low_images, "--batch", "32", "--epochs", "3", "--schedule",
                        schedule, "--cache", "encoded:1MiB", "--json", "-"});
  REQUIRE(outcome.exit_code == 0);
  const auto json = outcome.json();
  CHECK(json["verify"]["breaches"] == 0);
  CHECK(json["verify"]["determinism"]["batches"] == 12);
  CHECK(json["plan"]["shape"].dump() == "[24,32,3]");
  CHECK(json["plan"]["size"] == "epoch 0: 16x16; 1+2: 24x32; 2: 20x20");
  const auto order = weir::test::weir({"order", low_images, "--batch", "32", "--epochs", "3",
                                       "--world", "2", "--schedule", schedule});
  REQUIRE(order.exit_code == 0);
  CHECK(contains(order.out, "epoch\tposition\tstep\trank\tindex\tsize\tname\n"));
  CHECK(contains(order.out, "\n0\t119\t1\t1\t119\t16x16\t"));
  CHECK(contains(order.out, "\n1\t119\t1\t1\t119\t16x16\t"));
  CHECK(contains(order.out, "\n2\t0\t0\t0\t0\t20x20\t"));
}

TEST_CASE("tune keeps the schedule in its next command", "[tune][sizes]") {
  const auto outcome =
      weir::test::weir({"tune", low_images, "--batch", "8", "--consumer-ms", "40", "--epochs", "3",
                        "--schedule", "epoch 0: 16, 1: 24x32, 7: 40", "--json", "-"});
  REQUIRE(outcome.exit_code == 0);
  const auto json = outcome.json();
  CHECK(json["measured_size"] == "24x32");
  CHECK(json["runs"][0]["plan"]["shape"].dump() == "[40,40,3]");
  CHECK(contains(json["next"].get<std::string>(), " --schedule 'epoch 0: 16, 1: 24x32, 7: 40'"));
  CHECK(contains(weir::test::weir({"run", low_images, "--schedule", "epoch 0: 16"}).out,
                 "\nNext: weir tune synthetic:120,40x60 --schedule 'epoch 0: 16'\n"));
}

TEST_CASE("text and JSON say by how much buckets lessen the padding", "[sizes]") {
  const auto run = [](std::vector<std::string> more) {
    std::vector<std::string> words{"run",     low_images, "--sizes",   "padded",
                                   "--batch", "8",        "--shuffle", "--digest"};
    words.insert(words.end(), more.begin(), more.end());
    return weir::test::weir(words);
  };
  const auto plain = run({"--workers", "2", "--json", "-"}).json();
  const auto bucketed = run({"--workers", "2", "--bucket", "15", "--json", "-"}).json();
  const auto before = plain["sizes"]["padding"].get<double>(),
             after = bucketed["sizes"]["padding"].get<double>();
  CHECK(before > 0.1);
  CHECK(after < 0.7 * before);
  CHECK(bucketed["sizes"]["padding_without_buckets"] == before);
  CHECK(bucketed["sizes"]["delivered"]["padding"] == after);
  CHECK(plain["sizes"]["delivered"]["padding"] == before);
  CHECK(bucketed["samples"]["consumed"] == 120);
  CHECK(run({"--bucket", "15", "--workers", "1", "--max-queue-size", "1", "--json", "-"})
            .json()["digest"] == bucketed["digest"]);
  const auto text = run({"--bucket", "15"}).out;
  CHECK(contains(text, "images at their own sizes, up to "));
  CHECK(contains(one_line(text), "without the buckets of 15 batches"));
  CHECK(contains(text, "delivered: 120 images"));
}

TEST_CASE("a plan of own-size images says least, average and most", "[plan][sizes]") {
  const auto outcome = weir::test::weir(
      {"plan", low_images, "--sizes", "ragged", "--batch", "4", "--max-queue-bytes", "1MiB"});
  CHECK(outcome.exit_code == 0);
  CHECK(contains(outcome.out, "ragged: a slab is "));
  CHECK(contains(outcome.out, "a slab is at least "));
  CHECK(contains(one_line(outcome.out), "max_queue_size 4 and 1.00 MiB"));
  CHECK(contains(outcome.out, "at most"));
}

TEST_CASE("a bound in bytes makes the queue of one shape shorter", "[plan][sizes]") {
  const auto json =
      weir::test::weir({"plan", "--size", "100x100", "--batch", "10", "--max-queue-bytes", "1MiB",
                        "--max-queue-size", "9", "--json", "-"})
          .json();
  CHECK(json["plan"]["max_queue_size"] == 3);
  CHECK(json["plan"]["max_queue_bytes"] == 1 << 20);
  CHECK(json["sizes"].is_null());
}

TEST_CASE("a sweep over own-size images predicts only bytes", "[sizes]") {
  const auto outcome = weir::test::weir({"sweep", "synthetic:60,30x40", "--sizes", "padded",
                                         "--batch", "4", "--max-queue-size", "1,3", "--epochs", "1",
                                         "--rounds", "1", "--json", "-"});
  CHECK(outcome.exit_code == 0);
  const auto json = outcome.json();
  REQUIRE(json["runs"].size() == 2);
  CHECK(json["limit"].is_null());
  for (const auto& run : json["runs"]) {
    CHECK(run["predicted"]["samples_per_s"].is_null());
    CHECK(run["predicted"]["staging_bytes"] >= run["memory"]["staging"]);
    CHECK(run["samples"]["consumed"] == 60);
  }
}

TEST_CASE("what has no say beside --sizes is refused by its name", "[sizes]") {
  const auto refuses = [](std::vector<std::string> words, const char* what) {
    const auto outcome = weir::test::weir(words);
    CAPTURE(words);
    CHECK(outcome.exit_code == 2);
    CHECK(contains(outcome.err, what));
  };
  refuses({"run", low_images, "--sizes", "padded", "--size", "10x10"},
          "--size 10x10 is for --sizes fixed");
  refuses({"run", low_images, "--sizes", "ragged", "--fit", "center"},
          "--fit center is for --sizes fixed");
  refuses({"run", low_images, "--sizes", "ragged", "--bucket", "3"},
          "--bucket 3 is for --sizes padded");
  refuses({"run", low_images, "--bucket", "3"}, "--bucket 3 is for --sizes padded");
  refuses({"run", low_images, "--multiple-of", "32"}, "--multiple-of 32 is for --sizes padded");
  refuses({"run", low_images, "--sizes", "padded", "--multiple-of", "5000"},
          "--multiple-of 5000: must be 1 to 4096");
  refuses({"run", low_images, "--max-size", "9x9"},
          "--max-size 9x9 is for --sizes padded and ragged");
  refuses({"run", low_images, "--sizes", "padded", "--tuning", "automatic"},
          "--tuning automatic takes images of one shape");
  refuses({"tune", low_images, "--sizes", "padded"},
          "weir tune has no --sizes; plan, run, sweep, verify, order have it\n");
  refuses({"probe", low_images, "--sizes", "padded"},
          "weir probe has no --sizes; plan, run, sweep, verify, order have it\n");
  refuses({"plan", "--sizes", "padded"}, "--sizes padded needs DATA");
  refuses({"run", low_images, "--sizes", "some"}, "--sizes");
  refuses({"run", low_images, "--max-queue-bytes", "0"}, "--max-queue-bytes");
}

TEST_CASE("a cache bounded by the budget takes own-size images", "[sizes][cache]") {
  const std::string sizes = GENERATE("padded", "ragged");
  const auto outcome = weir::test::weir(
      {"run", low_images, "--sizes", sizes, "--batch", "8", "--cache", "decoded", "--json", "-"});
  CAPTURE(outcome.err);
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.json()["cache"]["most_bytes"].get<std::uint64_t>() > 0);
}
