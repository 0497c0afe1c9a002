#pragma once

#include <filesystem>
#include <string>

#include "support/temporary_folder.hpp"

namespace weir::architecture {

/// A small source tree that keeps every rule, in a temporary folder.
class FixtureTree {
 public:
  FixtureTree() {
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
  const std::filesystem::path& root() const noexcept { return root_.path(); }

  void write(const std::string& path, const std::string& text) const { root_.write(path, text); }

 private:
  const test::TemporaryFolder root_;
};

}  // namespace weir::architecture
