#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace trainer {

/// Counts of predicted classes by true class.
class Confusion {
 public:
  explicit Confusion(std::size_t classes) : counts_(classes, std::vector<std::uint64_t>(classes)) {}
  void add(std::size_t is, std::size_t taken_for) { ++counts_.at(is).at(taken_for); }
  /// In percent.
  double accuracy() const;
  /// One row for each class, one column for each predicted class.
  std::string text(const std::vector<std::string>& names) const;

 private:
  std::vector<std::vector<std::uint64_t>> counts_;
};

/// The loss of each step.
struct LossCurve {
  std::vector<double> losses;
  std::size_t steps_per_epoch = 1;

  /// Means of enough steps for 60 columns, drawn with characters.
  std::string text() const;
  void write_csv(const std::string& path) const;
  void write_svg(const std::string& path) const;

 private:
  /// Mean loss of `parts` equal parts of the run.
  std::vector<double> means(std::size_t parts) const;
};

}  // namespace trainer
