#include "report/text.hpp"

#include <nlohmann/json.hpp>
#include <sstream>

#include "report/json.hpp"
#include "report/table.hpp"
#include "sample_run.hpp"
#include "support/catch.hpp"
#include "support/text.hpp"

using namespace weir;
using test::contains;

namespace {

bool starts(std::string_view text, std::string_view with) { return text.starts_with(with); }
bool ends(std::string_view text, std::string_view with) { return text.ends_with(with); }

std::size_t widest_line(const std::string& text) {
  std::istringstream lines(text);
  std::size_t widest = 0;
  for (std::string line; std::getline(lines, line);)
    widest = std::max(widest, report::display_width(line));
  return widest;
}

std::size_t widest_wrapped(const std::string& text) { return widest_line(report::wrapped(text)); }

}  // namespace

TEST_CASE("the samples of a run are listed with those never used", "[text]") {
  const auto figures = test::sample_run().figures;
  const auto& samples = figures.samples;
  auto plan = figures.plan;
  CHECK(report::samples_text(samples, plan) ==
        "Samples\n"
        "  drawn       2,560\n"
        "  consumed    1,280\n"
        "  never used  1,280  drawn ahead: 183.75 MiB as uint8, 735.00 MiB as float32\n"
        "  ready       1,280\n");
  plan.pixels = PixelFormat::grey16;
  CHECK(
      contains(report::samples_text(samples, plan), "122.50 MiB as uint16, 245.00 MiB as float32"));
  plan.pixels = PixelFormat::stored8;
  CHECK(contains(report::samples_text(samples, plan), "drawn ahead: 61.25 MiB as uint8\n"));
  plan.planes = {{.name = "mask"}};
  CHECK(contains(report::samples_text(samples, plan), "drawn ahead: 122.50 MiB as uint8\n"));
  plan.planes[0].pixels = PixelFormat::stored16;
  CHECK(contains(report::samples_text(samples, plan), "drawn ahead: 183.75 MiB of pixels\n"));
  auto scheduled = plan;
  scheduled.sizes.size = "1: 64x64";
  CHECK(!contains(report::samples_text(samples, scheduled), "drawn ahead"));
  plan.sizes.mode = Sizes::padded;
  CHECK(!contains(report::samples_text(samples, plan), "drawn ahead"));
  // A sample that failed was used: it has a fault.
  CHECK(report::unused({.drawn = 12,
                        .in_flight = 1,
                        .ready = 2,
                        .consumed = 4,
                        .discarded = 3,
                        .dropped = 1,
                        .failed = 1}) == 7);
}

TEST_CASE("a run that was tuned says where the knobs went", "[text]") {
  auto run = test::sample_run();
  CHECK(report::run_text(run).find("Tuned in") == std::string::npos);
  CHECK(contains(report::run_text(run), ", max_queue_size 10, 1 lease, 2 workers"));
  Options options;
  options.workers = 2;
  options.tuning = {.mode = Tuning::automatic, .most_queue = 16, .most_workers = 4};
  run.figures.plan = resolve(options, 4096);
  run.figures.setting = run.figures.plan.start;
  CHECK(
      contains(report::run_text(run), "\nTuned in 0 moves to queue 4, 2 workers, read-ahead 0\n"));
  CHECK(
      contains(report::run_text(run), ", tuned to at most max_queue_size 16, 1 lease, 4 workers"));
  run.figures.setting = {.max_queue_size = 7, .workers = 2, .read_ahead = 12, .batch = 32};
  run.figures.moves = {"read_ahead 0 to 12", "max_queue_size 4 to 7"};
  CHECK(report::run_text(run).find("Tuned in 2 moves to queue 7, 2 workers, read-ahead 12\n") !=
        std::string::npos);
  auto json = report::run_report("run", run);
  CHECK(json["moves"].size() == 2);
  CHECK(json["moves"][1] == "max_queue_size 4 to 7");
  CHECK(json["setting"]["max_queue_size"] == 7);
  CHECK(json["setting"]["read_ahead"] == 12);
}

TEST_CASE("texts of the watchdog are not all called stalls", "[text]") {
  auto run = test::sample_run();
  CHECK_FALSE(contains(report::run_text(run), "Watchdog"));
  run.figures.stalls = {"no stall of the loader: the consumer"};
  CHECK(contains(report::run_text(run), "\nWatchdog, 1 text\n  no stall of the loader"));
}

