#include "engine/row_window.hpp"

#include <cmath>

#include "base/random.hpp"
#include "base/text.hpp"
#include "engine/failure.hpp"

namespace weir::engine {
namespace {

/// Bound of all coordinates of a window: far beyond every image.
constexpr double most = 1 << 24;
/// The lane of its random numbers: not those of the transform.
constexpr std::uint64_t lane = 0x77696e646f77;
/// The lane of what the samples of a row share.
constexpr std::uint64_t row_lane = 0x726f77;

bool is_plain(const Rect& r) noexcept {
  return std::abs(r.x) <= most && std::abs(r.y) <= most && r.width > 0 && r.width <= most &&
         r.height > 0 && r.height <= most;
}

bool is_inside(const Rect& r, ImageSize row) noexcept {
  return is_plain(r) && r.x >= 0 && r.y >= 0 && r.x + r.width <= row.width &&
         r.y + r.height <= row.height;
}

Defect bad(const char* what, const Rect& r, const std::string& why) {
  return {FaultKind::unsupported, Stage::decode,
          concat("`window.choose` gave the ", what, ' ', text_of(r), ": ", why)};
}

/// Calls Options::window and checks what it says.
Result<Window> own_window(const Options& options, const codec::FitSpec& fit, WindowInput input,
                          std::uint32_t attempt) {
  input.row = fit.into.width > 0 ? ImageSize{fit.into.height, fit.into.width} : fit.out;
  auto key = mix_key({options.seed, lane});
  if (input.partner > 0) key = mix_key({key, input.partner});
  Random random(key, input.epoch, input.position, attempt);
  if (options.window.same_each_epoch) {
    input.epoch = input.position = 0;
    random = Random(key, 0, input.index);
  }
  input.row_random = Random(mix_key({options.seed, row_lane}), input.epoch, input.position);
  Window window;
  try {
    window = options.window.choose(input, random);
  } catch (...) {
    return failure_of(Stage::decode).defect;
  }
  window.image = input.image;
  window.orientation = 1;  // the caller knows what was applied
  const auto& [height, width] = input.row;
  if (window.target == Rect{}) window.target = {0, 0, double{1} * width, double{1} * height};
  if (!is_plain(window.source))
    return bad("source", window.source,
               "it must not be empty, and its numbers must be at most 16777216");
  if (!is_inside(window.target, input.row))
    return bad("target", window.target, "it must lie in the row of " + sides(input.row));
  return window;
}

}  // namespace

Result<Window> row_window(const Options& options, const codec::FitSpec& fit,
                          const WindowInput& input, std::uint64_t draw, std::uint32_t attempt) {
  return options.window.choose ? own_window(options, fit, input, attempt)
                               : codec::choose_window(input.image, fit, draw);
}

}  // namespace weir::engine
