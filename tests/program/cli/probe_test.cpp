#include <algorithm>
#include <filesystem>

#include "program.hpp"
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/skip.hpp"
#include "support/text.hpp"
#include "unit/source/fixture.hpp"
#include "weir/source.hpp"

using weir::test::contains;
using weir::test::read_file;
using weir::test::TemporaryFolder;
using Arguments = std::vector<std::string>;

namespace {

std::string a_jpeg(std::uint64_t index) {
  return weir::test::read_text(weir::synthetic(9, {.height = 40, .width = 60}), index);
}

/// Three valid files, a truncated one, one that is not an image, and an empty one.
void fill(const TemporaryFolder& folder) {
  for (const auto* name : {"a.jpg", "c.jpg", "e.jpg"}) folder.write(name, a_jpeg(1));
  folder.write("b cut.jpg", a_jpeg(2).substr(0, 700));
  folder.write("d\\back\nslash.jpg", "\x1b[31mno image");
  folder.write("f.jpg", "");
}

std::string lines(const std::string& text, const std::string& with) {
  std::string found;
  for (std::size_t from = 0; from < text.size();) {
    const auto end = std::min(text.find('\n', from), text.size());
    const auto line = text.substr(from, end - from);
    if (contains(line, with)) found += line + '\n';
    from = end + 1;
  }
  return found;
}

}  // namespace

TEST_CASE("probe says of each bad file what, why and where, and exits 1", "[probe]") {
  const TemporaryFolder folder;
  fill(folder);
  const auto outcome = weir::test::weir({"probe", folder.path()});
  CHECK(outcome.exit_code == 1);
  CHECK(
      contains(outcome.out, "6 files: 3 decode, 3 do not (1 corrupt, 1 truncated, 1 unsupported)"));
  CHECK(lines(outcome.out, "b cut.jpg") ==
        "  b cut.jpg: truncated (decode): Premature end of JPEG file at byte 700\n");
  CHECK(lines(outcome.out, "d\\") ==
        "  d\\back\\x0aslash.jpg: unsupported (decode): first bytes 1b 5b 33 31 6d 6e 6f 20 …\n");
  CHECK(contains(lines(outcome.out, "f.jpg"), ": corrupt "));
  CHECK(outcome.out.find('\x1b') == outcome.out.npos);
  CHECK_FALSE(contains(outcome.out, "a.jpg: "));
}

TEST_CASE("probe --each has a verdict on every file, sound ones too", "[probe]") {
  const TemporaryFolder folder;
  fill(folder);
  const auto text = weir::test::weir({"probe", folder.path(), "--each", "--workers", "3"}).out;
  CHECK(lines(text, "a.jpg: ") == "a.jpg: ok (jpeg, 57x37, colour of 8 bits)\n");
  CHECK(contains(lines(text, "b cut.jpg: "), "b cut.jpg: truncated"));
  CHECK(contains(weir::test::weir({"probe", folder.path(), "--each", "--lenient"}).out,
                 "b cut.jpg: damaged (jpeg, "));
  const auto json =
      weir::test::weir({"probe", folder.path(), "--each", "--json", "-"}).json()["probe"];
  std::string verdicts;
  for (const auto& file : json["each"]) verdicts += file["verdict"].get<std::string>() + ' ';
  CHECK(verdicts == "ok truncated ok unsupported ok corrupt ");
  CHECK(json["kinds"]["truncated"] == 1);
}

TEST_CASE("probe says what images and masks hold", "[probe][planes]") {
  const TemporaryFolder folder, masks;
  for (const auto* name : {"a.jpg", "b.jpg", "c.jpg"}) folder.write(name, a_jpeg(1));
  masks.write("x/a.pgm", "P5\n57 37\n255\n" + std::string(57 * 37, '\1'));
  masks.write("x/b.pgm", "P5\n57 37\n255\n");
  const Arguments arguments{
      "probe", folder.path(), "--pixels",
      "grey8", "--plane",     "mask=" + masks.path().string() + ",missing=absent,optional",
      "--each"};
  const auto probed = weir::test::weir(arguments);
  const auto& text = probed.out;
  CHECK(contains(probed.err, " pairs files of other folders: a.jpg with x/a.pgm\n"));
  CHECK(lines(text, "a.jpg: ") ==
        "a.jpg: ok (jpeg, 57x37, colour of 8 bits, drops colours); "
        "mask ok (pgm, 57x37, grey of 8 bits)\n");
  CHECK(contains(lines(text, "b.jpg: ok"), "; mask broken\n"));
  CHECK(contains(lines(text, "c.jpg: "), "; mask absent\n"));
  CHECK(contains(text, "\n  pixels          3 colour of 8 bits\n"));
  CHECK(contains(text, "\n  grey8 drops     colours of 3 files\n"));
  CHECK(contains(text, "Planes  ok  damaged  absent  broken\n"));
  CHECK(contains(text, "\n  mask files: 1 grey of 8 bits; stored8 drops nothing\n"));
  auto with_json = arguments;
  with_json.insert(with_json.end(), {"--json", "-"});
  const auto json = weir::test::weir(with_json).json();
  CHECK(json["probe"]["drops"]["colours"] == 3);
  CHECK(json["planes"][0]["pixels"]["grey of 8 bits"] == 1);
  const auto& each = json["probe"]["each"];
  CHECK(each[0]["drops"][0] == "colours");
  CHECK(each[0]["planes"][0]["bits"] == 8);
  CHECK(each[1]["planes"][0]["status"] == "broken");
  CHECK(each[2]["planes"][0]["status"] == "absent");
}

