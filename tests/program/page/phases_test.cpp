#include <algorithm>
#include <sstream>

#include "example.hpp"
#include "figures.hpp"
#include "support/text.hpp"
#include "weir/profile.hpp"

using namespace weir::test;
using PageJson = nlohmann::json;
using Bytes = std::pmr::vector<char>;

namespace {

constexpr std::size_t mebi = 1 << 20;

/// Two steps of a network whose forward pass comes twice, and a phase with a hostile name.
std::string example_profile() {
  weir::CountingResource network, other;
  weir::MemoryProfile profile;
  profile.watch("network", network);
  profile.watch("odd/</script><!-- <b>", other);
  const Bytes parameters(3 * mebi, network.account("layer.1 parameters"));
  const Bytes held(mebi, &other);
  Bytes gradients(network.account("gradients"));
  for (int step = 0; step < 2; ++step) {
    profile.begin_step();
    for (int part = 0; part < 2; ++part) {
      auto forward = profile.phase("forward");
      const Bytes kept(2 * mebi, network.account("activations"));
      forward.end();
      const auto backward = profile.phase("backward");
      gradients.resize(3 * mebi);
      const Bytes passing(mebi, network.account("workspace"));
    }
    const auto update = profile.phase("step");
  }
  std::ostringstream out;
  profile.write_json(out);
  return out.str();
}

}  // namespace

TEST_CASE("a profile's page has its phases as they stand in the JSON", "[page][profile]") {
  const TemporaryFolder folder;
  const auto json = folder.write("profile.json", example_profile());
  const auto html = folder.path() / "profile.html";
  const auto outcome = weir::test::weir({"page", json, "--html", html});
  CAPTURE(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  const auto report = PageJson::parse(read_file(json));
  const auto opened = open_page(read_file(html));
  if (!opened) return;
  REQUIRE_FALSE(opened->found.is_null());
  CHECK(opened->found["errors"].dump() == "[]");
  CHECK(opened->console == "");
  const auto text = opened->found["text"].get<std::string>();
  CHECK(contains(text, "network: at most 9.00 MiB, in backward of step 1."));
  CHECK(contains(text, "odd/</script><!-- <b>"));
  for (const auto* slip : {"undefined", "null", "NaN", "[object"})
    CHECK_FALSE(contains(text, slip));

  std::size_t bytes = 0;
  for (const auto& number : opened->found["numbers"]) {
    const std::string path = number["path"], shown = number["text"];
    CAPTURE(path, shown);
    CHECK(says(shown, number["unit"], at(report, path)));
    bytes += number["unit"] == "bytes" ? 1u : 0u;
  }
  CHECK(bytes > 40);

  REQUIRE(opened->found["charts"].size() == 2);
  const auto& chart = opened->found["charts"][0];
  CHECK(chart["id"] == "phases-0");
  CHECK(chart["axes"]["y"] == "MiB");
  const auto points = [&](const std::string& label) {
    for (const auto& set : chart["datasets"])
      if (set["label"] == label) return set["points"].get<std::vector<double>>();
    return std::vector<double>();
  };
  using Points = std::vector<double>;
  CHECK(points("layer.1 parameters") == Points{3, 3, 3, 3, 3, 3});
  // Gradients exist after the first backward phase.
  CHECK(points("gradients") == Points{3, 3, 3, 3, 3, 3});
  CHECK(points("activations") == Points{2, 2, 0, 2, 2, 0});
  CHECK(points("workspace") == Points{0, 1, 0, 0, 1, 0});
  CHECK(points("live when it ended") == Points{8, 8, 6, 8, 8, 6});
  CHECK(points("other").empty());
}

TEST_CASE("the page of a profile has drawn every account", "[page][profile]") {
  const auto opened = open(PageJson::parse(example_profile()));
  if (!opened) return;
  REQUIRE_FALSE(opened->found.is_null());
  for (const auto& chart : opened->found["charts"]) {
    std::size_t drawn = 0;
    for (const auto& set : chart["datasets"]) drawn += set["pixels"] > 20 ? 1u : 0u;
    CAPTURE(chart["id"]);
    CHECK(drawn > 0);
  }
}

TEST_CASE("a profile fits a phone", "[page][profile]") {
  const auto opened = open(PageJson::parse(example_profile()), 390);
  if (!opened) return;
  REQUIRE_FALSE(opened->found.is_null());
  CHECK(opened->found["content_width"] == opened->found["width"]);
}

TEST_CASE("what is no report makes no page", "[page]") {
  const TemporaryFolder folder;
  const auto html = (folder.path() / "page.html").string();
  for (const auto* text : {"", "{", "[1]", "{\"schema\": 1}", "\xff\xfe"}) {
    CAPTURE(text);
    const auto outcome = weir::test::weir({"page", folder.write("no.json", text), "--html", html});
    CHECK(outcome.exit_code == 2);
    CHECK(contains(outcome.err, "no.json is not a report; page reads what --json"));
    CHECK_FALSE(std::filesystem::exists(html));
  }
  const auto probe = folder.write("probe.json", R"({"schema": 2, "command": "probe"})");
  const auto other = weir::test::weir({"page", probe, "--html", html});
  CHECK(other.exit_code == 2);
  CHECK(contains(other.err, "probe.json is of `weir probe`, which has no page"));
  const std::string open(100'000, '['), close(100'000, ']');
  const auto deep = R"({"schema": 2, "command": "run", "a": )" + open + close + "}";
  const auto refused = weir::test::weir({"page", folder.write("deep.json", deep), "--html", html});
  CHECK(refused.exit_code == 2);
  CHECK(contains(refused.err, "deep.json is nested more than 100 levels deep"));
  CHECK_FALSE(std::filesystem::exists(html));
  for (const auto& none : {folder.path() / "none", folder.path()}) {
    const auto outcome = weir::test::weir({"page", none.string(), "--html", html});
    CHECK(outcome.exit_code == 1);
    CHECK(contains(outcome.err, "weir: cannot read " + none.string()));
  }
  CHECK(weir::test::weir({"page", "x.json"}).exit_code == 2);
  CHECK(weir::test::weir({"page", "--html", html}).exit_code == 2);
}
