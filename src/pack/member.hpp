#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/defect.hpp"
#include "codec/decoder.hpp"
#include "engine/plan_planes.hpp"
#include "pack/memory.hpp"
#include "pack/piece.hpp"
#include "source/position.hpp"
#include "weir/source.hpp"

namespace weir::pack {

/// What becomes of the images of a sample.
struct Recipe {
  /// Of the stored image; 0: the encoded bytes of an image that decodes are stored as they are.
  std::uint32_t short_side = 0;
  int quality = 90;         ///< of the JPEG, 1 to 100
  std::uint32_t tiles = 0;  ///< restart intervals in each row of a JPEG, about; 0: as they are
  codec::DecoderOptions decoder{};
  /// The planes that are stored. One without `optional` must be there. One that is made smaller, or is
  /// no PNG beside a `short_side`, becomes a PNG of its format.
  std::vector<engine::PlaneRule> planes{};
  std::string annotation{};  ///< extension of the member that has it; empty: it is not stored
};

/// What is stored beside the image of a sample: a plane, or the annotation.
struct OtherMember {
  std::span<const std::byte> bytes{};
  std::string extension{};  ///< "mask.png"
};

/// One sample as it is stored.
struct Member {
  std::span<const std::byte> bytes{};
  std::string_view extension{};  ///< "jpg"
  std::int64_t label = 0;
  std::uint64_t checksum = 0;       ///< XXH3-64 of the bytes
  std::uint32_t tiles = 0;          ///< restart intervals in each row; 0: as they were
  std::uint64_t untiled_bytes = 0;  ///< of the image before it got them
  bool narrowed = false;            ///< the image had more than 8 bits or alpha, and is a JPEG now
  bool unfit = false;               ///< the image became smaller, and its annotation is as it was
  ImageSize size{};                 ///< of the upright image; 0: it depends on Options::exif
  std::vector<OtherMember> others{};  ///< those that are not absent
  std::uint64_t source_bytes = 0;     ///< of the sample as it was read
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
  /// A sample under way.
  struct Making {
    source::Position position{};
    Encoded encoded{};
    std::uint64_t bytes = 0;             ///< of `given` and `made`
    std::uint64_t need = 0;              ///< the most bytes at once
    std::vector<Piece> given{}, made{};  ///< what the source gave, and new encodings
    bool keeps_given = false;            ///< whether bytes of `given` are stored
  };
  enum class Coding : std::uint8_t { as_read, jpeg, png };
  /// An image as it is stored.
  struct Stored {
    std::span<const std::byte> bytes{};
    std::string_view extension{};  ///< "jpg"
    std::uint32_t tiles = 0;       ///< Member::tiles
  };

  Result<Making> take(source::Position position, std::uint64_t index);
  Result<Member> made_of(Making&& making);
  /// Decodes an image. Encodes it again, unless it is stored as it was read.
  Result<Stored> store(Making& making, std::span<const std::byte> encoded,
                       const codec::ImageInfo& info, const codec::DecoderOptions& options,
                       ImageSize size, Coding coding);
  /// A JPEG with tiles, in place of `stored`, which stays if it cannot have them.
  Result<Stored> tile(Making& making, Stored stored);
  /// A plane of a sample whose image has the size `before` and is stored with the size `after`.
  Result<Stored> store_plane(Making& making, const engine::PlaneRule& plane, ImageSize before,
                             ImageSize after);

  const AnySource& source_;
  const Recipe& recipe_;
  Memory& memory_;
  const std::atomic<bool>& stopping_;
  codec::Decoder decoder_;
};

/// The size of an image whose shorter side becomes `short_side`. An image that is not larger keeps
/// its size; with 0 each does.
ImageSize shrunk(ImageSize size, std::uint32_t short_side) noexcept;

}  // namespace weir::pack
