#include <algorithm>
#include <ostream>
#include <string_view>
#include <vector>

#include "base/sanitize.hpp"
#include "base/terms.hpp"
#include "base/text.hpp"
#include "engine/failure.hpp"
#include "engine/trace.hpp"
#include "weir/version.hpp"

namespace weir::engine {

namespace {

/// The viewer shows two processes.
constexpr int threads = 1, slabs = 2;

std::string_view word(Trace::Of what) {
  return weir::name_of(
      what, {"filling", "handoff", "lease", "copy", "device", "next", "consume", "step", "look"});
}

/// Microseconds with three decimals.
std::string microseconds(std::int64_t ns) {
  ns = std::max<std::int64_t>(ns, 0);
  return concat(ns / 1000, '.', zero_padded(static_cast<std::uint64_t>(ns % 1000), 3));
}

}  // namespace

class Trace::Writer {
 public:
  Writer(std::ostream& out, const AnySource& source, const std::vector<std::string>& moves)
      : out_(out), source_(source), moves_(moves) {}

  void name_track(int process, std::uint32_t track, const std::string& name) {
    begin('M', process, track) << R"(,"name":"thread_name","args":{"name":)" << json_text(name)
                               << "}}";
    begin('M', process, track) << R"(,"name":"thread_sort_index","args":{"sort_index":)" << track
                               << "}}";
  }
  void name_process(int process, std::string_view name) {
    begin('M', process, consumer) << R"(,"name":"process_name","args":{"name":)" << json_text(name)
                                  << "}}";
  }

  /// `id` distinguishes waits, which are on no thread and may overlap.
  void write(const Event& event, std::size_t id) {
    const auto& v = event.value;
    const auto what = static_cast<Of>(event.what);
    const auto batch = concat("\"batch\":", v[1]);
    switch (event.kind.load(std::memory_order_relaxed)) {
      case Kind::none: break;
      case Kind::sample: {
        const auto stage = static_cast<Stage>(event.what);
        const auto args = concat(batch, ",\"row\":", v[2], ",\"index\":", v[3],
                                 ",\"sample\":", json_text(engine::name_of(source_, v[3])));
        if (stage == Stage::wait) return wait(event, id, args);
        return span(to_string(stage), "sample", threads, event, args);
      }
      case Kind::batch: return span(word(what), "batch", slabs, event, batch);
      case Kind::thread:
        return span(word(what), "thread", threads, event,
                    what == Of::step || what == Of::look ? "" : batch);
      case Kind::move: return move(event);
      case Kind::sample_bytes: return bytes("bytes of index and samples", event);
      case Kind::slab_bytes: return bytes("bytes of slabs", event);
      case Kind::queue: return counter("queue", event, {"filling", "ready", "leased", ""});
    }
  }