TEST_CASE("a cache is planned, held and hit in words and as JSON", "[text][cache]") {
  auto run = test::sample_run();
  CHECK(!contains(report::run_text(run), "cache of"));
  auto& cache = run.figures.plan.cache;
  cache = {.keep = Cache::encoded, .requested = 2 << 20, .bytes = 1 << 20, .table_bytes = 800};
  run.figures.cache = {.bytes = 1'000'000, .samples = 90, .hits = 60, .misses = 20, .evicted = 3};
  const auto text = report::run_text(run);
  CHECK(contains(text,
                 "  cache of encoded samples: at most 1.00 MiB (requested 2.00 MiB; the budget "
                 "leaves no more)\n"));
  CHECK(contains(text,
                 "  cached: 90 samples in 976.56 KiB; 60 of 80 draws were hits, 75.0 %; 3 "
                 "evicted\n"));
  auto json = report::run_report("run", run);
  CHECK(
      json["cache"].dump() ==
      R"({"keep":"encoded","requested_bytes":2097152,"most_bytes":1048576,"table_bytes":800,"note":null,"held":)"
      R"({"bytes":1000000,"samples":90,"hits":60,"misses":20,"evicted":3,"hit_rate":0.75},"tiles":0})");
  cache = {
      .keep = Cache::decoded, .requested = std::nullopt, .bytes = 0, .table_bytes = 8ull << 30};
  CHECK(contains(report::plan_text(run.figures.plan),
                 "cache of decoded samples: none; its table of 8.00 GiB"));
  cache.table_bytes = 0;
  CHECK(contains(report::plan_text(run.figures.plan), "none, the budget leaves no room\n"));
  CHECK(!contains(report::run_text(run), "cached:"));
  CHECK(widest_wrapped(text) <= 80);
}

TEST_CASE("rates are of rows if rows may be blank", "[text]") {
  auto run = test::sample_run();
  Options options;
  options.faults.policy = OnFault::blank;
  run.figures.plan = resolve(options, 4096);
  run.figures.samples.failed = 180;
  run.figures.throughput.first_batch_s = 0;
  const auto text = report::run_text(run);
  CHECK(starts(text, "1,280 samples (180 failed) in 2.00 s: 640.0 rows/s\n"));
  CHECK(contains(text, "\nsamples/s: blank rows count, too\n"));
  auto json = report::run_report("run", run);
  CHECK(json["plan"]["counted"] == "rows");
  CHECK(json["throughput"]["first_batch_s"].is_null());
}

TEST_CASE("samples that do not add up are said not to", "[text]") {
  CHECK(contains(report::samples_text({.drawn = 5, .consumed = 4}, Plan{}), "NOT CONSERVED"));
}

TEST_CASE("pinned slabs stand in plan and report, with what bounds them", "[text]") {
  auto run = test::sample_run();
  auto& plan = run.figures.plan;
  plan.pinned = {3 << 20, 64 << 20, ""};
  run.figures.pinned = {.locked = 2 << 20, .refused = 1 << 20};
  const auto text = [&] { return report::plan_text(plan, ""); };
  CHECK(contains(text(), "\n  pinned  3.00 MiB of slabs, of 64.00 MiB that can be locked\n"));
  CHECK(contains(report::memory_text(run), "\n  pinned: 2.00 MiB of slabs, 1.00 MiB pageable\n"));
  plan.pinned.limit_bytes = 2 << 20;
  CHECK(contains(text(), "of 2.00 MiB that can be locked: the rest will be pageable\n"));
  plan.pinned = {3 << 20, 0, "not locked: no CUDA driver"};
  CHECK(contains(text(), "\n  pinned  not locked: no CUDA driver\n"));
}

