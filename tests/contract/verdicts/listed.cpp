#include "contract/verdicts/listed.hpp"

#include <fstream>
#include <nlohmann/json.hpp>

#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/skip.hpp"

namespace weir::test {
namespace {

std::optional<std::filesystem::path> folder_of(const char* name) {
  auto folder = test_data(name);
  if (!folder) skip("WEIR_TEST_DATA is not set");
  return folder;
}

Listed read_entry(const nlohmann::json& entry, const std::filesystem::path& folder,
                  const char* name_key) {
  Listed listed{.name = entry[name_key],
                .path = folder / entry[name_key].get<std::string>(),
                .magic = entry.value("magic", ""),
                .cls = entry.value("cls", ""),
                .expect = entry["expect"],
                .alternative = entry.value("alt", ""),
                .lenient = entry.value("lenient", ""),
                .rgb_sha256_32 = entry.value("rgb_sha256_32", "")};
  std::string start(2, '\0');
  std::ifstream(listed.path, std::ios::binary).read(start.data(), 2);
  listed.own_pnm = (start == "P5" || start == "P6") && entry.value("mode", "I") != "I";
  listed.stored = {entry.value("h", 0u), entry.value("w", 0u), 3};
  if (entry.contains("orientation")) listed.orientation = entry["orientation"].get<int>();
  // For hostile files, the manifest has the size of the upright image.
  if (entry.value("orient", 0) >= 5 && entry.value("orient", 0) <= 8)
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
    const auto entry = nlohmann::json::parse(line, nullptr, false);
    if (entry.is_object() && entry["magic"] != "tar")
      files.push_back(read_entry(entry, *folder, "path"));
  }
  return files;
}

std::vector<Listed> hostile_images() {
  std::vector<Listed> files;
  const auto folder = folder_of("hostile");
  if (!folder) return files;
  for (const auto& entry : nlohmann::json::parse(std::ifstream(*folder / "manifest.json")))
    if (entry["file"].get<std::string>().starts_with("img/"))
      files.push_back(read_entry(entry, *folder, "file"));
  return files;
}

}  // namespace weir::test
