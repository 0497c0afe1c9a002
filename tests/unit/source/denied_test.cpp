#include <grp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <string>

#include "source/image_folder.hpp"
#include "support/catch.hpp"
#include "unit/source/fixture.hpp"

namespace {

using namespace weir;
using namespace weir::test;
namespace fs = std::filesystem;

/// Runs the checks as another user in a child process, because permissions do not restrict root. Returns
/// the number of the first failed check, or 0. Without root privileges the checks run in this process.
int as_somebody(const std::function<int()>& look) {
  constexpr uid_t nobody = 65534;
  if (::geteuid() != 0) return look();
  const auto child = ::fork();
  if (child == 0) {
    ::alarm(20);
    const bool dropped =
        ::setgroups(0, nullptr) == 0 && ::setgid(nobody) == 0 && ::setuid(nobody) == 0;
    int failed = 100;
    try {
      if (dropped) failed = look();
    } catch (...) {
      failed = 101;
    }
    ::_exit(failed);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

}  // namespace

TEST_CASE("a file that may not be read is a fault of its own", "[reader][D4]") {
  const TemporaryFolder folder;
  folder.write("1-shut", "x");
  folder.write("2-open", "y");
  fs::permissions(folder.path(), fs::perms(0755));
  fs::permissions(folder / "1-shut", fs::perms::none);
  CHECK(as_somebody([&] {
          const auto source = image_folder(folder.string());
          if (source.size() != 2) return 1;
          const auto refusal = refusal_of(source, 0);
          if (!refusal || refusal->kind != FaultKind::io || refusal->takes != 0) return 2;
          if (refusal->reason != "cannot open: Permission denied") return 3;
          return read_text(source, 1) == "y" ? 0 : 4;
        }) == 0);
}

TEST_CASE("a folder without permission is skipped unless it is the root", "[folder][hostile][D4]") {
  const TemporaryFolder folder;
  folder.write("open/x", "x");
  folder.write("shut/y", "y");
  fs::permissions(folder.path(), fs::perms(0755));
  fs::permissions(folder / "shut", fs::perms::none);
  CHECK(as_somebody([&] {
          source::FolderNotes notes;
          const source::ImageFolder images(folder.string(), {}, &notes);
          const auto& unreached = notes.unreached;
          if (images.size() != 1 || std::string(images.name(0)) != "open/x") return 1;
          if (images.class_names() != std::vector<std::string>{"open", "shut"}) return 2;
          if (images.skipped() != 1) return 3;
          if (unreached.size() != 1 || unreached[0].path != "shut") return 6;
          if (unreached[0].reason != "Permission denied") return 7;
          try {
            image_folder((folder / "shut").string());
            return 4;
          } catch (const Error& error) {
            return error.code() == Errc::source_failed ? 0 : 5;
          }
        }) == 0);
  fs::permissions(folder / "shut", fs::perms::owner_all);
}
