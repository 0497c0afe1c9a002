#include "convert/lines.hpp"

#include <cstring>
#include <type_traits>

#include "base/machine/vector_sets.hpp"

// Highway compiles this file once for each vector set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "convert/lines.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace weir::convert {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Values = hn::Vec<Floats>;
constexpr std::size_t most_floats = HWY_MAX_BYTES / sizeof(float);

HWY_INLINE Values from_pixels(const std::uint8_t* pixels) {
  const auto loaded = hn::LoadU(hn::Rebind<std::uint8_t, Floats>(), pixels);
  return hn::ConvertTo(Floats(), hn::PromoteTo(hn::RebindToSigned<Floats>(), loaded));
}

/// A line for each lane of a vector. In memory, because a vector of SVE cannot be a member. Of a local
/// object the compiler keeps the vectors in registers.
struct LaneLine {
  HWY_ALIGN float slope[most_floats], offset[most_floats], slope_rest[most_floats],
      offset_rest[most_floats];

  HWY_INLINE Values operator()(Values pixels) const {
    const Floats d;
    const auto rest = hn::MulAdd(pixels, hn::Load(d, slope_rest), hn::Load(d, offset_rest));
    return hn::Add(hn::MulAdd(pixels, hn::Load(d, slope), hn::Load(d, offset)), rest);
  }
};

/// Vectors of outputs of type T: the tag of the stored vector, its number of pixels, and the number
/// of float vectors that it needs.
template <class T>
struct Output {
  // A vector of one lane cannot be split in halves.
  static constexpr bool whole = sizeof(T) == sizeof(float) || HWY_TARGET == HWY_SCALAR;
  using Bits = std::conditional_t<sizeof(T) == sizeof(float), float, std::uint16_t>;
  using Stored = std::conditional_t<whole, hn::Rebind<Bits, Floats>, hn::ScalableTag<Bits>>;
  using Pixels = hn::Rebind<std::uint8_t, Stored>;
  static constexpr std::size_t float_vectors = whole ? 1 : 2;
};
using Halves = hn::Vec<hn::Rebind<std::uint16_t, Floats>>;

HWY_INLINE Values narrowed(Values values, const float*) { return values; }

HWY_INLINE Halves narrowed(Values values, const float16*) {
  const hn::Rebind<hwy::float16_t, Floats> half;
  return hn::BitCast(hn::RebindToUnsigned<decltype(half)>(), hn::DemoteTo(half, values));
}

// Rounds to nearest and takes the upper half. Ties go up, and the tables round ties to even, so the
// constructor detects the difference. There is no NaN, and an overflow carries into infinity.
HWY_INLINE hn::Vec<hn::RebindToUnsigned<Floats>> rounded(Values values) {
  const hn::RebindToUnsigned<Floats> words;
  return hn::Add(hn::BitCast(words, values), hn::Set(words, 0x8000));
}

HWY_INLINE Halves narrowed(Values values, const bfloat16*) {
  return hn::TruncateTo(hn::Rebind<std::uint16_t, Floats>(), hn::ShiftRight<16>(rounded(values)));
}

#if HWY_TARGET != HWY_SCALAR
using WholeHalves = hn::Vec<hn::ScalableTag<std::uint16_t>>;

HWY_INLINE WholeHalves joined(Values low, Values high, const float16* type) {
  return hn::Combine(hn::ScalableTag<std::uint16_t>(), narrowed(high, type), narrowed(low, type));
}

HWY_INLINE WholeHalves joined(Values low, Values high, const bfloat16*) {
  const hn::ScalableTag<std::uint16_t> d;
  return hn::ConcatOdd(d, hn::BitCast(d, rounded(high)), hn::BitCast(d, rounded(low)));
}
#endif

/// The lines of all lanes of one output vector. `line[k]` belongs to its k-th float vector.
template <class T>
struct LaneLines {
  LaneLine line[Output<T>::float_vectors];

  HWY_INLINE hn::Vec<typename Output<T>::Stored> operator()(const std::uint8_t* pixels) const {
    const T* const type = nullptr;
    if constexpr (Output<T>::whole) {
      return narrowed(line[0](from_pixels(pixels)), type);
    } else {
#if HWY_TARGET != HWY_SCALAR
      return joined(line[0](from_pixels(pixels)),
                    line[1](from_pixels(pixels + hn::Lanes(Floats()))), type);
#endif
    }
  }
};

