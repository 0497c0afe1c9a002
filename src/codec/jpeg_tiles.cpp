#include "codec/jpeg_tiles.hpp"

#include <algorithm>
#include <csetjmp>
#include <cstdio>

#include <jpeglib.h>

#include "base/checked.hpp"
#include "codec/format.hpp"
#include "codec/jpeg_memory.hpp"
#include "codec/jpeg_part.hpp"

namespace weir::codec {
namespace {

/// All state of libjpeg's callbacks. It lives outside of the frames that longjmp leaves.
struct Transcoder {
  Transcoder(std::span<const std::byte> file, std::span<std::byte> to, std::span<std::byte> scratch,
             const std::atomic<bool>& stop) noexcept
      : jpeg(file), written(to), arena(scratch), cancelled(stop) {}
  Transcoder(const Transcoder&) = delete;
  Transcoder& operator=(const Transcoder&) = delete;
  ~Transcoder() {
    if (own_in != nullptr) in.mem = own_in;
    if (own_out != nullptr) out.mem = own_out;
    jpeg_destroy_decompress(&in);
    jpeg_destroy_compress(&out);
  }

  const std::span<const std::byte> jpeg;
  const std::span<std::byte> written;
  Arena arena;
  const std::atomic<bool>& cancelled;
  JpegMemory memory;
  jpeg_decompress_struct in{};
  jpeg_compress_struct out{};
  jpeg_memory_mgr *own_in = nullptr, *own_out = nullptr;  ///< as libjpeg has made them
  jpeg_error_mgr errors{};
  jpeg_progress_mgr progress{};
  jpeg_destination_mgr destination{};
  std::jmp_buf escape{};
};

[[noreturn]] void leave(j_common_ptr jpeg) {
  std::longjmp(static_cast<Transcoder*>(jpeg->client_data)->escape, 1);
}
void end_on_warning(j_common_ptr jpeg, int level) {
  if (level < 0) leave(jpeg);
}
void end_if_cancelled(j_common_ptr jpeg) {
  if (static_cast<Transcoder*>(jpeg->client_data)->cancelled.load(std::memory_order_relaxed))
    leave(jpeg);
}
void start_output(j_compress_ptr jpeg) {
  const auto out = static_cast<Transcoder*>(jpeg->client_data)->written;
  jpeg->dest->next_output_byte = reinterpret_cast<JOCTET*>(out.data());
  jpeg->dest->free_in_buffer = out.size();
}
boolean on_full(j_compress_ptr jpeg) { leave(reinterpret_cast<j_common_ptr>(jpeg)); }

void create(Transcoder& t) {
  t.in.client_data = t.out.client_data = &t;
  t.in.err = t.out.err = jpeg_std_error(&t.errors);
  t.errors.error_exit = leave;
  t.errors.emit_message = end_on_warning;
  jpeg_create_decompress(&t.in);
  t.own_in = t.in.mem;
  jpeg_create_compress(&t.out);
  t.own_out = t.out.mem;
  t.memory.attach(t.in, t.arena);
  t.out.mem = t.in.mem;
  t.progress.progress_monitor = end_if_cancelled;
  t.in.progress = t.out.progress = &t.progress;
  t.destination.init_destination = start_output;
  t.destination.empty_output_buffer = on_full;
  t.destination.term_destination = [](j_compress_ptr) {};
  t.out.dest = &t.destination;
}

/// Whether the scans of a progressive file have all bits of all coefficients. Otherwise a decoder
/// smooths between blocks, and of a sequential file it would not.
bool is_complete(const jpeg_decompress_struct& in) {
  if (in.progressive_mode == FALSE) return true;
  return std::all_of(&in.coef_bits[0][0], &in.coef_bits[0][0] + in.num_components * DCTSIZE2,
                     [](int unknown) { return unknown == 0; });
}

/// Makes libjpeg keep the first bytes of all APPn and COM segments.
void save_segments(jpeg_decompress_struct& in, unsigned most_bytes) {
  jpeg_save_markers(&in, JPEG_COM, most_bytes);
  for (int i = 0; i < 16; ++i) jpeg_save_markers(&in, JPEG_APP0 + i, most_bytes);
}

void transcode(Transcoder& t, const TilePlan& plan) {
  auto& in = t.in;
  auto& out = t.out;
  create(t);
  jpeg_mem_src(&in, reinterpret_cast<const unsigned char*>(t.jpeg.data()), t.jpeg.size());
  save_segments(in, 0xffff);
  jpeg_read_header(&in, TRUE);
  // Between scans there may be more of them than a header may have.
  save_segments(in, 0);
  auto* const coefficients = jpeg_read_coefficients(&in);
  if (!is_complete(in)) leave(reinterpret_cast<j_common_ptr>(&in));
  jpeg_copy_critical_parameters(&in, &out);
  out.restart_interval = plan.interval;
  out.optimize_coding = TRUE;
  // They are among the segments below, if the file has them.
  out.write_JFIF_header = out.write_Adobe_marker = FALSE;
  jpeg_write_coefficients(&out, coefficients);
  for (const auto* segment = in.marker_list; segment != nullptr; segment = segment->next)
    jpeg_write_marker(&out, segment->marker, segment->data, segment->data_length);
  jpeg_finish_compress(&out);
}

// Separate from transcode, so that no local variable is live across setjmp.
bool succeeds(Transcoder& t, const TilePlan& plan) {
  if (setjmp(t.escape) != 0) return false;
  transcode(t, plan);
  return true;
}

std::uint32_t nearest_divisor(std::uint32_t of, std::uint32_t wanted) noexcept {
  const auto divides = [of](std::uint64_t n) { return of % n == 0; };
  std::uint64_t smaller = wanted, larger = wanted;
  while (!divides(smaller)) --smaller;
  while (!divides(larger)) ++larger;
  // More than twice as many would cost too many bytes.
  const bool nearer =
      larger * smaller <= std::uint64_t{wanted} * wanted && larger <= std::uint64_t{2} * wanted;
  return static_cast<std::uint32_t>(nearer ? larger : smaller);
}

}  // namespace

TilePlan plan_tiles(const ImageInfo& info, std::uint64_t encoded_bytes,
                    std::uint32_t tiles) noexcept {
  // The encoder, and the list of as many segments as a header may have. Their bytes are in the file.
  constexpr std::uint64_t tables = 256 << 10, least = 4096;
  const auto row = jpeg_mcus_across(info);
  const auto divisor = nearest_divisor(row, std::min(row, tiles));
  auto buffered = info;
  auto layout = info.layout.get<JpegLayout>();
  layout.several_scans = true;
  buffered.layout.set(layout);
  return {
      .tiles = divisor,
      .interval = row / divisor,
      .work_bytes = add_sat(jpeg_arena_bytes(buffered), add_sat(tables, encoded_bytes)),
      .most_bytes = std::min<std::uint64_t>(add_sat(mul_sat(2, encoded_bytes), least), UINT32_MAX)};
}

std::optional<std::span<const std::byte>> write_tiles(std::span<const std::byte> jpeg,
                                                      const TilePlan& plan,
                                                      std::span<std::byte> scratch,
                                                      std::span<std::byte> out,
                                                      const std::atomic<bool>& cancelled) noexcept {
  Transcoder t(jpeg, out, scratch, cancelled);
  if (out.empty() || !succeeds(t, plan)) return std::nullopt;
  return out.first(out.size() - t.destination.free_in_buffer);
}

}  // namespace weir::codec
