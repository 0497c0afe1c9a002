#pragma once

#include <array>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <stdexcept>
#include <string_view>
#include <type_traits>

#include "weir/export.hpp"

/// \file
/// Pixels, encoded samples, and the window of an image that a row shows.
namespace weir {

/// The data type of one value.
enum class ElementType : std::uint8_t {
  u8,    ///< uint8
  f16,   ///< float16
  bf16,  ///< bfloat16
  f32,   ///< float32
  f64,   ///< float64
  i64,   ///< int64
};
/// Size of one value in bytes. Any thread.
constexpr std::uint64_t element_bytes(ElementType type) noexcept {
  switch (type) {
    case ElementType::u8: return 1;
    case ElementType::f16:
    case ElementType::bf16: return 2;
    case ElementType::f32: return 4;
    case ElementType::f64:
    case ElementType::i64: return 8;
  }
  return 0;
}
/// The name of the type, for example "float32". Any thread.
WEIR_API std::string_view to_string(ElementType type) noexcept;

/// Height and width of one image, in pixels.
struct ImageSize {
  std::uint32_t height = 0;  ///< rows
  std::uint32_t width = 0;   ///< columns

  /// Compares height, then width.
  friend auto operator<=>(const ImageSize&, const ImageSize&) = default;
};

/// Where the upper left pixel of an image is in another one.
struct PixelOffset {
  std::uint32_t x = 0;  ///< from the left
  std::uint32_t y = 0;  ///< from the top

  /// Compares both members.
  friend bool operator==(const PixelOffset&, const PixelOffset&) = default;
};

/// What a pixel consists of: interleaved values. 16-bit values have the machine's byte order.
enum class PixelFormat : std::uint8_t {
  rgb8,      ///< red, green and blue, each uint8
  bgr8,      ///< blue, green and red, each uint8
  rgba8,     ///< red, green, blue and alpha, each uint8; not premultiplied
  grey8,     ///< one uint8
  grey16,    ///< one uint16, of the full range
  rgb16,     ///< red, green and blue, each uint16, of the full range
  stored8,   ///< one uint8: a palette's index or a grey value, as the file has it
  stored16,  ///< one uint16: the same
};

/// The name of the format, for example "rgb8". Any thread.
WEIR_API std::string_view to_string(PixelFormat format) noexcept;

/// Number of values of one pixel.
constexpr std::uint32_t channels_of(PixelFormat format) noexcept {
  switch (format) {
    case PixelFormat::rgba8: return 4;
    case PixelFormat::grey8:
    case PixelFormat::grey16:
    case PixelFormat::stored8:
    case PixelFormat::stored16: return 1;
    default: return 3;
  }
}

/// Bytes of one value.
constexpr std::uint32_t value_bytes(PixelFormat format) noexcept {
  const bool wide = format == PixelFormat::grey16 || format == PixelFormat::rgb16 ||
                    format == PixelFormat::stored16;
  return wide ? 2 : 1;
}

/// Whether values are as the file has them, neither scaled nor looked up nor mixed.
constexpr bool is_stored(PixelFormat format) noexcept {
  return format == PixelFormat::stored8 || format == PixelFormat::stored16;
}

/// Bytes of one pixel.
constexpr std::uint32_t pixel_bytes(PixelFormat format) noexcept {
  return channels_of(format) * value_bytes(format);
}

/// Number of values of an image; UINT64_MAX if there are more.
constexpr std::uint64_t image_values(ImageSize size, PixelFormat format) noexcept {
  const auto pixels = std::uint64_t{size.height} * size.width;
  return pixels > UINT64_MAX / channels_of(format) ? UINT64_MAX : pixels * channels_of(format);
}

/// Bytes of an image without gaps between its lines; UINT64_MAX if there are more.
constexpr std::uint64_t image_bytes(ImageSize size, PixelFormat format) noexcept {
  const auto values = image_values(size, format);
  return values > UINT64_MAX / value_bytes(format) ? UINT64_MAX : values * value_bytes(format);
}

/// How an image gets another size. Each channel is resampled on its own.
enum class Filter : std::uint8_t {
  automatic,    ///< nearest for formats that are stored, bilinear for the others
  bilinear,     ///< between four source pixels, as cv::resize
  antialiased,  ///< smaller sizes use every source pixel, as in Pillow and torchvision
  /// The source pixel at the centre, in upright and unmirrored coordinates, as in Pillow. Stored
  /// formats take nothing else.
  nearest,
};

/// The filter that `automatic` stands for; others as they are.
constexpr Filter resolved(Filter filter, PixelFormat format) noexcept {
  if (filter != Filter::automatic) return filter;
  return is_stored(format) ? Filter::nearest : Filter::bilinear;
}

/// The type of one value of a pixel: std::uint8_t or std::uint16_t.
template <class T>
concept PixelValue = std::same_as<T, std::uint8_t> || std::same_as<T, std::uint16_t>;

/// What values_as() and line_as() check. Throws Error{bad_options} unless `format` has values of
/// `bytes` bytes and `data` is aligned for them. Any thread.
WEIR_API void check_values(PixelFormat format, std::size_t bytes, const void* data);

/// The order of values in memory. The last index changes fastest.
enum class Layout : std::uint8_t {
  nchw,  ///< one plane per channel, as in PyTorch
  nhwc,  ///< interleaved channels, as in decoders and TensorFlow
};

/// Non-owning view of one image, HWC. `Byte` is std::uint8_t or const.
template <class Byte>
struct BasicImageView {
  Byte* data = nullptr;                    ///< first byte of the first pixel
  ImageSize shape{};                       ///< size of the image
  std::size_t row_stride = 0;              ///< bytes between the starts of two rows
  PixelFormat format = PixelFormat::rgb8;  ///< what a pixel consists of

