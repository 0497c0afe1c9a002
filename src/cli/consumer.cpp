#include "cli/consumer.hpp"

#include <chrono>
#include <utility>

#include "base/pause.hpp"
#include "weir/convert.hpp"

namespace weir::cli {
namespace {

template <Element T>
std::function<void(const Batch&)> converting(Layout layout, bool ragged) {
  return [converter = Converter<T>(imagenet, layout), buffer = std::vector<T>(),
          ragged](const Batch& batch) mutable {
    buffer.resize(batch.pixel_bytes().size());
    if (!ragged) return converter(batch.pixels(), std::span(buffer));
    for (std::uint32_t i = 0; i < batch.size(); ++i) {
      const auto image = batch.image(i);
      converter(image, std::span(buffer).subspan(static_cast<std::size_t>(batch.offsets()[i]),
                                                 static_cast<std::size_t>(image.shape.values())));
    }
  };
}

std::function<void(const Batch&)> conversion(ElementType type, Layout layout, bool ragged) {
  switch (type) {
    case ElementType::u8: return {};
    case ElementType::f16: return converting<float16>(layout, ragged);
    case ElementType::bf16: return converting<bfloat16>(layout, ragged);
    case ElementType::f32: return converting<float>(layout, ragged);
    case ElementType::f64:
    case ElementType::i64: break;  // --dtype does not offer these
  }
  return {};
}

}  // namespace

Consumer::Consumer(const Settings& settings, std::stop_token stop)
    : convert_(conversion(settings.dtype, settings.layout,
                          settings.options.sizes.mode == Sizes::ragged)),
      milliseconds_(settings.consumer_trace.empty() ? std::vector{settings.consumer_ms}
                                                    : settings.consumer_trace),
      stop_(std::move(stop)) {}

void Consumer::take(const Batch& batch) {
  if (convert_) convert_(batch);
  const auto milliseconds = milliseconds_[taken_++ % milliseconds_.size()];
  if (milliseconds > 0)
    pause(stop_, std::chrono::duration_cast<Clock::duration>(
                     std::chrono::duration<double, std::milli>(milliseconds)));
}

}  // namespace weir::cli
