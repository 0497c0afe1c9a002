// The law ranks, and the law resume with other ranks: what several loaders deliver together.
#include <sys/stat.h>

#include <cstring>
#include <deque>
#include <set>
#include <stdexcept>
#include <utility>

#include "contract/laws/fixture.hpp"
#include "contract/laws/orders.hpp"
#include "contract/laws/rows.hpp"
#include "source/order.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

using namespace weir;
using namespace weir::test;

namespace {

/// Depends on all that a SizeFunction knows.
ImageSize some_size(const SizeInput& in) {
  const auto key = 7 * in.epoch + 3 * in.step + (in.index == UINT64_MAX ? 0 : in.index);
  return {1 + static_cast<std::uint32_t>(key % 16), 1 + static_cast<std::uint32_t>(key % 13)};
}

/// 0, 1: of one shape, without and with a transform; 2: padded; 3: ragged; 4, 5: sizes change, of one shape
/// and ragged.
Options options_of_kind(int kind) {
  auto options = small_options(kind == 1);
  options.fit = Fit::random;
  options.seed = 3;
  options.memory.max_sample_bytes = 256 << 10;
  options.faults.policy = OnFault::skip;
  if (kind > 3) options.sizes.size = {"some", some_size};
  if (kind < 2 || kind == 4) return options;
  options.fit = Fit::center;
  options.shape = Options().shape;
  options.sizes.mode = kind == 2 ? Sizes::padded : Sizes::ragged;
  if (kind == 2) options.sizes.bucket_batches = 2;
  if (kind == 5) options.sizes.max_height = options.sizes.max_width = 16;
  return options;
}

}  // namespace

TEST_CASE("ranks deliver together what one loader delivers", "[law][ranks]") {
  const int kind = GENERATE(0, 1, 2, 3, 4, 5);
  auto orders = all_orders(37);
  for (const auto& each : {Order::sequential(), Order::shuffle(), Order::blocks(3, 2)})
    orders.push_back(each);
  const auto order = orders[GENERATE(range(std::size_t{0}, std::size_t{7}))];
  const auto positions = source::draws_all(order.kind) ? 37 : positions_in(order, 37);
  const bool drop_last = GENERATE(false, true);
  auto options = options_of_kind(kind);
  options.order = order;
  options.drop_last = drop_last;
  const AnySource source = kind < 2 ? AnySource(Flawed(37, 9)) : synthetic(37, {30, 40}, 4);
  for (const std::uint32_t world : {2u, 3u, 8u}) {
    CAPTURE(kind, to_string(order), drop_last, world);
    if (drop_last && positions < 2 * world) continue;
    options.batch = 2 * world;
    auto whole = job(source, options, 1);
    options.batch = 2;
    auto ranks = job(source, options, world);
    const auto wanted = side_by_side(whole, {.epochs = 2});
    CHECK(wanted.size() == 2 * (drop_last ? positions / (2 * world) * 2 * world : positions));
    CHECK(side_by_side(ranks, {.epochs = 2}) == wanted);
    std::uint64_t samples = 0, omitted = 0;
    for (auto& loader : ranks) {
      const auto tally = loader.snapshot().samples;
      CHECK(tally.conserved());
      CHECK(loader.batches_per_epoch() == whole.front().batches_per_epoch());
      CHECK(2 * loader.plan().epoch.samples == tally.consumed);
      CHECK(loader.plan().epoch.all_samples * 2 == wanted.size());
      samples += tally.consumed;
      omitted += tally.omitted;
    }
    CHECK(samples == wanted.size());
    CHECK(omitted == whole.front().snapshot().samples.omitted);
  }
}

TEST_CASE("a rank without a sample gets one row of padding", "[law][ranks]") {
  const int kind = GENERATE(0, 1, 2, 3, 4, 5);
  auto options = options_of_kind(kind);
  options.batch = 2;
  std::atomic<int> transformed{0};
  if (kind == 1)
    options.transform.apply = [&](DecodedSample& sample) {
      ++transformed;
      scatter(sample);
    };
  auto ranks = job(synthetic(13, {30, 40}, 4), options, 3);  // the last step has one sample
  CHECK(ranks[0].plan().epoch.padding_rows == 2);
  auto stream = ranks[2].stream();
  for (int step = 0; step < 2; ++step) CHECK_FALSE(stream.next()->last_of_epoch());
  auto last = stream.next();
  REQUIRE(last);
  CHECK(last->last_of_epoch());
  CHECK(last->size() == 1);
  CHECK(last->global_rows() == 1);
  CHECK(last->statuses()[0] == RowStatus::padding);
  CHECK(last->labels()[0] == -1);
  CHECK(last->indices()[0] == UINT64_MAX);
  for (const auto byte : last->pixel_bytes()) REQUIRE(byte == 0);
  for (const auto byte : last->annotation_block()) REQUIRE(byte == std::byte{0});
  if (options.sizes.mode != Sizes::fixed) CHECK(last->sizes()[0] == ImageSize{});
  if (kind == 4) CHECK(last->pixels().shape == some_size({.epoch = 0, .step = 2}));
  last.reset();
  CHECK_FALSE(stream.next());
  CHECK(ranks[2].snapshot().samples.drawn == 4);
  if (kind == 1) CHECK(transformed == 4);
}

