#pragma once

#include "cli/settings.hpp"
#include "footprint/figures.hpp"

namespace weir::cli {

/// The model that `settings` names, with what they put in place of what it says.
Model open_model(const ModelSettings& settings);

/// Figures of it; messages name the file.
report::ModelFigures figures_of(const Model& model, const ModelSettings& settings);

}  // namespace weir::cli
