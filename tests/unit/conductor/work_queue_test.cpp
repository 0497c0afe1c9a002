#include "conductor/work_queue.hpp"

#include <deque>
#include <map>
#include <set>

#include "support/catch.hpp"
#include "unit/conductor/choices.hpp"

using namespace weir;
using books::no_row;
using books::RowKey;
using conductor::Hold;

namespace {

struct Sample {
  RowKey row{};
  bool has_bytes = false, ahead = false;
};
using Queue = conductor::WorkQueue<Sample*>;

/// The rule in its simplest form, as in the model's workers: sets of rows and their minimum.
struct Rule {
  std::uint32_t workers = 2, read_ahead = 0;
  bool quick = false;  ///< reads
  std::set<RowKey> fresh;
  std::map<RowKey, Sample*> to_decode, to_read, parked;
  std::set<const Sample*> outstanding;

  RowKey oldest_fresh() const { return fresh.empty() ? no_row : *fresh.begin(); }
  RowKey barrier() const { return parked.empty() ? no_row : parked.begin()->first; }
  /// The sample to continue before the rows from `rows` on are begun.
  Sample* before(const std::map<RowKey, Sample*>& samples, RowKey rows) const {
    const bool first = !samples.empty() && samples.begin()->first < std::min(rows, barrier());
    return first ? samples.begin()->second : nullptr;
  }
  bool workers_read() const { return read_ahead == 0 || quick; }
  Sample* for_worker() const { return before(to_decode, workers_read() ? oldest_fresh() : no_row); }
  Sample* for_reader() const { return before(to_read, oldest_fresh()); }
  bool rows_for_worker() const { return workers_read() && oldest_fresh() < barrier(); }
  /// A row that a worker put back may be read although enough are read: others may wait for it.
  bool may_begin_read() const {
    const auto is_older = [&](const auto& waiting) { return oldest_fresh() < waiting.first; };
    const bool waited_for = !(parked.empty() && to_read.empty()) &&
                            std::ranges::all_of(parked, is_older) &&
                            std::ranges::all_of(to_read, is_older);
    return !workers_read() && (outstanding.size() < read_ahead || waited_for);
  }
  bool rows_for_reader() const { return may_begin_read() && oldest_fresh() < barrier(); }
  Hold hold(bool bytes_awaited) const {
    if (!parked.empty()) return Hold::bytes;
    if (bytes_awaited) return Hold::slab;
    const bool unread = !workers_read() && !fresh.empty();
    return !outstanding.empty() || !to_read.empty() || unread ? Hold::reads : Hold::rows;
  }
  std::uint64_t low() const { return std::max<std::uint64_t>(4 * workers, read_ahead); }
};

/// Runs the queue and the rule together: batches open; workers and readers take, finish and are refused.
class Drive {
 public:
  explicit Drive(std::uint64_t seed) : choices_(seed) {}

  void step() {
    switch (choices_.below(10)) {
      case 0:
        if (queue_.untaken_rows() < 40) open();
        break;
      case 1:
      case 2:
      case 3: take(false); break;
      case 4:
      case 5: take(true); break;
      case 6:
      case 7: move(decoding_, false); break;
      case 8: move(reading_, true); break;
      case 9:
        put_back();
        choices_.below(8) == 0 ? limit() : resume();
        break;
    }
    check();
  }
  /// Opens and refuses nothing more. In the end every opened row has been taken once.
  void drain() {
    refusing_ = false;
    for (int i = 0; i < 20'000 && finished_ < opened_; ++i) {
      put_back();
      take(false);
      take(true);
      move(decoding_, false);
      move(reading_, true);
      resume();
      check();
    }
    CHECK(finished_ == opened_);
    CHECK(queue_.hold(false) == Hold::rows);
  }

 private:
  void open() {
    const conductor::RowRun run{0, sequence_++, 0,
                                1 + static_cast<std::uint32_t>(choices_.below(20))};
    queue_.add(run);
    for (std::uint32_t row = 0; row < run.count; ++row) rule_.fresh.insert({run.sequence, row});
    opened_ += run.count;
  }

  void limit() {
    rule_.workers = 1 + static_cast<std::uint32_t>(choices_.below(3));
    rule_.read_ahead = static_cast<std::uint32_t>(choices_.below(10));
    queue_.limit(rule_.workers, rule_.read_ahead);
  }

  void take(bool reader) {
    // Some workers copy rows of a cache, others decode.
    const auto most =
        1 + static_cast<std::uint32_t>(choices_.below(choices_.below(4) == 0 ? 200 : 5));
    if (choices_.below(4) == 0) note_reads();
    const auto before = queue_.untaken_rows();
    auto* const expected = reader ? rule_.for_reader() : rule_.for_worker();
    const bool rows = reader ? rule_.rows_for_reader() : rule_.rows_for_worker();
    const auto task = reader ? queue_.next_read() : queue_.next_work(most);
    REQUIRE(task.has_value() == (expected || rows));
    if (!task) return;
    REQUIRE(task->sample == expected);
    if (expected) {
      (reader ? rule_.to_read : rule_.to_decode).erase(expected->row);
      if (!reader) rule_.outstanding.erase(expected);
      (reader ? reading_ : decoding_).push_back(expected);
      return;
    }
    CHECK(task->runs_low == (before >= rule_.low() && queue_.untaken_rows() < rule_.low()));
    begin(task->run, most, reader);
  }

  /// Many quick reads, or one that takes longer than many quick ones.
  void note_reads() {
    using conductor::ReadPace;
    const bool quick = choices_.below(2) == 0, changes = quick != rule_.quick;
    const auto most = ReadPace::many * ReadPace::quick_ns;
    CHECK(queue_.note_reads({quick ? ReadPace::many : 1, quick ? most : most + 1}) ==
          (changes && rule_.read_ahead > 0));
    if (rule_.read_ahead > 0) rule_.quick = quick;
  }

