#include "fixture.hpp"
#include "support/catch.hpp"
#include "support/text.hpp"
#include "weir/error.hpp"
#include "weir/sources.hpp"

using namespace weir;
using namespace weir::test;

namespace {

AnySource words(std::vector<std::string> all) {
  std::vector<MemorySample> samples;
  for (const auto& word : all) {
    const auto bytes = std::as_bytes(std::span(word));
    samples.push_back({"name of " + word, {bytes.begin(), bytes.end()}, 7});
  }
  return in_memory(std::move(samples), {"a", "b"});
}

class Lacking {
 public:
  std::uint64_t size() const { return 2; }
  Encoded read(std::uint64_t, ByteSink&) const { throw SampleError(FaultKind::io, "it is away"); }
  std::string name(std::uint64_t i) const { return "mask/" + std::to_string(i); }
  std::uint64_t index_bytes() const { return 11; }
};

}  // namespace

TEST_CASE("a pair has the first image's name and label, and both images", "[paired]") {
  const auto first = words({"one", "two"}), second = words({"ten", "twenty"});
  const auto pair = paired(first, second, PairNames::any);
  CHECK(pair.size() == 2);
  RecordingSink sink;
  const auto sample = pair.read(1, sink);
  CHECK(text_of(sample) == "two");
  CHECK(text_of({sample.planes[0]}) == "twenty");
  CHECK(sample.annotation.empty());
  CHECK(sample.label == 7);
  CHECK(pair.name(1) == "name of two");
  CHECK(pair.encoded_bytes(1) == 9);
  CHECK(pair.index_bytes() >= first.index_bytes() + second.index_bytes());
  CHECK(pair.class_names() == std::vector<std::string>{"a", "b"});
}

TEST_CASE("sources of different sizes are no pair", "[paired]") {
  CHECK_THROWS_WITH(paired(words({"one", "two"}), words({"ten"})),
                    has_text("first has 2 samples, second has 1"));
}

TEST_CASE("where the second image fails, the reason names it", "[paired]") {
  const auto pair = paired(words({"one", "two"}), Lacking{}, PairNames::any);
  CHECK_FALSE(pair.encoded_bytes(0).has_value());
  RecordingSink sink;
  try {
    (void)pair.read(1, sink);
    FAIL("it should have thrown");
  } catch (const SampleError& error) {
    CHECK(error.kind() == FaultKind::io);
    CHECK(std::string(error.what()) == "second image mask/1: it is away");
  }
}
