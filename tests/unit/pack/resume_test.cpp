#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "fixture.hpp"
#include "support/catch.hpp"
#include "support/text.hpp"

using namespace weir;
using namespace weir::test;
namespace fs = std::filesystem;

namespace {

/// Counts its reads. The sample `bad` fails once, which sets `bad` to -1.
class Watched : public AnySource {
 public:
  Watched(AnySource source, std::atomic<int>& reads, std::atomic<int>* bad = nullptr)
      : AnySource(std::move(source)), reads_(&reads), bad_(bad) {}
  std::optional<Encoded> try_read(std::uint64_t i, ByteSink& sink) const {
    ++*reads_;
    auto wanted = static_cast<int>(i);
    if (bad_ != nullptr && bad_->compare_exchange_strong(wanted, -1))
      throw SampleError(FaultKind::io, "not today");
    return AnySource::try_read(i, sink);
  }
  std::uint64_t index_bytes() const { return AnySource::index_bytes(); }

 private:
  std::atomic<int>* reads_;
  std::atomic<int>* bad_;
};

/// Requests a stop when it is asked for a name.
class Stopping : public AnySource {
 public:
  Stopping(AnySource source, std::stop_source stop, std::atomic<int>& names)
      : AnySource(std::move(source)), stop_(std::move(stop)), names_(&names) {}
  std::string name(std::uint64_t i) const {
    ++*names_;
    stop_.request_stop();
    return AnySource::name(i);
  }
  std::uint64_t index_bytes() const { return AnySource::index_bytes(); }

 private:
  mutable std::stop_source stop_;
  std::atomic<int>* names_;
};

AnySource watched(const AnySource& source, std::atomic<int>& reads,
                  std::atomic<int>* bad = nullptr) {
  return Watched(source, reads, bad);
}

void flip_a_bit(const fs::path& path) {
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekg(700);
  const auto byte = static_cast<char>(file.get() ^ 4);
  file.seekp(700);
  file.put(byte);
}

}  // namespace

TEST_CASE("a stopped pack that resumes gives the files of one run", "[pack]") {
  const TemporaryFolder whole, parts;
  const auto source = mixed_source(40);
  run_pack(source, job_for(whole.path()));
  auto job = job_for(parts.path());
  for (int stops = 0;; ++stops) {
    REQUIRE(stops < 60);
    std::stop_source stop;
    std::atomic<int> reads{0};
    job.stop = stop.get_token();
    job.on_fault = [&](const Fault&) {
      if (stops < 3) stop.request_stop();
    };
    const auto packed = run_pack(watched(source, reads), job);
    if (packed.stopped) continue;
    CHECK(packed.fault_count == 5);
    CHECK(stops > 0);
    break;
  }
  CHECK(files_in(whole.path()) == files_in(parts.path()));
}

TEST_CASE("a finished pack is kept and only a damaged shard is remade", "[pack]") {
  const TemporaryFolder folder;
  const auto source = mixed_source(40);
  const auto job = job_for(folder.path());
  const auto first = run_pack(source, job);
  // Files of the user, who gave them names of another kind.
  for (const auto* const name : {"shard-mine.tar", "shard-7.tar", "shard-000001.tar.txt"})
    folder.write(name, "mine");
  const auto files = files_in(folder.path());
  folder.write("shard-000099.tar.2.part", "of a pack that was killed");
  const auto with_part = files_in(folder.path());
  std::atomic<int> reads{0};
  const auto counted = watched(source, reads);
  const auto again = run_pack(counted, job);
  CHECK(again.kept_shards == first.shards);
  CHECK(again.samples == first.samples);
  CHECK(again.fault_count == first.fault_count);
  CHECK(reads == 39 + 5);  // all up to the last one that is stored, and those that were left out
  CHECK(files_in(folder.path()) == with_part);

  reads = 0;
  flip_a_bit(folder / "shard-000001.tar");
  CHECK(files_in(folder.path()) != files);
  CHECK(run_pack(counted, job).kept_shards == first.shards - 1);
  CHECK(reads < 44 + 20);
  CHECK(files_in(folder.path()) == files);

  // The index is made of the records, so its damage costs no shard.
  fs::remove(folder / "shard-000002.tar");
  flip_a_bit(folder / "index.weir");
  CHECK(run_pack(counted, job).kept_shards == first.shards - 1);
  CHECK(files_in(folder.path()) == files);

  fs::remove(folder / ".shard-000002.weir");
  CHECK(run_pack(counted, job).kept_shards == 2);
  CHECK(files_in(folder.path()) == files);
}

TEST_CASE("an omitted sample gets into the shards once it is sound", "[pack]") {
  const TemporaryFolder folder, whole;
  const auto source = mixed_source(19);
  std::atomic<int> reads{0}, bad{GENERATE(12, 18)};
  const auto sometimes = watched(source, reads, &bad);
  const auto job = job_for(folder.path());
  CHECK(run_pack(sometimes, job).fault_count == 3);
  const auto again = run_pack(sometimes, job);
  CHECK(again.fault_count == 2);
  CHECK(again.samples == 17);
  CHECK(again.kept_shards > 0);
  run_pack(sometimes, job_for(whole.path()));
  CHECK(files_in(folder.path()) == files_in(whole.path()));
}

