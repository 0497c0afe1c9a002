#include "unit/source/conformance.hpp"

#include <string>
#include <vector>

#include "source/delayed.hpp"
#include "support/temporary_folder.hpp"
#include "weir/source.hpp"

using namespace weir;
using weir::test::check_source;
using weir::test::TemporaryFolder;

TEST_CASE("every source keeps what sources promise", "[conformance]") {
  const TemporaryFolder folder;
  const auto a = folder.write("data/a/1.jpg", "first"), b = folder.write("data/b/2.jpg", "second");
  const auto images = image_folder((folder / "data").string());
  const auto memory =
      in_memory({{"x", std::vector<std::byte>(3), 0}, {"y", std::vector<std::byte>(4), 1}});
  SECTION("image_folder") { check_source(images); }
  SECTION("image_files") { check_source(image_files({a, b}, {0, 1})); }
  SECTION("manifest") { check_source(manifest(folder.write("list.tsv", "data/a/1.jpg\t3\n"))); }
  SECTION("manifest with planes") {
    check_source(manifest(folder.write("planes.tsv", "path\tlabel\tmask\tdepth\n" + a + "\t3\t\t" +
                                                         b + "\n" + b + "\t3\t" + a + "\t\n")));
  }
  SECTION("manifest with annotations") {
    check_source(
        manifest(folder.write("notes.tsv", "path\tlabel\tmask\tannotation\n" + a + "\t3\t" + b +
                                               "\t" + b + "\n" + b + "\t3\t\t\n")));
  }
  SECTION("in_memory") { check_source(memory); }
  SECTION("synthetic") { check_source(synthetic(2, {8, 8})); }
  SECTION("subset") { check_source(subset(images, {1, 0, 1})); }
  SECTION("relabelled") { check_source(relabelled(images, {{0, 1}, {1, 0}}, {"b", "a"})); }
  SECTION("concatenated") { check_source(concatenated({images, memory})); }
  SECTION("with_plane") {
    const auto masks = in_memory(
        {{"b/2.png", std::vector<std::byte>(3), 0}, {"c/2.png", std::vector<std::byte>(4), 1}});
    const auto some = with_plane(images, "mask", masks, MissingPlane::absent);
    check_source(some);
    check_source(with_plane(some, "depth", std::vector<std::string>{b, a}));
    check_source(with_plane(some, "depth", {"", a}, MissingPlane::skip));
    check_source(subset(some, {1, 0}));
    check_source(relabelled(some, {{0, 1}, {1, 0}}));
    check_source(split(some, 2).training);
    check_source(concatenated({some, some}));
  }
  SECTION("with_annotations") {
    const std::vector<std::string> texts = {"one", ""};
    folder.write("texts/b/2.txt", "the second one");
    const auto notes = (folder / "texts").string();
    const auto table = with_annotations(images, texts);
    const auto files = with_annotations(images, notes, ".txt", MissingPlane::absent);
    check_source(table);
    check_source(files);
    check_source(with_annotations(images, notes, ".txt", MissingPlane::skip));
    check_source(with_plane(files, "mask", std::vector<std::string>{b, a}));
    check_source(subset(files, {1, 0}));
    check_source(concatenated({files, table}));
    check_source(concatenated({table, images}));
  }
  SECTION("delayed") {
    const auto noted = with_annotations(synthetic(2, {8, 8}), std::vector<std::string>{"a", "bc"});
    check_source(
        source::delayed(with_plane(noted, "mask", {a, ""}, MissingPlane::absent), {0, 0, 0}));
  }
  SECTION("cifar_binary") {
    check_source(cifar_binary({folder.write("batch.bin", std::string(2 * 3073, '\1'))}));
  }
  SECTION("mnist_idx") {
    const std::string two("\0\0\0\2", 4), four("\0\0\0\4", 4);
    const auto digits =
        mnist_idx(folder.write("images", std::string("\0\0\x8\3", 4) + two + four + four +
                                             std::string(32, 'p')),
                  folder.write("labels", std::string("\0\0\x8\1", 4) + two + "\1\2"));
    check_source(digits);
    CHECK(digits.label(1) == 2);
  }
}
