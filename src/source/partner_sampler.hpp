#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "base/inline_list.hpp"
#include "source/label_index.hpp"
#include "source/sampler.hpp"
#include "weir/order.hpp"
#include "weir/source.hpp"

namespace weir::source {

/// The row whose samples are drawn.
struct RowDraw {
  std::uint64_t epoch = 0;
  Position position{};
  std::uint64_t drawn = 0;  ///< the row's own sample before any replacement
};

/// Draws the samples of Options::partners: pure functions of (seed, epoch, position, partner, attempt) and
/// of the samples that the row has already. Copyable, thread-safe.
class PartnerSampler {
 public:
  /// Null unless PartnerPick::same_label needs it. Throws what LabelIndex throws.
  static std::shared_ptr<const LabelIndex> labels_for(const PartnerOptions& options,
                                                      const AnySource& source);
  /// `labels`: labels_for(options, source).
  PartnerSampler(const Sampler& sampler, const PartnerOptions& options, const AnySource& source,
                 std::shared_ptr<const LabelIndex> labels);

  /// Partners 1 .. count of a row when it begins. Throws what draw() throws.
  InlineList<std::uint64_t, PartnerOptions::most> of(const RowDraw& row) const;
  /// Partner 1 .. count of the row after `attempt` failures of it, or with partner = 0 the replacement of
  /// the own sample after 1 or more. `others`: the row's other samples now. Unless samples may repeat, it
  /// differs from them and from earlier attempts, as long as there are such samples. Throws what Order::own
  /// and PartnerOptions::choose throw, or Error{bad_options} if they give an index that the source does not
  /// have.
  std::uint64_t draw(const RowDraw& row, std::uint32_t partner, std::uint32_t attempt,
                     std::span<const std::uint64_t> others) const;
  /// Throws Error{bad_options} if a label has too few samples for rows whose samples differ.
  void check_labels() const;

 private:
  std::uint64_t by_function(const RowDraw& row, std::uint32_t partner, std::uint32_t attempt) const;

  Sampler sampler_;
  PartnerOptions options_;
  AnySource source_;
  std::shared_ptr<const LabelIndex> labels_;
};

}  // namespace weir::source
