#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/file_descriptor.hpp"
#include "source/image_folder.hpp"
#include "support/catch.hpp"
#include "unit/source/fixture.hpp"

namespace {

using namespace weir;
using namespace weir::test;
namespace fs = std::filesystem;
using Names = std::vector<std::string>;

struct Listed {
  Names names;
  std::uint64_t skipped;
};

Listed list(const TemporaryFolder& folder, FollowSymlinks links) {
  const source::ImageFolder images(folder.string(), {.follow_symlinks = links});
  Listed listed{{}, images.skipped()};
  for (std::uint64_t i = 0; i < images.size(); ++i) {
    listed.names.push_back(images.name(i));
    MemorySink sink;
    CHECK(images.try_read(i, sink)->bytes.size() == 1);
  }
  return listed;
}

/// Two folders with one file each, and links of every kind.
struct Linked {
  Linked() {
    folder.write("a/file", "f");
    outside.write("far/other", "o");
    fs::create_symlink("file", folder / "a/inside");
    fs::create_symlink((outside / "far/other").string(), folder / "a/out");
    fs::create_symlink("gone", folder / "a/dangling");
    fs::create_symlink("loop", folder / "a/loop");
    fs::create_symlink("/dev/zero", folder / "a/zero");
    fs::create_directory_symlink((outside / "far").string(), folder / "b");
  }
  TemporaryFolder folder, outside;
};

/// Removes openat2(2) from this process, as in a sandbox that does not know it.
bool forget_openat2() {
  std::array<sock_filter, 4> program{
      sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 0, 1),
      sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
      sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const sock_fprog filter{program.size(), program.data()};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

/// 0 if `path` opens without links; otherwise errno.
int opened(const TemporaryFolder& folder, const std::string& path) {
  const auto root = open_at(AT_FDCWD, folder.string().c_str(), O_PATH);
  return open_at(root.value(), path.c_str(), O_RDONLY, Resolve::no_links) ? 0 : errno;
}

}  // namespace

TEST_CASE("a link on the way is seen, with openat2(2) and without", "[folder][D3]") {
  const Linked data;
  const auto check = [&](const char* without) {
    const auto& folder = data.folder;
    const std::vector<std::pair<std::string, int>> expected{{"a/file", 0},
                                                            {"a//file", 0},
                                                            {"a/", 0},
                                                            {folder / "a/file", 0},
                                                            {"b/other", ELOOP},
                                                            {"a/inside", ELOOP},
                                                            {folder / "b/other", ELOOP},
                                                            {"a/file/x", ENOTDIR},
                                                            {"none/file", ENOENT},
                                                            {"a/none", ENOENT},
                                                            {"", ENOENT}};
    int wrong = 0;
    for (const auto& [path, code] : expected) {
      const auto got = opened(folder, path);
      if (got == code) continue;
      ++wrong;
      std::fprintf(stderr, "%s openat2, %s: %d\n", without, path.c_str(), got);
    }
    return wrong;
  };
  CHECK(check("with") == 0);
  const auto child = ::fork();
  if (child == 0) ::_exit(forget_openat2() ? check("without") : 99);
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 99) {
    WARN("no filter of system calls here");
    return;
  }
  CHECK(status == 0);
}

TEST_CASE("a link that leads nowhere is named unless links are ignored", "[folder][D3]") {
  const Linked data;
  const auto unreached = [&](FollowSymlinks links) {
    source::FolderNotes notes;
    const source::ImageFolder images(data.folder.string(), {.follow_symlinks = links}, &notes);
    Names texts;
    for (const auto& [path, reason] : notes.unreached) texts.push_back(path + ": " + reason);
    return texts;
  };
  const Names nowhere{"a/dangling: No such file or directory",
                      "a/loop: Too many levels of symbolic links"};
  CHECK(unreached(FollowSymlinks::no).empty());
  CHECK(unreached(FollowSymlinks::inside_root) == nowhere);
  CHECK(unreached(FollowSymlinks::yes) == nowhere);
}

TEST_CASE("follow_symlinks = no follows none and counts them all", "[folder][D3]") {
  const Linked data;
  const auto [names, skipped] = list(data.folder, FollowSymlinks::no);
  CHECK(names == Names{"a/file"});
  CHECK(skipped == 6);
}

