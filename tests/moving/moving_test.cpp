#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "weir/source.hpp"

namespace fs = std::filesystem;

namespace {

class HeapSink final : public weir::ByteSink {
 public:
  std::span<std::byte> take(std::size_t bytes) override {
    memory_.resize(bytes);
    return memory_;
  }

 private:
  std::vector<std::byte> memory_;
};

/// Fifty JPEGs in ten class folders, for as long as this lives.
class ImageFolders {
 public:
  ImageFolders() : path_(fs::temp_directory_path() / ("weir-moving-" + std::to_string(getpid()))) {
    const auto images = weir::synthetic(50, {90, 120});
    HeapSink sink;
    for (std::uint64_t i = 0; i < images.size(); ++i) {
      const auto image = images.read(i, sink);
      const auto folder = path_ / ("class" + std::to_string(image.label));
      fs::create_directories(folder);
      std::ofstream(folder / (std::to_string(i) + ".jpg"), std::ios::binary)
          .write(reinterpret_cast<const char*>(image.bytes.data()),
                 static_cast<std::streamsize>(image.bytes.size()));
    }
  }
  ~ImageFolders() { fs::remove_all(path_); }
  ImageFolders(const ImageFolders&) = delete;
  ImageFolders& operator=(const ImageFolders&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

fs::path program(const std::string& name) { return fs::path(WEIR_MOVING) / ("moving_" + name); }

std::string output_of(const std::string& name, const fs::path& folder) {
  const auto command = "'" + program(name).string() + "' '" + folder.string() + "'";
  FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) throw std::runtime_error("cannot run " + command);
  std::string text;
  std::array<char, 4096> part{};
  while (const auto read = std::fread(part.data(), 1, part.size(), pipe))
    text.append(part.data(), read);
  if (pclose(pipe) != 0) throw std::runtime_error(command + " failed");
  return text;
}

void compare(const std::string& pair) {
  if (!fs::exists(program(pair + "_before"))) {
    WARN(pair + "_before is not built here");
    return;
  }
  const ImageFolders folders;
  const auto before = output_of(pair + "_before", folders.path());
  CHECK(before.find("class 9: 5 images") != std::string::npos);
  CHECK(output_of(pair + "_after", folders.path()) == before);
}

std::string text_of(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Those that are neither empty nor a comment alone.
int lines_of_code(const std::string& file) {
  static const std::regex nothing(R"(\s*(//.*)?)");
  std::ifstream in(fs::path(WEIR_ROOT) / "examples/moving" / file);
  int lines = 0;
  for (std::string line; std::getline(in, line);) lines += std::regex_match(line, nothing) ? 0 : 1;
  return lines;
}

}  // namespace

TEST_CASE("a loader by hand and weir give a trainer the same pixels and labels", "[moving]") {
  compare("handwritten");
}

TEST_CASE("libtorch's DataLoader and weir give a trainer the same pixels and labels", "[moving]") {
  compare("torch");
}

TEST_CASE("the guide's counts of lines are those of the files", "[moving]") {
  const auto page = text_of(fs::path(WEIR_ROOT) / "docs/guide/moving-over.md");
  static const std::regex row(R"(\((?:[^()]*/)?(\w+\.cpp)\) \| (\d+) \|)");
  int rows = 0;
  for (std::sregex_iterator match(page.begin(), page.end(), row), end; match != end; ++match) {
    CAPTURE((*match)[1].str());
    CHECK(std::stoi((*match)[2]) == lines_of_code((*match)[1]));
    ++rows;
  }
  CHECK(rows == 4);
}