/// Lane i has line (first + step * i) % 3.
template <class T>
HWY_INLINE LaneLines<T> lane_lines(const Lines& lines, std::size_t first, std::size_t step) {
  LaneLines<T> out;
  for (auto& lane : out.line)
    for (std::size_t i = 0; i < hn::Lanes(Floats()); ++i, first += step) {
      const auto& line = lines[first % 3];
      lane.slope[i] = line.slope;
      lane.offset[i] = line.offset;
      lane.slope_rest[i] = line.slope_rest;
      lane.offset_rest[i] = line.offset_rest;
    }
  return out;
}

template <bool streamed, class T>
HWY_INLINE void put(hn::Vec<typename Output<T>::Stored> values, T* to) {
  const typename Output<T>::Stored d;
  auto* const raw = reinterpret_cast<hn::TFromD<typename Output<T>::Stored>*>(to);
  if constexpr (streamed) {
    hn::Stream(values, d, raw);
  } else {
    hn::StoreU(values, d, raw);
  }
}

/// Number of outputs from `out` to the first one that is aligned to a whole vector.
template <class T>
std::size_t until_aligned(const T* out) {
  const auto size = hn::Lanes(typename Output<T>::Stored()) * sizeof(T);
  return (size - reinterpret_cast<std::uintptr_t>(out) % size) % size / sizeof(T);
}

/// Prefetches `bytes` of pixels. Stores past the caches delay the processor's own prefetching. This
/// affects 16-bit outputs most, because they store less per pixel.
HWY_INLINE void prefetch(const std::uint8_t* pixels, std::size_t bytes, std::size_t left) {
  constexpr std::size_t ahead = 1536, line = 64;
  if (left < ahead + bytes) return;
  for (std::size_t i = 0; i < bytes; i += line) hwy::Prefetch(pixels + ahead + i);
}

template <class T>
struct PlanarKernel {
  LaneLines<T> red, green, blue;
  std::size_t count, plane;

  /// Loads as many pixels as `tag` has lanes, from pixel i on. It separates the channels in vectors
  /// of bytes, where they are widened to floats, because shuffles limit the speed.
  template <bool streamed, class Tag>
  HWY_INLINE void at(Tag tag, const std::uint8_t* HWY_RESTRICT pixels, std::size_t i,
                     T* HWY_RESTRICT out, std::size_t apart) const {
    HWY_ALIGN std::uint8_t channels[3][HWY_MAX_BYTES];
    hn::Vec<Tag> r, g, b;
    hn::LoadInterleaved3(tag, pixels + 3 * i, r, g, b);
    hn::Store(r, tag, channels[0]);
    hn::Store(g, tag, channels[1]);
    hn::Store(b, tag, channels[2]);
    const auto step = hn::Lanes(typename Output<T>::Stored());
    for (std::size_t k = 0; k < hn::Lanes(tag); k += step)
      put<streamed>(red(channels[0] + k), out + i + k);
    for (std::size_t k = 0; k < hn::Lanes(tag); k += step)
      put<streamed>(green(channels[1] + k), out + apart + i + k);
    for (std::size_t k = 0; k < hn::Lanes(tag); k += step)
      put<streamed>(blue(channels[2] + k), out + 2 * apart + i + k);
  }

  template <bool streamed>
  void image(const std::uint8_t* pixels, T* out) const {
    const hn::ScalableTag<std::uint8_t> many;
    const typename Output<T>::Pixels few;
    const auto lanes = hn::Lanes(few);
    std::size_t i = 0;
    if (streamed && count >= lanes) {
      at<false>(few, pixels, 0, out, plane);
      i = until_aligned(out);
    }
    // A local copy stays in registers. The compiler must assume that the outputs overlap *this.
    const auto lines = *this;
    for (; i + hn::Lanes(many) <= lines.count; i += hn::Lanes(many)) {
      if constexpr (streamed) prefetch(pixels + 3 * i, 3 * hn::Lanes(many), 3 * (lines.count - i));
      lines.template at<streamed>(many, pixels, i, out, lines.plane);
    }
    for (; i + lanes <= lines.count; i += lanes)
      lines.template at<streamed>(few, pixels, i, out, lines.plane);
    if (i == count) return;
    // The remaining pixels, fewer than a vector.
    constexpr auto most = Output<T>::float_vectors * most_floats;
    HWY_ALIGN std::uint8_t in[3 * most] = {};
    HWY_ALIGN T last[3 * most];
    std::memcpy(in, pixels + 3 * i, 3 * (count - i));
    at<false>(few, in, 0, last, most);
    for (std::size_t c = 0; c < 3; ++c)
      std::memcpy(out + c * plane + i, last + c * most, (count - i) * sizeof(T));
  }
};

