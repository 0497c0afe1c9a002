#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "source/name_table.hpp"
#include "weir/source.hpp"

namespace weir::source {
namespace {

class InMemory {
 public:
  InMemory(std::vector<MemorySample> samples, std::vector<std::string> class_names)
      : samples_(std::move(samples)), class_names_(std::move(class_names)) {}

  std::uint64_t size() const noexcept { return samples_.size(); }
  Encoded read(std::uint64_t i, ByteSink&) const { return {samples_[i].bytes, samples_[i].label}; }
  std::string name(std::uint64_t i) const { return samples_[i].name; }
  std::optional<std::uint64_t> encoded_bytes(std::uint64_t i) const {
    return samples_[i].bytes.size();
  }
  std::int64_t label(std::uint64_t i) const noexcept { return samples_[i].label; }
  std::vector<std::string> class_names() const { return class_names_; }
  std::optional<std::uint64_t> annotation_bytes() const noexcept { return 0; }
  std::uint64_t index_bytes() const noexcept {
    auto bytes =
        sizeof(*this) + samples_.capacity() * sizeof(MemorySample) + held_bytes(class_names_);
    for (const auto& sample : samples_) bytes += held_bytes(sample.name) + sample.bytes.capacity();
    return bytes;
  }

 private:
  std::vector<MemorySample> samples_;
  std::vector<std::string> class_names_;
};
static_assert(Source<InMemory>);

}  // namespace
}  // namespace weir::source

weir::AnySource weir::in_memory(std::vector<MemorySample> samples,
                                std::vector<std::string> class_names) {
  return source::InMemory(std::move(samples), std::move(class_names));
}
