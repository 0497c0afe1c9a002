#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/checked.hpp"
#include "plan/search.hpp"
#include "plan/text.hpp"

namespace weir {
namespace {

std::string rate(double samples_per_s) {
  return format(samples_per_s < 100 ? "%.1f samples/s" : "%.0f samples/s", samples_per_s);
}

std::string milliseconds(double seconds) {
  const double ms = seconds * 1e3;
  return format(ms < 10 ? "%.2f ms" : ms < 100 ? "%.1f ms" : "%.0f ms", ms);
}

std::string ready(const Prediction& p) { return format("%.1f %%", 100 * p.data_readiness); }

std::string plural(std::uint32_t count, const char* what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string named(const Setting& s) {
  return "max_queue_size " + std::to_string(s.max_queue_size) + ", " + plural(s.workers, "worker") +
         ", read_ahead " + std::to_string(s.read_ahead);
}

/// What limits the best setting.
enum class Bound : std::uint8_t { consumer, decode, storage, memory };

class Writer {
 public:
  Writer(const Window& window, const AdviceOptions& options, Search& search, const Advice& advice)
      : search_(search),
        work_(search.work()),
        advice_(advice),
        cache_requested_(options.cache_bytes != 0 ? options.cache_bytes
                                                  : window.plan.cache.requested) {
    if (search.budget() != unlimited) look_beyond_the_budget(window, options);
    const auto most = advice.ceiling.samples_per_s;
    const auto workers = search.most_workers(), ahead = search.most_read_ahead();
    if (unbounded_ && unbounded_->samples_per_s > 1.02 * most) {
      bound_ = Bound::memory;
    } else if (most >= 0.98 * work_.consumption_per_s()) {
      bound_ = Bound::consumer;
    } else {
      // Without readers, each worker waits for its own reads. The slower of the two limits the
      // rate.
      const bool decode =
          ahead > 0 ? work_.decodes_per_s(workers, ahead) <= work_.reads_per_s(workers, ahead)
                    : work_.decode_s >= work_.read_wait_s;
      bound_ = decode ? Bound::decode : Bound::storage;
    }
  }

  std::vector<std::string> all() {
    say_bound();
    say_depth();
    say_recommended();
    say_first();
    for (const auto& cache : advice_.cache) say_cache(cache);
    return std::move(sentences_);
  }

 private:
  void say(std::string sentence) { sentences_.push_back(std::move(sentence)); }

  void look_beyond_the_budget(const Window& window, AdviceOptions options) {
    auto free = window;
    free.plan.budget_bytes = options.budget_bytes = unlimited;
    Search search(free, options);
    const auto could = search.smallest(search.ceiling());
    if (could.samples_per_s > 1.02 * advice_.ceiling.samples_per_s ||
        could.data_readiness > advice_.ceiling.data_readiness + 0.02)
      unbounded_ = could;
  }

  void say_bound() {
    switch (bound_) {
      case Bound::consumer:
        say("The consumer bounds this: " + milliseconds(work_.consumer_s) + " for a batch of " +
            std::to_string(work_.batch) + " is " + rate(work_.consumption_per_s()) +
            ", and no setting of the loader gives more.");
        return;
      case Bound::decode:
        say("Decoding bounds this: " + milliseconds(work_.decode_s) + " a sample on " +
            plural(std::min(work_.cores, search_.most_workers()), "core") + " is " +
            rate(work_.decodes_per_s(search_.most_workers(), search_.most_read_ahead())) +
            target());
        return;
      case Bound::storage:
        say("Storage bounds this: a read takes " +
            milliseconds(work_.read_wait_s + work_.read_cpu_s) + ", and " +
            plural(std::max(search_.most_read_ahead(), search_.most_workers()), "read") +
            " at once give " + rate(advice_.ceiling.samples_per_s) + target());
        return;
      case Bound::memory:
        say("The budget bounds this: within " + mebibytes(search_.budget()) + " it is " +
            rate(advice_.ceiling.samples_per_s) + " at most.");
        return;
    }
  }

  std::string target() const {
    constexpr double at_once = 20;  // beyond this factor, the consumer's rate is not shown
    return work_.consumption_per_s() < at_once * advice_.ceiling.samples_per_s
               ? "; the consumer could take " + rate(work_.consumption_per_s()) + "."
               : "; the consumer takes whatever comes.";
  }

  void say_depth() {
    if (bound_ == Bound::decode || bound_ == Bound::storage) {
      say("No depth will help: a queue evens out jitter, and this consumer empties one of any "
          "depth.");
    } else if (advice_.ceiling.data_readiness < search_.target() - 0.005) {
      say(format("No setting within these bounds has a batch waiting at %g %% of the steps; ",
                 100 * search_.target()) +
          ready(advice_.ceiling) + " is the most.");
    }
    if (unbounded_)
      say("The budget of " + mebibytes(search_.budget()) + " holds it back: " +
          named(unbounded_->setting) + " would give " + rate(unbounded_->samples_per_s) + " at " +
          ready(*unbounded_) + " for " + mebibytes(unbounded_->total_bytes) + ".");
  }

  void say_recommended() {
    const auto &now = advice_.now, &to = advice_.recommended;
    const auto text = named(to.setting) + ": " + rate(to.samples_per_s) + ", a batch waiting at " +
                      ready(to) + " of the steps, " + mebibytes(to.total_bytes) + ".";
    if (now.setting == to.setting) {
      say("Stay as you are: " + text);
      return;
    }
    say("Use " + text);
    say("Now, with " + named(now.setting) + ", it is " + rate(now.samples_per_s) + " at " +
        ready(now) + " with " + mebibytes(now.total_bytes) + ".");
  }

  /// States the knob with the largest gain of its own, if the gain is worth stating.
  void say_first() {
    const auto &now = advice_.now, &to = advice_.recommended;
    if (gain(to) < 0.02) return say_beyond();
    const Knob* first = nullptr;
    double most = 0;
    for (const auto& knob : knobs) {
      auto moved = now.setting;
      if (to.setting.*knob.value <= moved.*knob.value) continue;
      moved.*knob.value = to.setting.*knob.value;
      const auto alone = search_.at(moved);
      const double by = alone ? gain(*alone) : 0;
      if (first && by <= most) continue;
      first = &knob;
      most = by;
    }
    if (!first) return say_beyond();
    say(std::string("Change first: ") + first->name + ", from " +
        std::to_string(now.setting.*first->value) + " to " +
        std::to_string(to.setting.*first->value) + ", " + first->why + ".");
  }

  double gain(const Prediction& to) const {
    const auto& now = advice_.now;
    return std::max(to.samples_per_s / now.samples_per_s - 1,
                    to.data_readiness - now.data_readiness);
  }

  /// States the limits that no knob can change.
  void say_beyond() {
    switch (bound_) {
      case Bound::consumer: say("Change first: the consumer; the loader waits for it."); return;
      case Bound::decode:
        say(search_.most_workers() < work_.cores
                ? "Change first: more workers; " +
                      plural(work_.cores - search_.most_workers(), "core") + " may not be used."
                : "Change first: a smaller decode (--decode fast, or pictures stored nearer the "
                  "size that is asked for); then more cores.");
        return;
      case Bound::storage: say("Change first: faster storage, or fewer and larger files."); return;
      case Bound::memory: say("Change first: the budget."); return;
    }
  }

  void say_cache(const CacheAdvice& cache) {
    auto text = "A cache of " + mebibytes(cache.whole_bytes) + " would hold every " +
                (cache.keep == Cache::decoded ? "decoded row" : "file") + " (--cache " +
                std::string(to_string(cache.keep)) + "): that " + brings(cache.whole) + ".";
    if (cache.bytes == 0) {
      text += cache_requested_ != 0
                  ? " There is no room for one in the " + mebibytes(cache_requested_) +
                        " that were asked for, or the budget leaves none."
                  : " The budget leaves no room for one.";
    } else if (cache.share < 1) {
      const bool requested = cache_requested_ != 0 && cache.bytes == cache_requested_;
      text += " The " + mebibytes(cache.bytes) +
              (requested               ? " that were asked for"
               : cache_requested_ != 0 ? " that the budget leaves of those asked for"
                                       : " that the budget leaves") +
              " would hold " + format("%.0f %%", 100 * cache.share) + " of them: that " +
              brings(cache.to) + ".";
    }
    say(std::move(text));
  }

  std::string brings(const Prediction& cached) const {
    const auto without = advice_.recommended.samples_per_s;
    if (std::abs(cached.samples_per_s / without - 1) < 0.02)
      return "would change nothing, " + rate(without) + " with and without";
    return "is " + rate(cached.samples_per_s) + " from the second epoch on instead of " +
           rate(without);
  }

  Search& search_;
  const simulation::Workload& work_;
  const Advice& advice_;
  const std::uint64_t cache_requested_;
  Bound bound_ = Bound::consumer;
  std::optional<Prediction> unbounded_;  ///< result without the budget, if it is better
  std::vector<std::string> sentences_;
};

}  // namespace

std::vector<std::string> advice_text(const Window& window, const AdviceOptions& options,
                                     Search& search, const Advice& advice) {
  return Writer(window, options, search, advice).all();
}

}  // namespace weir
