#include "unit/conductor/search.hpp"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "unit/conductor/model.hpp"

namespace weir::test {
namespace {

/// The results of a state: everything that follows from it, when the search has left it.
struct Known {
  double schedules = 0;
  std::uint64_t longest = 0;
  bool left = false;
};

struct FirstHalf {
  std::size_t operator()(const Fingerprint& print) const noexcept { return print.first; }
};

class Search {
 public:
  Search(const Scenario& scenario, std::uint64_t most_states)
      : scenario_(scenario), most_states_(most_states) {
    scenario_.watch_peak = false;
  }

  Searched run() {
    do {
      explore();
    } while (found_.broken.empty() && turn_back());
    const auto& root = frames_.empty() ? last_ : frames_.front();
    found_.states = known_.size();
    found_.schedules = root.schedules;
    found_.longest = root.longest;
    return found_;
  }

 private:
  /// A state on the path to the current one.
  struct Frame {
    Fingerprint print;
    std::size_t choices;  ///< made before this state
    double schedules = 0;
    std::uint64_t longest = 0;
    void add(double more, std::uint64_t steps) noexcept {
      schedules += more;
      longest = std::max(longest, steps);
    }
  };

  /// Follows the script to its end, and continues to a state that is known or final.
  void explore() {
    choices_.rewind();
    Model model(scenario_, choices_);
    if (frames_.empty()) enter(model);
    for (std::size_t i = 1; i < frames_.size(); ++i) model.step(true);
    while (!model.over()) {
      ++found_.transitions;
      found_.broken = model.step();
      if (!found_.broken.empty()) return;
      const auto met = known_.find(model.fingerprint());
      if (met != known_.end()) {
        if (!met->second.left) found_.broken = "a stream that may never end";
        frames_.back().add(met->second.schedules, met->second.longest + 1);
        return;
      }
      enter(model);
      if (known_.size() > most_states_) found_.broken = "more states than expected";
      if (!found_.broken.empty()) return;
    }
    frames_.back().add(1, 0);
    found_.broken = model.finish_stream();
  }

  void enter(const Model& model) {
    const auto print = model.fingerprint();
    known_[print];
    frames_.push_back({print, choices_.position()});
    found_.parked += model.someone_parked() ? 1u : 0u;
    found_.cancelled += model.cancelled() ? 1u : 0u;
    found_.held_up += model.held_up() ? 1u : 0u;
    found_.faulty += model.faults() > 0 ? 1u : 0u;
  }

  /// Goes back to the latest state with an alternative left. The states after it are complete.
  bool turn_back() {
    const bool more = choices_.next();
    const auto altered = more ? choices_.size() - 1 : 0;
    while (!frames_.empty() && (!more || frames_.back().choices > altered)) {
      last_ = frames_.back();
      frames_.pop_back();
      known_[last_.print] = {last_.schedules, last_.longest, true};
      if (!frames_.empty()) frames_.back().add(last_.schedules, last_.longest + 1);
    }
    return more;
  }

  Scenario scenario_;
  const std::uint64_t most_states_;
  ScriptedChoices choices_;
  std::vector<Frame> frames_;
  Frame last_{};
  std::unordered_map<Fingerprint, Known, FirstHalf> known_;
  Searched found_;
};

}  // namespace

Searched search(const Scenario& scenario, std::uint64_t most_states) {
  return Search(scenario, most_states).run();
}

}  // namespace weir::test
