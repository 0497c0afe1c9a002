#include "cli/survey.hpp"

#include <memory>
#include <new>
#include <vector>

#include "support/catch.hpp"
#include "support/sanitized.hpp"

using namespace weir;
using namespace weir::cli;
using weir::test::sanitized;

namespace {

std::vector<std::byte> bytes_of(const AnySource& source, std::uint64_t index) {
  class Sink final : public ByteSink {
   public:
    std::vector<std::byte> bytes;
    std::span<std::byte> take(std::size_t size) override {
      bytes.resize(size);
      return bytes;
    }
  } sink;
  const auto encoded = source.read(index, sink).bytes;
  return {encoded.begin(), encoded.end()};
}

/// Ten JPEGs; the fourth is cut in half, the eighth is no image.
AnySource mixed() {
  const auto sound = synthetic(10, {.height = 40, .width = 60});
  std::vector<MemorySample> samples;
  for (std::uint64_t i = 0; i < sound.size(); ++i)
    samples.push_back({"s" + std::to_string(i), bytes_of(sound, i), 0});
  samples[3].bytes.resize(samples[3].bytes.size() / 2);
  samples[7].bytes.assign(100, std::byte{'x'});
  return in_memory(std::move(samples));
}

/// Its files find no memory: in info(), or in decode().
class Starved final : public ForeignCodec {
 public:
  explicit Starved(bool in_info) : in_info_(in_info) {}
  bool accepts(std::span<const std::byte> head) const noexcept override {
    return head.front() == std::byte{'x'};
  }
  Info info(std::span<const std::byte>) const override {
    if (in_info_) throw std::bad_alloc();
    return {8, 8, 0};
  }
  void decode(std::span<const std::byte>, const Info&, std::span<std::uint8_t>) const override {
    throw std::bad_alloc();
  }

 private:
  bool in_info_;
};

/// Ten sound ones, but the third finds no memory to be read into.
class Unread {
 public:
  std::uint64_t size() const { return sound_.size(); }
  Encoded read(std::uint64_t i, ByteSink& sink) const {
    if (i == 2) throw std::bad_alloc();
    return sound_.read(i, sink);
  }
  std::string name(std::uint64_t i) const { return sound_.name(i); }
  std::uint64_t index_bytes() const { return 0; }

 private:
  AnySource sound_ = synthetic(10, {.height = 40, .width = 60});
};

Settings small(std::uint32_t workers) {
  Settings settings;
  settings.quiet = true;
  settings.options.shape = {.height = 16, .width = 16};
  settings.options.workers = workers;
  return settings;
}

}  // namespace

TEST_CASE("a survey finds every file that does not decode, whatever the number of workers",
          "[survey]") {
  const Interrupt interrupt;
  const auto workers = GENERATE(1u, 2u, 7u, 64u);
  const auto found = survey(mixed(), small(workers), interrupt);
  CHECK(found.files == 10);
  CHECK(found.sound == 8);
  REQUIRE(found.faults.size() == 2);
  CHECK(found.faults[0].index == 3);
  CHECK(found.faults[0].name == "s3");
  CHECK(found.faults[1].index == 7);
  CHECK(found.faults[1].kind == FaultKind::unsupported);
  CHECK(found.formats == std::map<std::string, std::uint64_t>{{"jpeg", 8}});
  CHECK(found.width.least <= found.width.most);
  CHECK(found.encoded_bytes.least > 0);
  CHECK(found.worst_scratch > 0);
  CHECK_FALSE(found.worst_scratch_name.empty());
}

TEST_CASE("a source without files has no least and no most", "[survey]") {
  const Interrupt interrupt;
  const auto found = survey(in_memory({}), small(2), interrupt);
  CHECK(found.files == 0);
  CHECK(found.width.least == 0);
  CHECK(found.width.most == 0);
}

TEST_CASE("a file that finds no memory is a fault, and the others have their verdicts",
          "[survey][R1]") {
  const Interrupt interrupt;
  auto settings = small(GENERATE(1u, 3u));
  settings.options.codecs = {std::make_shared<const Starved>(GENERATE(false, true))};
  const auto found = survey(mixed(), settings, interrupt);
  CHECK(found.files == 10);
  CHECK(found.sound == 8);
  REQUIRE(found.faults.size() == 2);
  CHECK(found.faults[1].index == 7);
  CHECK(found.faults[1].kind == FaultKind::memory);
  CHECK(found.faults[1].stage == Stage::decode);

  const auto unread = survey(Unread(), settings, interrupt);
  CHECK(unread.sound == 9);
  REQUIRE(unread.faults.size() == 1);
  CHECK(unread.faults[0].kind == FaultKind::memory);
  CHECK(unread.faults[0].stage == Stage::read);
}

TEST_CASE("a file that needs more memory than there is is a fault", "[survey][R1]") {
  if (sanitized) return;  // a sanitizer ends the program there
  constexpr std::uint32_t side = 1 << 24;
  class Huge final : public ForeignCodec {
    bool accepts(std::span<const std::byte> head) const noexcept override {
      return head.front() == std::byte{'x'};
    }
    Info info(std::span<const std::byte>) const override { return {side, side, 0}; }
    void decode(std::span<const std::byte>, const Info&, std::span<std::uint8_t>) const override {}
  };
  const Interrupt interrupt;
  auto settings = small(2);
  settings.options.codecs = {std::make_shared<const Huge>()};
  settings.options.limits.max_side = UINT32_MAX;
  settings.options.limits.max_pixels = UINT64_MAX;
  settings.options.memory.max_sample_bytes = UINT64_MAX;
  const auto found = survey(mixed(), settings, interrupt);
  CHECK(found.sound == 8);
  REQUIRE(found.faults.size() == 2);
  CHECK(found.faults[1].kind == FaultKind::memory);
}