template <bool streamed, class T>
void interleaved_image(const std::uint8_t* HWY_RESTRICT pixels, std::size_t values,
                       const Lines& lines, T* HWY_RESTRICT out) {
  const typename Output<T>::Pixels bytes;
  const auto lanes = hn::Lanes(bytes);
  std::size_t i = 0;
  if (streamed && values >= lanes) {
    put<false>(lane_lines<T>(lines, 0, 1)(pixels), out);
    i = until_aligned(out);
  }
  // The assignment of channels to lanes repeats every three vectors.
  const LaneLines<T> turns[3] = {lane_lines<T>(lines, i, 1), lane_lines<T>(lines, i + lanes, 1),
                                 lane_lines<T>(lines, i + 2 * lanes, 1)};
  const auto first = turns[0], second = turns[1], third = turns[2];
  for (; i + 3 * lanes <= values; i += 3 * lanes) {
    put<streamed>(first(pixels + i), out + i);
    put<streamed>(second(pixels + i + lanes), out + i + lanes);
    put<streamed>(third(pixels + i + 2 * lanes), out + i + 2 * lanes);
  }
  std::size_t turn = 0;
  for (; i < values; i += lanes, ++turn) {
    constexpr auto most = Output<T>::float_vectors * most_floats;
    HWY_ALIGN std::uint8_t in[most] = {};
    HWY_ALIGN T last[most];
    const auto count = HWY_MIN(lanes, values - i);
    std::memcpy(in, pixels + i, count);
    put<false>(turns[turn](in), last);
    std::memcpy(out + i, last, count * sizeof(T));
  }
}

template <class T>
bool element_aligned(const T* out) {
  return reinterpret_cast<std::uintptr_t>(out) % sizeof(T) == 0;
}

template <class T>
void planar(const std::uint8_t* pixels, std::size_t count, const Lines& lines, T* out,
            std::size_t plane, Stores stores) {
  const PlanarKernel<T> kernel{lane_lines<T>(lines, 0, 0), lane_lines<T>(lines, 1, 0),
                               lane_lines<T>(lines, 2, 0), count, plane};
  // All planes must have the same alignment.
  const bool alike = plane % hn::Lanes(typename Output<T>::Stored()) == 0;
  if (stores == Stores::streamed && alike && element_aligned(out)) {
    kernel.template image<true>(pixels, out);
    hwy::FlushStream();
  } else {
    kernel.template image<false>(pixels, out);
  }
}

template <class T>
void interleaved(const std::uint8_t* pixels, std::size_t values, const Lines& lines, T* out,
                 Stores stores) {
  if (stores == Stores::streamed && element_aligned(out)) {
    interleaved_image<true>(pixels, values, lines, out);
    hwy::FlushStream();
  } else {
    interleaved_image<false>(pixels, values, lines, out);
  }
}

const AllKernels& kernels() {
  static constexpr AllKernels all{{planar<float>, interleaved<float>},
                                  {planar<float16>, interleaved<float16>},
                                  {planar<bfloat16>, interleaved<bfloat16>}};
  return all;
}

}  // namespace HWY_NAMESPACE

template <std::int64_t set>
struct InSet;
template <>
struct InSet<HWY_TARGET> {
  static constexpr auto kernels = HWY_NAMESPACE::kernels;
};

}  // namespace weir::convert
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <cmath>

namespace weir::convert {

const AllKernels& kernels() noexcept {
  return in_best_set<HWY_TARGETS>(
      []<std::int64_t set>() -> const AllKernels& { return InSet<set>::kernels(); });
}

Line split_line(long double slope, long double offset) noexcept {
  constexpr int float_digits = 24;
  constexpr long double most_pixel = 255;
  const auto largest = std::fabs(slope) * most_pixel + std::fabs(offset);
  if (!(largest > 0) || !std::isfinite(largest)) return {};
  // Multiples of this power of two up to `largest` are exact in float.
  const int grid = std::ilogb(largest) + 1 - float_digits;
  const auto on_grid = [&](long double value) {
    return std::ldexp(std::nearbyint(std::ldexp(value, -grid)), grid);
  };
  const auto coarse_slope = on_grid(slope), coarse_offset = on_grid(offset);
  return {static_cast<float>(coarse_slope), static_cast<float>(coarse_offset),
          static_cast<float>(slope - coarse_slope), static_cast<float>(offset - coarse_offset)};
}

}  // namespace weir::convert
#endif
