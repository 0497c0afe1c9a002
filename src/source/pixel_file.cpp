#include "source/pixel_file.hpp"

#include <array>
#include <cerrno>
#include <utility>

#include "source/checked_path.hpp"

namespace weir::source {

PixelFile::PixelFile(const std::string& path) : path_(checked_path(path, "path")) {
  auto opened = open_regular(path);
  if (!opened.file) refuse(opened.why());
  file_ = std::move(opened.file);
  bytes_ = opened.bytes;
  std::array<std::byte, 2> magic{};
  if (bytes_ < magic.size()) return;
  read(0, magic);
  if (magic == std::array{std::byte{0x1f}, std::byte{0x8b}})
    refuse("it is compressed; run gunzip first");
}

void PixelFile::read(std::uint64_t offset, std::span<std::byte> to) const {
  const auto got = read_full(file_, to, offset);
  if (got == to.size()) return;
  if (errno != 0) throw SampleError(FaultKind::io, "cannot read: " + errno_text(errno));
  throw SampleError(FaultKind::truncated, concat("the file ended at byte ", offset + got));
}

std::optional<std::uint8_t> PixelFile::byte_at(std::uint64_t offset) const noexcept {
  std::byte byte{};
  if (read_full(file_, {&byte, 1}, offset) != 1) return std::nullopt;
  return std::to_integer<std::uint8_t>(byte);
}

}  // namespace weir::source
