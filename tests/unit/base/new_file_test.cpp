#include "base/new_file.hpp"

#include <sys/mount.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include "support/catch.hpp"
#include "support/skip.hpp"
#include "support/temporary_folder.hpp"

using weir::NewFile;
using weir::test::TemporaryFolder;

namespace {

void write(NewFile& file, const std::string& text) { file.write(std::as_bytes(std::span(text))); }

std::string content(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> names_in(const TemporaryFolder& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    names.push_back(entry.path().filename().string());
  std::ranges::sort(names);
  return names;
}

}  // namespace

TEST_CASE("several writers each write a whole file and the last stays", "[new_file]") {
  const TemporaryFolder folder;
  const auto path = (folder / "x").string();
  NewFile one(path), two(path), three(path);
  write(one, "one");
  write(two, "the second");
  one.commit();
  CHECK(content(path) == "one");
  {
    NewFile left(path);  // it takes the free name
    write(left, "never");
  }
  write(three, "3");
  three.commit();
  CHECK(content(path) == "3");
  two.commit();
  CHECK(content(path) == "the second");
  CHECK(names_in(folder) == std::vector<std::string>{"x"});
}

TEST_CASE("a new file uses again only what a killed process left", "[new_file]") {
  const TemporaryFolder folder;
  const auto path = (folder / "x").string();
  folder.write("x.part", "a longer text that was left");
  {
    NewFile file(path);
    write(file, "new");
    file.commit();
  }
  CHECK(content(path) == "new");
  CHECK(names_in(folder) == std::vector<std::string>{"x"});

  folder.write("other", "untouched");
  std::filesystem::create_symlink("other", folder / "x.part");
  REQUIRE(::mkfifo((folder / "x.2.part").c_str(), 0600) == 0);
  std::filesystem::create_directory(folder / "x.3.part");
  NewFile file(path);
  write(file, "newer");
  file.commit();
  CHECK(content(path) == "newer");
  CHECK(content(folder / "other") == "untouched");
  CHECK(names_in(folder) ==
        std::vector<std::string>{"other", "x", "x.2.part", "x.3.part", "x.part"});
  CHECK_THROWS_AS(NewFile((folder / "none/x").string()), std::system_error);
}

TEST_CASE("a new file fills one that is a mount", "[new_file]") {
  const TemporaryFolder folder;
  const std::string outside = folder.write("outside", "a text that is longer"),
                    path = folder.write("x", "hidden");
  if (::mount(outside.c_str(), path.c_str(), nullptr, MS_BIND, nullptr) != 0)
    return weir::test::skip("no file may be mounted here");
  {
    NewFile file(path);
    write(file, "new");
    file.commit();
  }
  ::umount(path.c_str());
  CHECK(content(outside) == "new");
  CHECK(names_in(folder) == std::vector<std::string>{"outside", "x"});
  // A full disk leaves what was written, because the old content is gone.
  REQUIRE(::mount("/dev/full", path.c_str(), nullptr, MS_BIND, nullptr) == 0);
  {
    NewFile file(path);
    write(file, "whole");
    CHECK_THROWS_WITH(file.commit(),
                      weir::test::has_text(path + "; its content is in " + path + ".part: "));
  }
  ::umount(path.c_str());
  CHECK(content(path + ".part") == "whole");
}

TEST_CASE("a new file says that its folder takes no other", "[new_file]") {
  // Nobody may write there, root neither.
  CHECK_THROWS_WITH(NewFile("/sys/weir"),
                    weir::test::has_text("/sys/weir, whose folder must take a temporary file: "));
}

TEST_CASE("a new file can have the longest name", "[new_file]") {
  const TemporaryFolder folder;
  const std::string name(255, 'n');
  NewFile file((folder / name).string()), other((folder / (name.substr(1) + 'o')).string());
  write(other, "other");
  write(file, "whole");
  file.commit();
  CHECK(content(folder / name) == "whole");
}
