#include "cli/soak.hpp"

#include "cli/data.hpp"
#include "support/catch.hpp"

using namespace weir;
using namespace weir::cli;

TEST_CASE("a watched source is the same source, and its reads are counted", "[attempts]") {
  const auto plain =
      in_memory({{"a", {std::byte{1}}, 5}, {"b", {std::byte{2}, std::byte{3}}, 6}}, {"x"});
  const auto attempts = std::make_shared<Attempts>(plain.size());
  const AnySource source = Watched{plain, attempts};
  CHECK(source.size() == plain.size());
  CHECK(source.name(1) == plain.name(1));
  CHECK(source.index_bytes() == plain.index_bytes());
  CHECK(source.encoded_bytes(1) == plain.encoded_bytes(1));
  CHECK(source.class_names() == plain.class_names());
  CHECK(attempts->total() == 0);

  VectorSink sink;
  CHECK(source.read(1, sink).label == 6);
  source.read(1, sink);
  CHECK(attempts->total() == 2);
  CHECK(attempts->read_at_least(1) == 1);
  source.read(0, sink);
  CHECK(attempts->read_at_least(1) == 2);
  CHECK(attempts->read_at_least(2) == 1);
}
