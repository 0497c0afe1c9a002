#pragma once

#include <cstdint>
#include <string>

#include "weir/error.hpp"
#include "weir/footprint.hpp"

namespace weir::footprint_detail {

/// What a layer produces for one image, and which values its gradient needs. docs/footprint.md
/// lists the sources by kind of layer.
struct LayerRule {
  Dims output;
  std::uint64_t parameters = 0, buffers = 0;
  bool view = false;      ///< the output is a view of the input
  bool in_place = false;  ///< the output overwrites the input
  bool keeps_input = false, keeps_output = false;
  bool drops_out = false;         ///< no effect in prediction
  bool made_to_keep = false;      ///< the additional values are needed only for the gradient
  bool counted = false;           ///< only sums are known; the output is included in made_values
  std::uint64_t times_kept = 1;   ///< how often made_values are held, if counted
  std::uint64_t made_values = 0;  ///< additional values, of the activations' type
  std::uint64_t made_bytes = 0;   ///< masks and indices
  std::uint64_t cast_values = 0;  ///< weights; narrower activations need a copy in their type
  std::uint64_t image_statistics = 0;   ///< values of the parameters' type per image
  std::uint64_t common_statistics = 0;  ///< values of the parameters' type for all images together
};

/// A layer and its position in the model, for messages.
struct LayerPosition {
  std::uint64_t index;
  const Layer& layer;
};
/// "layers[3] (Conv2d conv2_1)". `kind` and `name` may be untrusted text; both may be empty.
std::string layer_name(std::uint64_t index, std::string_view kind, std::string_view name);
std::string layer_name(const LayerPosition& position);

/// Makes Error{bad_options} with the text "PLACE: FIELD = VALUE: BOUND".
Error model_error(const std::string& position, const std::string& what);
/// Prefixes the text of `error` with "WHERE: ".
Error said_of(const std::string& where, const Error& error);

/// For example "64x7x7".
std::string dims_text(const Dims& dims);
/// Number of values. Saturates at the maximum.
std::uint64_t values_in(const Dims& dims) noexcept;

/// `input` is the output of the previous layer, without zeros. Throws Error{bad_options}.
LayerRule rule_of(const LayerPosition& position, const Dims& input, bool tokens);

}  // namespace weir::footprint_detail
