#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "contract/verdicts/listed.hpp"
#include "weir/weir.hpp"

namespace weir::test {

/// The loader's result for one sample.
struct Verdict {
  RowStatus status = RowStatus::blank;
  std::optional<Fault> fault;
  std::vector<std::uint8_t> pixels;

  bool delivered() const { return !fault; }
  /// "ok", or the kind in the manifests' terms: there a truncated file is corrupt.
  std::string kind() const;
  std::string text() const;
  /// True if the reason is one that libjpeg may accept: a limit, a lost marker, an impossible
  /// length, or fewer bytes than the blocks need.
  bool refused_by_own_rule() const;
};

/// The size of the patterns that these tests encode.
inline constexpr ImageSize pattern_size{30, 40};
/// Where bad samples are mixed with sound ones, each fourth is bad.
inline bool is_bad(std::uint64_t index) { return index % 4 == 3; }

/// Options that keep each image whole and as stored, if `shape` is its own size. Bad ones are blank.
Options whole(ImageSize shape, bool strict = true);
/// A progressive JPEG of 2048 x 2048 pixels in grey.
std::vector<std::byte> sound_image();
/// The CPU time of this process for its verdict, from the start of the stream. Measured here and now,
/// so that bounds on other files do not depend on the machine.
double sound_image_ms();
/// The codecs for BMP, TIFF and PNM, if OpenCV is available; otherwise none.
std::vector<std::shared_ptr<const ForeignCodec>> all_codecs();

/// All samples of `source` through one Loader, by index. Fails if a sample is not accounted for.
std::vector<Verdict> judge(const AnySource& source, const Options& options);
/// The same for files, read like a user's.
std::vector<Verdict> judge(const std::vector<std::filesystem::path>& files, const Options& options);
std::vector<Verdict> judge_files(const std::vector<Listed>& files, const Options& options);
/// The same for encoded samples.
std::vector<Verdict> judge(std::vector<std::vector<std::byte>> samples, const Options& options);
Verdict judge_one(std::vector<std::byte> encoded, const Options& options);

/// The files with a wrong result.
class Mismatches {
 public:
  void check(bool same, const std::string& what) {
    ++looked_;
    if (!same) text_ += "\n  " + what;
  }
  std::size_t looked() const { return looked_; }
  const std::string& text() const { return text_; }

 private:
  std::size_t looked_ = 0;
  std::string text_;
};

}  // namespace weir::test
