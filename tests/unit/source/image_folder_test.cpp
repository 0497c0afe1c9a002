#include "source/image_folder.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/skip.hpp"
#include "unit/source/fixture.hpp"

namespace {

using namespace weir;
using namespace weir::test;
using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("a class folder's label is the rank of the top directory", "[folder]") {
  const TemporaryFolder folder;
  folder.write("dog/2.jpg", "d2");
  folder.write("cat/1.jpg", "c1");
  folder.write("dog/1.jpg", "d1");
  folder.write("ant/deep/er/x", "a");
  const auto source = image_folder(folder.string());
  CHECK(names_of(source) == Names{"ant/deep/er/x", "cat/1.jpg", "dog/1.jpg", "dog/2.jpg"});
  CHECK(source.class_names() == Names{"ant", "cat", "dog"});
  for (std::uint64_t i = 0; i < 4; ++i)
    CHECK(label_of(source, i) == std::vector<std::int64_t>{0, 1, 2, 2}[i]);
  CHECK(read_text(source, 0) == "a");
  CHECK(read_text(source, 3) == "d2");
}

TEST_CASE("a flat folder has one label and no class names", "[folder]") {
  const TemporaryFolder folder;
  folder.write("b.png", "B");
  folder.write("a.gif", "A");
  const auto source = image_folder(folder.string() + "/");
  CHECK(names_of(source) == Names{"a.gif", "b.png"});
  CHECK(source.class_names().empty());
  CHECK(label_of(source, 1) == 0);
}

TEST_CASE("a file beside the class folders is a sample without a class", "[folder]") {
  const TemporaryFolder folder;
  folder.write("cat/1.jpg", "c");
  folder.write("readme", "r");
  const auto source = image_folder(folder.string());
  REQUIRE(names_of(source) == Names{"cat/1.jpg", "readme"});
  CHECK(label_of(source, 0) == 0);
  CHECK(label_of(source, 1) == -1);
}

TEST_CASE("an empty class folder keeps its rank, even with a filter", "[folder]") {
  const TemporaryFolder folder;
  folder.write("b/x.png", "x");
  folder.write("c/x.jpg", "x");
  std::filesystem::create_directory(folder / "a");
  const auto source = image_folder(folder.string(), {.extensions = {".jpg"}});
  REQUIRE(names_of(source) == Names{"c/x.jpg"});
  CHECK(source.class_names() == Names{"a", "b", "c"});
  CHECK(label_of(source, 0) == 2);
}

TEST_CASE("labels follow class names even if '/' sorts after others", "[folder]") {
  const TemporaryFolder folder;
  folder.write("a/1", "x");
  folder.write("a-b/1", "y");
  folder.write("a!/1", "z");
  const auto source = image_folder(folder.string());
  REQUIRE(names_of(source) == Names{"a!/1", "a-b/1", "a/1"});
  CHECK(source.class_names() == Names{"a", "a!", "a-b"});
  for (std::uint64_t i = 0; i < 3; ++i)
    CHECK(label_of(source, i) == std::vector<std::int64_t>{1, 2, 0}[i]);
}

TEST_CASE("dot files and dot folders are left alone", "[folder]") {
  const TemporaryFolder folder;
  folder.write("a/.hidden.jpg", "h");
  folder.write(".git/config", "g");
  folder.write("a/seen.jpg", "s");
  const auto source = image_folder(folder.string());
  CHECK(names_of(source) == Names{"a/seen.jpg"});
  CHECK(source.class_names() == Names{"a"});
}

TEST_CASE("the extension filter ignores case and the leading dot", "[folder]") {
  const TemporaryFolder folder;
  for (const auto* name : {"a.jpg", "b.JPG", "c.png", "d.jpeg", "ejpg", "f.jpg.txt"})
    folder.write(name, "x");
  CHECK(names_of(image_folder(folder.string(), {.extensions = {".jpg"}})) ==
        Names{"a.jpg", "b.JPG"});
  CHECK(names_of(image_folder(folder.string(), {.extensions = {"PNG", ".jpeg"}})) ==
        Names{"c.png", "d.jpeg"});
  CHECK(image_folder(folder.string(), {.extensions = {"*"}}).size() == 6);
}

TEST_CASE("files that are never images are skipped without a filter", "[folder]") {
  const TemporaryFolder folder;
  for (const auto* name : {"a.jpg", "b.JPG.TXT", "Thumbs.db", "c/notes.md", "d", "e.dat", ".f.txt",
                           "index.weir", "s.idx"})
    folder.write(name, "x");
  const auto source = image_folder(folder.string());
  CHECK(names_of(source) == Names{"a.jpg", "d", "e.dat"});
  CHECK(source.skipped() == 5);
  CHECK(source.class_names() == Names{"c"});
  const auto all = image_folder(folder.string(), {.extensions = {".png", "*"}});
  CHECK(all.size() == 8);
  CHECK(all.skipped() == 0);
}

TEST_CASE("a root that cannot be listed is refused by name", "[folder]") {
  const TemporaryFolder folder;
  folder.write("file", "x");
  for (const auto* name : {"missing", "file"}) {
    try {
      image_folder((folder / name).string());
      FAIL("accepted");
    } catch (const Error& error) {
      CHECK(error.code() == Errc::source_failed);
      CHECK(std::string(error.what()).find(name) != std::string::npos);
    }
  }
}

TEST_CASE("a read takes the file's size once, then fills it", "[folder]") {
  const TemporaryFolder folder;
  const std::string content(100'000, 'w');
  folder.write("x", content);
  const auto source = image_folder(folder.string());
  MemorySink sink;
  CHECK(text_of(source.read(0, sink)) == content);
  REQUIRE(sink.parts().size() == 1);
  CHECK(sink.parts()[0].size() == 100'000);
  CHECK_FALSE(source.encoded_bytes(0).has_value());
}

TEST_CASE("the index takes 9 bytes a sample beyond its name", "[folder]") {
  const TemporaryFolder folder;
  constexpr std::uint64_t count = 500;
  std::uint64_t characters = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto name = "class/" + std::to_string(i) + ".jpg";
    folder.write(name, "x");
    characters += name.size();
  }
  const auto bytes = image_folder(folder.string()).index_bytes();
  CHECK(bytes >= characters + 9 * count);
  CHECK(bytes <= characters + 9 * count + sizeof(source::ImageFolder) + 64);
}

TEST_CASE("many folders, listed by several threads, come in byte order", "[folder]") {
  const TemporaryFolder folder;
  constexpr int tops = 40, below = 3, files = 7;
  std::vector<std::string> wanted;
  for (int top = 0; top < tops; ++top) {
    for (int sub = 0; sub < below; ++sub) {
      for (int file = 0; file < files; ++file) {
        auto name = "c" + std::to_string(top * 7 % tops) + "/s" + std::to_string(sub) +
                    (file % 2 ? "/deep/" : "/") + std::to_string(file) + ".jpg";
        folder.write(name, "x");
        wanted.push_back(std::move(name));
      }
    }
  }
  std::sort(wanted.begin(), wanted.end());
  const source::ImageFolder source(folder.string(), {});
  REQUIRE(source.size() == wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) CHECK(source.name(i) == wanted[i]);
  CHECK(source.class_names().size() == tops);
}

TEST_CASE("a source outlives the path it was opened by", "[folder]") {
  const TemporaryFolder folder;
  folder.write("old/x", "here");
  const auto source = image_folder((folder / "old").string());
  std::filesystem::rename(folder / "old", folder / "new");
  CHECK(read_text(source, 0) == "here");
}

TEST_CASE("the photographs are all there, in class folders", "[folder]") {
  const auto photos = test_data("photos");
  if (!photos) {
    skip("WEIR_TEST_DATA is not set");
    return;
  }
  const auto source = image_folder(photos->string());
  REQUIRE(source.size() == 200);
  for (std::uint64_t i = 0; i < source.size(); ++i) {
    const auto name = source.name(i);
    REQUIRE(read_text(source, i).size() == std::filesystem::file_size(*photos / name));
    REQUIRE(source.class_names().at(static_cast<std::size_t>(label_of(source, i))) ==
            name.substr(0, name.find('/')));
  }
}
