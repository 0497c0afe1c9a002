#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include "weir/error.hpp"
#include "weir/export.hpp"

namespace weir {

/// Elements that an annotation can consist of: boxes, points, numbers.
template <class T>
concept AnnotationElement = std::is_trivially_copyable_v<T> && alignof(T) <= 16;

/// Throws Error{bad_options} unless an annotation of `bytes` bytes is whole elements of `size` bytes,
/// and `room`, the bytes from one annotation to the next, is a multiple of `alignment`. Any thread.
WEIR_API void check_elements(std::size_t bytes, std::size_t room, std::size_t size,
                             std::size_t alignment);

/// Copies of the elements of an annotation. Throws as check_elements().
template <AnnotationElement T>
std::vector<T> elements_of(std::span<const std::byte> annotation) {
  check_elements(annotation.size(), 0, sizeof(T), alignof(T));
  std::vector<T> elements(annotation.size() / sizeof(T));
  if (!elements.empty()) std::memcpy(elements.data(), annotation.data(), annotation.size());
  return elements;
}

/// The annotation of a sample, for a transform: bytes of any length up to a bound. It refers to the
/// row.
class WEIR_API SampleAnnotation {
 public:
  /// Empty, and without room.
  SampleAnnotation() noexcept = default;
  /// The first `size` bytes of `room`, which must have as many.
  SampleAnnotation(std::span<std::byte> room, std::size_t size) noexcept
      : room_(room), size_(size) {}

  /// The bytes of the annotation. Empty if the sample has none.
  std::span<std::byte> bytes() const noexcept { return room_.first(size_); }
  /// Most bytes that it can have: Options::annotation_bytes.
  std::size_t room() const noexcept { return room_.size(); }
  /// Its elements. Throws as check_elements().
  template <AnnotationElement T>
  std::span<T> as() const {
    check_elements(size_, room_.size(), sizeof(T), alignof(T));
    return {reinterpret_cast<T*>(room_.data()), size_ / sizeof(T)};
  }
  /// Sets the number of bytes. New ones are 0. Throws SampleError{limit} if there is no room.
  void resize(std::size_t bytes);
  /// Replaces all elements. Throws as resize().
  template <AnnotationElement T>
  void assign(std::span<const T> elements) {
    resize(elements.size_bytes());
    if (!elements.empty()) std::memmove(room_.data(), elements.data(), elements.size_bytes());
  }

 private:
  std::span<std::byte> room_{};
  std::size_t size_ = 0;
};

}  // namespace weir
