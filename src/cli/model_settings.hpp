#pragma once

#include "cli/settings.hpp"
#include "footprint/figures.hpp"

namespace weir::cli {

/// Reads the model file of `settings`. Values in `settings` replace those of the file.
Model open_model(const ModelSettings& settings);

/// The figures of `model`. Error messages name the file.
report::ModelFigures figures_of(const Model& model, const ModelSettings& settings);

}  // namespace weir::cli