  /// Number of values of the image.
  constexpr std::uint64_t values() const noexcept { return image_values(shape, format); }
  /// Bytes of the pixels, without gaps between rows.
  constexpr std::uint64_t bytes() const noexcept { return image_bytes(shape, format); }
  /// Bytes of the pixels of one row.
  constexpr std::size_t line_bytes() const noexcept {
    return std::size_t{shape.width} * pixel_bytes(format);
  }
  /// The values of row y < shape.height. Throws Error{bad_options} unless T is the type of the
  /// format's values.
  template <PixelValue T>
  std::span<std::conditional_t<std::is_const_v<Byte>, const T, T>> line_as(std::uint32_t y) const {
    using Value = std::conditional_t<std::is_const_v<Byte>, const T, T>;
    Byte* const line = data + y * row_stride;
    check_values(format, sizeof(T), line);
    return {reinterpret_cast<Value*>(line), std::size_t{shape.width} * channels_of(format)};
  }
  /// Converts to a read-only view.
  // NOLINTNEXTLINE(google-explicit-constructor): a writable view is also readable
  constexpr operator BasicImageView<const Byte>() const noexcept requires(!std::is_const_v<Byte>) {
    return {data, shape, row_stride, format};
  }
};
/// A view to read.
using ImageView = BasicImageView<const std::uint8_t>;
/// A view to write.
using MutableImageView = BasicImageView<std::uint8_t>;

/// Non-owning view of the pixels of `count` images, NHWC: a batch or a part of it.
struct PixelBlock {
  std::span<const std::uint8_t> pixels;    ///< the bytes of all images, without gaps
  std::uint32_t count = 0;                 ///< number of images
  ImageSize shape{};                       ///< size of each image
  PixelFormat format = PixelFormat::rgb8;  ///< what a pixel consists of

  /// Number of values of one image.
  constexpr std::uint64_t values() const noexcept { return image_values(shape, format); }
  /// The values of all images. Throws Error{bad_options} unless T is the type of the format's
  /// values.
  template <PixelValue T>
  std::span<const T> values_as() const {
    check_values(format, sizeof(T), pixels.data());
    return {reinterpret_cast<const T*>(pixels.data()), pixels.size() / sizeof(T)};
  }
  /// Image i < count.
  constexpr ImageView image(std::uint32_t i) const noexcept {
    return {pixels.data() + i * image_bytes(shape, format), shape,
            std::size_t{shape.width} * pixel_bytes(format), format};
  }
};

/// Integers in memory, of any element and with up to four dimensions: what adapters to other libraries
/// take. Pixels, images and each column of a batch convert to it: `as_tensor(lease, lease->statuses())`.
struct ArrayView {
  const void* data = nullptr;             ///< the first element
  std::size_t element_bytes = 1;          ///< 1, 2, 4 or 8
  bool is_signed = false;                 ///< of the elements
  std::size_t dims = 0;                   ///< number of dimensions
  std::array<std::int64_t, 4> shape{};    ///< elements by dimension, the first `dims`
  std::array<std::int64_t, 4> strides{};  ///< elements from one to the next, by dimension

