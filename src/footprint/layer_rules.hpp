#pragma once

#include <cstdint>
#include <string>

#include "weir/error.hpp"
#include "weir/model.hpp"

namespace weir {

/// What a layer makes of one image, and what its gradient is a formula of. Sources by kind of layer:
/// docs/footprint.md.
struct LayerRule {
  Dims output;
  std::uint64_t parameters = 0, buffers = 0;
  bool view = false;      ///< the output is the input's memory
  bool in_place = false;  ///< it is, and is written over
  bool keeps_input = false, keeps_output = false;
  bool drops_out = false;         ///< does nothing in prediction
  bool made_to_keep = false;      ///< what it makes besides the output is for its gradient alone
  bool counted = false;           ///< known by sums alone: the output is in made_values
  std::uint64_t times_kept = 1;   ///< of made_values, where counted
  std::uint64_t made_values = 0;  ///< besides the output, of the activations' type
  std::uint64_t made_bytes = 0;   ///< masks, indices
  std::uint64_t image_statistics = 0;   ///< of the parameters' type, for each image
  std::uint64_t common_statistics = 0;  ///< the same for all images at once
};

/// A layer and where it stands, for messages.
struct LayerPosition {
  std::uint64_t index;
  const Layer& layer;
};
/// "layers[3] (Conv2d conv2_1)". `kind` and `name` may come from anywhere; both may be empty.
std::string layer_name(std::uint64_t index, std::string_view kind, std::string_view name);
std::string layer_name(const LayerPosition& position);

/// Error{bad_options}: "PLACE: FIELD = VALUE: BOUND".
Error model_error(const std::string& position, const std::string& what);
/// `error` with "WHERE: " before its words.
Error said_of(const std::string& where, const Error& error);

/// "64x7x7".
std::string dims_text(const Dims& dims);
/// Values in it; sticks at the maximum.
std::uint64_t values_in(const Dims& dims) noexcept;

/// `input`: what comes from the layer before, none of it 0. Throws Error{bad_options}.
LayerRule rule_of(const LayerPosition& position, const Dims& input, bool tokens);

}  // namespace weir
