#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <stop_token>
#include <utility>
#include <vector>

#include "base/pause.hpp"
#include "cli/settings.hpp"
#include "weir/batch.hpp"
#include "weir/convert.hpp"

namespace weir::cli {

/// Simulates a trainer. It converts each batch to the type of --dtype in separate memory, and spends
/// the time of --consumer-ms or --consumer-trace on it. One thread.
class Consumer {
 public:
  Consumer(const Settings& settings, std::stop_token stop)
      : convert_(settings.options.decode == Decode::none ? std::function<void(const Batch&)>()
                                                         : conversion(settings)),
        milliseconds_(settings.consumer_trace.empty() ? std::vector{settings.consumer_ms}
                                                      : settings.consumer_trace),
        stop_(std::move(stop)) {}

  /// Returns early when the token requests a stop.
  void take(const Batch& batch) {
    if (convert_) convert_(batch);
    const auto milliseconds = milliseconds_[taken_++ % milliseconds_.size()];
    if (milliseconds > 0)
      pause(stop_, std::chrono::duration_cast<Clock::duration>(
                       std::chrono::duration<double, std::milli>(milliseconds)));
  }

 private:
  template <Element T>
  static std::function<void(const Batch&)> converting(const Settings& settings) {
    const auto format = settings.options.pixels;
    const Normalize normalize = channels_of(format) == 1 ? Normalize{} : imagenet;
    return [converter = Converter<T>(normalize, settings.layout), buffer = std::vector<T>(), format,
            ragged = settings.options.sizes.mode == Sizes::ragged](const Batch& batch) mutable {
      buffer.resize(batch.pixel_bytes().size() / value_bytes(format));
      if (!ragged) return converter(batch.pixels(), std::span(buffer));
      for (std::uint32_t i = 0; i < batch.size(); ++i) {
        const auto image = batch.image(i);
        const auto first = batch.offsets()[i] / value_bytes(format);
        converter(image, std::span(buffer).subspan(static_cast<std::size_t>(first),
                                                   static_cast<std::size_t>(image.values())));
      }
    };
  }

  static std::function<void(const Batch&)> conversion(const Settings& settings) {
    if (is_stored(settings.options.pixels)) return {};
    if (settings.dtype == ElementType::f16) return converting<float16>(settings);
    if (settings.dtype == ElementType::bf16) return converting<bfloat16>(settings);
    if (settings.dtype == ElementType::f32) return converting<float>(settings);
    return {};
  }

  std::function<void(const Batch&)> convert_;  ///< empty: no conversion, pixels stay integers
  const std::vector<double> milliseconds_;     ///< one value for each batch; repeats
  std::size_t taken_ = 0;
  std::stop_token stop_;
};

}  // namespace weir::cli