  // NOLINTBEGIN(google-explicit-constructor): adapters take all of these
  /// N x H x W x C.
  ArrayView(const PixelBlock& rows) noexcept
      : ArrayView(rows.pixels.data(), value_bytes(rows.format), false,
                  {rows.count, rows.shape.height, rows.shape.width, channels_of(rows.format)}) {}
  /// H x W x C.
  ArrayView(const ImageView& image) noexcept
      : ArrayView(image.data, value_bytes(image.format), false,
                  {image.shape.height, image.shape.width, channels_of(image.format)}) {
    strides[0] = static_cast<std::int64_t>(image.row_stride / element_bytes);
  }
  /// N x 2: height and width.
  ArrayView(std::span<const ImageSize> sizes) noexcept
      : ArrayView(sizes.data(), sizeof(std::uint32_t), false,
                  {static_cast<std::int64_t>(sizes.size()), 2}) {}
  /// N integers, enumerators or bytes.
  template <class T>
    requires std::integral<T> || std::is_enum_v<T> ArrayView(std::span<const T> values)
  noexcept
      : ArrayView(values.data(), sizeof(T), std::is_signed_v<T>,
                  {static_cast<std::int64_t>(values.size())}) {}
  // NOLINTEND(google-explicit-constructor)

  /// N values as `rows` x N / rows, such as Batch::annotation_block(). `rows` must divide N.
  ArrayView in_rows(std::uint32_t rows) const noexcept {
    return {data, element_bytes, is_signed, {rows, shape[0] / rows}};
  }
  /// Whether there is no element.
  bool empty() const noexcept {
    for (std::size_t i = 0; i < dims; ++i)
      if (shape[i] == 0) return true;
    return false;
  }

 private:
  /// Elements without gaps.
  ArrayView(const void* first, std::size_t bytes, bool has_sign,
            std::initializer_list<std::int64_t> extents) noexcept
      : data(first), element_bytes(bytes), is_signed(has_sign), dims(extents.size()) {
    std::int64_t stride = 1;
    for (std::size_t i = dims; i-- > 0; stride *= shape[i]) {
      shape[i] = extents.begin()[i];
      strides[i] = stride;
    }
  }
};

/// The encoded planes of a sample beside its image, in the order of Source::planes(). An empty plane is
/// absent, or nobody asked for it.
class EncodedPlanes {
 public:
  using Plane = std::span<const std::byte>;  ///< the bytes of one plane
  static constexpr std::size_t most = 7;     ///< planes of a sample beside its image

  EncodedPlanes() noexcept = default;
  /// Throws std::length_error for more than `most`.
  EncodedPlanes(std::initializer_list<Plane> planes) {
    for (const auto& plane : planes)
      if (!add(plane)) throw std::length_error("weir::EncodedPlanes: more than 7 planes");
  }
  /// Adds a plane behind the others. False if there are as many as possible.
  [[nodiscard]] bool add(Plane plane) noexcept {
    if (count_ == most) return false;
    planes_[count_++] = plane;
    return true;
  }
  std::size_t size() const noexcept { return count_; }  ///< number of planes
  bool empty() const noexcept { return count_ == 0; }   ///< whether there is none
  /// Plane i, below size().
  const Plane& operator[](std::size_t i) const noexcept { return planes_[i]; }
  const Plane* begin() const noexcept { return planes_.data(); }         ///< first plane
  const Plane* end() const noexcept { return planes_.data() + count_; }  ///< behind the last plane

 private:
  std::array<Plane, most> planes_{};
  std::size_t count_ = 0;
};

/// One encoded sample. Its bytes are in the memory from take(), or in memory that the source owns
/// for its whole life (and counts in index_bytes()).
struct Encoded {
  std::span<const std::byte> bytes;  ///< a format of weir or of one of Options::codecs
  std::int64_t label = 0;            ///< value for Batch::labels; any number
  /// Further images of the sample, in the order of Source::planes(). An empty one is absent.
  EncodedPlanes planes{};
  /// Bytes that belong to the sample: boxes, a caption, an embedding. At most
  /// Options::annotation_bytes; more is a fault of kind `limit`. 0 there: not used.
  std::span<const std::byte> annotation{};

