#pragma once

namespace weir::test {

/// Checks that the median of several measurements is within a limit. Stops when the result is certain.
class MedianWithin {
 public:
  /// `of`: odd.
  explicit MedianWithin(double limit, int of = 5) : limit_(limit), majority_(of / 2 + 1) {}
  void add(double measured) { ++(measured <= limit_ ? within_ : beyond_); }
  bool decided() const { return within_ == majority_ || beyond_ == majority_; }
  bool holds() const { return within_ == majority_; }

 private:
  double limit_;
  int majority_, within_ = 0, beyond_ = 0;
};

}  // namespace weir::test
