#include "contract/stopping/scenes.hpp"

#include <array>
#include <atomic>

#include "contract/laws/fixture.hpp"
#include "support/cpu_time.hpp"
#include "unit/codec/encoders.hpp"

namespace weir::test {
namespace {

using codec::test::encode_jpeg;
using codec::test::encode_png;
using codec::test::encode_webp;
using codec::test::pattern;

Scripted::File shared(std::vector<std::byte> bytes) {
  return std::make_shared<const std::vector<std::byte>>(std::move(bytes));
}

/// Decoding it takes much longer than stopping. Under a sanitizer, fewer pixels are enough.
codec::test::Raster large() { return sanitized ? pattern(900, 700) : pattern(2400, 1800); }

Scripted::File small_jpeg() {
  static const auto file = shared(encode_jpeg(pattern(40, 30)));
  return file;
}

Scene open(const AnySource& source, const Options& options) {
  Scene scene;
  scene.loader = std::make_unique<Loader>(source, options);
  scene.stream = std::make_unique<Stream>(scene.loader->stream({.epochs = std::nullopt}));
  return scene;
}

/// Starts a consumer. Returns when it sleeps in `call`.
template <class Call>
void block_consumer(Scene& scene, Call call) {
  std::atomic<pid_t> thread{0};
  scene.consumer = std::thread([&thread, &stream = *scene.stream, call] {
    thread = this_thread();
    call(stream);
  });
  until([&] { return thread != 0; }, "the consumer's thread");
  const pid_t id = thread;
  until([&] { return asleep(id); }, "the consumer to block");
}

/// A read of a worker or of a reader is under way.
Scene reading(std::uint32_t read_ahead) {
  const auto gate = std::make_shared<Gate>();
  auto options = small_options();
  options.io.read_ahead = read_ahead;
  auto scene = open(Scripted(
                        100, [](auto) { return small_jpeg(); }, [gate](auto) { gate->pass(); }),
                    options);
  scene.gate = gate;
  gate->await(read_ahead > 0 ? static_cast<int>(read_ahead) : 1);
  return scene;
}

Options one_decoder() {
  auto options = small_options();
  options.workers = 1;
  options.fit = Fit::stretch;  // the whole image
  options.memory.max_sample_bytes = 1u << 30;
  return options;
}

struct Image {
  Scripted::File file;
  double decode_ms;  ///< the CPU time of a whole decode
};

Image measured(std::vector<std::byte> bytes) {
  auto file = shared(std::move(bytes));
  const auto begun = others_cpu_ms();
  {
    Loader loader(Scripted(1, [&file](auto) { return file; }), one_decoder());
    (void)drain(loader);
  }
  return {std::move(file), others_cpu_ms() - begun};
}

Scene decoding(const Image& image) {
  const auto begun = others_cpu_ms();
  auto scene = open(Scripted(100, [file = image.file](auto) { return file; }), one_decoder());
  scene.decode_ms = image.decode_ms;
  scene.begun_ms = begun;
  // The charge is for the decode, which begins at once and takes long.
  until([&] { return scene.loader->snapshot().memory[Account::scratch] > 0; }, "a decode");
  return scene;
}

/// The budget is the floor plus `spare`: all rows except the oldest wait.
Scene throttled(const AnySource& source, const std::shared_ptr<Gate>& gate, Options options,
                std::uint64_t spare) {
  options.workers = 2;
  options.queue.max_queue_size = 2;
  options.memory.max_sample_bytes = 1u << 20;
  options.memory.budget_bytes = resolve(options, 0).floor_bytes + spare;
  auto scene = open(source, options);
  scene.gate = gate;
  gate->await(1);
  until([&] { return scene.loader->report().queue.workers.memory_wait_s > 0; }, "a refusal");
  return scene;
}

Scene queue_full() {
  auto scene = open(synthetic(100, {24, 24}), small_options());
  scene.stream->settle();
  return scene;
}

Scene read_refused() {
  const auto gate = std::make_shared<Gate>();
  static const auto file = shared(std::vector<std::byte>(400'000, std::byte{'x'}));
  auto options = small_options();
  options.faults.policy = OnFault::blank;
  return throttled(Scripted(
                       100, [](auto) { return file; },
                       [gate](auto i) {
                         if (i == 0) gate->pass();
                       }),
                   gate, options, 0);
}

Scene decode_refused() {
  const auto gate = std::make_shared<Gate>();
  static const auto wide =
      shared(encode_png(300, 300, codec::test::Pixels(300 * 300 * 3), {.interlaced = true}));
  auto options = small_options();
  options.codecs = {std::make_shared<const GatedCodec>(gate)};
  return throttled(Scripted(100, [](auto i) { return i == 0 ? GatedCodec::file() : wide; }), gate,
                   options, 20'000);
}

Scene foreign_decode() {
  const auto gate = std::make_shared<Gate>();
  auto options = small_options();
  options.codecs = {std::make_shared<const GatedCodec>(gate)};
  auto scene = open(Scripted(100, [](auto) { return GatedCodec::file(); }), options);
  scene.gate = gate;
  gate->await(1);
  return scene;
}

Scene transforming() {
  const auto gate = std::make_shared<Gate>();
  auto options = small_options();
  options.transform.apply = [gate](DecodedSample&) { gate->pass(); };
  auto scene = open(Scripted(100, [](auto) { return small_jpeg(); }), options);
  scene.gate = gate;
  gate->await(1);
  return scene;
}

Scene progressive_jpeg() {
  static const auto image = measured(encode_jpeg(large(), {.progressive = true}));
  return decoding(image);
}
Scene interlaced_png() {
  static const auto image = [] {
    const auto pixels = large();
    return measured(encode_png(pixels.width, pixels.height, pixels.values, {.interlaced = true}));
  }();
  return decoding(image);
}
Scene webp() {
  // libwebp is fast, and no sanitizer slows it down. So the image is larger than the others.
  static const auto larger = sanitized ? pattern(2400, 1800) : pattern(3200, 2400);
  static const auto image = measured(encode_webp(larger, 60.F));
  return decoding(image);
}

Scene consumer_waits() {
  auto scene = reading(0);
  block_consumer(scene, [](Stream& stream) { (void)stream.next(); });
  return scene;
}

Scene consumer_waits_for_lease() {
  auto scene = queue_full();
  scene.held.push_back(*scene.stream->next());
  block_consumer(scene, [](Stream& stream) { (void)stream.next(std::chrono::hours(1)); });
  return scene;
}

Scene asked_for_a_lease() {
  auto scene = queue_full();
  scene.held.push_back(*scene.stream->next());
  scene.stream->async_next([](const std::exception_ptr&, const std::optional<Batch>&) {});
  scene.stream->settle();
  return scene;
}

Scene leases_out() {
  auto options = small_options();
  options.queue.max_leases = 2;
  auto scene = open(synthetic(100, {24, 24}), options);
  for (int i = 0; i < 2; ++i) scene.held.push_back(*scene.stream->next());
  scene.stream->settle();
  return scene;
}

Scene fault_untold() {
  auto scene = open(Flawed(100, 8), small_options());
  until([&] { return scene.loader->report().fault_count > 0; }, "the fault");
  scene.stream->settle();
  return scene;
}

Scene at_the_end() {
  Scene scene;
  scene.loader = std::make_unique<Loader>(synthetic(10, {24, 24}), small_options());
  scene.stream = std::make_unique<Stream>(scene.loader->stream());
  while (scene.stream->next()) {
  }
  return scene;
}

}  // namespace

const std::vector<NamedScene>& scenes() {
  static const std::vector<NamedScene> all{
      {"queue full", queue_full},
      {"in a read", [] { return reading(0); }},
      {"in reads ahead", [] { return reading(3); }},
      {"read refused its bytes", read_refused},
      {"decoding a progressive JPEG", progressive_jpeg},
      {"decoding an interlaced PNG", interlaced_png},
      {"decoding a WebP", webp},
      {"in a foreign codec", foreign_decode},
      {"in a transform", transforming},
      {"decode refused its bytes", decode_refused},
      {"consumer in next()", consumer_waits},
      {"consumer waits for a lease", consumer_waits_for_lease},
      {"asked by async_next(), with every lease out", asked_for_a_lease},
      {"leases out", leases_out},
      {"a fault under stop, untold", fault_untold},
      {"after the end", at_the_end},
  };
  return all;
}

}  // namespace weir::test