  /// Bytes of the image and its planes.
  std::uint64_t image_bytes() const noexcept {
    std::uint64_t sum = bytes.size();
    for (const auto& plane : planes) sum += plane.size();
    return sum;
  }
};

/// One row of a batch with Decode::none.
struct EncodedImage {
  std::span<const std::uint8_t> bytes;  ///< as they were read; empty: a blank or a padding row
  /// From the header: "jpeg", "png", and so on, or "other" for one of Options::codecs.
  std::string_view format;
  std::uint32_t height = 0;      ///< from the header: rows of pixels, as stored
  std::uint32_t width = 0;       ///< from the header: columns of pixels, as stored
  std::uint8_t orientation = 1;  ///< EXIF, 1 to 8; 1: upright
};

/// Accuracy of JPEG decoding, or none.
enum class Decode : std::uint8_t {
  exact,  ///< full resolution, the same pixels as libjpeg
  /// Decodes at 1/2, 1/4 or 1/8 of the size if the result is still at least as large as the output.
  /// The pixels differ slightly from `exact`.
  fast,
  /// Nothing is decoded. A row is the encoded sample as it was read: Batch::encoded(). Only its header
  /// is checked. For decoders of your own, for example on a device.
  none,
};

/// How an EXIF orientation is handled.
enum class Exif : std::uint8_t {
  apply,   ///< the image is rotated or flipped upright
  ignore,  ///< the image is delivered as stored
};

/// The content of one row of a batch.
enum class RowStatus : std::uint8_t {
  ok,        ///< the drawn sample
  damaged,   ///< the decoder gave a warning, and FaultOptions::strict is false
  replaced,  ///< OnFault::skip: another sample; indices() states which
  blank,     ///< OnFault::blank: Options::fill
  padding,   ///< no sample: with several ranks, a batch of a rank that got none of the last samples
};
/// "ok", and so on.
WEIR_API std::string_view to_string(RowStatus status) noexcept;

/// A point in continuous coordinates: pixel i covers [i, i + 1).
struct Point {
  double x = 0;  ///< from the left
  double y = 0;  ///< from the top

  /// Compares both members.
  friend bool operator==(const Point&, const Point&) = default;
};

/// A rectangle in continuous coordinates: pixel i covers [i, i + 1).
struct Rect {
  double x = 0;       ///< left edge
  double y = 0;       ///< top edge
  double width = 0;   ///< to the right edge
  double height = 0;  ///< to the bottom edge

  /// Compares all members.
  friend bool operator==(const Rect&, const Rect&) = default;
};

/// Which sides are exchanged.
struct Flip {
  bool horizontal = false;  ///< left and right
  bool vertical = false;    ///< top and bottom

  /// Compares both members.
  friend bool operator==(const Flip&, const Flip&) = default;
};

/// Which rectangle of the upright image became which rectangle of the row. One window decides for the
/// image and for all planes of a sample: a point (x, y) of the image's row is (x s, y s) of a plane's,
/// where s is PlaneOptions::scale. Rows that show no sample (blank, padding) have an empty window.
struct WEIR_API Window {
  Rect source{};                 ///< in the upright image; it may reach beyond the image
  Rect target{};                 ///< in the row; the rest of the row is fill
  Flip flip{};                   ///< mirrored at the edges of `target`, after the crop
  ImageSize image{};             ///< size of the upright image
  std::uint8_t orientation = 1;  ///< EXIF orientation that was applied, 1 to 8

  /// Whether the row shows nothing.
  bool empty() const noexcept { return source.width == 0 || source.height == 0; }
  /// Where a point of the upright image is in the row. It may be outside `target`. Of an empty window:
  /// the point as it is; the other maps return theirs so, too.
  Point to_row(Point image_point) const noexcept;
  /// Which point of the upright image a point of the row shows.
  Point to_image(Point row_point) const noexcept;
  /// Where a rectangle of the upright image is in the row; not clipped, with sides of 0 or more.
  Rect to_row(const Rect& image_rect) const noexcept;
  /// Which rectangle of the upright image a rectangle of the row shows; with sides of 0 or more.
  Rect to_image(const Rect& row_rect) const noexcept;
  /// The part of a rectangle of the row that is inside `target`. Its sides are 0 if no part is.
  Rect clipped(const Rect& row_rect) const noexcept;
  /// Share of the area of a rectangle of the row that is inside `target`, 0 to 1. 0 for an empty one.
  double visible(const Rect& row_rect) const noexcept;

  /// Compares all members.
  friend bool operator==(const Window&, const Window&) = default;
};

}  // namespace weir