TEST_CASE("ranks resume with other ranks and another batch", "[law][ranks][resume]") {
  const int kind = GENERATE(0, 2, 4, 5);
  const bool same = GENERATE(true, false);
  auto orders = all_orders(50);
  orders.push_back(Order::shuffle());
  auto options = options_of_kind(kind);
  options.faults.policy = OnFault::stop;
  options.order = orders[GENERATE(range(std::size_t{0}, std::size_t{5}))];
  CAPTURE(kind, same, to_string(options.order));
  options.batch = 3;
  const auto source = synthetic(50, {30, 40}, 4);
  std::vector<Row> rows, wanted;
  auto before = job(source, options, 2);
  wanted = side_by_side(before, {.epochs = 3});
  std::vector<Progress> states;
  {
    std::vector<Stream> streams;
    for (auto& loader : before) streams.push_back(loader.stream({.epochs = 3}));
    const auto steps = 2 * before.front().batches_per_epoch() - 1;
    for (std::uint64_t step = 0; step < steps; ++step)
      for (auto& stream : streams) add_rows(*stream.next(), rows);
    // Both ranks have finished the same steps, so one state is that of the job.
    for (auto& stream : streams) states.push_back(stream.progress());
    CHECK(streams[0].progress_of_all() == Progress::merge(states));
    CHECK(streams[1].progress_of_all() == Progress::merge(states));
  }
  if (!same) options.batch = 4;
  auto after = job(source, options, same ? 2 : 3);
  for (auto& row : side_by_side(after, {.resume = Progress::merge(states), .epochs = 3}))
    rows.push_back(std::move(row));
  if (!same) {
    // Other global batches pad otherwise and cut other buckets, but have the same samples.
    std::vector<std::pair<std::uint64_t, std::uint64_t>> got, all;
    for (const auto& row : rows) got.emplace_back(row.epoch, row.index);
    for (const auto& row : wanted) all.emplace_back(row.epoch, row.index);
    if (kind == 2) {
      std::ranges::sort(got);
      std::ranges::sort(all);
    }
    CHECK(got == all);
    return;
  }
  CHECK(rows == wanted);
}

TEST_CASE("a batch is finished when its receipt dies without exception", "[law][resume]") {
  auto options = small_options();
  options.queue.max_leases = 3;
  Loader loader(synthetic(40, {24, 24}), options);
  auto stream = loader.stream({.epochs = 2});
  const auto finished = [&](std::uint64_t batches) {
    return stream.progress() == loader.progress_after(batches);
  };
  auto first = stream.next(), second = stream.next();
  CHECK(finished(0));  // with a full queue behind them
  auto receipt = first->receipt();
  first.reset();
  CHECK(finished(0));
  receipt = Receipt();
  CHECK(finished(1));
  second->finish();
  CHECK(finished(2));
  second.reset();
  std::move(*stream.next()).discard();
  CHECK(finished(3));
  CHECK_THROWS_AS(
      [&] {
        const auto batch = stream.next();
        throw std::runtime_error("a step that fails");
      }(),
      std::runtime_error);
  CHECK(finished(3));
  { const auto fifth = stream.next(); }
  const auto state = stream.progress();
  CHECK(state.epochs.front().done ==
        std::vector<Progress::Run>{{.first = 0, .end = 12}, {.first = 16, .end = 20}});
  auto abandoned = stream.next()->receipt();
  abandoned.abandon();
  CHECK(stream.progress() == state);
}

