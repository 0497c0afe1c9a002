#include <pthread.h>

#include <webp/encode.h>

#include <algorithm>
#include <atomic>
#include <ctime>
#include <thread>

#include "base/random.hpp"
#include "encoders.hpp"
#include "support/attempts.hpp"
#include "support/catch.hpp"
#include "support/sanitized.hpp"

namespace weir::codec::test {
namespace {

using weir::test::sanitized;

double cpu_seconds(clockid_t clock) {
  std::timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// Lossless, with libwebp's smallest effort: the default takes many seconds.
Encoded encode_quickly(const Raster& raster) {
  WebPConfig config;
  WebPPicture picture;
  WebPMemoryWriter writer;
  WebPConfigInit(&config);
  WebPPictureInit(&picture);
  WebPMemoryWriterInit(&writer);
  config.lossless = 1;
  config.method = 0;
  config.quality = 0;
  picture.use_argb = 1;
  picture.width = static_cast<int>(raster.width);
  picture.height = static_cast<int>(raster.height);
  picture.writer = WebPMemoryWrite;
  picture.custom_ptr = &writer;
  WebPPictureImportRGB(&picture, raster.values.data(), picture.width * 3);
  WebPEncode(&config, &picture);
  WebPPictureFree(&picture);
  Encoded encoded = to_bytes({writer.mem, writer.size});
  WebPMemoryWriterClear(&writer);
  return encoded;
}

struct Cancelled {
  bool in_time = false;  ///< before the end of the decode
  double whole_s = 0;    ///< CPU time of the decode
};

/// Decodes on a separate thread, and cancels when that thread has used `at_s` of CPU time. So
/// wall-clock time on a busy machine has no effect.
Cancelled decode_and_cancel(const DecoderOptions& options, const Encoded& encoded, double at_s) {
  Decoder decoder(options);
  const auto info = decoder.probe(encoded);
  if (!info) throw std::runtime_error(info.defect().reason);
  const auto plan = plan_row(decoder, *info, 0);
  const Scratch scratch(plan.memory.scratch);
  Pixels row(image_bytes(options.fit.out, PixelFormat::rgb8));
  std::atomic<bool> cancelled{false}, begun{false}, ended{false};
  double whole_s = 0;
  bool refused = false;
  std::thread thread([&] {
    begun = true;
    refused = !decoder.decode(encoded, plan, scratch, cancelled, row);
    whole_s = cpu_seconds(CLOCK_THREAD_CPUTIME_ID);
    ended = true;
  });
  clockid_t clock{};
  ::pthread_getcpuclockid(thread.native_handle(), &clock);
  while (!begun) std::this_thread::yield();
  while (!ended && cpu_seconds(clock) < at_s) continue;
  cancelled = true;
  thread.join();
  return {refused, whole_s};
}

void check_ends_soon(const char* name, const Encoded& encoded, const DecoderOptions& options) {
  constexpr double most_left = 0.6;
  CAPTURE(name);
  // The minimum of several: a disturbed first decode would place the cancel after the end of the others.
  double whole_s = 1e9;
  for (int i = 0; i < 4; ++i) {
    whole_s = std::min(whole_s, decode_and_cancel(options, encoded, 1e9).whole_s);
  }
  for (const double share : {0.02, 0.35, 0.7}) {
    CAPTURE(share, whole_s);
    bool in_time = false;
    // On a busy machine most cancels come late, or after the end of a decode.
    const bool soon = weir::test::in_one_of(300, [&] {
      const auto seen = decode_and_cancel(options, encoded, share * whole_s);
      in_time = in_time || seen.in_time;
      return seen.in_time &&
             (sanitized || seen.whole_s < (share + most_left * (1 - share)) * whole_s);
    });
    CHECK(in_time);
    CHECK(soon);
  }
}

}  // namespace

TEST_CASE("a decode in progress ends early when it is cancelled", "[R8]") {
  constexpr std::uint32_t part = sanitized ? 3 : 1;
  const Raster image = pattern(2100 / part, 1400 / part);
  const auto& values = image.values;
  DecoderOptions smooth{.fit = {.fit = Fit::stretch}};
  smooth.filter = Filter::antialiased;
  const auto png = [&](bool interlaced) {
    return encode_png(image.width, image.height, values, {.interlaced = interlaced});
  };
  check_ends_soon("JPEG", encode_jpeg(image), smooth);
  check_ends_soon("progressive JPEG", encode_jpeg(image, {.progressive = true}), smooth);
  check_ends_soon("PNG", png(false), smooth);
  check_ends_soon("interlaced PNG", png(true), smooth);
  check_ends_soon("lossy WebP", encode_webp(image, 50.F), smooth);
  // Noise takes a lossless decoder long.
  Raster noise = pattern(2400 / part, 1200 / part);
  RandomStream random(3);
  for (auto& value : noise.values) value = static_cast<std::uint8_t>(random.below(256));
  check_ends_soon("lossless WebP", encode_quickly(noise), smooth);
}

}  // namespace weir::codec::test