TEST_CASE("a pack whose last sample is bad stays as it is", "[pack]") {
  const TemporaryFolder folder;
  const auto source = mixed_source(8);
  auto job = job_for(folder.path());
  const auto first = run_pack(source, job);
  CHECK(first.fault_count == 1);
  const auto files = files_in(folder.path());
  job.skip_faults = false;
  CHECK_THROWS_WITH(run_pack(source, job), has_text("dir/7.jpg: truncated"));
  CHECK(files_in(folder.path()) == files);
  job.skip_faults = true;
  const auto again = run_pack(source, job);
  CHECK(again.kept_shards == first.shards);
  CHECK(again.fault_count == 1);
  CHECK(files_in(folder.path()) == files);
}

TEST_CASE("a resumed pack refuses changed data before it writes a shard", "[pack]") {
  const TemporaryFolder folder;
  const auto same = mixed_samples(20);
  const auto as_it_was = job_for(folder.path());
  run_pack(in_memory(same), as_it_was);
  const auto whole = files_in(folder.path());
  flip_a_bit(folder / "shard-000001.tar");
  const auto damaged = files_in(folder.path());
  const auto refused = [&](const std::string& why, std::vector<MemorySample> samples,
                           const pack::Job& job) {
    CAPTURE(why);
    try {
      run_pack(in_memory(std::move(samples)), job);
      FAIL("was packed");
    } catch (const Error& e) {
      CAPTURE(e.what());
      CHECK(contains(e.what(), why));
    }
    CHECK(files_in(folder.path()) == damaged);
  };
  auto samples = same;
  samples[18].label = 77;
  refused("'dir/18.jpg' is in shard-00000", samples, as_it_was);
  refused(", and now its label is 77 instead of 2; name a new folder, or use the same data",
          samples, as_it_was);
  samples = same;
  samples[0].bytes[samples[0].bytes.size() / 2] ^= std::byte{1};
  refused("'dir/0.jpg' is in shard-000000.tar, and now its bytes differ", samples, as_it_was);

  auto job = as_it_was;
  job.max_sample_bytes = 30'000;
  refused("now it needs ", same, job);
  job = as_it_was;
  job.recipe.decoder.limits.max_pixels = 5'000;
  refused("with 'max-pixels 100000000', and now it is 'max-pixels 5000'", same, job);
  job = as_it_was;
  job.order = Order::every(2);
  refused("with 'order sequential', and now it is 'order every:2:0'", same, job);
  job = as_it_was;
  job.skip_faults = false;
  refused("dir/7.jpg: truncated", same, job);

  // The label of a sample that is not stored decides nothing.
  samples = same;
  samples[7].label = 77;
  run_pack(in_memory(samples), as_it_was);
  CHECK(files_in(folder.path()) == whole);
}

TEST_CASE("a sample drawn twice keeps its position after a fault", "[pack]") {
  const TemporaryFolder folder, whole;
  auto job = job_for(folder.path());
  job.workers = 1;
  job.shard_bytes = 1;  // one sample each
  job.order = Order::own("twice", 3, [](auto, std::uint64_t at, auto&) { return at / 2; });
  std::atomic<int> reads{0}, bad{0};
  const auto source = watched(mixed_source(2), reads, &bad);
  CHECK(run_pack(source, job).shards == 2);
  // As if the pack had ended after the first shard.
  for (const char* const name : {"index.weir", "shard-000001.tar", ".shard-000001.weir"})
    fs::remove(folder / name);
  CHECK(run_pack(source, job).shards == 3);
  job.out = whole.string();
  run_pack(source, job);
  CHECK(files_in(folder.path()) == files_in(whole.path()));
}

TEST_CASE("a pack that has kept nothing can become another one", "[pack]") {
  const TemporaryFolder folder;
  const auto source = in_memory({mixed_samples(8).back()});  // a bad one
  auto job = job_for(folder.path());
  job.skip_faults = false;
  job.files = true;
  CHECK_THROWS_WITH(run_pack(source, job), has_text("truncated"));
  job.files = false;
  CHECK_THROWS_WITH(run_pack(source, job), has_text("truncated"));
  CHECK_FALSE(fs::exists(folder / "pack.unfinished"));
  job.recipe.quality = 80;
  CHECK(run_pack(mixed_source(6), job).samples == 6);
}

TEST_CASE("a pack that is stopped while it adds up names is none", "[pack]") {
  const TemporaryFolder folder;
  std::stop_source stop;
  auto job = job_for(folder / "out");
  job.stop = stop.get_token();
  std::atomic<int> names{0};
  const AnySource source = Stopping(mixed_source(8), stop, names);
  CHECK(run_pack(source, job).stopped);
  CHECK(names == 1);
  CHECK_FALSE(fs::exists(folder / "out"));
}

TEST_CASE("a folder of another pack, or of anything else, is refused", "[pack]") {
  const TemporaryFolder folder;
  const auto source = mixed_source(6);
  auto job = job_for(folder.path());
  run_pack(source, job);
  const auto why = [&](const AnySource& data) {
    try {
      run_pack(data, job);
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string("packed");
  };
  job.recipe.quality = 80;
  CHECK(contains(why(source),
                 "is of another pack, with 'quality 90', and now it is 'quality 80'; name a new"));
  job.recipe.quality = 90;
  CHECK(contains(why(mixed_source(7)), "with 'source "));
  CHECK(why(source) == "packed");
  const TemporaryFolder other;
  other.write("notes.txt", "mine");
  job.out = other.string();
  CHECK(contains(why(source), "not empty and not of weir pack"));
  job.out = other.string() + "/notes.txt";
  CHECK(contains(why(source), "cannot open"));
}
