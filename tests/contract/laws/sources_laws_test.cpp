// Sources put together: what holds for a folder holds for them.
#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "contract/laws/breach.hpp"
#include "contract/laws/fixture.hpp"
#include "contract/laws/rows.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"
#include "unit/source/fixture.hpp"

using namespace weir;
using namespace weir::test;

namespace {

using Indices = std::vector<std::uint64_t>;

/// A source made of others, and the same samples as a list.
struct Combined {
  std::string what;
  AnySource source, flat;
};

AnySource base(std::uint64_t bad_every = 9) { return Flawed(31, bad_every); }

Indices numbers(std::uint64_t first, std::uint64_t end, std::uint64_t step = 1) {
  Indices all;
  for (auto i = first; i < end; i += step) all.push_back(i);
  return all;
}

/// These samples of `source`, in memory; `label` of each from its own.
template <class Label>
AnySource flat(const AnySource& source, const Indices& indices, Label label) {
  std::vector<MemorySample> samples;
  MemorySink sink;
  for (const auto i : indices) {
    const auto sample = source.read(i, sink);
    samples.push_back(
        {source.name(i), {sample.bytes.begin(), sample.bytes.end()}, label(sample.label)});
  }
  return in_memory(std::move(samples));
}
AnySource flat(const AnySource& source, const Indices& indices) {
  return flat(source, indices, [](std::int64_t label) { return label; });
}

/// Files 0.jpg … in the folders a and b, of which b has the odd ones. Returns their paths.
std::vector<std::string> write_files(const TemporaryFolder& folder) {
  const auto source = base(0);
  std::vector<std::string> paths;
  MemorySink sink;
  for (std::uint64_t i = 0; i < source.size(); ++i)
    paths.push_back(folder.write(
        std::filesystem::path(i % 2 == 0 ? "a" : "b") / (std::to_string(100 + i) + ".jpg"),
        source.read(i, sink).bytes));
  return paths;
}

/// One of each way to put sources together.
std::vector<Combined> all_combined(const TemporaryFolder& folder) {
  const auto paths = write_files(folder);
  const auto whole = numbers(0, 31);
  const auto both = split(base(), 4);
  auto others = whole;
  std::erase_if(others, [](auto i) { return i % 4 == 0; });
  std::vector<std::int64_t> labels(31);
  std::iota(labels.begin(), labels.end(), 5);
  std::map<std::int64_t, std::int64_t> turned;
  for (std::int64_t label = 0; label < 10; ++label) turned[label] = 9 - label;
  // The folders decide the labels; samples come in the order of their paths.
  auto classes = numbers(0, 31, 2);
  for (const auto i : numbers(1, 31, 2)) classes.push_back(i);
  auto twice = whole;
  for (const auto i : numbers(3, 20)) twice.push_back(i);
  const auto odd = numbers(1, 31, 2);
  const auto ends_in_1 = [](const std::string& name) { return name.ends_with('1'); };
  std::int64_t number = 4, of_class = 0;
  return {
      {"image_files", image_files(paths, labels),
       flat(base(0), whole, [&](auto) { return ++number; })},
      {"FolderOptions::classes", image_folder(folder.string(), {.classes = {"b", "a"}}),
       flat(base(0), classes, [&](auto) { return of_class++ < 16 ? 1 : 0; })},
      {"subset", subset(base(), Indices{30, 2, 2, 3, 17, 0, 12}),
       flat(base(), {30, 2, 2, 3, 17, 0, 12})},
      {"subset by name", subset(base(), ends_in_1), flat(base(), {1, 11, 21})},
      {"split, training", both.training, flat(base(), others)},
      {"split, hold_out", both.hold_out, flat(base(), numbers(0, 31, 4))},
      {"relabelled", relabelled(base(), turned),
       flat(base(), whole, [](auto label) { return 9 - label; })},
      {"concatenated", concatenated({base(), subset(base(), numbers(3, 20))}), flat(base(), twice)},
      {"with_plane", with_plane(base(), "mask", base()), flat(base(), whole)},
      {"with_plane, nested", with_plane(with_plane(base(), "mask", base()), "depth", base()),
       flat(base(), whole)},
      {"with_plane, absent", with_plane(base(), "mask", subset(base(), odd), MissingPlane::absent),
       flat(base(), whole)},
      {"with_plane, skip", with_plane(base(), "mask", subset(base(), odd), MissingPlane::skip),
       flat(base(), odd)},
  };
}

/// The transform takes the images of a pair.
Options options_for_all() {
  auto options = small_options(true);
  options.order = Order::shuffle();
  options.seed = 5;
  options.batch = 3;
  options.faults.policy = OnFault::skip;
  options.memory.max_sample_bytes = 256 << 10;
  return options;
}

}  // namespace

TEST_CASE("the laws hold for sources put together", "[law][sources]") {
  const TemporaryFolder folder;
  for (const auto& [what, source, list] : all_combined(folder)) {
    CAPTURE(what);
    REQUIRE(source.size() == list.size());
    auto options = options_for_all();
    options.memory.budget_bytes = Loader(source, options).plan().floor_bytes;
    Loader loader(source, options), same(list, options_for_all());
    CHECK(loader.plan().index_bytes >= source.index_bytes());
    Monitor monitor(loader, breach_of);
    const auto log = drain(loader, {.epochs = 3});
    CHECK(monitor.complaint().empty());
    CHECK(log == drain(same, {.epochs = 3}));
    const auto now = loader.snapshot();
    CHECK(now.samples.consumed == 3 * source.size());
    CHECK(now.memory.live == staging(now.memory) + now.memory[Account::index]);
    for (std::uint64_t i = 0; i < source.size(); ++i) CHECK(loader.name(i) == source.name(i));
  }
}

TEST_CASE("sources put together give the same on any machine", "[law][sources]") {
  const TemporaryFolder folder;
  for (const auto& [what, source, list] : all_combined(folder)) {
    CAPTURE(what);
    const auto options = options_for_all();
    Loader first(source, options);
    const auto expected = drain(first, {.epochs = 2});
    for (const auto& other : on_other_machines(options)) {
      if (other.queue.max_queue_size == 1 || other.io.read_ahead == 0) continue;
      Loader again(source, other);
      REQUIRE(drain(again, {.epochs = 2}) == expected);
    }
  }
}

TEST_CASE("sources put together serve ranks and a resume", "[law][sources][ranks][resume]") {
  const TemporaryFolder folder;
  for (const auto& [what, source, list] : all_combined(folder)) {
    CAPTURE(what);
    auto options = options_for_all();
    options.batch = 2;
    auto whole = job(source, options, 1);
    const auto wanted = side_by_side(whole, {.epochs = 2});
    options.batch = 1;
    auto ranks = job(source, options, 2);
    CHECK(side_by_side(ranks, {.epochs = 2}) == wanted);
    // A stream that ends in the middle of an epoch, and another job that goes on with its samples.
    std::vector<Row> rows;
    Progress state;
    {
      auto stream = whole.front().stream({.epochs = 2});
      for (int step = 0; step < 2; ++step) add_rows(*stream.next(), rows);
      state = Progress::parse(stream.progress().to_json());
    }
    auto resumed = job(source, options, 2);
    const auto rest = side_by_side(resumed, {.resume = state, .epochs = 2});
    rows.insert(rows.end(), rest.begin(), rest.end());
    CHECK(rows == wanted);
    CHECK_THROWS_WITH(Loader(synthetic(source.size(), {24, 28}), options).stream({.resume = state}),
                      has_text("resume"));
  }
}