TEST_CASE("what probe lists as bad, run and probe leave out", "[probe]") {
  const TemporaryFolder folder, elsewhere;
  fill(folder);
  const auto list = elsewhere.path() / "bad.txt";
  CHECK(weir::test::weir({"probe", folder.path(), "--list-bad", list}).exit_code == 1);
  CHECK(read_file(list) == "b cut.jpg\nd\\\\back\\nslash.jpg\nf.jpg\n");

  CHECK(weir::test::weir({"run", folder.path(), "--json", "-"}).exit_code == 1);
  const auto run = weir::test::weir({"run", folder.path(), "--exclude", list, "--json", "-"});
  CHECK(run.exit_code == 0);
  CHECK(run.json()["samples"]["consumed"] == 3);
  const auto again = elsewhere.path() / "again.txt";
  const auto probe =
      weir::test::weir({"probe", folder.path(), "--exclude", list, "--list-bad", again});
  CHECK(probe.exit_code == 0);
  CHECK(contains(probe.out, "3 files: 3 decode, 0 do not\n"));
  CHECK(read_file(again).empty());
}

TEST_CASE("a list of bad files filters a manifest in weir or by lines", "[probe]") {
  const TemporaryFolder folder;
  folder.write("good.jpg", a_jpeg(1));
  folder.write("bad.jpg", "no image");
  const auto manifest = folder.write("list.tsv", "good.jpg\t0\nbad.jpg\t1\n./good.jpg\t2\n");
  const auto list = folder.path() / "bad.txt";
  CHECK(weir::test::weir({"probe", manifest, "--list-bad", list}).exit_code == 1);
  CHECK(read_file(list) == "bad.jpg\n");
  CHECK(weir::test::weir({"run", manifest, "--exclude", list, "--json", "-"})
            .json()["samples"]["consumed"] == 2);
  const auto filtered = weir::test::run_program(
      {"/usr/bin/awk", "-F\t", "NR == FNR { bad[$0]; next } !($1 in bad)", list, manifest});
  CHECK(filtered.out == "good.jpg\t0\n./good.jpg\t2\n");
}

TEST_CASE("a list of names that is not one is told", "[probe]") {
  const TemporaryFolder folder;
  folder.write("a.jpg", a_jpeg(1));
  const auto none = weir::test::weir({"run", folder.path(), "--exclude", "/no/such/list"});
  CHECK(none.exit_code == 1);
  CHECK(contains(none.err, "/no/such/list"));
  const auto other = folder.write(".other", "b.jpg\nc.jpg\n");
  const auto unknown = weir::test::weir({"run", folder.path(), "--exclude", other});
  CHECK(unknown.exit_code == 0);
  CHECK(contains(unknown.err, "--exclude " + other));
  CHECK(contains(unknown.err, "no sample named 'b.jpg', and none of 1 other names"));
  CHECK(weir::test::weir({"probe", folder.path(), "--list-bad", "/no/such/folder/x"}).exit_code ==
        1);
}

TEST_CASE("limits on the command line give faults of kind limit", "[probe]") {
  const TemporaryFolder folder;
  folder.write("a.jpg", a_jpeg(1));
  const auto limit =
      GENERATE(Arguments{"--max-pixels", "100"}, Arguments{"--max-side", "10"},
               Arguments{"--max-encoded-bytes", "100"}, Arguments{"--max-header-bytes", "10"},
               Arguments{"--max-markers", "2"});
  CAPTURE(limit);
  for (const auto* command : {"probe", "run"}) {
    Arguments arguments{command, folder.path(), "--json", "-"};
    CHECK(weir::test::weir({arguments[0], arguments[1]}).exit_code == 0);
    arguments.insert(arguments.end(), limit.begin(), limit.end());
    const auto outcome = weir::test::weir(arguments);
    CHECK(outcome.exit_code == 1);
    CHECK(outcome.json()["faults"][0]["kind"] == "limit");
  }
}

TEST_CASE("probe refuses a sample or a budget as a run does", "[probe]") {
  const TemporaryFolder folder;
  folder.write("a.jpg", a_jpeg(1));
  const auto large =
      weir::test::weir({"probe", folder.path(), "--max-sample-bytes", "2000", "--json", "-"});
  CHECK(large.exit_code == 1);
  CHECK(large.json()["faults"][0]["kind"] == "memory");
  CHECK(weir::test::weir({"probe", folder.path(), "--memory-budget", "1MiB"}).exit_code == 2);
}

TEST_CASE("probe finds every photograph sound", "[probe][photos]") {
  const auto photos = weir::test::test_data("photos");
  if (!photos) {
    weir::test::skip("WEIR_TEST_DATA is not set");
    return;
  }
  const auto outcome = weir::test::weir({"probe", *photos});
  CHECK(outcome.exit_code == 0);
  CHECK(contains(outcome.out, "200 files: 200 decode, 0 do not\n"));
}
