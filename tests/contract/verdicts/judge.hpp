#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "weir/weir.hpp"

namespace weir::test {

/// What a loader made of one sample.
struct Verdict {
  RowStatus status = RowStatus::blank;
  std::optional<Fault> fault;
  std::vector<std::uint8_t> pixels;

  bool delivered() const { return !fault; }
  /// "ok", or the kind as the manifests name it: to them a cut file is corrupt.
  std::string kind() const;
  std::string text() const;
  /// For something that libjpeg may not mind: a limit, a lost marker, a length that cannot be, fewer bytes than
  /// blocks take.
  bool refused_by_own_rule() const;
};

/// Each image whole and as stored, where `shape` is its own size; bad ones blank.
Options whole(Shape shape, bool strict = true);
/// With BMP, TIFF and PNM, where OpenCV is there to read them; else none.
std::vector<std::shared_ptr<const ForeignCodec>> all_codecs();

/// All samples of `source` through one Loader, by index. Fails where a sample is not accounted for.
std::vector<Verdict> judge(const AnySource& source, const Options& options);
/// The files, read as a user's are.
std::vector<Verdict> judge(const std::vector<std::filesystem::path>& files, const Options& options);
/// The encoded samples.
std::vector<Verdict> judge(std::vector<std::vector<std::byte>> samples, const Options& options);

/// One encoded sample.
Verdict judge_one(std::vector<std::byte> encoded, const Options& options);

/// The files that came out otherwise than they should.
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
