#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "source/name_table.hpp"
#include "source/pixel_file.hpp"
#include "source/pixel_sample.hpp"
#include "weir/source.hpp"

namespace weir::source {
namespace {

/// What a record has before its pixels. Then come 1024 red, 1024 green and 1024 blue values.
struct CifarKind {
  const char* name;
  std::size_t label_bytes, label_at;
  unsigned classes;
};
constexpr CifarKind cifar_kinds[] = {
    {"CIFAR-10", 1, 0, 10}, {"CIFAR-100", 2, 1, 100}, {"CIFAR-100", 2, 0, 20}};
constexpr std::uint32_t cifar_side = 32;
constexpr std::size_t plane_bytes = std::size_t{cifar_side} * cifar_side, planes = 3;

/// The records of one file. Thread-safe.
class CifarFile {
 public:
  CifarFile(const std::string& path, CifarKind kind) : kind_(kind), file_(path) {
    if (size() == 0 || file_.bytes() % record_bytes() != 0)
      file_.refuse(file_.bytes(), " bytes are no whole number of records of ", kind_.name,
                   ", which have ", record_bytes(), " bytes");
  }

  std::uint64_t size() const noexcept { return file_.bytes() / record_bytes(); }
  std::optional<Encoded> try_read(std::uint64_t i, ByteSink& sink) const {
    const auto memory = sample_.take(sink);
    if (!memory) return std::nullopt;
    std::array<std::byte, 2 + planes * plane_bytes> bytes{};
    const auto record = std::span(bytes).first(record_bytes());
    file_.read(i * record_bytes(), record);
    const auto label = std::to_integer<unsigned>(record[kind_.label_at]);
    if (label >= kind_.classes)
      throw SampleError(FaultKind::corrupt,
                        concat("label ", label, " at byte ", i * record_bytes(), "; ", kind_.name,
                               " has 0 to ", kind_.classes - 1));
    interleave(record.subspan(kind_.label_bytes), sample_.pixels(*memory));
    return Encoded{*memory, label};
  }
  std::string name(std::uint64_t i) const { return file_.name_of(i); }
  std::optional<std::uint64_t> encoded_bytes(std::uint64_t) const { return sample_.bytes(); }
  std::optional<std::uint64_t> annotation_bytes() const noexcept { return 0; }
  std::optional<ImageSize> image_size(std::uint64_t) const {
    return ImageSize{cifar_side, cifar_side};
  }
  std::optional<std::int64_t> label(std::uint64_t i) const {
    const auto label = file_.byte_at(i * record_bytes() + kind_.label_at);
    return label && *label < kind_.classes ? std::optional<std::int64_t>(*label) : std::nullopt;
  }
  std::uint64_t index_bytes() const noexcept { return sizeof(*this) + held_bytes(file_.path()); }

 private:
  std::size_t record_bytes() const noexcept { return kind_.label_bytes + planes * plane_bytes; }

  static void interleave(std::span<const std::byte> from, std::span<std::byte> to) noexcept {
    for (std::size_t i = 0; i < plane_bytes; ++i)
      for (std::size_t c = 0; c < planes; ++c) to[i * planes + c] = from[c * plane_bytes + i];
  }

  CifarKind kind_;
  PixelFile file_;
  PixelSample sample_{{cifar_side, cifar_side}, PixelFormat::rgb8};
};
static_assert(Source<CifarFile>);

}  // namespace
}  // namespace weir::source

weir::AnySource weir::cifar_binary(const std::vector<std::string>& paths, Cifar kind) {
  if (paths.empty()) refuse(Stage::read, "cifar_binary: paths is empty; name a file");
  std::vector<AnySource> files;
  for (const auto& path : paths)
    files.push_back(source::CifarFile(path, source::cifar_kinds[static_cast<std::size_t>(kind)]));
  return concatenated(std::move(files));
}
