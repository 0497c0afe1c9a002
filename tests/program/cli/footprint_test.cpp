#include "program.hpp"
#include "support/catch.hpp"
#include "support/text.hpp"

using weir::test::Approx;
using weir::test::contains;
using weir::test::TemporaryFolder;
using Arguments = std::vector<std::string>;

namespace {

const std::string models = WEIR_ROOT "/examples/models/";

weir::test::Json footprint(Arguments arguments) {
  arguments.insert(arguments.begin(), "footprint");
  arguments.insert(arguments.end(), {"--json", "-"});
  const auto outcome = weir::test::weir(arguments);
  CAPTURE(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  CHECK(outcome.json()["command"] == "footprint");
  return outcome.json()["footprint"];
}

double mib(const weir::test::Json& bytes) { return bytes.get<double>() / (1 << 20); }

}  // namespace

TEST_CASE("the published hand calculation comes out", "[footprint]") {
  const auto print = footprint({models + "published.json"});
  const auto& batch = print["batch"];
  CHECK(mib(batch["parameter_bytes"]) * 3 == Approx(218.27).margin(0.005));
  CHECK(mib(batch["kept_bytes"]) == Approx(520.27).margin(0.005));
  CHECK(mib(batch["input_bytes"]) == Approx(4.39).margin(0.005));
  CHECK(mib(batch["total_bytes"]) == Approx(742.93).margin(0.005));
  const auto text = weir::test::weir({"footprint", models + "published.json"}).out;
  for (const auto* figure : {"218.27", "520.27", "4.39", "742.93", "19,072,984", "532,752"})
    CHECK(contains(text, figure));
}

TEST_CASE("one image kept once is a micro-batch of one", "[footprint]") {
  const TemporaryFolder folder;
  const auto path =
      folder.write("once.json", R"({"input": {"channels": 1, "height": 180, "width": 50},
    "optimizer": "momentum", "counts": {"parameters": 19072984, "activations": 532752}})");
  const auto print = footprint({path, "--batch", "128", "--micro-batch", "1"});
  CHECK(mib(print["micro_batch"]["total_bytes"]) == Approx(224.695).margin(0.005));
  const auto smaller = footprint({path, "--batch", "7", "--micro-batch", "99"});
  CHECK(smaller["micro_batch"]["micro_batch"] == 7);
  CHECK(contains(weir::test::one_line(weir::test::weir({"help", "footprint", "--all"}).out),
                 "at once; a smaller batch goes as a whole. [the batch]"));
}

TEST_CASE("VGG-16 from its file has its parameters, layer by layer", "[footprint]") {
  const auto print = footprint({models + "vgg16.json"});
  CHECK(print["parameters"] == 138'357'544);
  REQUIRE(print["layers"].size() == 39);
  std::uint64_t sum = 0;
  for (const auto& layer : print["layers"]) sum += layer["parameters"].get<std::uint64_t>();
  CHECK(sum == 138'357'544);
  CHECK(print["layers"][32]["name"] == "fc6");
  CHECK(print["layers"][32]["parameters"] == 102'764'544);
  const auto text = weir::test::weir({"footprint", models + "vgg16.json"}).out;
  CHECK(contains(text, "138,357,544"));
  CHECK(contains(text, "Conv2d conv5_3"));
}

TEST_CASE("the size of a tensor and of an image", "[footprint]") {
  const TemporaryFolder folder;
  const auto bytes = [&](const char* input, const char* batch) {
    const auto path =
        folder.write("input.json", std::string(R"({"layers": [], "input": )") + input + "}");
    CHECK(weir::test::weir({"footprint", path, "--batch", batch}).exit_code == 0);
    return footprint({path, "--batch", batch})["batch"]["total_bytes"];
  };
  CHECK(bytes(R"({"channels": 3, "height": 100, "width": 100})", "256") == 30'720'000);
  CHECK(bytes(R"({"channels": 3, "height": 500, "width": 500})", "1") == 3'000'000);
}

