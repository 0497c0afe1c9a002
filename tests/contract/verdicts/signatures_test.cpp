#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <filesystem>

#include "contract/verdicts/judge.hpp"
#include "contract/verdicts/listed.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"
#include "unit/codec/encoders.hpp"
#ifdef WEIR_HAS_OPENCV_CODEC
#include <opencv2/imgcodecs.hpp>
#endif

namespace weir::test {
namespace {

using codec::test::Encoded;

/// The only folder for temporary files while it exists. It detects each file made in it.
class TemporaryFiles {
 public:
  TemporaryFiles() : inotify_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
    REQUIRE(::inotify_add_watch(inotify_, folder_.path().c_str(), IN_CREATE | IN_MOVED_TO) >= 0);
    ::setenv("OPENCV_TEMP_PATH", folder_.path().c_str(), 1);
  }
  ~TemporaryFiles() {
    ::unsetenv("OPENCV_TEMP_PATH");
    ::close(inotify_);
  }
  TemporaryFiles(const TemporaryFiles&) = delete;
  TemporaryFiles& operator=(const TemporaryFiles&) = delete;

  bool any() const {
    std::array<char, 4096> events{};
    return ::read(inotify_, events.data(), events.size()) > 0;
  }

 private:
  const TemporaryFolder folder_;
  int inotify_;
};

/// Gets requests and accepts nothing.
class Spy final : public ForeignCodec {
 public:
  bool accepts(std::span<const std::byte>) const noexcept override {
    ++asked;
    return false;
  }
  Info info(std::span<const std::byte>) const override {
    ++entered;
    return {};
  }
  void decode(PixelFormat, std::span<const std::byte>, const Info&,
              std::span<std::uint8_t>) const override {
    ++entered;
  }
  mutable std::atomic<int> asked{0}, entered{0};
};

Encoded begins_with(std::string_view head) {
  const auto bytes = std::as_bytes(std::span(head));
  Encoded encoded(bytes.begin(), bytes.end());
  encoded.resize(600, std::byte{' '});
  return encoded;
}

/// Formats that OpenCV or another library might try to read.
std::vector<Encoded> signatures() {
  using namespace std::string_view_literals;
  std::vector<Encoded> files;
  for (const auto head : {"#?RADIANCE\n"sv,
                          "#?RGBE\n"sv,
                          "\x76\x2f\x31\x01"sv,
                          "PF\n4 4\n-1\n"sv,
                          "Pf\n4 4\n-1\n"sv,
                          "\x59\xa6\x6a\x95"sv,
                          "\0\0\0\x0cjP  \r\n\x87\n"sv,
                          "\xff\x4f\xff\x51"sv,
                          "GIF87a"sv,
                          "GIF89a"sv,
                          "8BPS"sv,
                          "\0\0\1\0\1\0"sv,
                          "\0\0\0\x20"
                          "ftypheic"sv,
                          "\0\0\0\x20"
                          "ftypavif"sv,
                          "II*\0"sv,
                          "MM\0*"sv,
                          "II+\0"sv,
                          "BM"sv,
                          "P3\n"sv,
                          "P7\n"sv,
                          "qoif"sv,
                          "farbfeld"sv,
                          "\xff\x0a"sv,
                          "DDS "sv,
                          "%PDF-1.4"sv,
                          "<svg "sv})
    files.push_back(begins_with(head));
  files.push_back(begins_with(std::string(128, '\0') + "DICM"));
  return files;
}

}  // namespace

TEST_CASE("other formats are unsupported and enter no foreign codec", "[I14]") {
  const TemporaryFiles temporary;
  const auto spy = std::make_shared<const Spy>();
  auto options = whole({8, 8});
  options.codecs = {spy};
  const auto verdicts = judge(signatures(), options);
  for (const auto& verdict : verdicts) {
    REQUIRE(verdict.fault);
    CHECK(verdict.fault->kind == FaultKind::unsupported);
    CHECK_THAT(verdict.fault->reason, has_text("first bytes "));
  }
  CHECK(spy->asked == static_cast<int>(verdicts.size()));
  CHECK(spy->entered == 0);
  CHECK_FALSE(temporary.any());
}

TEST_CASE("hostile signatures write no temporary file with any codec", "[I14]") {
  const TemporaryFiles temporary;
  std::vector<std::filesystem::path> paths;
  for (const auto& file : hostile_images())
    if (file.name.find("cvtmp") != file.name.npos) paths.push_back(file.path);
  if (paths.empty()) return;
  for (const auto& codecs : {std::vector<std::shared_ptr<const ForeignCodec>>{}, all_codecs()}) {
    auto options = whole({8, 8});
    options.codecs = codecs;
    for (const auto& verdict : judge(paths, options)) CHECK(verdict.kind() == "unsupported");
  }
  CHECK_FALSE(temporary.any());
}

TEST_CASE("the first bytes decide, whatever a file is called", "[I13]") {
  using namespace std::string_view_literals;
  const auto text = [](std::string_view words) {
    const auto bytes = std::as_bytes(std::span(words));
    return Encoded(bytes.begin(), bytes.end());
  };
  const auto image = codec::test::pattern(8, 8);
  const auto source = in_memory({{"png.jpg", codec::test::encode_png(8, 8, image.values, {}), 0},
                                 {"404.jpg", text("<!DOCTYPE html><html>404"), 0},
                                 {"gzip.jpg", text("\x1f\x8b\x08\0\0\0\0\0\0"sv), 0},
                                 {"zeros.jpg", Encoded(4096), 0},
                                 {"empty.jpg", {}, 0},
                                 {"one.jpg", text("\xff"), 0}});
  const auto verdicts = judge(source, whole({8, 8}));
  CHECK(verdicts[0].pixels == image.values);
  const char* const texts[] = {"unsupported (first bytes 3c 21 44 4f 43 54 59 50 …)",
                               "unsupported (first bytes 1f 8b 08 00 00 00 00 00 …)",
                               "unsupported (first bytes 00 00 00 00 00 00 00 00 …)",
                               "corrupt (empty)", "unsupported (first bytes ff)"};
  for (std::size_t i = 0; i < std::size(texts); ++i) CHECK(verdicts[i + 1].text() == texts[i]);
}

#ifdef WEIR_HAS_OPENCV_CODEC
TEST_CASE("the watch on temporary files sees the one that OpenCV writes", "[I14]") {
  const TemporaryFiles temporary;
  const auto bytes = begins_with("#?RADIANCE\n");
  const cv::Mat input(1, static_cast<int>(bytes.size()), CV_8U,
                      const_cast<std::byte*>(bytes.data()));
  try {
    static_cast<void>(cv::imdecode(input, cv::IMREAD_COLOR));
  } catch (const cv::Exception&) {
  }
  CHECK(temporary.any());
}
#endif

}  // namespace weir::test