TEST_CASE("a state survives as text or file and only its job accepts it", "[law][resume]") {
  const TemporaryFolder folder;
  const auto path = (folder.path() / "state.json").string();
  auto options = small_options();
  options.order = Order::blocks(4, 2);
  options.seed = 9;
  const auto source = synthetic(40, {24, 24});
  Loader loader(source, options);
  const auto state = loader.progress_after(13);
  CHECK(Progress::parse(state.to_json()) == state);
  CHECK(state.to_json().size() < 4096);
  state.save(path);
  loader.progress_after(14).save(path);
  CHECK(Progress::load(path) == loader.progress_after(14));
  std::filesystem::create_directories(folder.path() / "taken");
  CHECK_THROWS_WITH(state.save((folder.path() / "taken").string()),
                    has_text("taken: Is a directory"));
  std::filesystem::remove(folder.path() / "taken");
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);

  const auto refused = [&](const Options& other, const AnySource& data) {
    try {
      Loader(data, other).stream({.resume = state, .epochs = 2});
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string("accepted");
  };
  auto other = options;
  other.seed = 1;
  CHECK_THAT(refused(other, source), has_text("seed is 9; in this loader it is 1"));
  other = options;
  other.order = Order::shuffle();
  CHECK_THAT(refused(other, source), has_text("order is blocks:4:2; in this loader it is shuffle"));
  CHECK_THAT(refused(options, synthetic(41, {24, 24})), has_text("samples is 40"));
  CHECK_THAT(refused(options, Flawed(40, 0)), has_text("fingerprint is "));
  other = options;
  other.batch = 7;
  CHECK(refused(other, source) == "accepted");

  const auto text = state.to_json();
  CHECK_THROWS_WITH(Progress::parse(std::string_view(text).substr(0, 30)),
                    has_text("not complete"));
  auto newer = text;
  newer.replace(newer.find("\"version\":1"), 11, "\"version\":7");
  CHECK_THROWS_WITH(Progress::parse(newer), has_text("version is 7, written by a newer weir"));
  CHECK_THROWS_WITH(Progress::parse("[]"), has_text("must be a JSON object"));
  newer.replace(newer.find("\"version\":7"), 11, "\"version\":0");
  CHECK_THROWS_WITH(Progress::parse(newer), has_text("version is 0; versions begin with 1"));
  CHECK_THROWS_AS(Progress::load((folder.path() / "none.json").string()), std::system_error);
  CHECK_THROWS_WITH(loader.stream({.resume = state, .first_epoch = 1}),
                    has_text("first_epoch` = 1"));
}

TEST_CASE("parsing a state names each wrong part and skips unknown keys", "[law][resume]") {
  const std::string head =
      R"({"version":1,"fingerprint":"f","samples":9,"seed":0,"order":"\"\\","epochs":)";
  const auto with = [&](const std::string& done) {
    return head + R"([{"epoch":0,"end":9,"done":)" + done + "}]}";
  };
  Progress quoted{.fingerprint = "f", .samples = 9, .order = "\"\\\n", .epochs = {{.end = 9}}};
  CHECK(Progress::parse(quoted.to_json()) == quoted);
  quoted.order.pop_back();
  CHECK(Progress::parse(with("[]")) == quoted);
  CHECK(Progress::parse(
            head + R"([{"x":{"epoch":[7]},"epoch":0,"end":9,"done":[],"y":[[1],{}]}],"z":"1"})") ==
        quoted);
  const std::pair<std::string, const char*> wrong[] = {
      {with("[[0,4],[3,5]]"), "done must be ascending"},
      {with("[[0,1,3,2],[2,5]]"), "epoch 0 has position 2 after position 3"},
      {with("[[0,10]]"), "epoch 0 has position 9, but it ends at 9"},
      {with("[[0,1,2]]"), "done must have lists of 2 or 4 numbers"},
      {with("[[0,1,2,3,4]]"), "done must have lists of 2 or 4 numbers"},
      {with("[[0,-1]]"), "done must have whole numbers"},
      {with("[[[0]]]"), "done must have whole numbers"},
      {with("[5]"), "done must have lists of 2 or 4 numbers"},
      {with("5"), "done must be a list"},
      {with("[]],"), "not complete JSON"},
      {head + "[5]}", "epochs must have objects"},
      {head + "{}}", "epochs must be a list"},
      {head + "[{}]}", "epoch is missing"},
      {head + "[]}", "has no epochs"},
      {head + R"([{"epoch":0,"end":9,"done":[],"bucket_rows":1000000000000}]})",
       "epoch 0 has bucket_rows 1000000000000 of 9 samples"},
      {head + R"([{"epoch":0,"end":9,"done":[],"bucket_rows":4}]})",
       "epoch 0 has bucket_rows 4 and bucket_batches 0"},
      {head + R"([],"epochs":[]})", "epochs twice in one object"},
      {R"({"version":1})", "fingerprint is missing"},
      {R"({"version":"1"})", "version must be a whole number"},
      {R"({"version":1,"order":[]})", "order must be a text"},
      {"7", "must be a JSON object"}};
  for (const auto& [text, why] : wrong) {
    CAPTURE(text);
    CHECK_THROWS_WITH(Progress::parse(text), has_text(why));
  }
}

