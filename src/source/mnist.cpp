#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/checked.hpp"
#include "source/name_table.hpp"
#include "source/pixel_file.hpp"
#include "source/pixel_sample.hpp"
#include "weir/source.hpp"

namespace weir::source {
namespace {

/// The header of an IDX file of bytes: two zeros, the type 8, the number of dimensions, and each
/// dimension with 4 bytes, the highest first.
template <std::size_t dimensions>
std::array<std::uint32_t, dimensions> read_idx(const PixelFile& file, const char* what) {
  std::array<std::byte, 4 + 4 * dimensions> header{};
  if (file.bytes() < header.size()) file.refuse("too short for the header of an IDX file");
  file.read(0, header);
  const auto number = [&header](std::size_t i) {
    std::uint32_t value = 0;
    for (std::size_t byte = 0; byte < 4; ++byte)
      value = value << 8 | std::to_integer<std::uint32_t>(header[4 * i + byte]);
    return value;
  };
  if (number(0) != (8u << 8 | dimensions))
    file.refuse("no IDX file of ", what, ": it begins with ", number(0), " and not with ",
                8u << 8 | dimensions);
  std::array<std::uint32_t, dimensions> sides{};
  std::uint64_t values = 1;
  for (std::size_t i = 0; i < dimensions; ++i) {
    sides[i] = number(i + 1);
    values = mul_sat(values, sides[i]);
  }
  if (add_sat(values, header.size()) != file.bytes())
    file.refuse(file.bytes(), " bytes; by its header it has ", add_sat(values, header.size()));
  if (values == 0) file.refuse("no samples");
  return sides;
}

/// A file of grey images and one of labels. Thread-safe.
class MnistIdx {
 public:
  MnistIdx(const std::string& images, const std::string& labels)
      : images_(images),
        labels_(labels),
        sides_(read_idx<3>(images_, "images")),
        sample_({sides_[1], sides_[2]}, PixelFormat::grey8) {
    const auto [count] = read_idx<1>(labels_, "labels");
    if (count != sides_[0])
      labels_.refuse(count, " labels for ", sides_[0], " images in ", images_.path());
  }

  std::uint64_t size() const noexcept { return sides_[0]; }
  std::optional<Encoded> try_read(std::uint64_t i, ByteSink& sink) const {
    const auto memory = sample_.take(sink);
    if (!memory) return std::nullopt;
    const auto pixels = sample_.pixels(*memory);
    std::array<std::byte, 1> label{};
    images_.read(16 + i * pixels.size(), pixels);
    labels_.read(labels_begin + i, label);
    return Encoded{*memory, std::to_integer<std::int64_t>(label[0])};
  }
  std::optional<std::int64_t> label(std::uint64_t i) const {
    return labels_.byte_at(labels_begin + i);
  }
  std::string name(std::uint64_t i) const { return images_.name_of(i); }
  std::optional<std::uint64_t> encoded_bytes(std::uint64_t) const { return sample_.bytes(); }
  std::optional<std::uint64_t> annotation_bytes() const noexcept { return 0; }
  std::optional<ImageSize> image_size(std::uint64_t) const {
    return ImageSize{sides_[1], sides_[2]};
  }
  std::uint64_t index_bytes() const noexcept {
    return sizeof(*this) + held_bytes(images_.path()) + held_bytes(labels_.path());
  }

 private:
  static constexpr std::uint64_t labels_begin = 8;

  PixelFile images_, labels_;
  std::array<std::uint32_t, 3> sides_;  ///< number, rows, columns
  PixelSample sample_;
};
static_assert(Source<MnistIdx>);

}  // namespace
}  // namespace weir::source

weir::AnySource weir::mnist_idx(const std::string& images, const std::string& labels) {
  return source::MnistIdx(images, labels);
}
