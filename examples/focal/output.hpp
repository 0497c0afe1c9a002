#pragma once

#include <string>
#include <string_view>

#include "scores.hpp"

namespace focal {

/// One line for each point of each curve of one precision, with all digits.
std::string csv_header();
std::string csv(const Curves& curves, std::string_view precision, double alpha);

/// Cumulative share of the loss against the share of samples, for positives and negatives, as an SVG document.
std::string picture(const Curves& curves, std::string_view subtitle);

/// Prints mean losses, the share of the positives, and the share of the hardest samples to stdout.
void print_losses(const Curves& curves, double alpha);
/// Prints the difference between `reduced` and `exact`. `logits` is the largest error of a logit.
void print_errors(const Curves& reduced, const Curves& exact, const char* name, double logits);
/// Prints the peak of loader and example together, and its accounts.
void print_memory(const char* name, const weir::MemorySnapshot& memory);

}  // namespace focal
