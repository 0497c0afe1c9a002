#include "proof/soak/soak.hpp"

#include <sys/stat.h>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <mutex>
#include <thread>

#include "base/clock.hpp"
#include "base/pause.hpp"
#include "contract/stopping/process.hpp"
#include "support/rig/monitor.hpp"
#include "support/temporary_folder.hpp"

namespace weir::test {
namespace {

constexpr std::uint64_t settings = 16, streams_a_loader = 4;
constexpr std::uint64_t own_sizes = 13, transforming = 14;  ///< indices of settings
constexpr double minute = 60, mebibyte = 1 << 20;

std::vector<const Bytes*> files() {
  std::vector<const Bytes*> all;
  for (const auto kind : {Kind::photograph, Kind::tiny, Kind::progressive, Kind::png, Kind::webp})
    for (const auto& file : images_of(kind)) all.push_back(&file);
  return all;
}

OnFault policy(std::uint64_t which) {
  return std::array{OnFault::skip, OnFault::blank, OnFault::stop}[which % 3];
}

Options setting(std::uint64_t which, const AnySource& source,
                const std::shared_ptr<const SizeIndex>& index) {
  RandomStream random(which + 1);
  Options o;
  o.shape = {48, 64};
  o.fit = Fit::random;
  o.order = weir::Order::shuffle();
  o.batch = static_cast<std::uint32_t>(2 + random.below(7));
  o.workers = static_cast<std::uint32_t>(1 + random.below(3));
  o.queue = {static_cast<std::uint32_t>(1 + random.below(4)),
             static_cast<std::uint32_t>(1 + random.below(2))};
  o.io.read_ahead = which % 2 == 0 ? 0 : 4;
  o.faults.policy = policy(which);
  o.faults.strict = which % 4 != 0;
  o.memory.max_sample_bytes = 2 << 20;
  o.tuning.mode = which == 7 ? Tuning::automatic : Tuning::off;
  o.tuning.interval = std::chrono::milliseconds(20);
  o.trace.events = which == 8 ? 1000 : 0;
  if (which == 9 || which == 10) o.cache = {Cache::encoded, 1 << 20};
  if (which == 12) {
    o.fit = Fit::center;
    o.cache = {Cache::decoded, 1 << 20};
  }
  if (which == own_sizes) {
    o.fit = Fit::center;
    o.sizes = {.mode = Sizes::padded, .max_height = 200, .max_width = 200, .index = index};
  }
  // A cache uses the bytes beside those that the workers typically use.
  const std::uint64_t more = o.cache.keep != Cache::nothing ? 8 << 20
                             : which % 2 == 0               ? 0
                                                            : 1 << 20;
  if (which % 3 != 2) o.memory.budget_bytes = resolve(o, source.index_bytes()).floor_bytes + more;
  return o;
}

/// Inverts the image, or throws.
TransformOptions inverting(std::shared_ptr<Misfortune> misfortune) {
  const auto apply = [misfortune](DecodedSample& sample) {
    if (misfortune->strikes(Misfortune::Kind::transform)) throw std::runtime_error("not today");
    // All rows have one shape, so there are no gaps.
    const std::span values(sample.row.data, sample.row.values());
    for (auto& value : values) value = static_cast<std::uint8_t>(~value);
  };
  return {.apply = apply, .input = TransformInput::fitted};
}

/// A folder in which three files were replaced after the listing.
AnySource spoilt(const TemporaryFolder& folder, std::span<const Bytes* const> files) {
  for (std::size_t i = 0; i < files.size(); ++i) folder.write(std::to_string(i), *files[i]);
  auto source = image_folder(folder.string());
  std::filesystem::remove(folder / "1");
  folder.write("2", "");
  std::filesystem::remove(folder / "3");
  if (::mkfifo((folder / "3").c_str(), 0600) != 0) throw std::runtime_error("mkfifo");
  return source;
}

class Soaking {
 public:
  explicit Soaking(double seconds)
      : seconds_(seconds),
        misfortune_(std::make_shared<Misfortune>(4711)),
        unreliable_(Unreliable(files(), misfortune_)),
        spoilt_(spoilt(folder_, files())),
        sizes_(measure_sizes(Files(files()))) {}

