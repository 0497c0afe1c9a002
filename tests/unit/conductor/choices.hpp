#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/random.hpp"

namespace weir::test {

/// Decides whatever a scenario leaves open.
class Choices {
 public:
  virtual ~Choices() = default;
  /// One of 0 to n - 1; n > 0.
  virtual std::uint64_t below(std::uint64_t n) = 0;
};

/// A seed decides.
class SeededChoices final : public Choices {
 public:
  explicit SeededChoices(std::uint64_t seed) : random_(mix_key({seed, 5})) {}
  std::uint64_t below(std::uint64_t n) override { return n == 1 ? 0 : random_.below(n); }

 private:
  RandomStream random_;
};

/// Every choice in its turn: follows what it holds, then takes the first of all that is new.
class ScriptedChoices final : public Choices {
 public:
  std::uint64_t below(std::uint64_t n) override {
    if (n == 1) return 0;
    if (at_ == made_.size()) made_.push_back({0, n});
    return made_[at_++].chosen;
  }
  /// Choices made since the beginning.
  std::size_t position() const noexcept { return at_; }
  std::size_t size() const noexcept { return made_.size(); }
  void rewind() noexcept { at_ = 0; }
  /// The last choice that has another alternative takes it, and those behind are forgotten; false
  /// where there is none left.
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
