#pragma once

#include <string>
#include <string_view>

#include "scores.hpp"

namespace focal {

/// A line for each point of each curve of one precision, with every digit.
std::string csv_header();
std::string csv(const Curves& curves, std::string_view precision, double alpha);

/// Cumulative share of loss against share of samples: positives beside negatives, as an SVG document.
std::string picture(const Curves& curves, std::string_view subtitle);

/// To stdout: mean losses, what positives have of all loss, how much the hardest samples have.
void print_losses(const Curves& curves, double alpha);
/// How far `reduced` is from `exact`; `logits`: the largest error of a logit.
void print_errors(const Curves& reduced, const Curves& exact, const char* name, double logits);
/// The most that loader and example held together, and whose it was then.
void print_memory(const char* name, const weir::MemorySnapshot& memory);

}  // namespace focal
