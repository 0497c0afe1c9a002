#include "codec/jpeg_decoder.hpp"

#include <csetjmp>
#include <cstdio>

#include <jerror.h>
#include <jpeglib.h>

#include "codec/cmyk.hpp"
#include "codec/headers.hpp"
#include "codec/jpeg_memory.hpp"

namespace weir::codec {

/// Everything libjpeg's callbacks reach; alive outside of the frames that longjmp leaves. The
/// struct is created once and each image starts from a copy of what it was then:
/// jpeg_abort_decompress() would keep the tables of the image before, and a file without its own
/// would then decode by what the worker happened to see earlier.
struct JpegDecoder::Session {
  jpeg_decompress_struct jpeg, pristine;
  bool created;
  JpegMemory memory;
  jpeg_error_mgr errors;
  jpeg_source_mgr source;
  jpeg_progress_mgr progress;
  std::jmp_buf escape;
  const DecodeJob* job;
  FaultKind kind;
  bool exhausted;
  bool damaged;
  bool cancelled;
  char reason[JMSG_LENGTH_MAX];

  std::uint64_t offset() const {
    return exhausted ? job->encoded.size() : job->encoded.size() - source.bytes_in_buffer;
  }
};

namespace {

using Session = JpegDecoder::Session;

Session& session(j_common_ptr jpeg) { return *static_cast<Session*>(jpeg->client_data); }
Session& session(j_decompress_ptr jpeg) { return *static_cast<Session*>(jpeg->client_data); }

[[noreturn]] void leave(Session& s, FaultKind kind, const char* reason) {
  s.kind = kind;
  std::snprintf(s.reason, sizeof s.reason, "%s", reason);
  std::longjmp(s.escape, 1);
}
[[noreturn]] void leave_with_message(Session& s, FaultKind kind) {
  s.kind = kind;
  s.errors.format_message(reinterpret_cast<j_common_ptr>(&s.jpeg), s.reason);
  std::longjmp(s.escape, 1);
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

// These say nothing about the pixels.
bool is_harmless(int warning) {
  return warning == JWRN_EXTRANEOUS_DATA || warning == JWRN_JFIF_MAJOR ||
         warning == JWRN_ADOBE_XFORM;
}

[[noreturn]] void on_error(j_common_ptr jpeg) {
  Session& s = session(jpeg);
  leave_with_message(s, kind_of_error(s));
}

void on_message(j_common_ptr jpeg, int level) {
  Session& s = session(jpeg);
  if (level >= 0 || is_harmless(s.errors.msg_code)) return;
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
    leave(s, FaultKind::limit, "more scans than the limit");
  }
}

void start_source(j_decompress_ptr) {}
void stop_source(j_decompress_ptr) {}

boolean on_exhausted(j_decompress_ptr jpeg) {
  static constexpr JOCTET end_of_image[] = {0xff, JPEG_EOI};
  Session& s = session(jpeg);
  s.exhausted = true;
  WARNMS(jpeg, JWRN_JPEG_EOF);
  s.source.next_input_byte = end_of_image;
  s.source.bytes_in_buffer = sizeof end_of_image;
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
    s.pristine = s.jpeg;
    s.created = true;
  }
  s.jpeg = s.pristine;
  s.memory.attach(s.jpeg, s.job->arena);
}

void read_image(Session& s) {
  const DecodeJob& job = *s.job;
  auto& jpeg = s.jpeg;
  create(s);
  s.source = {reinterpret_cast<const JOCTET*>(job.encoded.data()),
              job.encoded.size(),
              start_source,
              on_exhausted,
              skip_source,
              jpeg_resync_to_restart,
              stop_source};
  s.progress.progress_monitor = on_progress;
  jpeg.src = &s.source;
  jpeg.progress = &s.progress;

  jpeg_read_header(&jpeg, TRUE);
  if (jpeg.image_width != job.info.width || jpeg.image_height != job.info.height ||
      jpeg.num_components != job.info.channels) {
    leave(s, FaultKind::corrupt, "libjpeg reads another header than weir");
  }
  const bool cmyk = jpeg.num_components == 4;
  jpeg.out_color_space = cmyk ? JCS_CMYK : JCS_RGB;
  jpeg_start_decompress(&jpeg);
  while (jpeg.output_scanline < jpeg.output_height) {
    const std::uint32_t y = jpeg.output_scanline;
    const bool wanted = job.canvas.holds_row(y);
    JSAMPROW line = wanted && !cmyk ? job.canvas.row(y) : job.spare;
    jpeg_read_scanlines(&jpeg, &line, 1);
    if (wanted && cmyk) {
      cmyk_to_rgb(job.spare, jpeg.saw_Adobe_marker != FALSE, job.canvas.row(y), job.info.width);
    }
    on_progress(reinterpret_cast<j_common_ptr>(&jpeg));
  }
  jpeg_finish_decompress(&jpeg);
}

// Apart from read_image, so that no local lives across setjmp.
bool succeeds(Session& s) {
  if (setjmp(s.escape) != 0) return false;
  read_image(s);
  return true;
}

}  // namespace

CanvasNeed jpeg_canvas(const ImageInfo& info, const Rect& source) noexcept {
  const bool cmyk = info.channels == 4, all_rows = source.height == info.height;
  return {.area = {0, source.y, info.width, source.height},
          .spare_bytes = cmyk       ? std::uint64_t{info.width} * 4
                         : all_rows ? 0
                                    : std::uint64_t{info.width} * pixel_bytes,
          .arena_bytes = jpeg_arena_bytes(info)};
}

JpegDecoder::JpegDecoder() : session_(std::make_unique<Session>()) {}
JpegDecoder::JpegDecoder(JpegDecoder&&) noexcept = default;

JpegDecoder::~JpegDecoder() {
  if (!session_ || !session_->created) return;
  session_->jpeg = session_->pristine;
  jpeg_destroy_decompress(&session_->jpeg);
}

Result<RowStatus> JpegDecoder::decode(const DecodeJob& job) {
  Session& s = *session_;
  begin(s, job);
  s.jpeg.output_scanline = 0;
  const bool complete = succeeds(s);
  const bool has_pixels = s.jpeg.output_scanline > 0;
  if (complete) return s.damaged ? RowStatus::damaged : RowStatus::ok;
  const bool deliverable = s.kind == FaultKind::corrupt || s.kind == FaultKind::truncated;
  if (!job.strict && has_pixels && deliverable) return RowStatus::damaged;
  return Defect{s.kind, Stage::decode, s.reason, s.offset()};
}

}  // namespace weir::codec
