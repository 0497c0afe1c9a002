#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "report/json.hpp"
#include "weir/footprint.hpp"
#include "weir/plan.hpp"

namespace weir::report {

/// The most images that fit, 0 where not even one does, and the bytes at the peak with so many.
struct Most {
  std::uint64_t images = 0, peak_bytes = 0;
};
struct Fit {
  std::uint64_t bytes = 0;
  Most at_once{};                   ///< images of a batch that goes through in one
  std::optional<Most> in_micros{};  ///< of one in micro-batches as asked, where they were asked
  Most micro_batch{};               ///< images at once of the batch as asked
};

/// What `weir footprint` says of a model.
struct ModelFigures {
  Model model;
  Footprint whole{};                 ///< the batch at once
  std::optional<Footprint> micro{};  ///< in micro-batches, where they were asked
  std::optional<Fit> fit{};

  const Footprint& requested() const { return micro ? *micro : whole; }
};
/// `bytes`: what is to be fitted. Throws as weir::footprint does.
ModelFigures model_figures(const Model& model, std::optional<std::uint64_t> bytes = {});

/// An account of training and what stands for it in prediction, where anything does.
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

/// What the input is held as.
constexpr ElementType input_type(const Model& model) noexcept {
  return model.tokens ? ElementType::i64 : model.types.input;
}

/// Sums of training and of prediction, and what fits. At most 100 columns where names are short.
std::string training_text(const ModelFigures& figures);
/// The same, and before it what each layer has.
std::string footprint_text(const ModelFigures& figures);
Json to_json(const ModelFigures& figures);

/// The loader's memory beside the trainer's, and what one more of either costs.
struct Together {
  std::uint64_t host_bytes = 0;      ///< staging and index
  std::uint64_t training_bytes = 0;  ///< at the peak
  std::uint64_t slot_host_bytes = 0;
  std::uint64_t image_host_bytes = 0, image_training_bytes = 0;
  std::string mismatch;  ///< empty: the loader's images are the model's
};
/// `alignment`: that of the plan's slabs.
Together together(const Plan& plan, const ModelFigures& figures, std::uint64_t alignment);
std::string together_text(const Together& together, const Plan& plan);
Json to_json(const Together& together);

}  // namespace weir::report