  SoakResult run() {
    // Reserves the soak's own memory at the start.
    result_.looks.reserve(static_cast<std::size_t>(seconds_ * 50) + 1000);
    const auto begun = Clock::now();
    for (std::uint64_t round = 0; seconds(Clock::now() - begun) < seconds_; ++round) {
      one_loader(round);
      // A joined thread leaves /proc a moment later.
      until([] { return holdings().threads == 1; }, "the loader's threads to be gone");
      look(seconds(Clock::now() - begun));
    }
    result_.laws = book_.figures();
    for (std::size_t i = 0; i < Misfortune::kinds; ++i)
      result_.struck[i] = misfortune_->struck(static_cast<Misfortune::Kind>(i));
    return std::move(result_);
  }

 private:
  void one_loader(std::uint64_t round) {
    Scarce scarce(*misfortune_);
    const auto upstream = std::make_shared<CountingResource>(&scarce);
    // The order of the folder's files is not that of the sizes.
    const bool by_folder = round % 3 == 2 && round % settings != own_sizes;
    const auto& source = by_folder ? spoilt_ : unreliable_;
    auto options = setting(round % settings, source, sizes_);
    options.memory.upstream = upstream;
    options.watchdog.after = std::chrono::seconds(5);
    options.watchdog.on_stall = [this](const std::string& text) {
      const std::lock_guard lock(mutex_);
      result_.stalls.push_back(text);
    };
    if (round % settings == transforming) options.transform = inverting(misfortune_);
    {
      Loader loader(source, options);
      Recount recount;
      for (std::uint64_t i = 0; i < streams_a_loader; ++i)
        one_stream(loader, *upstream, recount, round, i);
      const auto report = loader.report();
      result_.faults += report.fault_count;
      result_.cache_hits += report.cache.hits;
      const auto now = loader.snapshot();
      book_.check(Law::conservation, now.samples.conserved() && now.samples.in_flight == 0,
                  "samples in flight with no stream");
    }
    ++result_.loaders;
    result_.outlived += upstream->live();
  }

