// make_images FOLDER COUNT SIDE: weir's synthetic JPEGs as files, for where there are no photographs.
#include <weir/weir.hpp>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

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

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: make_images FOLDER COUNT SIDE\n");
    return 2;
  }
  const auto side = static_cast<std::uint32_t>(std::stoul(argv[3]));
  const auto images = weir::synthetic(std::stoul(argv[2]), {side, side});
  HeapSink sink;
  for (std::uint64_t i = 0; i < images.size(); ++i) {
    const auto image = images.read(i, sink);
    const auto folder = std::filesystem::path(argv[1]) / std::to_string(image.label);
    std::filesystem::create_directories(folder);
    std::ofstream file(folder / (std::to_string(i) + ".jpg"), std::ios::binary);
    file.write(reinterpret_cast<const char*>(image.bytes.data()),
               static_cast<std::streamsize>(image.bytes.size()));
    if (!file.flush()) return 1;
  }
}
