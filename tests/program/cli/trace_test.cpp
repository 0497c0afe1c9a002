#include "support/trace.hpp"
#include "program.hpp"
#include "support/catch.hpp"
#include "support/text.hpp"

using weir::test::contains;
using weir::test::TemporaryFolder;
using weir::test::TraceFile;

TEST_CASE("a run leaves a trace of what its report counts", "[trace]") {
  const TemporaryFolder folder;
  const std::string file = folder.path() / "trace.json";
  const auto outcome = weir::test::weir({"run", "synthetic:40,16x16", "--size", "16x16", "--batch",
                                         "8", "--workers", "2", "--trace", file, "--json", "-"});
  CHECK(outcome.exit_code == 0);
  const TraceFile trace(weir::test::read_file(file));
  CHECK(trace.complaint().empty());
  const auto json = outcome.json();
  for (const auto& stage : json["stages"]) {
    const auto name = stage["name"].get<std::string>();
    const auto row = name == "handoff" || name == "lease" ? "slab " : "worker ";
    CAPTURE(name);
    CHECK(trace.named(name, row).size() == stage["count"].get<std::size_t>());
  }
  const auto& accounts = json["memory"]["accounts"];
  CHECK(trace.last("bytes of slabs").at("idle") == accounts["idle"].get<std::uint64_t>());
  CHECK(trace.last("bytes of index and samples").at("index") ==
        accounts["index"].get<std::uint64_t>());
  CHECK(accounts["index"].get<std::uint64_t>() >= (48u << 18));
}

TEST_CASE("trace-events sets the events and a bad trace file is told", "[trace]") {
  const TemporaryFolder folder;
  const std::string file = folder.path() / "trace.json";
  const auto some = weir::test::weir({"run", "synthetic:40,16x16", "--size", "16x16", "--trace",
                                      file, "--trace-events", "10", "--json", "-"});
  CHECK(some.exit_code == 0);
  CHECK(contains(some.err, "hint: --trace has the first 10 events; "));
  CHECK(some.json()["trace_lost"] > 0);
  CHECK(TraceFile(weir::test::read_file(file)).json["otherData"]["events"] == 10);
  const auto nowhere = weir::test::weir(
      {"run", "synthetic:8,16x16", "--size", "16x16", "--trace", "/no/such/folder/t.json"});
  CHECK(nowhere.exit_code == 1);
  CHECK(contains(nowhere.err, "/no/such/folder/t.json"));
}