TEST_CASE("follow_symlinks = inside_root follows links within the root", "[folder][D3]") {
  const Linked data;
  const auto [names, skipped] = list(data.folder, FollowSymlinks::inside_root);
  CHECK(names == Names{"a/file", "a/inside"});
  CHECK(skipped == 5);
}

TEST_CASE("follow_symlinks = yes follows links to folders and outside", "[folder][D3]") {
  const Linked data;
  const auto [names, skipped] = list(data.folder, FollowSymlinks::yes);
  CHECK(names == Names{"a/file", "a/inside", "a/out", "b/other"});
  CHECK(skipped == 3);  // dangling, a loop, a device
  const source::ImageFolder images(data.folder.string(), {.follow_symlinks = FollowSymlinks::yes});
  CHECK(images.class_names() == Names{"a", "b"});
  CHECK(images.label(3) == 1);
}

TEST_CASE("a folder that the path came through is not entered again", "[folder][D3]") {
  const TemporaryFolder folder;
  folder.write("a/b/file", "f");
  fs::create_directory_symlink("..", folder / "a/up");
  fs::create_directory_symlink(".", folder / "a/b/self");
  fs::create_directory_symlink("../../a", folder / "a/b/again");
  fs::create_directory_symlink("b", folder / "a/twice");  // not a cycle: another path to b
  const auto [names, skipped] = list(folder, FollowSymlinks::yes);
  CHECK(names == Names{"a/b/file", "a/twice/file"});
  CHECK(skipped == 5);
  source::FolderNotes notes;
  const source::ImageFolder images(folder.string(), {.follow_symlinks = FollowSymlinks::yes},
                                   &notes);
  CHECK(notes.skipped.starts_with("5 links to a folder above them ("));
  CHECK(notes.skipped.ends_with(", …)"));
}

TEST_CASE("a listing ends if folders link to one another", "[folder][D3]") {
  const TemporaryFolder folder;
  constexpr int count = 4;
  for (int i = 0; i < count; ++i) {
    const auto one = std::to_string(i);
    folder.write(one + "/file", "f");
    for (int j = 0; j < count; ++j) {
      const auto other = std::to_string(j);
      if (i != j) fs::create_directory_symlink("../" + other, folder / (one + "/to" + other));
    }
  }
  // Every path without a repetition: 4 + 4*3 + 4*3*2 + 4*3*2*1.
  CHECK(list(folder, FollowSymlinks::yes).names.size() == 64);
}

TEST_CASE("a file replaced by a link to outside is refused at the read", "[folder][D3]") {
  const TemporaryFolder folder, outside;
  outside.write("secret", "s");
  for (const auto links : {FollowSymlinks::no, FollowSymlinks::inside_root}) {
    folder.write("file", "f");
    const auto source = image_folder(folder.string(), {.follow_symlinks = links});
    fs::remove(folder / "file");
    fs::create_symlink((outside / "secret").string(), folder / "file");
    const auto refusal = refusal_of(source, 0);
    REQUIRE(refusal);
    CHECK(refusal->kind == FaultKind::unsupported);
    CHECK(refusal->takes == 0);
    fs::remove(folder / "file");
  }
}

TEST_CASE("a folder that becomes a link out of the root leads nowhere", "[folder][D3]") {
  const TemporaryFolder folder, outside;
  outside.write("file", "secret");
  folder.write("a/file", "f");
  const auto none = image_folder(folder.string(), {.follow_symlinks = FollowSymlinks::no});
  const auto inside = image_folder(folder.string());
  fs::rename(folder / "a", folder / "was");
  fs::create_directory_symlink(outside.string(), folder / "a");
  CHECK(refusal_of(none, 0).value().kind == FaultKind::unsupported);
  CHECK(refusal_of(inside, 0).value().reason == "a symbolic link out of the folder");
  // A link that stays inside the folder is allowed.
  fs::remove(folder / "a");
  fs::create_directory_symlink("was", folder / "a");
  CHECK(read_text(inside, 0) == "f");
}
