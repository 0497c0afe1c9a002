#include <filesystem>
#include <stop_token>

#include "source/image_folder.hpp"
#include "support/catch.hpp"
#include "support/text.hpp"
#include "unit/source/fixture.hpp"

using namespace weir;
using weir::test::contains;
using weir::test::TemporaryFolder;

namespace {

/// The message of the error that the folder gives.
std::string refusal(const TemporaryFolder& folder, const FolderOptions& options = {}) {
  try {
    image_folder(folder.string(), options);
  } catch (const Error& error) {
    CHECK(error.code() == Errc::source_failed);
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a folder without samples is an error that says why", "[folder]") {
  const TemporaryFolder folder;
  CHECK(contains(refusal(folder), folder.string() + ": no samples: the folder is empty"));
  std::filesystem::create_directories(folder / "cats");
  CHECK(contains(refusal(folder), "no samples: its folders are empty"));
  folder.write("cats/.hidden.jpg", "x");
  CHECK(contains(refusal(folder), "found 1 entry and left out 1 hidden"));
  folder.write("notes.txt", "x");
  folder.write("cats/list.csv", "x");
  std::filesystem::create_symlink("nowhere.jpg", folder / "link.jpg");
  const auto all = refusal(folder);
  CHECK(contains(all, "found 4 entries and left out 2 of extensions that no image has"));
  CHECK(contains(all, "1 not readable (link.jpg: No such file or directory)"));
  const auto by_extension = refusal(folder, {.extensions = {".png", "jpeg"}});
  CHECK(contains(by_extension, "3 of other extensions than `extensions` = .png,jpeg ("));
  CHECK(contains(by_extension, ", …); 1 hidden"));
  CHECK(contains(refusal(folder, {.extensions = {".jpg"}, .follow_symlinks = FollowSymlinks::no}),
                 "1 links (link.jpg), which `follow_symlinks` = yes follows"));
  folder.write("cats/a.jpg", "x");
  CHECK(image_folder(folder.string()).size() == 1);
}

TEST_CASE("a folder with an unfinished pack is refused", "[folder]") {
  const TemporaryFolder folder;
  folder.write("cats/a.jpg", "x");
  const auto marker = folder.write("packed/pack.unfinished", "");
  CHECK_THROWS_WITH(image_folder(folder.string()),
                    weir::test::has_text("/packed: a `weir pack` into it has not ended; run it"));
  CHECK_THROWS_AS(image_folder(folder.string() + "/packed", {.extensions = {"jpg"}}), Error);
  std::filesystem::remove(marker);
  CHECK(image_folder(folder.string()).size() == 1);
}

TEST_CASE("a manifest without samples is an error, an empty list is not", "[manifest]") {
  const TemporaryFolder folder;
  const auto tsv = folder.write("list.tsv", "# a comment\n\n");
  CHECK_THROWS_WITH(manifest(tsv), weir::test::has_text("no samples: 2 lines, each empty or a"));
  CHECK(in_memory({}).size() == 0);
  CHECK(synthetic(0, {8, 8}).size() == 0);
}

TEST_CASE("a path with a NUL byte is refused", "[sources]") {
  const TemporaryFolder folder;
  const auto path = folder.write("list.tsv", "a\t1\n") + std::string("\0x", 2);
  const auto refused = weir::test::has_text("list.tsv\\x00x: has a NUL byte");
  CHECK_THROWS_WITH(image_folder(path), refused);
  CHECK_THROWS_WITH(image_files({path}), refused);
  CHECK_THROWS_WITH(manifest(path), refused);
  CHECK_THROWS_WITH(cifar_binary({path}), refused);
  CHECK_THROWS_WITH(with_annotations(synthetic(1, {8, 8}), path, ".txt"), refused);
}

TEST_CASE("the listing of a folder ends when it is asked to", "[folder]") {
  const TemporaryFolder folder;
  for (const auto* name : {"a/1.jpg", "a/2.jpg", "b/1.jpg", "c.jpg"}) folder.write(name, "x");
  std::stop_source stop;
  CHECK(source::ImageFolder(folder.string(), {}, nullptr, stop.get_token()).size() == 4);
  stop.request_stop();
  CHECK_THROWS_WITH(source::ImageFolder(folder.string(), {}, nullptr, stop.get_token()),
                    weir::test::has_text("stopped"));
  // Sorting many names takes seconds, too.
  source::NameTable names;
  names.add("", "b");
  names.add("", "a");
  CHECK_THROWS_AS(names.finish(stop.get_token()), Error);
}
