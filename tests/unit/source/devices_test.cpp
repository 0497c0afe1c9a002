#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <string>

#include "support/catch.hpp"
#include "unit/source/fixture.hpp"

namespace {

using namespace weir;
using namespace weir::test;
namespace fs = std::filesystem;

/// Entries that are not files. A manifest may list them, and a folder must skip them.
std::vector<std::string> make_specials(const TemporaryFolder& folder) {
  std::vector<std::string> made{"fifo.jpg", "socket.jpg"};
  REQUIRE(::mkfifo((folder / "fifo.jpg").c_str(), 0600) == 0);
  make_socket(folder / "socket.jpg");
  const auto device = [&](const char* name, mode_t mode, dev_t number) {
    if (::mknod((folder / name).c_str(), mode | 0600, number) == 0)
      made.emplace_back(name);
    else
      WARN("no device nodes may be made here");
  };
  device("null.jpg", S_IFCHR, makedev(1, 3));
  device("zero.jpg", S_IFCHR, makedev(1, 5));
  device("no-driver.jpg", S_IFCHR, makedev(4000, 7));
  device("block.jpg", S_IFBLK, makedev(7, 250));
  fs::create_directory(folder / "folder.jpg");
  made.emplace_back("folder.jpg");
  return made;
}

}  // namespace

TEST_CASE("what is no file is refused without waiting for it", "[reader][D1][D2]") {
  ::alarm(2);  // a FIFO without a writer would block forever
  const TemporaryFolder folder;
  const auto specials = make_specials(folder);
  CHECK_THROWS_WITH(
      image_folder(folder.string()),
      has_text("left out " + std::to_string(specials.size() - 1) + " neither file nor"));
  std::string list;
  for (const auto& name : specials) list += name + "\t0\n";
  folder.write("list.tsv", list);
  const auto source = manifest((folder / "list.tsv").string());
  REQUIRE(source.size() == specials.size());
  // Some file systems give a folder the size of a small file. Then only the read fails.
  const int fd = ::open((folder / "folder.jpg").c_str(), O_RDONLY | O_CLOEXEC);
  const auto end = ::lseek(fd, 0, SEEK_END);
  ::close(fd);
  const std::size_t takes_of_folder = end > 0 && end <= 64 << 10 ? 1 : 0;
  const auto before = open_descriptors();
  for (std::uint64_t i = 0; i < source.size(); ++i) {
    const auto refusal = refusal_of(source, i);
    CAPTURE(specials[i]);
    REQUIRE(refusal);
    CAPTURE(refusal->reason);
    // On a folder mounted `nodev`, the kernel refuses devices earlier.
    CHECK(
        (refusal->kind == FaultKind::unsupported ||
         (refusal->kind == FaultKind::io && refusal->reason == "cannot open: Permission denied")));
    CHECK(refusal->takes == (specials[i] == "folder.jpg" ? takes_of_folder : 0));
  }
  CHECK(open_descriptors() == before);
  ::alarm(0);
}

TEST_CASE("a manifest is refused if it is no file or far too large", "[manifest][D2][D9]") {
  ::alarm(20);
  const TemporaryFolder folder;
  make_specials(folder);
  folder.write("hole", "a\t1\n");
  fs::resize_file(folder / "hole", 1ull << 40);
  CHECK_THROWS_WITH(manifest((folder / "fifo.jpg").string()), has_text("not a regular file"));
  CHECK_THROWS_WITH(manifest((folder / "socket.jpg").string()), has_text("cannot open"));
  CHECK_THROWS_WITH(manifest((folder / "hole").string()), has_text("the most is 1073741824"));
  fs::resize_file(folder / "hole", 1ull << 28);
  CHECK_THROWS_WITH(manifest((folder / "hole").string()), has_text("hole:2: a NUL byte"));
  ::alarm(0);
}
