#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "contract/verdicts/judge.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"
#include "unit/codec/encoders.hpp"

namespace weir::test {
namespace {

namespace fs = std::filesystem;
using codec::test::Encoded;

struct BadFile {
  const char* what;
  FaultKind kind;
};
/// What replaces file 4 i + 3 of spoilt(), for each i.
constexpr std::array bad_files{BadFile{"gone", FaultKind::io},
                               BadFile{"empty", FaultKind::corrupt},
                               BadFile{"a FIFO", FaultKind::unsupported},
                               BadFile{"a folder", FaultKind::unsupported},
                               BadFile{"a terabyte of nothing", FaultKind::limit},
                               BadFile{"a link out of the folder", FaultKind::unsupported},
                               BadFile{"a link to nothing", FaultKind::io},
                               BadFile{"cut", FaultKind::truncated}};
constexpr std::uint64_t file_count = 4 * bad_files.size();

void spoil(const fs::path& file, std::size_t how, const Encoded& sound) {
  fs::remove(file);
  const auto make = [&](std::size_t bytes, off_t length) {
    const int fd = ::open(file.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    REQUIRE(fd >= 0);
    CHECK(::write(fd, sound.data(), bytes) == static_cast<ssize_t>(bytes));
    CHECK(::ftruncate(fd, length) == 0);
    ::close(fd);
  };
  switch (how) {
    case 1: make(0, 0); break;
    case 2: REQUIRE(::mkfifo(file.c_str(), 0600) == 0); break;
    case 3: fs::create_directory(file); break;
    case 4: make(0, off_t{1} << 40); break;
    case 5: fs::create_symlink("/dev/zero", file); break;
    case 6: fs::create_symlink("gone", file); break;
    case 7: make(sound.size() / 2, static_cast<off_t>(sound.size() / 2)); break;
    default: break;
  }
}

/// A folder of valid files that was listed. Then each fourth file was replaced.
AnySource spoilt(const TemporaryFolder& folder) {
  const auto sound = codec::test::encode_jpeg(codec::test::pattern(40, 30));
  const auto name = [](std::uint64_t i) { return (i < 10 ? "0" : "") + std::to_string(i); };
  for (std::uint64_t i = 0; i < file_count; ++i) folder.write(name(i), sound);
  auto source = image_folder(folder.string());
  REQUIRE(source.size() == file_count);
  for (std::size_t i = 0; i < bad_files.size(); ++i) spoil(folder / name(4 * i + 3), i, sound);
  return source;
}

}  // namespace

TEST_CASE("a file that changed after listing is a fault under blank",
          "[verdicts][faults][D1][D2][D3][D5]") {
  const TemporaryFolder folder;
  auto options = whole(pattern_size);
  options.io.read_ahead = GENERATE(0u, 4u);
  const auto verdicts = judge(spoilt(folder), options);
  for (std::uint64_t i = 0; i < file_count; ++i) {
    const auto& verdict = verdicts[i];
    if (!is_bad(i)) {
      CHECK(verdict.status == RowStatus::ok);
      continue;
    }
    CAPTURE(bad_files[i / 4].what, verdict.text());
    REQUIRE(verdict.fault);
    CHECK(verdict.fault->kind == bad_files[i / 4].kind);
    CHECK(verdict.fault->stage == (i == file_count - 1 ? Stage::decode : Stage::read));
  }
}

TEST_CASE("a file that changed after listing is replaced under skip",
          "[verdicts][faults][D1][D2][D3][D5]") {
  const TemporaryFolder folder;
  auto options = whole(pattern_size);
  options.faults.policy = OnFault::skip;
  options.io.read_ahead = GENERATE(0u, 4u);
  Loader loader(spoilt(folder), options);
  auto stream = loader.stream();
  std::uint64_t rows = 0;
  for (auto& batch : stream)
    for (std::uint32_t i = 0; i < batch.size(); ++i, ++rows) {
      CHECK_FALSE(is_bad(batch.indices()[i]));
      CHECK((batch.statuses()[i] == RowStatus::replaced) == is_bad(rows));
    }
  CHECK(rows == file_count);
  const auto samples = loader.snapshot().samples;
  CHECK(samples.replaced == bad_files.size());
  CHECK(samples.failed == loader.report().fault_count);
  CHECK(samples.conserved());
}

TEST_CASE("a file that changed after listing ends a stream under stop",
          "[verdicts][faults][D1][D2][D3][D5]") {
  const TemporaryFolder folder;
  const auto source = spoilt(folder);
  auto options = whole(pattern_size);
  options.faults.policy = OnFault::stop;
  options.io.read_ahead = GENERATE(0u, 4u);
  Loader loader(source, options);
  for (std::uint64_t i = 0; i < bad_files.size(); ++i) {
    CAPTURE(bad_files[i].what);
    // The bad row is the last of its batch.
    auto stream = loader.stream({.resume = loader.progress_after(i)});
    try {
      const auto batch = stream.next();
      FAIL("the stream should have stopped");
    } catch (const Error& error) {
      CHECK(error.code() == Errc::sample_failed);
      CHECK_THAT(error.what(), has_text(source.name(4 * i + 3) + ": "));
    }
    CHECK_FALSE(stream.next());
    CHECK(loader.snapshot().samples.conserved());
  }
}

TEST_CASE("a source's timeout or lack of memory is its sample's fault", "[verdicts][faults]") {
  struct Slow {
    std::uint64_t size() const { return 2; }
    weir::Encoded read(std::uint64_t i, ByteSink&) const {
      if (i == 1) throw std::bad_alloc();
      throw SampleError(FaultKind::timeout, "the store did not answer");
    }
    std::string name(std::uint64_t) const { return "slow"; }
    std::uint64_t index_bytes() const { return 0; }
  };
  const auto verdicts = judge(Slow(), whole(pattern_size));
  CHECK(verdicts[0].fault->kind == FaultKind::timeout);
  CHECK(verdicts[0].fault->reason == "the store did not answer");
  CHECK(verdicts[0].fault->stage == Stage::read);
  CHECK(verdicts[1].fault->kind == FaultKind::memory);
}

}  // namespace weir::test