 private:
  std::ostream& begin(char phase, int process, std::uint32_t track) {
    out_ << (first_ ? "\n" : ",\n") << R"({"ph":")" << phase << R"(","pid":)" << process
         << R"(,"tid":)" << track;
    first_ = false;
    return out_;
  }
  std::ostream& begin(char phase, int process, std::uint32_t track, std::int64_t at_ns) {
    return begin(phase, process, track) << R"(,"ts":)" << microseconds(at_ns);
  }
  static std::int64_t duration(const Event& event) {
    return static_cast<std::int64_t>(event.value[0]);
  }
  /// Spans are one nanosecond shorter. Viewers add `ts` and `dur` in floating point. A sum above
  /// the start of the next span would nest that span in this one.
  void span(std::string_view name, std::string_view category, int process, const Event& event,
            const std::string& args) {
    begin('X', process, event.track, event.at_ns)
        << R"(,"dur":)" << microseconds(duration(event) - 1) << R"(,"cat":")" << category
        << R"(","name":")" << name << R"(","args":{)" << args << "}}";
  }
  void wait(const Event& event, std::size_t id, const std::string& args) {
    const auto common = concat(R"(,"cat":"sample","name":"wait","id":)", id);
    begin('b', threads, event.track, event.at_ns) << common << R"(,"args":{)" << args << "}}";
    begin('e', threads, event.track, event.at_ns + duration(event)) << common << '}';
  }
  void move(const Event& event) {
    const auto& to = event.value;
    begin('i', threads, event.track, event.at_ns)
        << R"(,"s":"t","cat":"tuning","name":"move","args":{"max_queue_size":)" << to[0]
        << R"(,"workers":)" << to[1] << R"(,"read_ahead":)" << to[2];
    if (to[3] < moves_.size())
      out_ << R"(,"why":)" << json_text(sanitize_message(moves_[static_cast<std::size_t>(to[3])]));
    out_ << "}}";
  }
  using Names = std::array<std::string_view, values_an_event>;
  void bytes(std::string_view name, const Event& event) {
    Names names{};
    std::ranges::transform(accounts(event.kind, event.what), names.begin(),
                           [](Account account) { return to_string(account); });
    counter(name, event, names);
  }
  void counter(std::string_view name, const Event& event, const Names& names) {
    begin('C', threads, consumer, event.at_ns) << R"(,"name":")" << name << R"(","args":{)";
    for (std::size_t i = 0; i < names.size() && !names[i].empty(); ++i)
      out_ << (i > 0 ? ",\"" : "\"") << names[i] << "\":" << event.value[i];
    out_ << "}}";
  }

  std::ostream& out_;
  const AnySource& source_;
  const std::vector<std::string>& moves_;
  bool first_ = true;
};

void Trace::write(std::ostream& out, const books::Book& book, const AnySource& source,
                  const std::vector<std::string>& moves) const {
  const auto noted = noted_.load(std::memory_order_relaxed);
  std::vector<const Event*> events;
  for (std::uint64_t i = 0; i < std::min(noted, capacity_); ++i) {
    const auto& event = events_[static_cast<std::size_t>(i)];
    if (event.kind.load(std::memory_order_acquire) != Kind::none) events.push_back(&event);
  }
  Track slabs_end = 0;
  for (const auto* event : events)
    if (event->kind.load(std::memory_order_relaxed) == Kind::batch)
      slabs_end = std::max(slabs_end, event->track + 1);
  std::ranges::stable_sort(events, {}, &Event::at_ns);

  out << R"({"displayTimeUnit":"ms","otherData":{"weir":")" << version << R"(","events":)"
      << events.size() << R"(,"lost_events":)" << noted - std::min(noted, capacity_)
      << R"(},"traceEvents":[)";
  Writer writer(out, source, moves);
  writer.name_process(threads, "weir: threads");
  writer.name_process(slabs, "weir: slabs");
  writer.name_track(threads, consumer, "consumer");
  writer.name_track(threads, conductor, "conductor");
  for (std::uint32_t i = 0; i < workers_; ++i)
    writer.name_track(threads, worker(i), concat("worker ", i));
  for (std::uint32_t i = 0; i < readers_; ++i)
    writer.name_track(threads, reader(i), concat("reader ", i));
  if (tuned_.load(std::memory_order_relaxed)) writer.name_track(threads, tuning(), "tuning");
  for (std::uint32_t i = 0; slab(i) < slabs_end; ++i)
    writer.name_track(slabs, slab(i), concat("slab ", i));
  for (std::size_t i = 0; i < events.size(); ++i) writer.write(*events[i], i);

  const auto now = book.snapshot();
  const auto at = since_start(Clock::now());
  const auto last = [&](Kind kind, std::size_t what, const Values& values) {
    Event event;
    event.kind.store(kind, std::memory_order_relaxed);
    event.what = static_cast<std::uint8_t>(what);
    event.at_ns = at;
    event.value = values;
    writer.write(event, 0);
  };
  last(Kind::queue, 0, {now.filling, now.ready, now.leased, 0});
  for (const auto kind : {Kind::slab_bytes, Kind::sample_bytes})
    for (std::size_t first = 0; !accounts(kind, first).empty(); first += values_an_event)
      last(kind, first, bytes(accounts(kind, first), now.memory));
  out << "\n]}\n";
}

}  // namespace weir::engine
