#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstdio>
#include <string_view>

#include <jerror.h>
#include <jpeglib.h>

#include "codec/format.hpp"
#include "codec/jpeg_memory.hpp"
#include "codec/jpeg_part.hpp"
#include "codec/jpeg_start.hpp"
#include "codec/pixel_lines.hpp"

namespace weir::codec {
namespace {

/// All state of libjpeg's callbacks. It lives outside of the frames that longjmp leaves. The
/// libjpeg struct is created once, and each image starts with a copy of its initial state.
/// jpeg_abort_decompress() would keep the tables of the previous image. A file without tables would
/// then decode with them, so its pixels would depend on the order of images.
struct Session {
  jpeg_decompress_struct jpeg, pristine;
  bool created;
  JpegMemory memory;
  JpegStart start;
  jpeg_error_mgr errors;
  jpeg_source_mgr source;
  jpeg_progress_mgr progress;
  std::jmp_buf escape;
  const DecodeJob* job;
  JpegPieces* pieces;  ///< of the part that is decoded; null: the whole file
  FaultKind kind;
  bool exhausted;
  bool damaged;
  bool cancelled;
  char reason[JMSG_LENGTH_MAX];

  std::uint64_t offset() const {
    return exhausted ? job->encoded.size() : job->encoded.size() - source.bytes_in_buffer;
  }
  ~Session() {
    if (!created) return;
    jpeg = pristine;
    jpeg_destroy_decompress(&jpeg);
  }
};

static_assert(sizeof(Session) <= decoder_object_bytes);

/// A multiple of every possible MCU height.
constexpr std::uint32_t dct = 8, mcu_heights = 12 * dct, lines_at_once = 8;
/// Lines do not start at a vector boundary. At a boundary, libjpeg-turbo writes past the caches,
/// which makes the next read of the line slow.
constexpr std::size_t off_alignment = 8;
constexpr int start_of_scan = 0xda;
/// Pixels to skip in one step, so that a cancelled decode ends soon.
constexpr std::uint32_t skipped_pixels = 1 << 20;

/// Converts one line of JPEG CMYK to RGB: R = C'K'/255 rounded, and G and B in the same way from M
/// and Y. C', M', Y', K' are 255 without ink. Adobe stores these values (`inverted`); without its
/// marker, 0 means no ink.
void cmyk_to_rgb(const std::uint8_t* cmyk, bool inverted, std::uint8_t* rgb,
                 std::uint32_t pixels) noexcept {
  const std::uint32_t flip = inverted ? 0 : 255;
  for (std::uint32_t i = 0; i < pixels; ++i, cmyk += 4, rgb += 3) {
    const std::uint32_t light = cmyk[3] ^ flip;
    for (int c = 0; c < 3; ++c)
      rgb[c] = static_cast<std::uint8_t>(((cmyk[c] ^ flip) * light + 127) / 255);
  }
}

/// The format of the lines. libjpeg-turbo itself makes grey of RGB, by the formula of
/// convert_pixels().
PixelFormat jpeg_native(const ImageInfo& info, PixelFormat pixels) noexcept {
  if (channels_of(pixels) == 1) return PixelFormat::grey8;
  const bool cmyk = info.channels == 4;
  return cmyk || value_bytes(pixels) == 2 ? PixelFormat::rgb8 : pixels;
}

J_COLOR_SPACE colour_space_of(PixelFormat native) noexcept {
  switch (native) {
    case PixelFormat::bgr8: return JCS_EXT_BGR;
    case PixelFormat::rgba8: return JCS_EXT_RGBA;
    case PixelFormat::grey8: return JCS_GRAYSCALE;
    default: return JCS_RGB;
  }
}

/// The lines of `source`, and the columns to decode so that its columns are the same as in a full decode.
/// libjpeg-turbo starts at a whole MCU and treats the edges of the decoded part as edges of the
/// image:
/// - upsampling with interpolation (jdsample.c) reads one chroma sample on each side; it is used
///   only if there are more than two samples (`smallest`);
/// - smoothing between the blocks of incomplete progressive files (jdcoefct.c) reads two blocks on
///   each side, but also has the blocks on the right.
PixelRect area_of(const ImageInfo& info, const PixelRect& source, std::uint32_t reduce) {
  const std::uint32_t most = info.layout.get<JpegLayout>().most_across();
  const std::uint32_t mcu = dct / reduce * (info.channels == 1 ? 1 : most);
  const std::uint32_t left = 1 + (info.progressive ? 2 * mcu : 0), smallest = 2 * most + 1;
  const std::uint32_t end =
      std::min((info.width + reduce - 1) / reduce, source.x + source.width + smallest);
  const std::uint32_t start =
      std::min(source.x - std::min(source.x, left), end - std::min(end, smallest));
  const std::uint32_t first = start / mcu * mcu;
  return {first, source.y, end - first, source.height};
}

std::size_t line_bytes(std::uint32_t width, std::size_t bytes_a_pixel) {
  return static_cast<std::size_t>(
      round_up(off_alignment + width * bytes_a_pixel + overrun, Arena::alignment));
}

Session& session(j_common_ptr jpeg) { return *static_cast<Session*>(jpeg->client_data); }
Session& session(j_decompress_ptr jpeg) { return *static_cast<Session*>(jpeg->client_data); }

[[noreturn]] void leave(Session& s, FaultKind kind, const char* reason) {
  s.kind = kind;
  std::snprintf(s.reason, sizeof s.reason, "%s", reason);
  std::longjmp(s.escape, 1);
}
[[noreturn]] void leave_with_message(Session& s, FaultKind kind) {
  char text[JMSG_LENGTH_MAX];
  s.errors.format_message(reinterpret_cast<j_common_ptr>(&s.jpeg), text);
  // The fault kind already states this.
  constexpr std::string_view prefix = "Corrupt JPEG data: ";
  leave(s, kind, text + (std::string_view(text).starts_with(prefix) ? prefix.size() : 0));
}

FaultKind kind_of_error(const Session& s) {
  switch (s.errors.msg_code) {
    case JERR_OUT_OF_MEMORY:
    case JERR_NO_BACKING_STORE: return FaultKind::memory;
    case JERR_ARITH_NOTIMPL:
    case JERR_CCIR601_NOTIMPL:
    case JERR_CONVERSION_NOTIMPL:
    case JERR_FRACT_SAMPLE_NOTIMPL:
    case JERR_NOT_COMPILED:
    case JERR_NOTIMPL:
    case JERR_SOF_UNSUPPORTED: return FaultKind::unsupported;
    default: return s.exhausted ? FaultKind::truncated : FaultKind::corrupt;
  }
}

/// Whether the warning has no effect on the pixels. Extra bytes are harmless before the first scan.
/// After a scan they are left over from its blocks, and are the only sign of a bad code on the fast
/// Huffman path. An encoder may leave the rest of a word.
bool is_harmless(const Session& s) {
  constexpr int most_padding = 7;
  const int warning = s.errors.msg_code;
  if (warning == JWRN_EXTRANEOUS_DATA)
    return s.jpeg.input_scan_number == 0 || s.errors.msg_parm.i[0] <= most_padding;
  return warning == JWRN_JFIF_MAJOR || warning == JWRN_ADOBE_XFORM;
}

[[noreturn]] void on_error(j_common_ptr jpeg) {
  Session& s = session(jpeg);
  leave_with_message(s, kind_of_error(s));
}

void on_message(j_common_ptr jpeg, int level) {
  Session& s = session(jpeg);
  if (level >= 0 || is_harmless(s)) return;
  if (s.job->strict) leave_with_message(s, s.exhausted ? FaultKind::truncated : FaultKind::corrupt);
  s.damaged = true;
}

void on_progress(j_common_ptr jpeg) {
  Session& s = session(jpeg);
  if (s.job->cancelled.load(std::memory_order_relaxed)) {
    s.cancelled = true;
    leave(s, FaultKind::io, "cancelled");
  }
  if (static_cast<std::int64_t>(s.jpeg.input_scan_number) >
      std::int64_t{s.job->limits.max_scans} + 1) {
    leave(s, FaultKind::limit, "more scans than `max_scans`");
  }
}

boolean on_exhausted(j_decompress_ptr jpeg) {
  static constexpr JOCTET end_marker[] = {0xff, JPEG_EOI};
  Session& s = session(jpeg);
  s.exhausted = true;
  WARNMS(jpeg, JWRN_JPEG_EOF);
  s.source.next_input_byte = end_marker;
  s.source.bytes_in_buffer = sizeof end_marker;
  return TRUE;
}

boolean on_end_of_piece(j_decompress_ptr jpeg) {
  Session& s = session(jpeg);
  const auto piece = s.pieces->next();
  if (piece.empty()) leave(s, FaultKind::corrupt, "the part ends early");
  s.source.next_input_byte = reinterpret_cast<const JOCTET*>(piece.data());
  s.source.bytes_in_buffer = piece.size();
  return TRUE;
}

void skip_source(j_decompress_ptr jpeg, long count) {
  auto& source = session(jpeg).source;
  const std::size_t step =
      count <= 0 ? 0 : std::min(static_cast<std::size_t>(count), source.bytes_in_buffer);
  source.next_input_byte += step;
  source.bytes_in_buffer -= step;
}

void begin(Session& s, const DecodeJob& job) {
  s.job = &job;
  s.kind = FaultKind::corrupt;
  s.exhausted = s.damaged = s.cancelled = false;
  s.reason[0] = 0;
  s.source.bytes_in_buffer = job.encoded.size();
  s.jpeg.err = jpeg_std_error(&s.errors);
  s.jpeg.client_data = &s;
  s.errors.error_exit = on_error;
  s.errors.emit_message = on_message;
}

void create(Session& s) {
  if (!s.created) {
    jpeg_create_decompress(&s.jpeg);
    s.start.find_objects(s.jpeg);
    s.pristine = s.jpeg;
    s.created = true;
  }
  s.jpeg = s.pristine;
  s.memory.attach(s.jpeg, s.job->arena);
}

// Files of several scans are decoded to their end before the first line is output.
void expect_end(Session& s) {
  const Bytes file(s.job->encoded);
  const auto rest = s.exhausted ? 0 : s.source.bytes_in_buffer;
  if (jpeg_reaches_end(file.part(file.size() - rest, rest),
                       static_cast<std::uint8_t>(s.jpeg.unread_marker)))
    return;
  s.exhausted = true;
  WARNMS(&s.jpeg, JWRN_JPEG_EOF);
}

/// Skips unused lines and checks `cancelled` before each step. All steps but the last end with a row
/// of MCUs. libjpeg-turbo loses a row if a skip starts within a row of MCUs that was skipped.
void skip_lines(Session& s, std::uint32_t end) {
  const std::uint32_t step =
      std::max(2 * mcu_heights, skipped_pixels / s.jpeg.output_width / mcu_heights * mcu_heights);
  while (s.jpeg.output_scanline < end) {
    on_progress(reinterpret_cast<j_common_ptr>(&s.jpeg));
    jpeg_skip_scanlines(&s.jpeg, std::min(step, end - s.jpeg.output_scanline));
  }
}

void read_lines(Session& s) {
  const DecodeJob& job = *s.job;
  auto& jpeg = s.jpeg;
  const auto area = area_of(job.info, job.source, job.reduce);
  JDIMENSION x = area.x, width = area.width;
  jpeg_crop_scanline(&jpeg, &x, &width);
  if (x != area.x || width != area.width)
    leave(s, FaultKind::corrupt, "libjpeg crops other columns than weir");
  skip_lines(s, job.source.y);

  const bool cmyk = jpeg.num_components == 4;
  std::array<JSAMPROW, lines_at_once> lines;
  const std::size_t stride = line_bytes(width, cmyk ? 4 : pixel_bytes(job.native));
  for (std::size_t i = 0; i < lines.size(); ++i) lines[i] = job.spare + i * stride + off_alignment;
  std::uint8_t* const rgb = job.spare + lines.size() * stride;
  const std::uint32_t end = job.source.y + job.source.height, left = job.source.x - x;
  // At the end of the data, arithmetic decoding continues with zeros and produces blocks. Huffman
  // decoding does not.
  const bool invents = jpeg.arith_code != FALSE && jpeg_has_multiple_scans(&jpeg) == FALSE;
  const bool copies = !cmyk && job.sink.copies_lines();
  while (jpeg.output_scanline < end) {
    if (invents && s.exhausted) leave(s, FaultKind::truncated, "arithmetic-coded data ends early");
    const std::uint32_t wanted = std::min<std::uint32_t>(lines.size(), end - jpeg.output_scanline);
    const std::uint32_t got = jpeg_read_scanlines(&jpeg, lines.data(), wanted);
    if (copies) {
      job.sink.copy(std::span(lines).first(got), std::size_t{left} * pixel_bytes(job.native));
      continue;
    }
    for (std::uint32_t i = 0; i < got; ++i) {
      if (cmyk)
        cmyk_to_rgb(lines[i] + std::size_t{left} * 4, jpeg.saw_Adobe_marker != FALSE, rgb,
                    job.source.width);
      if (cmyk && job.native == PixelFormat::grey8)
        convert_pixels(rgb, PixelFormat::rgb8, rgb, job.native, job.source.width);
      job.sink.put(cmyk ? rgb : lines[i] + std::size_t{left} * pixel_bytes(job.native));
    }
  }
}

/// Reads the header and prepares to decode.
void prepare(Session& s) {
  const DecodeJob& job = *s.job;
  auto& jpeg = s.jpeg;
  const auto colours = job.info.channels == 4 ? JCS_CMYK : colour_space_of(job.native);
  const auto layout = job.info.layout.get<JpegLayout>();
  // A file of several scans is decoded to its end in jpeg_start_decompress().
  const bool follows =
      s.pieces == nullptr && !layout.several_scans && layout.scan <= job.encoded.size();
  const JpegStart::Of of{job.encoded.first(follows ? layout.scan : 0), colours, job.reduce};
  if (follows && s.start.restore(of, jpeg, job.arena)) {
    s.source.next_input_byte += of.header.size();
    s.source.bytes_in_buffer -= of.header.size();
    return;
  }
  jpeg_read_header(&jpeg, TRUE);
  if (jpeg.image_width != job.info.width || jpeg.image_height != job.info.height ||
      jpeg.num_components != job.info.channels) {
    leave(s, FaultKind::corrupt, "libjpeg reads another header than weir");
  }
  jpeg.out_color_space = colours;
  jpeg.scale_num = dct / job.reduce;
  jpeg.scale_denom = dct;
  jpeg_start_decompress(&jpeg);
  if (follows && !s.damaged && s.offset() == of.header.size()) s.start.keep(of, jpeg, job.arena);
}

void read_image(Session& s) {
  const DecodeJob& job = *s.job;
  auto& jpeg = s.jpeg;
  create(s);
  s.source = {reinterpret_cast<const JOCTET*>(job.encoded.data()),
              job.encoded.size(),
              [](j_decompress_ptr) {},
              on_exhausted,
              skip_source,
              jpeg_resync_to_restart,
              [](j_decompress_ptr) {}};
  if (s.pieces != nullptr) {
    s.source.bytes_in_buffer = 0;
    s.source.fill_input_buffer = on_end_of_piece;
  }
  s.progress.progress_monitor = on_progress;
  jpeg.src = &s.source;
  jpeg.progress = &s.progress;

  prepare(s);
  read_lines(s);
  if (jpeg.output_scanline == jpeg.output_height)
    jpeg_finish_decompress(&jpeg);
  else if (s.pieces == nullptr && jpeg_input_complete(&jpeg) == FALSE)
    expect_end(s);
}

/// Whether lenient mode can use the lines before the failure.
bool is_damage(const Session& s) {
  return s.kind == FaultKind::corrupt || s.kind == FaultKind::truncated;
}

/// After a failed decode: the number of bytes before the marker that failed, if at least one scan
/// comes before it. 0 if there is no such marker or if lines were output.
std::size_t bytes_of_whole_scans(const Session& s) {
  if (!is_damage(s) || s.jpeg.output_scanline > 0 || s.jpeg.input_scan_number == 0) return 0;
  const int failed = s.jpeg.unread_marker == 0 ? start_of_scan : s.jpeg.unread_marker;
  const auto file = s.job->encoded;
  for (auto at = static_cast<std::size_t>(s.offset()); at-- > 1;)
    if (file[at - 1] == std::byte{0xff} && std::to_integer<int>(file[at]) == failed) return at - 1;
  return 0;
}

// Separate from read_image, so that no local variable is live across setjmp.
bool succeeds(Session& s) {
  if (setjmp(s.escape) != 0) return false;
  read_image(s);
  return true;
}

// With factors of 4, it computes a wrong width for a reduced component (libjpeg-turbo issue 669).
bool jpeg_reduces(const ImageInfo& info) noexcept {
  const auto layout = info.layout.get<JpegLayout>();
  return layout.most_across() <= 2 && layout.most_down() <= 2;
}

CanvasNeed jpeg_need(const ImageInfo& info, const PixelRect& source, std::uint32_t reduce,
                     PixelFormat pixels) noexcept {
  const PixelFormat native = jpeg_native(info, pixels);
  const bool cmyk = info.channels == 4;
  const auto area = area_of(info, source, reduce);
  const std::uint64_t spare =
      lines_at_once * line_bytes(area.width, cmyk ? 4 : pixel_bytes(native));
  return {
      .area = area,
      .streams = true,
      .native = native,
      .spare_bytes = spare + (cmyk ? line_bytes(source.width, pixel_bytes(PixelFormat::rgb8)) : 0),
      .arena_bytes = jpeg_arena_bytes(info) + round_up(jpeg_list_bytes(info), Arena::alignment)};
}

Result<RowStatus> decode_once(Session& s, const DecodeJob& job) {
  begin(s, job);
  s.jpeg.output_scanline = 0;
  const bool complete = succeeds(s);
  const bool has_pixels = s.jpeg.output_scanline > 0;
  // Frees the memory of a failed jpeg_create_decompress(). That call sets `mem` to null first.
  if (!s.created) jpeg_destroy_decompress(&s.jpeg);
  if (complete) return s.damaged ? RowStatus::damaged : RowStatus::ok;
  if (!job.strict && has_pixels && is_damage(s)) return RowStatus::damaged;
  return Defect{s.kind, Stage::decode, s.reason, s.offset()};
}

/// Decodes only the segments that the window needs. False if there is no such part, or if anything
/// in it is unusual. Then nothing has happened, and the whole file must be judged.
bool decode_part(Session& s, const DecodeJob& job) {
  const auto part = jpeg_part(job.info, area_of(job.info, job.source, job.reduce), job.reduce);
  if (!part) return false;
  const std::size_t offsets = part->offsets();
  auto* const list = static_cast<std::uint32_t*>(job.arena.take(offsets * sizeof(std::uint32_t)));
  auto pieces = JpegPieces::find(Bytes(job.encoded), *part, {list, offsets});
  bool decoded = false;
  if (pieces) {
    auto inner = job;
    inner.info = part->info;
    inner.source.x -= part->left;
    inner.source.y -= part->top;
    inner.strict = true;
    s.pieces = &*pieces;
    decoded = static_cast<bool>(decode_once(s, inner));
    s.pieces = nullptr;
    if (!decoded) job.sink.restart();
  }
  if (!decoded) job.arena.clear();
  return decoded;
}

Result<RowStatus> decode_jpeg(const DecodeJob& job) {
  auto& s = *static_cast<Session*>(job.kept);
  if (decode_part(s, job)) return RowStatus::ok;
  auto status = decode_once(s, job);
  const auto whole_scans = job.strict || status ? 0 : bytes_of_whole_scans(s);
  if (whole_scans == 0) return status;
  // libjpeg has output nothing. The failure is a table or a header between the scans of a file that
  // is decoded to its end before the first line. The scans before the failure are a complete image.
  auto rest = job;
  rest.encoded = job.encoded.first(whole_scans);
  rest.arena.clear();
  const auto salvaged = decode_once(s, rest);
  return salvaged ? salvaged : status;
}

}  // namespace

constinit const Format jpeg_format{
    "jpeg",
    "\xff\xd8",
    read_jpeg_header,
    jpeg_need,
    decode_jpeg,
    [](const ImageInfo&, PixelFormat pixels) noexcept {
      return is_stored(pixels) ? "JPEG is lossy, so it has no stored values; use PNG, or grey8"
                               : static_cast<const char*>(nullptr);
    },
    jpeg_reduces,
    [] { return std::shared_ptr<void>(std::make_shared<Session>()); }};

}  // namespace weir::codec
