#include "engine/transform_row.hpp"

#include "base/inline_list.hpp"
#include "base/text.hpp"
#include "buffer/transform_arena.hpp"

namespace weir::engine {

RowOutcome transform_row(const Row& row, const RowPlans& plans, const Shared& shared,
                         std::span<std::byte> scratch) {
  const auto& loader = shared.loader;
  // Replaces the pixels of an older batch, because a transform may not write all of the row.
  if (plans[0].images[0].whole) row.slot.fill();
  buffer::TransformArena arena(
      plans.work_memory(scratch).first(static_cast<std::size_t>(loader.plan.transform_bytes)));
  InlineList<SamplePlane, (1 + PartnerOptions::most) * EncodedPlanes::most> planes;
  InlineList<PartnerSample, PartnerOptions::most> partners;
  const auto count = row.slot.images() - 1;
  // The planes of all samples follow one another.
  const auto planes_of = [&](std::uint32_t number) {
    const auto& plan = plans[number];
    for (std::size_t p = 0; p < count; ++p) {
      const auto& planned = plan.images[p + 1];
      const auto to = number == 0 ? row.slot.image(p + 1) : MutableImageView{};
      const bool shown = !planned.filled && planned.status != PlaneStatus::broken;
      planes.push_back({.name = loader.rules.planes[p].options.name,
                        .image = !shown ? ImageView{}
                                 : planned.in_scratch
                                     ? ImageView(RowPlans::image(plan, planned, scratch))
                                     : ImageView(to),
                        .row = to,
                        .status = planned.status,
                        .at = planned.at});
    }
    return std::span<const SamplePlane>(planes.end() - count, count);
  };
  const auto own_planes = planes_of(0);
  for (std::uint32_t number = 1; number < row.samples.size(); ++number) {
    const auto& sample = row.samples[number];
    const auto& plan = plans[number];
    partners.push_back({.image = RowPlans::image(plan, plan.images[0], scratch),
                        .at = plan.images[0].at,
                        .planes = planes_of(number),
                        .annotation = sample.data.annotation,
                        .window = *sample.window,
                        .label = sample.data.label,
                        .index = sample.index,
                        .attempt = sample.attempt});
  }
  const auto image = row.slot.image();
  const auto& own = row.own();
  const auto position = row.position.value();
  DecodedSample given{.image = plans[0].images[0].whole
                                   ? RowPlans::image(plans[0], plans[0].images[0], scratch)
                                   : image,
                      .planes = own_planes,
                      .partners = {partners.begin(), partners.size()},
                      .row = image,
                      .annotation = row.slot.annotation(),
                      .window = row.slot.window(),
                      .label = own.data.label,
                      .index = own.index,
                      .epoch = row.epoch,
                      .position = position,
                      .attempt = own.attempt,
                      .random = Random(loader.options.seed, row.epoch, position, own.attempt),
                      .scratch = &arena,
                      .stop = &shared.stopping};
  try {
    loader.options.transform.apply(given);
  } catch (...) {
    return failure_of(Stage::fit);
  }
  // The transform may have assigned one in memory of its own, which no room bounds.
  const auto annotation = given.annotation.bytes();
  if (annotation.size() > loader.plan.annotation_bytes)
    return Defect{FaultKind::limit, Stage::fit,
                  concat("an annotation of ", annotation.size(), " bytes; annotation_bytes is ",
                         loader.plan.annotation_bytes)};
  row.slot.label() = given.label;
  row.slot.window() = given.window;
  row.slot.annotate(annotation);
  return RowOutcome::proceed;
}

}  // namespace weir::engine
