#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/random.hpp"

namespace weir::test {

/// Decides everything that a scenario leaves open.
class Choices {
 public:
  virtual ~Choices() = default;
  /// A number from 0 to n - 1; n > 0.
  virtual std::uint64_t below(std::uint64_t n) = 0;
};

/// Decides by a seed.
class SeededChoices final : public Choices {
 public:
  explicit SeededChoices(std::uint64_t seed) : random_(mix_key({seed, 5})) {}
  std::uint64_t below(std::uint64_t n) override { return n == 1 ? 0 : random_.below(n); }

 private:
  RandomStream random_;
};

/// Enumerates all choices: follows the stored script, then takes the first alternative of each new choice.
class ScriptedChoices final : public Choices {
 public:
  std::uint64_t below(std::uint64_t n) override {
    if (n == 1) return 0;
    if (at_ == made_.size()) made_.push_back({0, n});
    return made_[at_++].chosen;
  }
  /// The number of choices since the beginning.
  std::size_t position() const noexcept { return at_; }
  std::size_t size() const noexcept { return made_.size(); }
  void rewind() noexcept { at_ = 0; }
  /// The last choice with another alternative takes it, and later choices are removed. False if there is none.
  bool next() noexcept {
    while (!made_.empty() && made_.back().chosen + 1 == made_.back().of) made_.pop_back();
    if (made_.empty()) return false;
    ++made_.back().chosen;
    return true;
  }

 private:
  struct Choice {
    std::uint64_t chosen, of;
  };
  std::vector<Choice> made_;
  std::size_t at_ = 0;
};

}  // namespace weir::test
