#pragma once

#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <new>
#include <type_traits>

namespace weir {

/// A list of at most `most` elements without memory of its own. A copy costs what its elements cost.
template <class T, std::size_t most>
class InlineList {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  // NOLINTNEXTLINE(modernize-use-equals-default): the storage is not initialised
  InlineList() noexcept {}
  InlineList(std::initializer_list<T> elements) noexcept {
    for (const auto& element : elements) push_back(element);
  }
  InlineList(const InlineList& other) noexcept { *this = other; }
  InlineList& operator=(const InlineList& other) noexcept {
    if (this == &other) return *this;
    size_ = other.size_;
    std::memcpy(storage_, other.storage_, size_ * sizeof(T));
    return *this;
  }
  ~InlineList() = default;

  /// There must be room.
  T& push_back(const T& element) noexcept { return *::new (data() + size_++) T(element); }
  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  const T& operator[](std::size_t i) const noexcept { return data()[i]; }
  T& operator[](std::size_t i) noexcept { return data()[i]; }
  const T* begin() const noexcept { return data(); }
  const T* end() const noexcept { return data() + size_; }

 private:
  T* data() noexcept { return reinterpret_cast<T*>(storage_); }
  const T* data() const noexcept { return reinterpret_cast<const T*>(storage_); }

  std::size_t size_ = 0;
  alignas(T) std::byte storage_[most * sizeof(T)];
};

}  // namespace weir
