#include "weir/source.hpp"

#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/text.hpp"
#include "unit/source/fixture.hpp"

namespace {

using namespace weir;
using namespace weir::test;

/// A record of CIFAR: labels, then planes of 1024 values.
std::string record_of(const std::string& labels, unsigned seed) {
  std::string record = labels;
  for (unsigned i = 0; i < 3072; ++i) record += static_cast<char>((i * 7 + seed * 31) & 255);
  return record;
}

/// The same pixels as PPM.
std::string ppm_of(const std::string& record) {
  const auto planes = record.substr(record.size() - 3072);
  std::string text = "P6 32 32 255\n";
  for (unsigned i = 0; i < 1024; ++i)
    for (unsigned c = 0; c < 3; ++c) text += planes[c * 1024 + i];
  return text;
}

std::string why_failed(const auto& open) {
  try {
    open();
  } catch (const Error& e) {
    return e.what();
  }
  return "opened";
}

std::string be32(std::uint32_t value) {
  std::string text;
  for (int shift = 24; shift >= 0; shift -= 8) text += static_cast<char>(value >> shift & 255);
  return text;
}
std::string images_of(std::uint32_t count, std::uint32_t rows, std::uint32_t columns) {
  std::string text = be32(0x803) + be32(count) + be32(rows) + be32(columns);
  for (std::uint32_t i = 0; i < count * rows * columns; ++i) text += static_cast<char>(i & 255);
  return text;
}

}  // namespace

TEST_CASE("CIFAR files give interleaved pixels, labels and sizes", "[pixels]") {
  const TemporaryFolder folder;
  const std::string label_of_9("\x09", 1), label_of_0("\0", 1);
  const auto a = record_of(label_of_9, 1), b = record_of(label_of_0, 2), c = record_of("\x05", 3);
  const auto source = cifar_binary({folder.write("x/1.bin", a + b), folder.write("2.bin", c)});
  REQUIRE(source.size() == 3);
  CHECK(names_of(source) == std::vector<std::string>{"1.bin#0", "1.bin#1", "2.bin#0"});
  CHECK(read_text(source, 0) == ppm_of(a));
  CHECK(read_text(source, 1) == ppm_of(b));
  CHECK(read_text(source, 2) == ppm_of(c));
  CHECK(label_of(source, 0) == 9);
  CHECK(label_of(source, 1) == 0);
  CHECK(source.encoded_bytes(1) == ppm_of(b).size());
  CHECK(source.image_size(1) == ImageSize{32, 32});
  CHECK(source.index_bytes() > folder.string().size());
  CHECK(source.annotation_bytes() == 0);

  const auto hundred = folder.write("train.bin", record_of("\x13\x63", 4));
  CHECK(label_of(cifar_binary({hundred}, Cifar::hundred_fine), 0) == 99);
  CHECK(label_of(cifar_binary({hundred}, Cifar::hundred_coarse), 0) == 19);
  CHECK(read_text(cifar_binary({hundred}, Cifar::hundred_fine), 0) == ppm_of(record_of("", 4)));
}

TEST_CASE("invalid CIFAR files are refused by name", "[pixels]") {
  const TemporaryFolder folder;
  const auto bad_label = folder.write("bad", record_of("\x03", 1) + record_of("\x0a", 2));
  const auto refused = refusal_of(cifar_binary({bad_label}), 1);
  REQUIRE(refused);
  CHECK(refused->kind == FaultKind::corrupt);
  CHECK(refused->reason == "label 10 at byte 3073; CIFAR-10 has 0 to 9");

  const auto of = [](const std::string& path) {
    return why_failed([&] { (void)cifar_binary({path}); });
  };
  CHECK(contains(of(folder.write("odd", std::string(3074, 'x'))),
                 "3074 bytes are no whole number of records of CIFAR-10, which have 3073 bytes"));
  CHECK(contains(of(folder.write("none", "")), "0 bytes are no whole number"));
  CHECK(contains(of(folder.write("gz", "\x1f\x8b....")), "it is compressed; run gunzip first"));
  CHECK(contains(of(folder.string()), "not a regular file"));
  CHECK(contains(of(folder.string() + "/missing"), "No such file"));
  CHECK(contains(why_failed([] { (void)cifar_binary({}); }), "name a file"));

  const auto source = cifar_binary({bad_label});
  std::filesystem::resize_file(bad_label, 4000);
  CHECK(refusal_of(source, 1)->kind == FaultKind::truncated);
}

TEST_CASE("MNIST's files give grey pixels and labels", "[pixels]") {
  const TemporaryFolder folder;
  const auto images = folder.write("images", images_of(3, 2, 4));
  const auto labels = folder.write("labels", be32(0x801) + be32(3) + "\x07\x01\x02");
  const auto source = mnist_idx(images, labels);
  REQUIRE(source.size() == 3);
  CHECK(names_of(source)[2] == "images#2");
  CHECK(read_text(source, 1) == "P5 4 2 255\n\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f");
  CHECK(label_of(source, 0) == 7);
  CHECK(label_of(source, 2) == 2);
  CHECK(source.image_size(0) == ImageSize{2, 4});
  CHECK(source.annotation_bytes() == 0);
}

TEST_CASE("MNIST files must agree with their headers and each other", "[pixels]") {
  const TemporaryFolder folder;
  const auto of = [&](const std::string& images, const std::string& labels) {
    const auto one = folder.write("i", images), other = folder.write("l", labels);
    return why_failed([&] { (void)mnist_idx(one, other); });
  };
  const auto images = images_of(2, 3, 3), labels = be32(0x801) + be32(2) + "ab";
  CHECK(of(images, labels) == "opened");
  CHECK(contains(of(labels + "cdefgh", images), "no IDX file of images"));
  CHECK(contains(of(images, images), "no IDX file of labels"));
  CHECK(contains(of(images + "x", labels), "35 bytes; by its header it has 34"));
  CHECK(contains(of(images.substr(0, 30), labels), "30 bytes; by its header it has 34"));
  CHECK(contains(of(images, be32(0x801) + be32(1) + "a"), "1 labels for 2 images"));
  CHECK(contains(of(images.substr(0, 12), labels), "too short"));
  CHECK(contains(of(be32(0x803) + be32(0) + be32(3) + be32(3), labels), "no samples"));
  const auto huge = be32(0x803) + be32(~0u) + be32(~0u) + be32(~0u);
  CHECK(contains(of(huge, labels), "16 bytes; by its header it has 18446744073709551615"));
}
