#include "source/file_reader.hpp"

#include <fcntl.h>

#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "support/catch.hpp"
#include "unit/source/fixture.hpp"

namespace {

using namespace weir;
using namespace weir::test;

struct Refused {};

class ThrowingSink final : public ByteSink {
 public:
  std::optional<std::span<std::byte>> try_take(std::size_t) override { throw Refused(); }
};

/// Changes the file after its size is known and before its bytes are read.
class MeddlingSink final : public ByteSink {
 public:
  explicit MeddlingSink(std::function<void()> meddle) : meddle_(std::move(meddle)) {}
  MeddlingSink(const std::string& file, std::uintmax_t size)
      : MeddlingSink([file, size] { std::filesystem::resize_file(file, size); }) {}
  std::optional<std::span<std::byte>> try_take(std::size_t bytes) override {
    memory_.resize(bytes);
    meddle_();
    return memory_;
  }

 private:
  std::function<void()> meddle_;
  std::vector<std::byte> memory_;
};

}  // namespace

TEST_CASE("an empty file is corrupt", "[reader][D1]") {
  const TemporaryFolder folder;
  folder.write("x", "");
  const auto refusal = refusal_of(image_folder(folder.string()), 0);
  REQUIRE(refusal);
  CHECK(refusal->kind == FaultKind::corrupt);
  CHECK(refusal->reason == "empty file");
  CHECK(refusal->takes == 0);
}

TEST_CASE("a file of a terabyte is refused before a byte is taken", "[reader][D9]") {
  const TemporaryFolder folder;
  folder.write("x", "");
  std::filesystem::resize_file(folder / "x", 1ull << 40);
  const auto refusal = refusal_of(image_folder(folder.string()), 0);
  REQUIRE(refusal);
  CHECK(refusal->kind == FaultKind::limit);
  CHECK(refusal->reason == "the file has 1099511627776 bytes, `max_encoded_bytes` is 67108864");
  CHECK(refusal->takes == 0);
}

TEST_CASE("a file of exactly the limit is read, one byte more is not", "[reader][D9]") {
  const TemporaryFolder folder;
  folder.write("a", std::string(100, 'a'));
  folder.write("b", std::string(101, 'b'));
  const auto source = image_folder(folder.string(), {.max_encoded_bytes = 100});
  CHECK(read_text(source, 0).size() == 100);
  CHECK(refusal_of(source, 1).value().kind == FaultKind::limit);
}

TEST_CASE("a sink's exception passes through and closes the file", "[reader]") {
  const TemporaryFolder folder;
  folder.write("x", "x");
  const auto source = image_folder(folder.string());
  const auto before = open_descriptors();
  ThrowingSink throwing;
  MemorySink full(0);
  for (int i = 0; i < 10; ++i) {
    CHECK_THROWS_AS(source.read(0, throwing), Refused);
    CHECK_THROWS_AS(source.read(0, full), BytesRefused);
    CHECK_FALSE(source.try_read(0, full));
  }
  CHECK(open_descriptors() == before);
  CHECK(read_text(source, 0) == "x");
}

TEST_CASE("a file that shrinks while it is read is truncated", "[reader][D5]") {
  const TemporaryFolder folder;
  folder.write("x", std::string(1000, 'x'));
  const auto source = image_folder(folder.string());
  MeddlingSink sink((folder / "x").string(), 300);
  try {
    source.read(0, sink);
    FAIL("read");
  } catch (const SampleError& error) {
    CHECK(error.kind() == FaultKind::truncated);
    CHECK(error.what() == std::string("the file ended after 300 of 1000 bytes"));
  }
}

TEST_CASE("a file that loses all it had is truncated", "[reader][D5]") {
  const TemporaryFolder folder;
  folder.write("x", std::string(100'000, 'x'));
  const auto source = image_folder(folder.string());
  MeddlingSink sink((folder / "x").string(), 0);
  CHECK_THROWS_WITH(source.read(0, sink), has_text("ended after 0 of 100000 bytes"));
}

TEST_CASE("a file that grows while it is read gives the bytes it had", "[reader][D5]") {
  const TemporaryFolder folder;
  folder.write("x", "0123456789");
  const auto source = image_folder(folder.string());
  MeddlingSink sink((folder / "x").string(), 100'000);
  CHECK(text_of(source.read(0, sink)) == "0123456789");
}

TEST_CASE("a file is read to its end if it is deleted during the read", "[reader][D5]") {
  const TemporaryFolder folder;
  folder.write("x", std::string(1000, 'x'));
  const auto source = image_folder(folder.string());
  MeddlingSink replaced([&] {
    folder.write("new", std::string(10, 'n'));
    std::filesystem::rename(folder / "new", folder / "x");
  });
  CHECK(text_of(source.read(0, replaced)) == std::string(1000, 'x'));
  MeddlingSink deleted([&] { std::filesystem::remove(folder / "x"); });
  CHECK(text_of(source.read(0, deleted)) == std::string(10, 'n'));
  CHECK(refusal_of(source, 0).value().reason == "cannot open: No such file or directory");
}

TEST_CASE("many threads read at once", "[reader]") {
  const TemporaryFolder folder;
  for (int i = 0; i < 20; ++i)
    folder.write(std::to_string(i), std::string(static_cast<std::size_t>(i + 1) * 1000, 'x'));
  const auto source = image_folder(folder.string());
  std::vector<std::uint64_t> bytes(4);
  {
    std::vector<std::jthread> threads;
    threads.reserve(bytes.size());
    for (auto& sum : bytes) {
      threads.emplace_back([&sum, &source] {
        for (int round = 0; round < 5; ++round) {
          for (std::uint64_t i = 0; i < source.size(); ++i) sum += read_text(source, i).size();
        }
      });
    }
  }
  for (const auto sum : bytes) CHECK(sum == std::uint64_t{5} * 210'000);
}

TEST_CASE("a path with links may lead to any file, but to no device", "[reader][D3]") {
  const TemporaryFolder folder;
  const TemporaryFolder outside;
  outside.write("x", "out there");
  std::filesystem::create_symlink((outside / "x").string(), folder / "link");
  std::filesystem::create_symlink("/dev/zero", folder / "zero");
  const source::FileReader reader(open_at(AT_FDCWD, folder.string().c_str(), O_PATH | O_DIRECTORY),
                                  FollowSymlinks::yes, 1000);
  MemorySink sink;
  CHECK(reader.read("link", 0, sink)->bytes.size() == 9);
  CHECK(reader.read((outside / "x").c_str(), 0, sink)->bytes.size() == 9);
  try {
    static_cast<void>(reader.read("zero", 0, sink));
    FAIL("read a device");
  } catch (const SampleError& error) {
    CHECK(error.kind() == FaultKind::unsupported);
  }
}