  void begin(const conductor::RowRun& run, std::uint32_t most, bool reader) {
    REQUIRE(run.key() == rule_.oldest_fresh());
    std::uint32_t left = 0;
    while (rule_.fresh.contains({run.sequence, run.first + left})) ++left;
    CHECK(run.count >= 1);
    const auto least = std::max(1u, most / 16), part = std::max(least, left / (2 * rule_.workers));
    CHECK(run.count <= (reader ? 1 : std::min({left, most, part})));
    if (!reader) {
      // As many as find a part of it.
      CHECK(queue_.workers_for(left) == std::min(rule_.workers, (left + least - 1) / least));
      CHECK(queue_.workers_for(0) == 0);
    }
    for (std::uint32_t row = run.first; row < run.first + run.count; ++row)
      REQUIRE(rule_.fresh.erase({run.sequence, row}) == 1);
    // One row of a run of several is begun. The others are put back now or later, as after a refusal.
    held_.push_back({run.slab, run.sequence, run.first + 1, run.count - 1});
    if (choices_.below(2) == 0) put_back();
    auto& sample = samples_.emplace_back(Sample{run.key(), false, reader});
    if (reader) rule_.outstanding.insert(&sample);
    (reader ? reading_ : decoding_).push_back(&sample);
  }

  void put_back() {
    if (held_.empty()) return;
    const auto rest = held_.back();
    held_.pop_back();
    queue_.add(rest);
    for (std::uint32_t row = 0; row < rest.count; ++row)
      rule_.fresh.insert({rest.sequence, rest.first + row});
  }

  /// A row in work is finished, or its bytes are refused.
  void move(std::vector<Sample*>& at_work, bool reader) {
    if (at_work.empty()) return;
    const auto which = static_cast<std::ptrdiff_t>(choices_.below(at_work.size()));
    Sample& sample = *at_work[static_cast<std::size_t>(which)];
    at_work.erase(at_work.begin() + which);
    const auto outcome = choices_.below(4);
    if (refusing_ && outcome == 0) {
      if (!reader && choices_.below(2) == 0) sample.has_bytes = true;
      queue_.park(&sample);
      rule_.parked[sample.row] = &sample;
    } else if (reader && outcome < 3) {
      sample.has_bytes = true;
      queue_.arrived(&sample);
      rule_.to_decode[sample.row] = &sample;
    } else {
      CHECK(queue_.end_read(sample) == (rule_.outstanding.erase(&sample) == 1));
      ++finished_;
    }
  }

  void resume() {
    if (rule_.parked.empty()) return;
    Sample& sample = *rule_.parked.begin()->second;
    rule_.parked.erase(sample.row);
    CHECK(queue_.resume(sample));
    CHECK_FALSE(queue_.resume(sample));
    (sample.has_bytes || rule_.read_ahead == 0 ? rule_.to_decode : rule_.to_read)[sample.row] =
        &sample;
  }

  void check() {
    REQUIRE(queue_.untaken_rows() == rule_.fresh.size());
    REQUIRE(queue_.rows_ahead() == rule_.low());
    REQUIRE(queue_.may_begin_read() == rule_.may_begin_read());
    REQUIRE(queue_.hold(false) == rule_.hold(false));
    REQUIRE(queue_.hold(true) == rule_.hold(true));
  }

  test::SeededChoices choices_;
  Queue queue_{2, 0, 4, 16};
  Rule rule_;
  std::deque<Sample> samples_;
  std::vector<Sample*> decoding_, reading_;
  std::uint64_t sequence_ = 0, opened_ = 0, finished_ = 0;
  std::vector<conductor::RowRun> held_;  ///< rows that a worker took and has not begun
  bool refusing_ = true;
};

}  // namespace

TEST_CASE("the work queue always gives the work that its rule demands", "[conductor]") {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    INFO("seed " << seed);
    Drive drive(seed);
    for (int i = 0; i < 300; ++i) drive.step();
    drive.drain();
  }
}

TEST_CASE("the mean of many reads decides who reads", "[conductor]") {
  using conductor::ReadPace;
  ReadPace pace;
  CHECK_FALSE(pace.quick());
  CHECK_FALSE(pace.add({ReadPace::many - 1, ReadPace::many * ReadPace::quick_ns}));
  CHECK(pace.add({1, 0}));
  CHECK(pace.quick());
  // Quick reads do not make up for one that takes longer than all of them.
  CHECK_FALSE(pace.add({ReadPace::many / 2, 0}));
  CHECK(pace.add({1, ReadPace::many * ReadPace::quick_ns + 1}));
  CHECK_FALSE(pace.quick());
  // The next ones begin anew.
  CHECK_FALSE(pace.add({ReadPace::many / 2, 0}));
  CHECK_FALSE(pace.quick());
  CHECK(pace.add({ReadPace::many / 2, 0}));
}

TEST_CASE("a halted work queue has no fresh rows and names every sample", "[conductor]") {
  Queue queue(1, 1, 2, 4);
  Sample arrived{{1, 0}, true, false}, parked{{1, 1}, false, false};
  queue.add({0, 2, 0, 3});
  queue.arrived(&arrived);
  queue.park(&parked);
  std::set<const Sample*> named;
  queue.halt([&](const Sample& sample) { named.insert(&sample); });
  CHECK(named == std::set<const Sample*>{&arrived, &parked});
  CHECK(queue.untaken_rows() == 0);
}
