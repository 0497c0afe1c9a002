#include "cli/survey.hpp"

#include <vector>

#include "support/catch.hpp"

using namespace weir;
using namespace weir::cli;

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
