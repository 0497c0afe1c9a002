#include "footprint/figures.hpp"

#include <fmt/format.h>

#include "base/checked.hpp"

namespace weir::report {
namespace {

Footprint in_micros(Model model, std::uint64_t batch, std::uint64_t micro) {
  model.batch = batch;
  model.micro_batch = micro;
  return footprint(model);
}

Most most(const Model& model, std::uint64_t images, std::uint64_t batch, std::uint64_t micro) {
  if (images == 0) return {};
  return {images, in_micros(model, batch, micro).training.peak};
}

Fit fit_into(const Model& model, std::uint64_t batch, std::uint64_t bytes) {
  Fit fit{.bytes = bytes};
  auto whole = model;
  whole.micro_batch = 0;
  const auto at_once = largest_batch(whole, bytes);
  fit.at_once = most(model, at_once, at_once, 0);
  if (model.micro_batch != 0) {
    const auto images = largest_batch(model, bytes);
    fit.in_micros = most(model, images, images, model.micro_batch);
  }
  const auto micro = largest_micro_batch(model, bytes);
  fit.micro_batch = most(model, micro, batch, micro);
  return fit;
}

}  // namespace

ModelFigures model_figures(const Model& model, std::optional<std::uint64_t> bytes) {
  ModelFigures figures{.model = model};
  figures.whole = in_micros(model, model.batch, 0);
  const auto batch = figures.whole.batch;
  if (model.micro_batch != 0) figures.micro = in_micros(model, batch, model.micro_batch);
  if (bytes) figures.fit = fit_into(model, batch, *bytes);
  return figures;
}

Together together(const Plan& plan, const ModelFigures& figures, std::uint64_t alignment) {
  Together out;
  out.host_bytes = add_sat(mul_sat(plan.slabs, plan.slab_bytes), plan.index_bytes);
  out.training_bytes = figures.requested().training.peak;
  out.slot_host_bytes = plan.slab_bytes;
  const auto larger = slab_bytes(plan.shape, plan.batch + 1, alignment);
  out.image_host_bytes = mul_sat(plan.slabs, larger - plan.slab_bytes);
  const auto more =
      in_micros(figures.model, figures.requested().batch + 1, figures.model.micro_batch);
  out.image_training_bytes = more.training.peak - out.training_bytes;

  const auto& input = figures.model.input;
  const Dims loaded{plan.shape.channels, plan.shape.height, plan.shape.width};
  if (figures.model.tokens || input != loaded)
    out.mismatch =
        fmt::format("the loader gives images of {}, the model takes {}{}", fmt::join(loaded, "x"),
                    fmt::join(input, "x"), figures.model.tokens ? " tokens" : "");
  return out;
}

}  // namespace weir::report
