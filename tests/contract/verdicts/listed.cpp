#include "contract/verdicts/listed.hpp"

#include <fstream>
#include <iterator>

#include "support/data.hpp"
#include "support/json.hpp"
#include "support/skip.hpp"

namespace weir::test {
namespace {

std::optional<std::filesystem::path> folder_of(const char* name) {
  auto folder = test_data(name);
  if (!folder) skip("WEIR_TEST_DATA is not set");
  return folder;
}

std::string text(const Json& value) {
  return value.is_null() ? std::string() : value.get<std::string>();
}
std::uint32_t number(const Json& value) { return value.is_null() ? 0 : value.get<std::uint32_t>(); }

Listed read_entry(const Json& entry, const std::filesystem::path& folder, const char* name_key) {
  Listed listed{.name = entry[name_key].get<std::string>(),
                .path = folder / entry[name_key].get<std::string>(),
                .magic = text(entry["magic"]),
                .cls = text(entry["cls"]),
                .expect = entry["expect"].get<std::string>(),
                .alternative = text(entry["alt"]),
                .lenient = text(entry["lenient"]),
                .rgb_sha256_32 = text(entry["rgb_sha256_32"])};
  std::string start(2, '\0');
  std::ifstream(listed.path, std::ios::binary).read(start.data(), 2);
  listed.own_pnm =
      (start == "P5" || start == "P6") && !entry["mode"].is_null() && entry["mode"] != "I";
  listed.stored = {number(entry["h"]), number(entry["w"])};
  if (!entry["orientation"].is_null()) listed.orientation = entry["orientation"].get<int>();
  // For hostile files, the manifest has the size of the upright image.
  if (number(entry["orient"]) >= 5 && number(entry["orient"]) <= 8)
    std::swap(listed.stored.height, listed.stored.width);
  return listed;
}

}  // namespace

std::vector<Listed> odd_images() {
  std::vector<Listed> files;
  const auto folder = folder_of("odd");
  if (!folder) return files;
  // One entry in each line. Names of tar members have no defined encoding, so a line may be invalid JSON.
  std::ifstream manifest(*folder / "manifest.json");
  for (std::string line; std::getline(manifest, line);) {
    if (line.ends_with(',')) line.pop_back();
    const auto entry = Json::try_parse(line);
    if (entry.is_object() && entry["magic"] != "tar")
      files.push_back(read_entry(entry, *folder, "path"));
  }
  return files;
}

std::vector<Listed> hostile_images() {
  std::vector<Listed> files;
  const auto folder = folder_of("hostile");
  if (!folder) return files;
  std::ifstream file(*folder / "manifest.json");
  const auto manifest = Json::parse({std::istreambuf_iterator<char>(file), {}});
  for (const auto& entry : manifest)
    if (entry["file"].get<std::string>().starts_with("img/"))
      files.push_back(read_entry(entry, *folder, "file"));
  return files;
}

}  // namespace weir::test
