#include "base/text_file.hpp"

#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

using namespace weir;
using weir::test::has_text;
using weir::test::TemporaryFolder;

TEST_CASE("a text file is read to a bound, and no further", "[text]") {
  const TemporaryFolder folder;
  constexpr std::uint64_t mib = 1 << 20;
  const auto file = folder.write("text", std::string(mib, 'a'));
  CHECK(read_text_file(file, mib).size() == mib);
  CHECK_THROWS_WITH(read_text_file(file, mib - 1), has_text("more than 0 MiB"));
  CHECK_THROWS_WITH(read_text_file(folder.string(), mib), has_text("Is a directory"));
  CHECK_THROWS_WITH(read_text_file((folder / "none").string(), mib), has_text("No such"));
  CHECK_THROWS_WITH(read_text_file("/dev/zero", mib), has_text("/dev/zero: it has a NUL"));
}
