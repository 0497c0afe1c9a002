#include "codec/jpeg_start.hpp"

#include <algorithm>
#include <cstring>
#include <functional>

namespace weir::codec {

// The manager gives pieces of one block from front to back. So these objects are between the first of
// them and a new piece. If it works in another way, nothing is kept.
void JpegStart::find_objects(jpeg_decompress_struct& jpeg) {
  void* const end =
      (*jpeg.mem->alloc_small)(reinterpret_cast<j_common_ptr>(&jpeg), JPOOL_PERMANENT, 1);
  std::byte* const in_order[] = {
      reinterpret_cast<std::byte*>(jpeg.marker), reinterpret_cast<std::byte*>(jpeg.inputctl),
      reinterpret_cast<std::byte*>(jpeg.master), static_cast<std::byte*>(end)};
  const bool known = std::ranges::is_sorted(in_order, std::less<>()) &&
                     in_order[3] - in_order[0] <= std::ssize(object_bytes_);
  if (known) objects_ = {in_order[0], in_order[3]};
}

bool JpegStart::matches(const Of& of) const noexcept {
  return of.header.size() == of_.header.size() && of.colours == of_.colours &&
         of.reduce == of_.reduce &&
         std::memcmp(of.header.data(), of_.header.data(), of.header.size()) == 0;
}

bool JpegStart::restore(const Of& of, jpeg_decompress_struct& jpeg, Arena& arena) const noexcept {
  const auto taken = arena.taken();
  if (!kept_ || !matches(of) || !taken.empty() || taken.data() != arena_) return false;
  if (arena.take(used_) == nullptr) return false;
  jpeg = jpeg_;
  std::memcpy(objects_.data(), object_bytes_.data(), objects_.size());
  std::memcpy(arena_, arena_bytes_.data(), used_);
  return true;
}

void JpegStart::keep(const Of& of, const jpeg_decompress_struct& jpeg,
                     const Arena& arena) noexcept {
  const auto taken = arena.taken();
  if (objects_.empty() || of.header.size() > header_.size() || taken.size() > arena_bytes_.size())
    return;
  kept_ = matches(of);
  if (!kept_) {
    std::memcpy(header_.data(), of.header.data(), of.header.size());
    of_ = {std::span(header_).first(of.header.size()), of.colours, of.reduce};
    return;
  }
  jpeg_ = jpeg;
  std::memcpy(object_bytes_.data(), objects_.data(), objects_.size());
  arena_ = taken.data();
  used_ = taken.size();
  std::memcpy(arena_bytes_.data(), arena_, used_);
}

}  // namespace weir::codec
