#include "observe/digest.hpp"

#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"
#include "weir/loader.hpp"
#include "weir/source.hpp"

using namespace weir;
using weir::observe::Digest;

namespace {

std::string sha256(std::string_view text) {
  Digest digest;
  digest.add(std::as_bytes(std::span(text)));
  return std::move(digest).hex();
}

std::string sha256_of_batch(const std::vector<std::string>& annotations) {
  Options options;
  options.shape = {2, 2};
  options.batch = static_cast<std::uint32_t>(annotations.size());
  options.order = Order::sequential();
  options.workers = 1;
  options.annotation_bytes = 4;
  Loader loader(with_annotations(synthetic(annotations.size(), {4, 4}), annotations), options);
  auto stream = loader.stream();
  Digest digest;
  digest.add(*stream.next());
  return std::move(digest).hex();
}

}  // namespace

// FIPS 180-4 examples.
TEST_CASE("the digest is SHA-256", "[digest]") {
  CHECK(sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

TEST_CASE("where one part ends and the next begins does not matter", "[digest]") {
  Digest digest;
  digest.add(std::as_bytes(std::span(std::string_view("a"))));
  digest.add(std::span<const std::byte>());
  digest.add(std::as_bytes(std::span(std::string_view("bc"))));
  const auto hex = std::move(digest).hex();
  CHECK(hex == sha256("abc"));
}

TEST_CASE("a digest tells annotations apart", "[digest]") {
  const auto hex = sha256_of_batch({"ab", "c"});
  CHECK(hex == sha256_of_batch({"ab", "c"}));
  CHECK(hex != sha256_of_batch({"ab", "d"}));
  CHECK(hex != sha256_of_batch({"a", "bc"}));
}
