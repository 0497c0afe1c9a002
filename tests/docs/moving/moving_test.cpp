#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <stdexcept>
#include <string>
#include <vector>

#include "images.hpp"
#include "moving/trainer.hpp"
#include "support/catch.hpp"
#include "support/skip.hpp"
#include "support/temporary_folder.hpp"
#include "weir/source.hpp"

namespace fs = std::filesystem;

namespace {

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
    weir::test::skip(pair + "_before is not built here");
    return;
  }
  const weir::test::TemporaryFolder folder;
  weir::bench::write_images(weir::synthetic(50, {90, 120}), folder.path());
  const auto before = output_of(pair + "_before", folder.path());
  CHECK(before.find("class 9: 5 images") != std::string::npos);
  CHECK(before.find("hash ") != std::string::npos);
  CHECK(output_of(pair + "_after", folder.path()) == before);
}

std::string text_of(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Counts the lines that are neither empty nor only a comment.
int lines_of_code(const std::string& file) {
  static const std::regex nothing(R"(\s*(//.*)?)");
  std::ifstream in(fs::path(WEIR_ROOT) / "examples/moving" / file);
  int lines = 0;
  for (std::string line; std::getline(in, line);) lines += std::regex_match(line, nothing) ? 0 : 1;
  return lines;
}

}  // namespace

TEST_CASE("a handwritten loader and weir give a trainer the same data", "[moving]") {
  compare("handwritten");
}

TEST_CASE("libtorch's DataLoader and weir give a trainer the same data", "[moving]") {
  compare("torch");
}

TEST_CASE("a trainer's digest tells other images from another order", "[moving]") {
  constexpr std::size_t side = 8, values = 3 * side * side;
  std::vector<std::vector<float>> images(4, std::vector<float>(values));
  for (std::size_t i = 0; i < images.size(); ++i)
    for (std::size_t k = 0; k < values; ++k)
      images[i][k] = static_cast<float>((i * 31 + k * 7) % 256) / 127.5F - 1;
  const std::vector<std::int64_t> labels{0, 1, 0, 1};
  const auto shown = [&](const std::vector<std::size_t>& order) {
    Trainer trainer;
    for (const auto i : order) trainer.learn(images[i].data(), &labels[i], 1, side);
    return trainer.text();
  };
  const auto wanted = shown({0, 1, 2, 3});
  CHECK(shown({3, 2, 1, 0}) == wanted);
  CHECK(shown({0, 1, 0, 3}) != wanted);

  const auto original = images[2];
  for (auto& value : images[2]) value = std::nextafter(value, 2.0F);
  CHECK(shown({0, 1, 2, 3}) == wanted);
  images[2] = original;
  for (std::size_t line = 0; line < values; line += side)
    std::reverse(images[2].begin() + static_cast<std::ptrdiff_t>(line),
                 images[2].begin() + static_cast<std::ptrdiff_t>(line + side));
  CHECK(shown({0, 1, 2, 3}) != wanted);
  images[2] = original;
  std::swap(images[2], images[3]);  // labels are swapped
  CHECK(shown({0, 1, 2, 3}) != wanted);
  std::swap(images[2], images[3]);
  images[2][5] += 1 / 127.5F;  // one pixel by the smallest step
  CHECK(shown({0, 1, 2, 3}) != wanted);
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
