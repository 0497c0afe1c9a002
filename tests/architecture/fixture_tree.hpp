#pragma once

#include <filesystem>
#include <fstream>
#include <random>
#include <string>

namespace weir::architecture {

/// A small source tree that keeps every rule, in a folder of its own that goes with the object.
class FixtureTree {
 public:
  FixtureTree() {
    std::random_device entropy;
    root_ = std::filesystem::temp_directory_path() /
            ("weir-tree-" + std::to_string(entropy()) + std::to_string(entropy()));
    write("src/layers.cmake",
          "# set(WEIR_LAYERS not read)\n"
          "set(WEIR_LAYERS base books \"source|codec\" engine)\n"
          "set(WEIR_PUBLIC_base error.hpp)\n"
          "set(WEIR_PUBLIC_books ledger.hpp)\n"
          "set(WEIR_PUBLIC_source source.hpp)\n"
          "set(WEIR_PUBLIC_engine \"\")\n"
          "set(WEIR_FENCE \"boost/asio=engine\"\n    \"jpeglib.h=codec,source\")\n");
    write("include/weir/error.hpp", "#include <string>\n");
    write("include/weir/ledger.hpp", "#include <cstdint>\n#include \"weir/error.hpp\"\n");
    write("include/weir/source.hpp", "#include \"weir/ledger.hpp\"\n");
    write("src/base/clock.hpp", "#include <chrono>\n#include <unistd.h>\n");
    write("src/codec/jpeg.cpp", "#include <jpeglib.h>\n#include \"base/clock.hpp\"\n");
    write("src/engine/engine.cpp",
          "#include <boost/asio.hpp>\n#include \"engine/engine.hpp\"\n#include "
          "\"weir/ledger.hpp\"\n");
  }
  ~FixtureTree() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }
  FixtureTree(const FixtureTree&) = delete;
  FixtureTree& operator=(const FixtureTree&) = delete;

  const std::filesystem::path& root() const noexcept { return root_; }

  void write(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }

 private:
  std::filesystem::path root_;
};

}  // namespace weir::architecture
