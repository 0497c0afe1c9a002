#include <string>

#include "support/catch.hpp"
#include "tools/architecture/fixture_tree.hpp"
#include "tools/architecture/rules.hpp"

using weir::architecture::check_includes;
using weir::architecture::FixtureTree;

namespace {

/// The only breach of a correct tree with `text` added at `path`.
std::string breach_of(const std::string& path, const std::string& text) {
  const FixtureTree tree;
  tree.write(path, text);
  const auto breaches = check_includes(tree.root());
  REQUIRE(breaches.size() == 1);
  CHECK(breaches.front().file == path);
  return std::to_string(breaches.front().line) + ": " + breaches.front().rule;
}

}  // namespace

TEST_CASE("every include keeps the order of the layers and the fences") {
  const auto breaches = check_includes(WEIR_SOURCE_DIR);
  for (const auto& breach : breaches) UNSCOPED_INFO(breach);
  CHECK(breaches.empty());
}

TEST_CASE("a tree that keeps the rules has no breach") {
  const FixtureTree tree;
  CHECK(check_includes(tree.root()).empty());
}

TEST_CASE("a layer that includes a later one is caught") {
  CHECK(
      breach_of("src/books/ledger.cpp", "#include <string>\n#  include \"engine/engine.hpp\"\n") ==
      "2: books includes engine/engine.hpp, which is engine");
}

TEST_CASE("a layer that includes its sibling is caught") {
  CHECK(breach_of("src/codec/png.cpp", "#include \"source/folder.hpp\"\n") ==
        "1: codec includes source/folder.hpp, which is source");
}

TEST_CASE("a layer that includes a header of a later layer is caught") {
  CHECK(breach_of("src/base/error.cpp", "#include \"weir/ledger.hpp\"\n") ==
        "1: base includes weir/ledger.hpp, which is books");
}

TEST_CASE("a public header that includes one of a later layer is caught") {
  CHECK(breach_of("include/weir/error.hpp", "#include \"weir/ledger.hpp\"\n") ==
        "1: base includes weir/ledger.hpp, which is books");
}

TEST_CASE("a third party outside its fence is caught") {
  CHECK(breach_of("src/books/ledger.cpp", "#include <boost/asio/strand.hpp>\n") ==
        "1: books includes boost/asio/strand.hpp from behind its fence");
}

TEST_CASE("a third party that has no fence is caught, quoted or not") {
  CHECK(breach_of("src/engine/a.cpp", "#include <curl/curl.h>\n") ==
        "1: curl/curl.h is neither a path from src or include nor fenced");
  CHECK(breach_of("src/engine/a.cpp", "#include \"curl/curl.h\"\n") ==
        "1: curl/curl.h is neither a path from src or include nor fenced");
}

TEST_CASE("an include that is not a path from src is caught") {
  CHECK(breach_of("src/codec/png.cpp", "#include \"jpeg.hpp\"\n") ==
        "1: jpeg.hpp is neither a path from src or include nor fenced");
}

TEST_CASE("a public header that includes neither std nor weir is caught") {
  CHECK(breach_of("include/weir/source.hpp", "#include <jpeglib.h>\n") ==
        "1: public header includes <jpeglib.h>: the standard library and weir/ only");
  CHECK(breach_of("include/weir/source.hpp", "#include \"base/clock.hpp\"\n") ==
        "1: public header includes <base/clock.hpp>: the standard library and weir/ only");
}

TEST_CASE("files outside the layers are caught") {
  CHECK(breach_of("include/weir/new.hpp", "\n") ==
        "0: public header that src/layers.cmake gives to no layer");
  CHECK(breach_of("src/util/new.cpp", "\n") == "0: src/util is not a layer");
}

TEST_CASE("a tree without a list of layers is refused") {
  const FixtureTree tree;
  tree.write("src/layers.cmake", "set(WEIR_LAYERS )\n");
  CHECK_THROWS(check_includes(tree.root()));
}
