#include <algorithm>
#include <ostream>
#include <string_view>
#include <vector>

#include "base/sanitize.hpp"
#include "engine/trace.hpp"
#include "weir/version.hpp"

namespace weir::engine {

namespace {

/// Two processes of the picture.
constexpr int threads = 1, slabs = 2;

std::string_view word(Trace::Of what) {
  switch (what) {
    case Trace::Of::filling: return "filling";
    case Trace::Of::handoff: return "handoff";
    case Trace::Of::lease: return "lease";
    case Trace::Of::next: return "next";
    case Trace::Of::consume: return "consume";
    case Trace::Of::step: return "step";
    case Trace::Of::look: return "look";
  }
  return "";
}

/// Between quotes in JSON. `text` has been through sanitize(): UTF-8 without control bytes.
std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

/// Microseconds with the nanoseconds behind the point.
std::string microseconds(std::int64_t ns) {
  ns = std::max<std::int64_t>(ns, 0);
  const auto rest = std::to_string(ns % 1000);
  return std::to_string(ns / 1000) + '.' + std::string(3 - rest.size(), '0') + rest;
}

}  // namespace

class Trace::Writer {
 public:
  Writer(std::ostream& out, const std::function<std::string(std::uint64_t)>& name,
         const std::vector<std::string>& moves)
      : out_(out), name_(name), moves_(moves) {}

  void name_track(int process, std::uint32_t track, const std::string& name) {
    const auto where = place(process, track);
    begin() << "{\"ph\":\"M\"," << where
            << ",\"name\":\"thread_name\",\"args\":{\"name\":" << quoted(name) << "}}";
    begin() << "{\"ph\":\"M\"," << where
            << ",\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":" << track << "}}";
  }
  void name_process(int process, std::string_view name) {
    begin() << R"({"ph":"M",)" << place(process, consumer)
            << R"(,"name":"process_name","args":{"name":)" << quoted(name) << "}}";
  }

  /// `id` tells waits apart, which are on no thread and may overlap.
  void write(const Event& event, std::size_t id) {
    const auto& v = event.value;
    const auto at = event.at_ns;
    const auto dur = static_cast<std::int64_t>(v[0]);
    switch (event.kind.load(std::memory_order_relaxed)) {
      case Kind::none: break;
      case Kind::sample: {
        const auto stage = static_cast<Stage>(event.what);
        const auto args = "{\"batch\":" + std::to_string(v[1]) +
                          ",\"row\":" + std::to_string(v[2]) +
                          ",\"index\":" + std::to_string(v[3]) +
                          ",\"sample\":" + quoted(sanitize(sample_name(v[3]))) + "}";
        if (stage == Stage::wait) return wait(at, dur, event.track, id, args);
        return span(to_string(stage), "sample", threads, event.track, at, dur, args);
      }
      case Kind::batch:
        return span(word(static_cast<Of>(event.what)), "batch", slabs, event.track, at, dur,
                    batch_args(v[1]));
      case Kind::thread: {
        const auto what = static_cast<Of>(event.what);
        return span(word(what), "thread", threads, event.track, at, dur,
                    what == Of::step || what == Of::look ? "{}" : batch_args(v[1]));
      }
      case Kind::move: return move(at, event.track, v);
      case Kind::sample_bytes: return bytes("bytes of index and samples", event);
      case Kind::slab_bytes: return bytes("bytes of slabs", event);
      case Kind::queue: return counter("queue", at, {"filling", "ready", "leased", ""}, v);
    }
  }

 private:
  static std::string batch_args(std::uint64_t sequence) {
    return "{\"batch\":" + std::to_string(sequence) + "}";
  }
  static std::string place(int process, std::uint32_t track) {
    return "\"pid\":" + std::to_string(process) + ",\"tid\":" + std::to_string(track);
  }
  std::string sample_name(std::uint64_t index) const {
    try {
      return name_(index);
    } catch (...) {
      return "(the source threw when asked for the name)";
    }
  }
  std::ostream& begin() {
    out_ << (first_ ? "\n" : ",\n");
    first_ = false;
    return out_;
  }
  /// A nanosecond short: viewers add `ts` and `dur` in floating point, and one whose sum came out
  /// beyond the next span's start would show that one inside.
  void span(std::string_view name, std::string_view category, int process, std::uint32_t track,
            std::int64_t at, std::int64_t duration, const std::string& args) {
    begin() << R"({"ph":"X",)" << place(process, track) << ",\"ts\":" << microseconds(at)
            << ",\"dur\":" << microseconds(duration - 1) << ",\"cat\":\"" << category
            << "\",\"name\":\"" << name << "\",\"args\":" << args << '}';
  }
  void wait(std::int64_t at, std::int64_t duration, std::uint32_t track, std::size_t id,
            const std::string& args) {
    const auto common = place(threads, track) +
                        ",\"cat\":\"sample\",\"name\":\"wait\",\"id\":" + std::to_string(id);
    begin() << R"({"ph":"b",)" << common << ",\"ts\":" << microseconds(at) << ",\"args\":" << args
            << '}';
    begin() << R"({"ph":"e",)" << common << ",\"ts\":" << microseconds(at + duration) << '}';
  }
  void move(std::int64_t at, std::uint32_t track, const Values& to) {
    begin() << R"({"ph":"i","s":"t",)" << place(threads, track) << ",\"ts\":" << microseconds(at)
            << R"(,"cat":"tuning","name":"move","args":{"max_queue_size":)" << to[0]
            << ",\"workers\":" << to[1] << ",\"read_ahead\":" << to[2];
    if (to[3] < moves_.size())
      out_ << ",\"why\":" << quoted(sanitize(moves_[static_cast<std::size_t>(to[3])]));
    out_ << "}}";
  }
  using Names = std::array<std::string_view, values_an_event>;
  void bytes(std::string_view name, const Event& event) {
    Names names{};
    std::ranges::transform(accounts(event.kind, event.what), names.begin(),
                           [](Account account) { return to_string(account); });
    counter(name, event.at_ns, names, event.value);
  }
  void counter(std::string_view name, std::int64_t at, const Names& names, const Values& values) {
    begin() << R"({"ph":"C",)" << place(threads, consumer) << ",\"ts\":" << microseconds(at)
            << ",\"name\":\"" << name << "\",\"args\":{";
    for (std::size_t i = 0; i < names.size() && !names[i].empty(); ++i)
      out_ << (i > 0 ? "," : "") << '"' << names[i] << "\":" << values[i];
    out_ << "}}";
  }

  std::ostream& out_;
  const std::function<std::string(std::uint64_t)>& name_;
  const std::vector<std::string>& moves_;
  bool first_ = true;
};

void Trace::write(std::ostream& out, const books::Book& book,
                  const std::function<std::string(std::uint64_t)>& name,
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
  Writer writer(out, name, moves);
  writer.name_process(threads, "weir: threads");
  writer.name_process(slabs, "weir: slabs");
  writer.name_track(threads, consumer, "consumer");
  writer.name_track(threads, conductor, "conductor");
  for (std::uint32_t i = 0; i < workers_; ++i)
    writer.name_track(threads, worker(i), "worker " + std::to_string(i));
  for (std::uint32_t i = 0; i < readers_; ++i)
    writer.name_track(threads, reader(i), "reader " + std::to_string(i));
  if (tuned_.load(std::memory_order_relaxed)) writer.name_track(threads, tuning(), "tuning");
  for (std::uint32_t i = 0; slab(i) < slabs_end; ++i)
    writer.name_track(slabs, slab(i), "slab " + std::to_string(i));
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