TEST_CASE("memory is listed by account, now and at peak", "[text]") {
  auto run = test::sample_run();
  run.figures.memory = {.live = 3072,
                        .peak = 6144,
                        .budget = std::nullopt,
                        .accounts = {1024, 0, 0, 0, 2048, 0, 0, 0},
                        .accounts_at_peak = {1024, 0, 3072, 2048, 0, 0, 0, 0}};
  run.process_after = {12 << 20, 9 << 20};
  run.parts_before = {
      .libraries = 7 << 20, .stacks = 0, .heap = 4 << 20, .pages = 0, .heap_free = 0};
  run.parts_now = {
      .libraries = 7 << 20, .stacks = 1 << 20, .heap = 2 << 20, .pages = 0, .heap_free = 512 << 10};
  run.slab_note = "not locked";
  run.figures.postings = 1280;
  run.posting_ns = 40;
  run.cpu_s = 2.56;
  CHECK(report::memory_text(run) ==
        "Memory          now   at peak  bytes at peak\n"
        "  index    1.00 KiB  1.00 KiB          1,024\n"
        "  scratch       0 B  3.00 KiB          3,072\n"
        "  filling       0 B  2.00 KiB          2,048\n"
        "  ready    2.00 KiB       0 B              0\n"
        "  live     3.00 KiB  6.00 KiB          6,144\n"
        "  slab memory: not locked\n"
        "Process      start        peak        end      growth\n"
        "  RSS    10.00 MiB  250.00 MiB  12.00 MiB  240.00 MiB\n"
        "  PSS     8.00 MiB  240.00 MiB   9.00 MiB  232.00 MiB\n"
        "  not counted: 239.99 MiB (RSS growth minus the peak of all accounts)\n"
        "  parts of it: thread stacks 1.00 MiB, libraries 0 B, malloc -2.00 MiB\n"
        "  RSS when the stream ended: slabs 2.00 KiB, decoders 0 B, index 1.00 KiB, cache 0 B, "
        "thread stacks 1.00 MiB, libraries 7.00 MiB, allocator 512.00 KiB; at least 8.50 MiB of "
        "these are not "
        "resident\n"
        "  accounting: 0.5 entries a sample x 40 ns = 0.02 us, 0.002 % of its CPU time\n");
}

TEST_CASE("the plan says how an automatic budget was worked out", "[text]") {
  const auto plan = test::sample_run().figures.plan;
  CHECK(contains(report::plan_text(plan, "1.00 MiB: 50 % of it"),
                 "\n  auto budget 1.00 MiB: 50 % of it\n"));
  CHECK_FALSE(contains(report::plan_text(plan), "auto budget"));
  CHECK(contains(report::plan_text(plan, "", "the largest needs 3 bytes"),
                 "\n  measured: the largest needs 3 bytes\n"));
  CHECK_FALSE(contains(report::plan_text(plan), "measured"));
}

TEST_CASE("the plan counts the rows of each rank", "[text]") {
  auto plan = test::sample_run().figures.plan;
  plan.ranks = {.rank = 0, .world = 3, .local_world = 1};
  plan.epoch = {.positions = 24, .batches = 2, .samples = 8, .all_samples = 24};
  CHECK(contains(report::plan_text(plan),
                 "rank 0 of 3: 2 batches an epoch with 8 samples; all ranks: 24 samples\n"));
  plan.partners = 3;
  CHECK(contains(report::plan_text(plan),
                 "with 8 rows of 32 samples; all ranks: 24 rows of 96 samples\n"));
}

TEST_CASE("the plan says when the budget held fewer batches than asked", "[text]") {
  auto plan = test::sample_run().figures.plan;
  CHECK_FALSE(contains(report::plan_text(plan), "batches"));
  plan.max_queue_size_requested = 64;
  CHECK(contains(report::plan_text(plan),
                 "max_queue_size 10 (requested 64; the budget holds no more)"));
}

TEST_CASE("the plan says what its data may take and how to bound it", "[text]") {
  auto plan = test::sample_run().figures.plan;
  plan.ceiling_bytes = 535u << 20;
  plan.max_sample_bytes = 256u << 20;
  CHECK(contains(report::plan_text(plan),
                 "budget 1.00 GiB\n  any data: at most 535.00 MiB, one sample 256.00 MiB\n"));
  plan.data_ceiling_bytes = 24u << 20;
  plan.epoch.batches = 3;
  Options options;
  plan.origin = resolve(options, 0).origin;
  CHECK(
      contains(report::plan_text(plan),
               "budget 1.00 GiB, this data at most 24.00 MiB\n  any data: at most 535.00 MiB, one "
               "sample 256.00 MiB; --max-sample-bytes measured reserves what the largest needs\n"));
  plan.budget_bytes.reset();
  CHECK(contains(report::plan_text(plan), "; --max-sample-bytes measured lowers both\n"));
  options.memory.max_sample_bytes = plan.max_sample_bytes;
  plan.origin = resolve(options, 0).origin;
  CHECK_FALSE(contains(report::plan_text(plan), "measured"));
  CHECK(widest_wrapped(report::plan_text(plan)) <= 80);
}

