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
      : convert_(settings.options.decode == Decode::none
                     ? std::function<void(const Batch&)>()
                     : conversion(settings.dtype, settings.layout,
                                  settings.options.sizes.mode == Sizes::ragged)),
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
  static std::function<void(const Batch&)> converting(Layout layout, bool ragged) {
    return [converter = Converter<T>(imagenet, layout), buffer = std::vector<T>(),
            ragged](const Batch& batch) mutable {
      buffer.resize(batch.pixel_bytes().size());
      if (!ragged) return converter(batch.pixels(), std::span(buffer));
      for (std::uint32_t i = 0; i < batch.size(); ++i) {
        const auto image = batch.image(i);
        const auto first = batch.offsets()[i] / value_bytes(image.format);
        converter(image, std::span(buffer).subspan(static_cast<std::size_t>(first),
                                                   static_cast<std::size_t>(image.values())));
      }
    };
  }

  static std::function<void(const Batch&)> conversion(ElementType type, Layout layout,
                                                      bool ragged) {
    if (type == ElementType::f16) return converting<float16>(layout, ragged);
    if (type == ElementType::bf16) return converting<bfloat16>(layout, ragged);
    if (type == ElementType::f32) return converting<float>(layout, ragged);
    return {};
  }

  std::function<void(const Batch&)> convert_;  ///< empty: no conversion, pixels stay uint8
  const std::vector<double> milliseconds_;     ///< one value for each batch; repeats
  std::size_t taken_ = 0;
  std::stop_token stop_;
};

}  // namespace weir::cli
