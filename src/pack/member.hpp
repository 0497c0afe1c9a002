#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/defect.hpp"
#include "codec/decoder.hpp"
#include "pack/memory.hpp"
#include "source/position.hpp"
#include "weir/source.hpp"

namespace weir::pack {

/// What becomes of an image.
struct Recipe {
  /// Of the stored image; 0: the encoded bytes of an image that decodes are stored as they are.
  std::uint32_t short_side = 0;
  int quality = 90;  ///< of the JPEG, 1 to 100
  codec::DecoderOptions decoder{};
};

/// A plane of a sample as it is stored: the bytes of its file.
struct PlaneMember {
  std::span<const std::byte> bytes{};
  std::string extension{};  ///< "mask.png"
};

/// One sample as it is stored.
struct Member {
  std::span<const std::byte> bytes{};
  std::string_view extension{};  ///< "jpg"
  std::int64_t label = 0;
  std::uint64_t checksum = 0;         ///< XXH3-64 of the bytes
  ImageSize size{};                   ///< of the upright image; 0: it depends on Options::exif
  std::vector<PlaneMember> planes{};  ///< those that are not absent
  std::uint64_t source_bytes = 0;     ///< of the image and the planes as they were read
  std::uint64_t source_checksum = 0;  ///< XXH3-64 of them
  std::uint64_t need = 0;             ///< bytes of memory that making it takes
  std::vector<Piece> held{};          ///< the memory of `bytes`, if the source does not own it
};

/// Makes members of samples. Each thread has its own. Not thread-safe.
class Maker {
 public:
  /// `stopping` ends a running decode.
  Maker(const AnySource& source, const Recipe& recipe, Memory& memory,
        const std::atomic<bool>& stopping);
  /// Reads, decodes, resizes and encodes a sample. Throws Stopped.
  Result<Member> make(source::Position position, std::uint64_t index);
  /// Only reads it: the member has a label and what concerns the source. Throws Stopped.
  Result<Member> read(source::Position position, std::uint64_t index);

 private:
  /// What the source gave.
  struct Given {
    Encoded encoded{};
    std::uint64_t bytes = 0;    ///< that it took
    std::vector<Piece> held{};  ///< the memory of these
  };
  /// A decoded image, and room for its JPEG.
  struct Decoded {
    Piece work{};
    std::span<std::uint8_t> rgb{};
    std::span<std::byte> jpeg{};
    std::uint64_t need = 0;
  };

  Result<Given> take(source::Position position, std::uint64_t index);
  Result<Member> made_of(source::Position position, Given&& given);
  /// The planes of a sample, whose headers must hold.
  Result<std::vector<PlaneMember>> planes_of(const Encoded& encoded) const;
  Result<Member> encoded_again(source::Position position, const Given& given,
                               const codec::ImageInfo& info, ImageSize size);
  Result<Decoded> decode(source::Position position, const Given& given,
                         const codec::ImageInfo& info, ImageSize size, std::uint64_t jpeg_bytes);

  const AnySource& source_;
  const Recipe& recipe_;
  Memory& memory_;
  const std::atomic<bool>& stopping_;
  const std::vector<std::string> plane_names_;
  codec::Decoder decoder_;
};

/// The size of an image whose shorter side becomes `short_side`. An image that is not larger keeps
/// its size.
ImageSize shrunk(ImageSize size, std::uint32_t short_side) noexcept;

}  // namespace weir::pack