TEST_CASE("staging by depth marks the plan's own", "[text]") {
  Options options;
  options.queue.max_queue_size = 2;
  auto plan = resolve(options, 0);
  const std::uint32_t depths[] = {1, 2};
  CHECK(report::depth_text(plan, depths) ==
        "Memory of all slabs by queue depth and element type\n"
        "  queue  slabs       bytes  uint8 MiB  float16 MiB  float32 MiB\n"
        "      1      2   9,640,064       9.19        18.38        36.76\n"
        "      2      3  14,460,096      13.79        27.57        55.13  <- this plan\n");
  plan.pixels = PixelFormat::rgb16;
  CHECK(contains(report::depth_text(plan, depths), "  uint16 MiB  float16 MiB"));
  plan.pixels = PixelFormat::stored16;
  CHECK(starts(report::depth_text(plan, depths),
               "Memory of all slabs by queue depth\n"
               "  queue  slabs       bytes  uint16 MiB\n"));
}

TEST_CASE("the table of depths of encoded batches has no element types", "[text]") {
  Plan plan;
  plan.decode = Decode::none;
  plan.sizes.mode = Sizes::ragged;
  plan.slab_bytes = 1 << 20;
  plan.max_leases = 1;
  const std::uint32_t depths[] = {1};
  CHECK(report::depth_text(plan, depths) ==
        "Maximum memory of all slabs by queue depth\n"
        "  queue  slabs      bytes   MiB\n"
        "      1      2  2,097,152  2.00\n");
}

TEST_CASE("faults are listed with file, kind, stage and byte", "[text]") {
  const std::vector<Fault> faults{test::sample_fault(1), test::sample_fault(2),
                                  test::sample_fault(3)};
  CHECK(report::faults_text(faults, 12, 2) ==
        "Faults: 12\n"
        "  dir/1.jpg: truncated (decode): no EOI at byte 812\n"
        "  dir/2.jpg: truncated (decode): no EOI at byte 812\n"
        "  ... and 10 more\n");
  CHECK(report::faults_text({}, 0).empty());
}

TEST_CASE("the grid is a table of batches by resolutions", "[text]") {
  const auto text = report::grid_text(report::pixel_grid(weir::ElementType::f32));
  CHECK(starts(text,
               "GiB of the pixels of one batch as float32, three channels\n"
               "  batch     32x32    64x64  128x128  256x256  512x512  1024x1024\n"
               "     32  0.000366  0.00146"));
  CHECK(ends(text, "768\n"));
}

TEST_CASE("deep queues are shown in groups", "[text]") {
  auto run = test::sample_run();
  run.figures.queue.occupancy.assign(17, 0.0);
  run.figures.queue.occupancy[16] = 1.0;
  const auto text = report::run_text(run);
  CHECK(contains(text, "   0-1 ready    0.0 %\n"));
  CHECK(contains(text, "    16 ready  100.0 %  ████████████████████████████████████████\n"));
}

TEST_CASE("the report of a run has every section within 80 columns", "[text]") {
  auto run = test::sample_run();
  run.digest = std::string(64, 'a');
  run.interrupted = true;
  run.figures.faults = {test::sample_fault(1)};
  run.figures.fault_count = 1;
  run.figures.regime = "decode";
  const auto text = report::run_text(run);
  CHECK(contains(text, "\nRegime decode\n  of 0 s "));
  CHECK(starts(text,
               "1,280 samples in 2.00 s: 640.0 samples/s, first batch after 40.0 ms\nInterrupted"));
  for (const auto* section : {"\nPlan\n", "\nSamples\n", "\nMemory ", "\nQueue\n", "\nStages ",
                              "\nFaults: 1\n", "\nDigest "})
    CHECK(contains(text, section));
  CHECK(contains(text,
                 "Stages    count      busy    mean     p50     p90     p99      bytes\n"
                 "  read    2,560  256.0 ms  100 us       -       -       -  10.00 MiB\n"
                 "  decode  2,560    2.56 s  1.0 ms  884 us  2.0 ms  3.9 ms        0 B\n"));
  CHECK_FALSE(contains(text, "\n  wait "));
  CHECK(widest_wrapped(text) <= 80);
}
