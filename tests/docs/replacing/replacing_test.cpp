#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>

#include <unistd.h>

#include "images.hpp"
#include "replacing/hand_written.hpp"
#include "replacing/with_weir.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"
#include "support/text.hpp"

using namespace replacing;
namespace fs = std::filesystem;

namespace {

/// Images of several sizes, made once, with one folder for each class.
class Images {
 public:
  Images() {
    weir::bench::write_images(weir::synthetic(40, {40, 56}, 1), root_ / "a");
    weir::bench::write_images(weir::synthetic(30, {32, 32}, 2), root_ / "b");
  }
  /// The folder `a` or `b`; each has images of one size.
  std::string folder(const char* of) const { return (root_ / of).string(); }

 private:
  const weir::test::TemporaryFolder root_;
};

struct Sample {
  std::vector<float> values;
  std::int64_t label = 0;
};

struct Epoch {
  std::map<std::string, Sample> by_path;
  std::vector<std::string> order;
  std::vector<std::size_t> sizes;  ///< of the batches
};

template <class Loader>
Epoch take_epoch(Loader& loader, std::size_t values) {
  Epoch epoch;
  FloatBatch batch;
  while (loader.next(batch)) {
    REQUIRE(batch.images.size() == batch.size() * values);
    REQUIRE(batch.paths.size() == batch.size());
    epoch.sizes.push_back(batch.size());
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const auto first = batch.images.begin() + static_cast<std::ptrdiff_t>(i * values);
      epoch.order.push_back(batch.paths[i]);
      epoch.by_path[batch.paths[i]] = {{first, first + static_cast<std::ptrdiff_t>(values)},
                                       batch.labels[i]};
    }
  }
  return epoch;
}

std::string read_file(const fs::path& path) {
  std::ifstream in(path);
  REQUIRE(in);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::size_t lines_of_code(const std::string& text) {
  std::istringstream in(text);
  std::size_t count = 0;
  for (std::string line; std::getline(in, line);)
    count += line.find_first_not_of(" \t") != std::string::npos &&
             !line.substr(line.find_first_not_of(" \t")).starts_with("//");
  return count;
}

}  // namespace

TEST_CASE("weir gives the same samples and values as a loader by hand", "[replacing]") {
  const Images images;
  for (const auto* of : {"a", "b"}) {
    CAPTURE(of);
    const Settings settings{.root = images.folder(of), .side = 32, .batch = 16};
    const std::size_t values = std::size_t{3} * settings.side * settings.side;
    HandWrittenLoader by_hand(settings);
    WeirLoader by_weir(settings);
    CHECK(by_hand.size() == by_weir.size());
    CHECK(by_hand.class_names() == by_weir.class_names());
    CHECK(by_hand.class_names().size() == 10);
    std::vector<std::string> last;
    for (int number = 0; number < 2; ++number) {
      const auto wanted = take_epoch(by_hand, values), got = take_epoch(by_weir, values);
      CHECK(wanted.by_path.size() == by_hand.size());
      CHECK(got.order.size() == by_hand.size());
      CHECK(got.sizes == wanted.sizes);
      CHECK(got.order != last);  // shuffled again
      last = got.order;
      float apart = 0, least = 0, most = 0;
      for (const auto& [path, sample] : wanted.by_path) {
        CAPTURE(path);
        const auto found = got.by_path.find(path);
        REQUIRE(found != got.by_path.end());
        REQUIRE(found->second.label == sample.label);
        for (std::size_t i = 0; i < values; ++i) {
          apart = std::max(apart, std::fabs(found->second.values[i] - sample.values[i]));
          least = std::min(least, sample.values[i]);
          most = std::max(most, sample.values[i]);
        }
      }
      // The pixels are equal. weir rounds the floats once, the hand-written loader three times.
      CHECK(apart < 2e-7F);
      CHECK(least >= -1);
      CHECK(most <= 1);
      CHECK(most - least > 1.5F);
    }
  }
}

TEST_CASE("without shuffling both keep the order of the folder", "[replacing]") {
  const Images images;
  const Settings settings{.root = images.folder("b"), .batch = 7, .shuffle = false};
  HandWrittenLoader by_hand(settings);
  WeirLoader by_weir(settings);
  const auto wanted = take_epoch(by_hand, 3 * 32 * 32).order;
  CHECK(std::ranges::is_sorted(wanted));
  CHECK(take_epoch(by_weir, 3 * 32 * 32).order == wanted);
  CHECK(take_epoch(by_weir, 3 * 32 * 32).order == wanted);
}

TEST_CASE("a loader left in mid-epoch ends, by hand and with weir", "[replacing]") {
  const Images images;
  const Settings settings{.root = images.folder("b"), .batch = 5};
  FloatBatch batch;
  {
    HandWrittenLoader by_hand(settings);
    CHECK(by_hand.next(batch));
  }
  WeirLoader by_weir(settings);
  CHECK(by_weir.next(batch));
}

TEST_CASE("a file that is no image ends both loaders with its name", "[replacing]") {
  const Images images;
  std::ofstream(fs::path(images.folder("b")) / "0" / "bad.jpg") << "not an image";
  const Settings settings{.root = images.folder("b")};
  HandWrittenLoader by_hand(settings);
  WeirLoader by_weir(settings);
  CHECK_THROWS_WITH(take_epoch(by_hand, 3 * 32 * 32), weir::test::has_text("bad.jpg"));
  CHECK_THROWS_WITH(take_epoch(by_weir, 3 * 32 * 32), weir::test::has_text("bad.jpg"));
}

TEST_CASE("the guide shows each replacement and it is below 40 lines", "[replacing]") {
  const fs::path root = WEIR_ROOT;
  const auto by_hand = read_file(root / "examples/replacing/hand_written.hpp");
  const auto guide = read_file(root / "docs/guide/replacing.md");
  for (const auto* name : {"with_weir.hpp", "with_weir_torch.hpp"}) {
    CAPTURE(name);
    const auto by_weir = read_file(root / "examples/replacing" / name);
    CHECK(lines_of_code(by_weir) < 40);
    CHECK(weir::test::contains(guide, "```cpp\n" + by_weir + "```"));
    const auto shown = guide.substr(0, guide.find(by_weir));
    const auto said = shown.substr(shown.rfind("\n\n", shown.size() - 10));
    CHECK(weir::test::contains(said, std::to_string(lines_of_code(by_weir)) + " lines"));
  }
  CHECK(weir::test::contains(guide, std::to_string(lines_of_code(by_hand)) + " lines"));
  CHECK(weir::test::contains(guide, "examples/replacing/hand_written.hpp"));
}