  void one_stream(Loader& loader, const CountingResource& upstream, Recount& recount,
                  std::uint64_t round, std::uint64_t turn) {
    std::stop_source stop;
    Monitor monitor(loader, upstream, recount, book_, stop, std::chrono::seconds(60));
    auto stream = loader.stream({.epochs = 2, .stop = stop.get_token()});
    CountingConsumer consumer(loader, stream, recount, book_);
    const bool cancels = (round + turn) % 4 == 1, leaves = (round + turn) % 4 == 3;
    std::jthread canceller;
    if (cancels) {
      const auto after = std::chrono::microseconds(misfortune_->draw(30'000));
      canceller = std::jthread([stop, after]() mutable {
        std::this_thread::sleep_for(after);
        stop.request_stop();
      });
    }
    try {
      // One step in a hundred of the consumer takes long.
      consumer.drain(leaves ? std::optional(misfortune_->draw(20)) : std::nullopt,
                     [&](const Batch& batch) {
                       if (batch.sequence() % 100 == 57)
                         pause(stop.get_token(), std::chrono::milliseconds(20));
                     });
    } catch (const std::bad_alloc&) {
      ++result_.ended_in_error;  // a slab that the memory refused, or under `stop` a sample's bytes
    } catch (...) {
      ++result_.ended_in_error;
      if (policy(round % settings) != OnFault::stop) ++result_.unexpected;
    }
    ++result_.streams;
    if (stop.stop_requested()) ++result_.cancelled;
    for (const auto status :
         {RowStatus::ok, RowStatus::damaged, RowStatus::replaced, RowStatus::blank})
      rows_ += consumer.rows(status);
    result_.ticks += monitor.stop().count;
  }

  void look(double now) {
    const auto held = holdings();
    result_.looks.push_back({now, process_cpu_seconds(), rows_, held.heap,
                             static_cast<std::int64_t>(process_memory().rss), held.threads,
                             held.descriptors});
  }

  const double seconds_;
  const std::shared_ptr<Misfortune> misfortune_;
  const TemporaryFolder folder_;
  const AnySource unreliable_, spoilt_;
  const std::shared_ptr<const SizeIndex> sizes_;
  LawBook book_;
  std::mutex mutex_;
  std::uint64_t rows_ = 0;
  SoakResult result_;
};

using Looks = std::span<const SoakResult::Look>;

Looks steady(Looks looks) { return looks.subspan(looks.size() / 5); }

Trend a_minute(Looks looks, std::int64_t SoakResult::Look::*of) {
  std::vector<Point> points;
  for (const auto& look : looks)
    points.push_back({look.seconds / minute, static_cast<double>(look.*of)});
  return Trend::of(points);
}

}  // namespace

Trend SoakResult::heap() const { return a_minute(steady(looks), &Look::heap); }
Trend SoakResult::rss() const {
  return a_minute(Looks(looks).subspan(looks.size() / 2), &Look::rss);
}
double SoakResult::rss_growth() const {
  return rss().slope * (looks.back().seconds - looks[looks.size() / 2].seconds) / minute;
}

double SoakResult::pace() const {
  const auto all = steady(looks);
  // Complete rounds through the settings, because settings take different times.
  const auto third = all.size() / 3 / settings * settings;
  if (third == 0) return 0;
  const auto rate = [](const Look& from, const Look& to) {
    return static_cast<double>(to.rows - from.rows) / (to.cpu_s - from.cpu_s);
  };
  const auto last = all.size() - 1;
  return rate(all[last - third], all[last]) / rate(all[0], all[third]);
}

std::string SoakResult::text() const {
  std::string out;
  const auto line = [&](const char* format, auto... values) {
    std::array<char, 512> text{};
    std::snprintf(text.data(), text.size(), format, values...);
    out += text.data();
    out += '\n';
  };
  const auto& last = looks.back();
  const auto number = [](std::uint64_t n) { return static_cast<unsigned long long>(n); };
  line(
      "%.1f minutes: %llu loaders, %llu streams (%llu cancelled, %llu ended in an error), %llu "
      "rows",
      last.seconds / minute, number(loaders), number(streams), number(cancelled),
      number(ended_in_error), number(last.rows));
  line(
      "gone wrong: %llu reads, %llu files cut, %llu damaged, %llu late, %llu transforms, "
      "%llu allocations; %llu faults; %llu samples from a cache",
      number(struck[0]), number(struck[1]), number(struck[2]), number(struck[3]), number(struck[4]),
      number(struck[5]), number(faults), number(cache_hits));
  for (const auto& [name, trend] : {std::pair{"heap in use", heap()}, std::pair{"RSS", rss()}})
    line("%s: %+.4f MiB a minute, standard error %.4f", name, trend.slope / mebibyte,
         trend.error / mebibyte);
  line("heap in use %.2f MiB, RSS %.1f MiB, %d descriptors and %d thread at the end",
       static_cast<double>(last.heap) / mebibyte, static_cast<double>(last.rss) / mebibyte,
       last.descriptors, last.threads);
  std::string course;
  for (std::size_t tenth = 0; tenth <= 10; ++tenth) {
    const auto& look = looks[(looks.size() - 1) * tenth / 10];
    course += ' ' + std::to_string(look.rss >> 10);
  }
  line("RSS in KiB, at the start and at each tenth:%s", course.c_str());
  line("rows a second of CPU time, last third over first: %.3f", pace());
  for (std::size_t i = 0; i < law_count; ++i)
    if (laws[i].checks > 0)
      line("law %s: %llu checks, %llu breaches %s",
           std::string(to_string(static_cast<Law>(i))).c_str(), number(laws[i].checks),
           number(laws[i].breaches), laws[i].first_breach.c_str());
  line("%llu ticks of the monitor; %llu stalls told", number(ticks), number(stalls.size()));
  for (std::size_t i = 0; i < std::min<std::size_t>(5, stalls.size()); ++i)
    line("  %s", stalls[i].c_str());
  return out;
}

SoakResult soak(double seconds) { return Soaking(seconds).run(); }

}  // namespace weir::test
