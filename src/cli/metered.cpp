#include "cli/metered.hpp"

#include <ctime>
#include <utility>

namespace weir::cli {
namespace {

std::int64_t thread_cpu_ns() noexcept {
  std::timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return std::int64_t{used.tv_sec} * 1'000'000'000 + used.tv_nsec;
}

struct Metered {
  AnySource source;
  std::shared_ptr<ReadMeter> meter;

  std::uint64_t size() const { return source.size(); }
  Encoded read(std::uint64_t i, ByteSink& sink) const {
    const auto before = thread_cpu_ns();
    const auto encoded = source.read(i, sink);
    meter->add(thread_cpu_ns() - before);
    return encoded;
  }
  std::string name(std::uint64_t i) const { return source.name(i); }
  std::uint64_t index_bytes() const { return source.index_bytes(); }
  std::optional<std::uint64_t> encoded_bytes(std::uint64_t i) const {
    return source.encoded_bytes(i);
  }
  std::vector<std::string> class_names() const { return source.class_names(); }
};
static_assert(Source<Metered>);

}  // namespace

double ReadMeter::mean_s() const noexcept {
  const auto reads = reads_.load();
  return reads > 0 ? static_cast<double>(cpu_ns_.load()) * 1e-9 / static_cast<double>(reads) : 0;
}

AnySource metered(AnySource source, std::shared_ptr<ReadMeter> meter) {
  return Metered{std::move(source), std::move(meter)};
}

}  // namespace weir::cli
