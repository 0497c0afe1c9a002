#include "source/size_rule.hpp"

#include <exception>
#include <string>
#include <utility>

#include "base/text.hpp"

namespace weir::source {
namespace {

Error problem(const SizeFunction& function, const SizeInput& input, const std::string& value,
              const std::string& bound) {
  const auto sample = input.index == UINT64_MAX ? std::string()
                                                : concat(", sample ", input.index,
                                                         ", whose image is ", sides(input.image));
  return {Errc::bad_options, Stage::wait,
          OptionProblem{"sizes.size.of", value,
                        concat(bound, " (", function.name, ", epoch ", input.epoch, ", step ",
                               input.step, sample, ")")}};
}

}  // namespace

SizeRule::SizeRule(SizeFunction function, ImageSize ceiling, std::string_view bound,
                   std::uint32_t least, std::uint32_t grid) noexcept
    : function_(std::move(function)),
      ceiling_(ceiling),
      bound_(bound),
      least_(least),
      grid_(grid) {}

ImageSize SizeRule::of(const SizeInput& input) const {
  ImageSize size;
  try {
    size = function_.of(input);
  } catch (const std::exception& error) {
    throw problem(function_, input, "an exception",
                  concat("must be a size; it threw: ", error.what()));
  } catch (...) {
    throw problem(function_, input, "an exception", "must be a size");
  }
  const auto within = [&](std::uint32_t side, std::uint32_t most) {
    return side >= least_ && side <= most;
  };
  if (!within(size.height, ceiling_.height) || !within(size.width, ceiling_.width))
    throw problem(function_, input, sides(size),
                  concat("must be ", sides({least_, least_}), " to ", sides(ceiling_),
                         ", the bound by ", bound_));
  if (size.height % grid_ != 0 || size.width % grid_ != 0)
    throw problem(
        function_, input, sides(size),
        concat("the sides must be multiples of ", grid_, ", the grid of the planes' scales"));
  return size;
}

void SizeRule::check_again(const SizeInput& input, ImageSize before) const {
  if (const auto now = of(input); now != before)
    throw problem(function_, input, sides(now),
                  concat("must stay the size that it was before, ", sides(before)));
}

}  // namespace weir::source
