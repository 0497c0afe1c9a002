#include "source/extension.hpp"

#include <algorithm>
#include <iterator>

namespace weir::source {
namespace {

constexpr std::string_view image_extensions[] = {"jpg", "jpeg", "jpe",  "jfif", "png", "webp",
                                                 "bmp", "tif",  "tiff", "pnm",  "ppm", "pgm"};

}  // namespace

std::string lower_case(std::string_view text) {
  std::string changed(text);
  std::ranges::transform(changed, changed.begin(), lower);
  return changed;
}

bool ends_in_any_case(std::string_view text, std::string_view suffix) noexcept {
  return text.size() >= suffix.size() &&
         std::ranges::equal(text.substr(text.size() - suffix.size()), suffix, {}, lower);
}

bool may_be_image(std::string_view extension) noexcept {
  const auto last = extension.substr(extension.rfind('.') + 1);
  return std::ranges::find(image_extensions, last) != std::end(image_extensions);
}

}  // namespace weir::source
