#include "codec/jpeg_memory.hpp"

#include <algorithm>
#include <climits>
#include <cstring>

#include <jerror.h>

/// A whole-image array. libjpeg declares two kinds, and the memory manager defines them.
template <class Row>
struct WholeArray {
  Row* rows;
  JDIMENSION width, height;
  WholeArray* next;
};
struct jvirt_sarray_control : WholeArray<JSAMPROW> {};
struct jvirt_barray_control : WholeArray<JBLOCKROW> {};

namespace weir::codec {

namespace {

/// The SIMD code of libjpeg-turbo works on whole vectors. Rows start at a vector boundary, and the
/// code may write up to the next one.
constexpr std::size_t row_alignment = 64;

}  // namespace

struct JpegMemory::Calls {
  static JpegMemory& self(j_common_ptr jpeg) { return *reinterpret_cast<JpegMemory*>(jpeg->mem); }

  static void* take(j_common_ptr jpeg, int, std::size_t bytes) {
    void* const piece = self(jpeg).arena_->take(bytes);
    if (piece == nullptr) ERREXIT1(jpeg, JERR_OUT_OF_MEMORY, 0);
    return piece;
  }

  template <class Element>
  static Element** rows(j_common_ptr jpeg, int pool, JDIMENSION width, JDIMENSION count) {
    auto** const lines = static_cast<Element**>(take(jpeg, pool, count * sizeof(Element*)));
    const std::size_t stride = round_up(width * sizeof(Element), row_alignment);
    auto* const data = static_cast<std::byte*>(take(jpeg, pool, count * stride));
    for (JDIMENSION i = 0; i < count; ++i) lines[i] = reinterpret_cast<Element*>(data + i * stride);
    return lines;
  }

  template <class Control, auto JpegMemory::*list>
  static Control* request(j_common_ptr jpeg, int pool, boolean, JDIMENSION width, JDIMENSION height,
                          JDIMENSION) {
    auto* const control = static_cast<Control*>(take(jpeg, pool, sizeof(Control)));
    *control = {{nullptr, width, height, self(jpeg).*list}};
    self(jpeg).*list = control;
    return control;
  }

  template <class Element>
  static void realize_list(j_common_ptr jpeg, WholeArray<Element*>* list) {
    for (; list != nullptr; list = list->next) {
      if (list->rows != nullptr) continue;
      list->rows = rows<Element>(jpeg, JPOOL_IMAGE, list->width, list->height);
      // Always zero, so that parts that a damaged file never writes do not contain old data.
      const std::size_t stride = round_up(list->width * sizeof(Element), row_alignment);
      if (list->height > 0)
        zero(jpeg, reinterpret_cast<std::byte*>(list->rows[0]), list->height * stride);
    }
  }
  /// The kernel provides pages on first access, which takes about a second for some gigabytes. So
  /// the loop checks for cancellation.
  static void zero(j_common_ptr jpeg, std::byte* data, std::size_t bytes) {
    constexpr std::size_t step = 16 << 20;
    for (std::size_t done = 0; done < bytes; done += step) {
      if (jpeg->progress != nullptr) jpeg->progress->progress_monitor(jpeg);
      std::memset(data + done, 0, std::min(step, bytes - done));
    }
  }
  static void realize(j_common_ptr jpeg) {
    realize_list(jpeg, self(jpeg).samples_);
    realize_list(jpeg, self(jpeg).blocks_);
  }

  template <class Control>
  static auto access(j_common_ptr jpeg, Control* control, JDIMENSION first, JDIMENSION count,
                     boolean) {
    if (control->rows == nullptr || first > control->height || count > control->height - first) {
      ERREXIT(jpeg, JERR_BAD_VIRTUAL_ACCESS);
    }
    return control->rows + first;
  }
};

JpegMemory::JpegMemory() noexcept {
  manager_.alloc_small = Calls::take;
  manager_.alloc_large = Calls::take;
  manager_.alloc_sarray = Calls::rows<JSAMPLE>;
  manager_.alloc_barray = Calls::rows<JBLOCK>;
  manager_.request_virt_sarray = Calls::request<jvirt_sarray_control, &JpegMemory::samples_>;
  manager_.request_virt_barray = Calls::request<jvirt_barray_control, &JpegMemory::blocks_>;
  manager_.realize_virt_arrays = Calls::realize;
  manager_.access_virt_sarray = Calls::access;
  manager_.access_virt_barray = Calls::access;
  manager_.free_pool = [](j_common_ptr, int) {};
  manager_.self_destruct = [](j_common_ptr) {};
  manager_.max_memory_to_use = LONG_MAX;
  manager_.max_alloc_chunk = 1'000'000'000;
}

void JpegMemory::attach(jpeg_decompress_struct& jpeg, Arena& arena) noexcept {
  arena_ = &arena;
  samples_ = nullptr;
  blocks_ = nullptr;
  jpeg.mem = &manager_;
}

std::uint64_t jpeg_arena_bytes(const ImageInfo& info) noexcept {
  // Follows libjpeg-turbo's jdmainct.c, jdsample.c and jdcoefct.c. Per component: the rows of one
  // iMCU row with context above and below, the upsampled rows, and all coefficients if the file has
  // several scans. Tables and structs have a fixed size: at most 12 KiB were measured, and 6 KiB
  // more for the colour tables of YCCK (and of YCbCr if libjpeg-turbo has no SIMD).
  constexpr std::uint64_t tables = 24 << 10, dct = 8, context_groups = dct + 2;
  const auto rows = [](std::uint64_t width_bytes, std::uint64_t count) {
    return round_up(count * sizeof(void*), Arena::alignment) +
           count * round_up(width_bytes, row_alignment);
  };
  const auto blocks = [](std::uint64_t size, std::uint64_t factor, std::uint64_t most) {
    return (size * factor + most * dct - 1) / (most * dct);
  };
  const auto layout = info.layout.get<JpegLayout>();
  const std::uint64_t most_h = layout.most_across(), most_v = layout.most_down();
  std::uint64_t bytes = tables;
  for (std::size_t i = 0; i < info.channels && i < layout.horizontal.size(); ++i) {
    const std::uint64_t h = layout.horizontal[i], v = layout.vertical[i];
    const auto wide = round_up(blocks(info.width, h, most_h), h);
    const auto high = round_up(blocks(info.height, v, most_v), v);
    bytes += rows(wide * dct, v * context_groups);
    bytes += 2 * round_up(2 * v * (dct + 4) * sizeof(void*), Arena::alignment);
    bytes += rows(round_up(info.width, most_h), most_v);
    if (layout.several_scans) bytes += rows(wide * sizeof(JBLOCK), high);
  }
  return bytes;
}

}  // namespace weir::codec
