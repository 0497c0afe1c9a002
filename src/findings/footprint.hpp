#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "report/json.hpp"
#include "weir/footprint.hpp"
#include "weir/plan.hpp"

namespace weir::findings {

/// The largest number of images that fits (0 if none does), and the peak bytes for it.
struct Most {
  std::uint64_t images = 0, peak_bytes = 0;
};
struct Fit {
  std::uint64_t bytes = 0;
  Most at_once{};                   ///< images of a batch without micro-batches
  std::optional<Most> in_micros{};  ///< images of a batch in the requested micro-batches, if any
  Most micro_batch{};               ///< images in a micro-batch, for the requested batch
};

/// The results of `weir footprint` for one model.
struct ModelFigures {
  Model model;
  Footprint whole{};                 ///< the batch without micro-batches
  std::optional<Footprint> micro{};  ///< with the requested micro-batches, if any
  std::optional<Fit> fit{};

  const Footprint& requested() const { return micro ? *micro : whole; }
};
/// `bytes` is the memory to fit in. Throws as weir::footprint does.
ModelFigures model_figures(const Model& model, std::optional<std::uint64_t> bytes = {});

/// An account of training, and the matching account of prediction, if any.
struct TrainingAccount {
  const char* label;
  std::uint64_t TrainingBytes::*training;
  const char* key;
  std::uint64_t PredictionBytes::*prediction = nullptr;
  const char* prediction_key = key;
};
inline constexpr TrainingAccount training_accounts[] = {
    {"parameters", &TrainingBytes::parameters, "parameter_bytes", &PredictionBytes::parameters},
    {"buffers", &TrainingBytes::buffers, "buffer_bytes", &PredictionBytes::buffers},
    {"gradients", &TrainingBytes::gradients, "gradient_bytes"},
    {"optimizer state", &TrainingBytes::optimizer, "optimizer_bytes"},
    {"activations", &TrainingBytes::kept, "kept_bytes", &PredictionBytes::activations,
     "activation_bytes"},
    {"input batch", &TrainingBytes::input, "input_bytes", &PredictionBytes::input},
    {"total", &TrainingBytes::total, "total_bytes", &PredictionBytes::total},
    {"at the peak", &TrainingBytes::peak, "peak_bytes"}};

/// Element type of the stored input.
constexpr ElementType input_type(const Model& model) noexcept {
  return model.tokens ? ElementType::i64 : model.types.input;
}

/// Tables of training and prediction, and of what fits. At most 100 columns if names are short.
std::string training_text(const ModelFigures& figures);
/// A table of layers, followed by training_text().
std::string footprint_text(const ModelFigures& figures);
report::Json to_json(const ModelFigures& figures);

/// The memory of a loader and of a trainer, and the cost of one more unit of each.
struct Together {
  std::uint64_t host_bytes = 0;      ///< staging and index
  std::uint64_t training_bytes = 0;  ///< at the peak
  std::uint64_t slot_host_bytes = 0;
  std::uint64_t image_host_bytes = 0, image_training_bytes = 0;
  std::string mismatch;  ///< empty if the loader's images match the model
};
Together together(const Plan& plan, const ModelFigures& figures);
std::string together_text(const Together& together, const Plan& plan);
report::Json to_json(const Together& together);

}  // namespace weir::findings
