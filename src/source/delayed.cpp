#include "source/delayed.hpp"

#include <chrono>
#include <thread>
#include <utility>

namespace weir::source {
namespace {

using Delay = std::chrono::duration<double, std::milli>;

class SlowSink final : public ByteSink {
 public:
  SlowSink(ByteSink& inner, Delay delay) noexcept : inner_(inner), delay_(delay) {}
  std::span<std::byte> take(std::size_t bytes) override {
    const auto memory = inner_.take(bytes);
    wait();
    return memory;
  }
  void wait() {
    if (!waited_) std::this_thread::sleep_for(delay_);
    waited_ = true;
  }

 private:
  ByteSink& inner_;
  Delay delay_;
  bool waited_ = false;
};

class Delayed {
 public:
  Delayed(AnySource source, Delay delay) : source_(std::move(source)), delay_(delay) {}

  std::uint64_t size() const { return source_.size(); }
  Encoded read(std::uint64_t i, ByteSink& sink) const {
    SlowSink slow(sink, delay_);
    const auto encoded = source_.read(i, slow);
    slow.wait();  // a source that owns its bytes takes none
    return encoded;
  }
  std::string name(std::uint64_t i) const { return source_.name(i); }
  std::uint64_t index_bytes() const { return source_.index_bytes(); }
  std::optional<std::uint64_t> encoded_bytes(std::uint64_t i) const {
    return source_.encoded_bytes(i);
  }
  std::vector<std::string> class_names() const { return source_.class_names(); }

 private:
  AnySource source_;
  Delay delay_;
};
static_assert(Source<Delayed>);

}  // namespace

AnySource delayed(AnySource source, double milliseconds) {
  return Delayed(std::move(source), Delay(milliseconds));
}

}  // namespace weir::source