TEST_CASE("options stand in for what the file says", "[footprint]") {
  const auto file = models + "published.json";
  const auto half = footprint({file, "--dtype", "float16", "--optimizer", "adam", "--batch", "2"});
  CHECK(half["batch"]["parameter_bytes"] == 19'072'984 * 2);
  CHECK(half["batch"]["optimizer_bytes"] == 19'072'984 * 4);
  CHECK(half["batch"]["kept_bytes"] == 532'752 * 2 * 2 * 2);
  CHECK(half["batch"]["input_bytes"] == 2 * 9000 * 2);
}

TEST_CASE("the option --fit finds the largest batch and micro-batch", "[footprint]") {
  const auto file = models + "vgg16.json";
  const auto fit = footprint({file, "--fit", "4GiB"})["fit"];
  const auto batch = fit["batch"]["images"].get<int>();
  CHECK(fit["batch"]["peak_bytes"].get<std::uint64_t>() <= 4ull << 30);
  const auto peak = [&](int images) {
    return footprint({file, "--batch", std::to_string(images)})["batch"]["peak_bytes"]
        .get<std::uint64_t>();
  };
  CHECK(peak(batch) <= 4ull << 30);
  CHECK(peak(batch + 1) > 4ull << 30);
  CHECK(fit["micro_batch"]["images"].get<int>() < 64);

  const auto none = weir::test::weir({"footprint", file, "--fit", "1GiB"});
  CHECK(none.exit_code == 1);
  CHECK(contains(none.out, "not even one image fits"));
}

TEST_CASE("a malformed model exits 2 and names file, layer and field", "[footprint]") {
  const TemporaryFolder folder;
  const auto path =
      folder.write("bad.json", R"({"input": {"channels": 3, "height": 8, "width": 8}, "layers":
    [{"type": "ReLU"}, {"type": "Conv2d", "name": "stem", "out_channels": 4, "kernel": 0}]})");
  for (const Arguments& arguments :
       {Arguments{"footprint", path}, Arguments{"plan", "--model", path}}) {
    const auto outcome = weir::test::weir(arguments);
    CHECK(outcome.exit_code == 2);
    CHECK(outcome.out.empty());
    for (const auto* part : {"bad.json", "layers[1]", "Conv2d stem", "kernel = 0"})
      CHECK(contains(outcome.err, part));
  }
  const auto missing = weir::test::weir({"footprint", "/no/such/model.json"});
  CHECK(missing.exit_code == 1);
  CHECK(contains(missing.err, "/no/such/model.json"));
  for (const Arguments& arguments :
       {Arguments{"footprint"}, Arguments{"footprint", path, "--fit", "much"},
        Arguments{"footprint", path, "--micro-batch", "0"}, Arguments{"plan", "--micro-batch", "4"},
        Arguments{"plan", "--grid", "--model", path}})
    CHECK(weir::test::weir(arguments).exit_code == 2);
}

TEST_CASE("a plan refuses a model's batch and size in its words", "[footprint]") {
  const TemporaryFolder folder;
  const auto said = [&](const char* input, const char* batch) {
    const auto path = folder.write("big.json", std::string(R"({"layers": [], "batch": )") + batch +
                                                   R"(, "input": )" + input + "}");
    const auto outcome = weir::test::weir({"plan", "--model", path});
    CHECK(outcome.exit_code == 2);
    return weir::test::one_line(outcome.err);
  };
  CHECK(contains(said(R"({"channels": 3, "height": 8, "width": 8})", "4294967296"),
                 "big.json: batch = 4294967296: must be at most 1048576; write --batch N"));
  CHECK(contains(said(R"({"channels": 3, "height": 8, "width": 70000})", "1"),
                 "big.json: width = 70000: must be at most 65500; write --size HxW"));
}

TEST_CASE("a plan with a model has host and training memory together", "[footprint]") {
  const auto file = models + "vgg16.json";
  const auto json = weir::test::weir({"plan", "--model", file, "--json", "-"}).json();
  CHECK(json["plan"]["batch"] == 64);  // the model's
  CHECK(json["footprint"]["batch"]["batch"] == 64);
  const auto& both = json["together"];
  const auto slab = json["plan"]["slab_bytes"].get<std::uint64_t>();
  CHECK(both["host_bytes"] == 5 * slab + json["plan"]["index_bytes"].get<std::uint64_t>());
  CHECK(both["training_bytes"] == json["footprint"]["batch"]["peak_bytes"]);
  CHECK(both["one_more"]["queue_slot"]["host_bytes"] == slab);
  const auto more =
      weir::test::weir({"plan", "--model", file, "--batch", "65", "--json", "-"}).json();
  const auto grown = [&](const char* what) {
    return more["together"][what].get<std::uint64_t>() - both[what].get<std::uint64_t>();
  };
  CHECK(both["one_more"]["image"]["training_bytes"] == grown("training_bytes"));
  // A word per slab records which rows are finished. It serves 64 images.
  const auto records = more["plan"]["index_bytes"].get<std::uint64_t>() -
                       json["plan"]["index_bytes"].get<std::uint64_t>();
  CHECK(both["one_more"]["image"]["host_bytes"] == grown("host_bytes") - records);
  CHECK(both["mismatch"].is_null());

  const auto text = weir::test::weir({"plan", "--model", file}).out;
  for (const auto* part : {"Training of VGG-16", "Host and training together",
                           "one more image in the batch", "one more queue slot"}) {
    CAPTURE(part);
    CHECK(contains(text, part));
  }
  const auto other = weir::test::weir({"plan", "--model", file, "--size", "64x64"}).out;
  CHECK(contains(weir::test::one_line(other),
                 "of 3x64x64, the model takes 3x224x224; write --size 224x224"));
  const auto options = json["plan"]["options"].get<std::string>();
  CHECK(contains(options, "batch=64"));
  CHECK_FALSE(contains(options, "faults"));
  // The default of a batch, but typed.
  const auto own = weir::test::weir({"plan", "--model", file, "--options", "seed=1,batch=32",
                                     "--schedule", "epoch 0: 32, 5: 64", "--json", "-"})
                       .json();
  CHECK(own["plan"]["batch"] == 32);
  CHECK(own["plan"]["shape"][0] == 64);
}