TEST_CASE("a state is saved through a symbolic link but not over a pipe", "[law][resume]") {
  const TemporaryFolder folder;
  const auto state = Loader(synthetic(9, {24, 24}), small_options()).progress_after(1);
  const auto at = [&](const char* name) { return (folder.path() / name).string(); };
  std::filesystem::create_directory(at("there"));
  std::filesystem::create_symlink("there/file", at("one"));
  std::filesystem::create_symlink("one", at("two"));
  for (int time = 0; time < 2; ++time) {
    state.save(at("two"));
    CHECK(std::filesystem::is_symlink(at("one")));
    CHECK(std::filesystem::is_symlink(at("two")));
    CHECK(Progress::load(at("there/file")) == state);
  }
  REQUIRE(::mkfifo(at("pipe").c_str(), 0600) == 0);
  CHECK_THROWS_WITH(state.save(at("pipe")), has_text("pipe, which is no regular file"));
  CHECK(std::filesystem::is_fifo(at("pipe")));
  CHECK_THROWS_WITH(Progress::load(at("there")), has_text("there: Is a directory"));
}

TEST_CASE("the intervals of a resumed stream are on the books", "[law][resume]") {
  auto options = small_options();
  Loader loader(synthetic(4000, {24, 24}), options);
  auto state = loader.progress_after(0);
  for (std::uint64_t i = 0; i < 4000; i += 5 + i % 3)
    state.epochs.front().done.push_back({.first = i, .end = i + 1});
  const auto before = loader.snapshot().memory[Account::index];
  {
    auto stream = loader.stream({.resume = state});
    CHECK(loader.snapshot().memory[Account::index] > before + 500 * 24);
    CHECK(stream.next()->indices()[0] == 1);
  }
  CHECK(loader.snapshot().memory[Account::index] == before);
}

TEST_CASE("a resume with a smaller batch is charged one larger window", "[law][resume][sizes]") {
  auto options = options_of_kind(2);
  options.sizes.bucket_batches = 3;
  options.memory.budget_bytes = 64 << 20;
  // Windows of whole batches: 8 positions of batches of 4, 9 positions of batches of 3.
  const auto data = synthetic(10, {30, 40}, 4);
  options.batch = 4;
  const auto state = Loader(data, options).progress_after(1);
  options.batch = 3;
  Loader loader(data, options);
  const auto before = loader.snapshot().memory[Account::index];
  auto stream = loader.stream({.resume = state, .epochs = 2});
  CHECK(loader.snapshot().memory[Account::index] - before < 1000);
  std::multiset<std::uint64_t> rest;
  for (auto& batch : stream) rest.insert(batch.indices().begin(), batch.indices().end());
  CHECK(rest.size() == 16);
}

TEST_CASE("a resume with other size buckets is refused inside an epoch", "[law][resume][sizes]") {
  const auto data = synthetic(10, {30, 40}, 4);
  auto with = options_of_kind(2), none = with, wider = with, smaller = with, limited = with;
  none.sizes.bucket_batches = 0;
  wider.sizes.bucket_batches = 3;
  smaller.sizes.max_height = 8;
  limited.limits.max_pixels = 30 * 40 - 1;
  const auto refused = [&](const Options& before, const Options& now, std::uint64_t steps) {
    const auto state = Progress::parse(Loader(data, before).progress_after(steps).to_json());
    try {
      Loader(data, now).stream({.resume = state, .epochs = 2});
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  const auto at_end = Loader(data, with).batches_per_epoch();
  CHECK(refused(with, with, 1).empty());
  for (const auto& other : {none, wider, smaller, limited}) {
    CHECK_FALSE(refused(with, other, 1).empty());
    CHECK(refused(with, other, at_end).empty());
  }
  CHECK_THAT(refused(none, with, 1), has_text("bucket_batches` = 0; in this loader it is 2"));
}
