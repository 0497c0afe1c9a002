#include "cli/consumer.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>
#include <vector>

#include "weir/convert.hpp"

namespace weir::cli {
namespace {

template <Element T>
std::function<void(const PixelBlock&)> converting(Layout layout) {
  return [converter = Converter<T>(imagenet, layout),
          buffer = std::vector<T>()](const PixelBlock& block) mutable {
    buffer.resize(block.pixels.size());
    converter(block, std::span(buffer));
  };
}

std::function<void(const PixelBlock&)> conversion(ElementType type, Layout layout) {
  switch (type) {
    case ElementType::u8: return {};
    case ElementType::f16: return converting<float16>(layout);
    case ElementType::bf16: return converting<bfloat16>(layout);
    case ElementType::f32: return converting<float>(layout);
    case ElementType::f64:
    case ElementType::i64: break;  // no words of --dtype
  }
  return {};
}

}  // namespace

Consumer::Consumer(const Settings& settings, std::stop_token stop)
    : convert_(conversion(settings.dtype, settings.layout)),
      milliseconds_(settings.consumer_trace.empty() ? std::vector{settings.consumer_ms}
                                                    : settings.consumer_trace),
      stop_(std::move(stop)) {}

void Consumer::take(const Batch& batch) {
  if (convert_) convert_(batch.pixels());
  const auto milliseconds = milliseconds_[taken_++ % milliseconds_.size()];
  if (milliseconds <= 0) return;
  std::mutex mutex;
  std::unique_lock lock(mutex);
  std::condition_variable_any().wait_for(
      lock, stop_, std::chrono::duration<double, std::milli>(milliseconds), [] { return false; });
}

}  // namespace weir::cli
