#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "source/image_folder.hpp"
#include "support/catch.hpp"
#include "support/skip.hpp"
#include "unit/source/fixture.hpp"

namespace {

using namespace weir;
using namespace weir::test;
namespace fs = std::filesystem;
using Names = std::vector<std::string>;

Names folder_names(const source::ImageFolder& folder) {
  Names names;
  for (std::uint64_t i = 0; i < folder.size(); ++i) names.push_back(folder.name(i));
  return names;
}

}  // namespace

TEST_CASE("what is no file is skipped and counted, never opened", "[folder][hostile][D2]") {
  const TemporaryFolder folder;
  folder.write("real.jpg", "x");
  REQUIRE(::mkfifo((folder / "fifo.jpg").c_str(), 0600) == 0);
  make_socket(folder / "s.jpg");

  const source::ImageFolder images(folder.string(), {});
  CHECK(folder_names(images) == Names{"real.jpg"});
  CHECK(images.skipped() == 2);
}

TEST_CASE("a folder named like an image is a folder", "[folder][hostile][D1]") {
  const TemporaryFolder folder;
  folder.write("x.jpg/inner.jpg", "i");
  const auto source = image_folder(folder.string(), {.extensions = {".jpg"}});
  CHECK(names_of(source) == Names{"x.jpg/inner.jpg"});
  CHECK(source.class_names() == Names{"x.jpg"});
}

TEST_CASE("links are followed to files under the root and nowhere else", "[folder][hostile][D3]") {
  const TemporaryFolder folder;
  const TemporaryFolder outside;
  outside.write("secret", "s");
  folder.write("a/file", "content");
  fs::create_symlink("file", folder / "a/relative");
  fs::create_symlink((folder / "a/file").string(), folder / "a/absolute");
  fs::create_symlink("../a/relative", folder / "a/twice");
  fs::create_symlink((outside / "secret").string(), folder / "a/out");
  fs::create_symlink("gone", folder / "a/dangling");
  fs::create_symlink("loop", folder / "a/loop");
  fs::create_symlink("/dev/zero", folder / "a/zero");
  fs::create_directory_symlink("..", folder / "a/up");
  fs::create_directory_symlink("a", folder / "b");

  const source::ImageFolder images(folder.string(), {});
  CHECK(folder_names(images) == Names{"a/absolute", "a/file", "a/relative", "a/twice"});
  CHECK(images.class_names() == Names{"a"});
  CHECK(images.skipped() == 6);
  for (std::uint64_t i = 0; i < images.size(); ++i) {
    MemorySink sink;
    CHECK(text_of(*images.try_read(i, sink)) == "content");
  }
}

TEST_CASE("a folder whose name begins like the root's is outside", "[folder][hostile][D3]") {
  const TemporaryFolder folder;
  folder.write("data/x", "x");
  folder.write("data-secret/y", "y");
  fs::create_symlink("../data-secret/y", folder / "data/link");
  CHECK(names_of(image_folder((folder / "data").string())) == Names{"x"});
}

TEST_CASE("what changes after the scan is judged again at the read", "[folder][hostile][D5]") {
  const TemporaryFolder folder;
  const TemporaryFolder outside;
  outside.write("secret", "s");
  for (const auto* name : {"1-fifo", "2-link", "3-gone", "4-folder", "5-empty", "6-loop"})
    folder.write(name, "x");
  const auto source = image_folder(folder.string());
  for (const auto& name : names_of(source)) fs::remove(folder / name);
  REQUIRE(::mkfifo((folder / "1-fifo").c_str(), 0600) == 0);
  fs::create_symlink((outside / "secret").string(), folder / "2-link");
  fs::create_directory(folder / "4-folder");
  folder.write("5-empty", "");
  fs::create_symlink("6-loop", folder / "6-loop");

  const auto before = open_descriptors();
  const auto kind = [&](std::uint64_t i) { return refusal_of(source, i).value().kind; };
  CHECK(kind(0) == FaultKind::unsupported);
  CHECK(kind(1) == FaultKind::unsupported);
  CHECK(kind(2) == FaultKind::io);
  CHECK(kind(3) == FaultKind::unsupported);
  CHECK(kind(4) == FaultKind::corrupt);
  CHECK(kind(5) == FaultKind::io);
  CHECK(refusal_of(source, 2)->reason == "cannot open: No such file or directory");
  CHECK(open_descriptors() == before);
}

TEST_CASE("names are bytes: newlines, spaces, not UTF-8, 255 long", "[folder][hostile][D6]") {
  const TemporaryFolder folder;
  const Names names{"\x01", " ", "a\nb.jpg", "caf\xe9", std::string(255, 'n'), "\xff\xfe"};
  for (const auto& name : names) folder.write(name, "content of " + name);
  const auto source = image_folder(folder.string());
  REQUIRE(names_of(source) == names);
  for (std::uint64_t i = 0; i < source.size(); ++i)
    CHECK(read_text(source, i) == "content of " + names[i]);
}

TEST_CASE("names that differ in case alone are different files", "[folder][hostile][D6]") {
  const TemporaryFolder folder;
  folder.write("a.jpg", "small");
  folder.write("A.jpg", "large");
  folder.write("A.JPG", "largest");
  if (fs::file_size(folder / "a.jpg") != 5) {
    skip("this file system knows no case");
    return;
  }
  const auto source = image_folder(folder.string(), {.extensions = {".jpg"}});
  CHECK(names_of(source) == Names{"A.JPG", "A.jpg", "a.jpg"});
  CHECK(read_text(source, 2) == "small");
}

TEST_CASE("paths longer than the kernel's limit are listed and read", "[folder][hostile][D6]") {
  const TemporaryFolder folder;
  const std::string part(200, 'p');
  constexpr int depth = 45;
  const auto back = fs::current_path();
  fs::current_path(folder.path());
  std::string path;
  for (int i = 0; i < depth; ++i) {
    fs::create_directory(part);
    fs::current_path(part);
    path += part + "/";
  }
  { std::ofstream("leaf") << "deep"; }
  fs::create_symlink("leaf", "link");
  fs::current_path(back);
  {
    const auto source = image_folder(folder.string());
    REQUIRE(source.size() >= 1);
    CHECK(source.name(0) == path + "leaf");
    CHECK(source.name(0).size() > 9000);
    CHECK(read_text(source, 0) == "deep");
  }
}

TEST_CASE("listing and reading leave no descriptor behind", "[folder][hostile]") {
  const TemporaryFolder folder;
  folder.write("a/b/c/x", "x");
  fs::create_symlink("x", folder / "a/b/c/y");
  const auto before = open_descriptors();
  {
    const auto source = image_folder(folder.string());
    CHECK(open_descriptors() == before + 1);
    for (int i = 0; i < 10; ++i) {
      read_text(source, 0);
      read_text(source, 1);
    }
    CHECK(open_descriptors() == before + 1);
  }
  CHECK(open_descriptors() == before);
}
