#include "cli/data.hpp"

#include <stdexcept>

#include "support/catch.hpp"
#include "support/temporary_folder.hpp"
#include "support/text.hpp"

using namespace weir;
using namespace weir::cli;

namespace {

Settings with_data(std::string data) {
  Settings settings;
  settings.data = std::move(data);
  return settings;
}

}  // namespace

TEST_CASE("synthetic data is a count and a size", "[data]") {
  CHECK(open_data(with_data("synthetic:12,40x30")).size() == 12);
  const auto malformed = GENERATE("synthetic:", "synthetic:12", "synthetic:x,4x4", "synthetic:12,4",
                                  "synthetic:-1,4x4");
  CAPTURE(malformed);
  CHECK_THROWS_AS(open_data(with_data(malformed)), std::invalid_argument);
}

TEST_CASE("a folder gives its files, and --ext only some", "[data]") {
  const weir::test::TemporaryFolder folder;
  folder.write("a.jpg", "1");
  folder.write("b.png", "2");
  CHECK(open_data(with_data(folder.string())).size() == 2);
  auto only_png = with_data(folder.string());
  only_png.files.extensions = {".png"};
  const auto source = open_data(only_png);
  REQUIRE(source.size() == 1);
  CHECK(test::contains(source.name(0), "b.png"));
}

TEST_CASE("a folder takes no report and nothing half written", "[data]") {
  const weir::test::TemporaryFolder folder;
  folder.write("a.jpg", "1");
  folder.write("b.jpg.part", "2");
  for (const auto* name : {"r.csv", "r.html", "r.json", "r.jsonl", "r.txt"})
    folder.write(name, "3");
  CHECK(open_data(with_data(folder.string())).size() == 1);
}

TEST_CASE("the option --classes chooses folders and numbers them", "[data]") {
  const weir::test::TemporaryFolder folder;
  for (const auto* name : {"ant/1.jpg", "bee/1.jpg", "cow/1.jpg"}) folder.write(name, "1");
  auto settings = with_data(folder.string());
  settings.quiet = true;
  settings.files.classes = {"cow", "ant"};
  const auto source = open_data(settings);
  CHECK(source.size() == 2);
  CHECK(source.class_names() == std::vector<std::string>{"cow", "ant"});
  settings.files.classes = {"dog"};
  CHECK_THROWS_WITH(open_data(settings), test::has_text("`classes[0]` = dog"));
}

TEST_CASE("a regular file is a manifest", "[data]") {
  const weir::test::TemporaryFolder folder;
  folder.write("a.jpg", "1");
  CHECK(open_data(with_data(folder.write("list.tsv", "a.jpg\t3\na.jpg\t4\n"))).size() == 2);
}

TEST_CASE("options of folders are refused with other data", "[data]") {
  const weir::test::TemporaryFolder folder;
  const std::string list = folder.write("list.tsv", "a.jpg\t0\n");
  for (const auto& data : {list, std::string("synthetic:9,8x8")}) {
    auto settings = with_data(data);
    settings.files.extensions = {".jpg", ".png"};
    CHECK_THROWS_WITH(open_data(settings),
                      test::has_text("`extensions` = .jpg,.png is for folders"));
  }
  auto settings = with_data(list);
  settings.files.classes = {"ant", "bee"};
  CHECK(open_data(settings).class_names().size() == 2);
  settings.data = "synthetic:9,8x8";
  CHECK_THROWS_WITH(open_data(settings), test::has_text("--classes ant,bee is for folders and"));
}

TEST_CASE("what is not there is the source's failure, not a usage error", "[data]") {
  CHECK_THROWS_AS(open_data(with_data("/no/such/folder")), Error);
}

TEST_CASE("addresses are not built yet", "[data]") {
  const auto data = GENERATE("http://host/x", "https://host/x.tar", "S3://bucket/x.tar",
                             "file:///x", "git+ssh://x");
  CAPTURE(data);
  CHECK_THROWS_WITH(open_data(with_data(data)), test::has_text("not built yet"));
  CHECK_THROWS_AS(open_data(with_data(data)), std::invalid_argument);
}

TEST_CASE("a read delay changes nothing but time", "[data]") {
  auto settings = with_data("synthetic:3,8x8");
  const auto plain = open_data(settings);
  settings.read_delay.mean_ms = 0.1;
  const auto slow = open_data(settings);
  CHECK(slow.size() == plain.size());
  CHECK(slow.name(2) == plain.name(2));
}

TEST_CASE("an interrupt ends the delays of a source", "[data]") {
  auto settings = with_data("synthetic:3,8x8");
  settings.read_delay.mean_ms = 3'600'000;
  settings.read_delay.deviation_ms = 1000;
  std::stop_source stop;
  stop.request_stop();
  MemorySink sink;
  CHECK_FALSE(open_data(settings, stop.get_token()).read(0, sink).bytes.empty());
}

TEST_CASE("planes come from a folder, a list or the data", "[data][planes]") {
  const weir::test::TemporaryFolder folder;
  folder.write("img/a.jpg", "1");
  folder.write("img/b.jpg", "2");
  folder.write("masks/b.png", "3");
  const auto with_plane = [&](const PlaneSource& plane, Command command = Command::run) {
    auto settings = with_data(folder.string() + "/img");
    settings.command = command;
    settings.quiet = true;
    settings.planes = {plane};
    return open_data(settings);
  };
  const auto masks = folder.string() + "/masks";
  CHECK(with_plane({"mask", masks, MissingPlane::absent}).planes() ==
        std::vector<std::string>{"mask"});
  CHECK(with_plane({"mask", masks, MissingPlane::skip}).size() == 1);
  CHECK_THROWS_WITH(with_plane({"mask", masks}), test::has_text("plane mask: '"));
  CHECK(with_plane({"mask", masks}, Command::probe).size() == 2);  // probe counts them
  // A list is relative to its folder.
  const auto list = folder.write("masks/list.txt", "\nb.png\r\n");
  const auto listed = with_plane({"mask", list, MissingPlane::absent});
  MemorySink sink;
  const auto encoded = listed.read(1, sink);
  REQUIRE(encoded.planes.size() == 1);
  CHECK(encoded.planes[0].size() == 1);
  CHECK_THROWS_WITH(with_plane({"mask", folder.write("short.txt", "a\n")}),
                    test::has_text("1 paths and 2 samples"));
  CHECK_THROWS_WITH(with_plane({"mask", masks + "-no"}), test::has_text("no such folder or list"));
  auto small = with_data(folder.string() + "/img");
  folder.write("masks/large.png", "45");
  small.planes = {{"mask", folder.write("masks/large.txt", "\nlarge.png\n"), MissingPlane::absent}};
  small.options.limits.max_encoded_bytes = 1;
  CHECK_THROWS_WITH(open_data(small).read(1, sink), test::has_text("`max_encoded_bytes` is 1"));
  CHECK_THROWS_WITH(with_plane({"mask", ""}), test::has_text("--plane mask: "));
  CHECK_THROWS_AS(with_plane({"mask", ".png"}), std::invalid_argument);
}
