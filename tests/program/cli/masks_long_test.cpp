#include <algorithm>
#include <filesystem>
#include <vector>

#include "program.hpp"
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/skip.hpp"
#include "unit/codec/encoders.hpp"

namespace {

namespace fs = std::filesystem;
using weir::codec::test::Raster;

constexpr std::uint32_t wide = 1600, high = 1200;
constexpr int views = 778, distinct = 40;
constexpr double mib = 1 << 20;

bool lacks_mask(int view) { return view % 10 == 3; }

/// A photograph, enlarged.
Raster enlarged(const Raster& photo) {
  Raster large{wide, high, 3, {}};
  large.values.reserve(std::size_t{3} * wide * high);
  for (std::uint32_t y = 0; y < high; ++y)
    for (std::uint32_t x = 0; x < wide; ++x) {
      const auto at = (std::size_t{y * photo.height / high} * photo.width + x * photo.width / wide);
      const auto* const pixel = &photo.values[3 * at];
      large.values.insert(large.values.end(), pixel, pixel + 3);
    }
  return large;
}

/// Four classes by the green of the image.
std::vector<std::uint8_t> classes_of(const Raster& image) {
  std::vector<std::uint8_t> classes;
  for (std::size_t i = 1; i < image.values.size(); i += 3)
    classes.push_back(static_cast<std::uint8_t>(image.values[i] >> 6));
  return classes;
}

/// Images and masks of `views` names. They are links to `distinct` files, because a loader cannot know.
void make_views(const weir::test::TemporaryFolder& folder, const fs::path& photos) {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::recursive_directory_iterator(photos))
    if (entry.is_regular_file()) paths.push_back(entry.path());
  std::ranges::sort(paths);
  std::vector<std::pair<std::string, std::string>> made;
  for (const auto& path : paths) {
    if (made.size() == distinct) break;
    const auto photo = weir::codec::test::reference_jpeg(weir::codec::test::read_file(path));
    if (photo.channels != 3) continue;
    const auto image = enlarged(photo);
    const auto name = std::to_string(made.size());
    made.emplace_back(
        folder.write("made/" + name + ".jpg", weir::codec::test::encode_jpeg(image)),
        folder.write("made/" + name + ".png",
                     weir::codec::test::encode_png(wide, high, classes_of(image), {.colour = 3})));
  }
  REQUIRE(made.size() == distinct);
  fs::create_directories(folder / "images");
  fs::create_directories(folder / "masks");
  for (int view = 0; view < views; ++view) {
    const auto& [image, mask] = made[static_cast<std::size_t>(view % distinct)];
    const auto name = std::to_string(1000 + view);
    fs::create_hard_link(image, folder / "images" / (name + ".jpg"));
    if (!lacks_mask(view)) fs::create_hard_link(mask, folder / "masks" / (name + ".png"));
  }
}

}  // namespace

// LichtFeld-Studio's issue 558: 778 images with PNG masks filled the memory of the machine.
TEST_CASE("778 views with masks stay within 512 MiB", "[planes][R4]") {
  const auto photos = weir::test::test_data("photos");
  if (!photos) {
    weir::test::skip("WEIR_TEST_DATA is not set");
    return;
  }
  const weir::test::TemporaryFolder folder;
  make_views(folder, *photos);
  const auto outcome =
      weir::test::weir({"run",
                        folder / "images",
                        "--plane",
                        "mask=" + (folder / "masks").string() + ",fill=255,optional",
                        "--size",
                        "600x800",
                        "--fit",
                        "stretch",
                        "--shuffle",
                        "--batch",
                        "16",
                        "--max-queue-size",
                        "12",
                        "--epochs",
                        "2",
                        "--steps",
                        "49",
                        "--settle",
                        "--memory-budget",
                        "512MiB",
                        "--json",
                        "-"});
  CAPTURE(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  const auto json = outcome.json();
  std::uint64_t lacking = 0;
  for (int view = 0; view < views; ++view)
    if (lacks_mask(view)) ++lacking;
  CHECK(json["samples"]["consumed"] == views);
  CHECK(json["samples"]["conserved"] == true);
  // The first epoch, and what is in the queue of the second.
  CHECK(json["planes"][0]["ok"] >= views - lacking);
  CHECK(json["planes"][0]["absent"] >= lacking);
  CHECK(json["planes"][0]["broken"] == 0);

  const auto& memory = json["memory"];
  const auto peak = memory["peak"].get<double>();
  const auto rss = memory["process"]["rss_peak"].get<double>();
  const auto unaccounted = memory["process"]["unaccounted"].get<double>();
  const double pixels = double{wide} * high;
  const double whole = pixels * (3 * views + double(views - lacking));
  WARN("the books' peak is " << peak / mib << " MiB, RSS is at most " << rss / mib
                             << " MiB and grew by " << (peak + unaccounted) / mib
                             << " MiB; all images and masks decoded are " << whole / mib
                             << " MiB, and at half their size " << whole / 4 / mib << " MiB");
  CHECK(peak <= 512 * mib);
  CHECK(peak >= 12 * json["plan"]["slab_bytes"].get<double>());  // the queue was full
  CHECK(unaccounted <= 0.03 * peak + 8 * mib);
}
