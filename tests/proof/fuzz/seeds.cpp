#include "seeds.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>

#ifdef WEIR_HAS_SHARDS
#include "shards/index.hpp"
#endif
#include "support/tar.hpp"
#include "support/temporary_folder.hpp"
#include "targets.hpp"
#include "unit/codec/damaged_restarts.hpp"
#include "unit/codec/encoders.hpp"

namespace weir::fuzz {
namespace {

using codec::test::Encoded;
using codec::test::JpegStyle;
using codec::test::pattern;
using Seed = std::vector<std::uint8_t>;

Seed seed_of(const Encoded& encoded) {
  Seed seed(encoded.size());
  std::memcpy(seed.data(), encoded.data(), encoded.size());
  return seed;
}
Seed seed_of(std::string_view text) { return {text.begin(), text.end()}; }

std::vector<Seed> jpegs() {
  std::vector<Seed> all;
  for (const JpegStyle& style :
       {JpegStyle{}, JpegStyle{.sampling = 1}, JpegStyle{.progressive = true},
        JpegStyle{.arithmetic = true}, JpegStyle{.restart_rows = 1},
        JpegStyle{.progressive = true, .arithmetic = true}})
    all.push_back(seed_of(encode_jpeg(pattern(50, 41), style)));
  // With a byte that selects how to decode: center, random, lenient, fast and antialiased.
  for (const std::uint8_t choice : Seed{0, 1, 5, 8, 16}) {
    for (const unsigned interval : {1u, 2u, 3u}) {
      all.push_back(seed_of(encode_jpeg(pattern(70, 90), {.restart_interval = interval})));
      all.back().push_back(choice);
    }
  }
  // A third of them, with random windows, strict and lenient: each has many mutations.
  const auto damaged = codec::test::damaged_restarts();
  for (std::size_t i = 0; i < damaged.size(); i += 3) {
    all.push_back(seed_of(damaged[i].jpeg));
    all.back().push_back(i % 2 == 0 ? 1 : 5);
  }
  all.push_back(seed_of(encode_jpeg(pattern(33, 20, 1))));
  all.push_back(seed_of(encode_jpeg(pattern(33, 20, 4))));
  all.push_back(seed_of(codec::test::with_exif(codec::test::encode_jpeg(pattern(33, 20)), 6)));
  return all;
}

std::vector<Seed> pngs() {
  std::vector<Seed> all;
  const auto image = [&](int depth, int colour, std::uint32_t row_bytes, bool interlaced) {
    codec::test::PngStyle style{.depth = depth, .colour = colour, .interlaced = interlaced};
    style.palette_size = depth < 8 ? 1u << depth : 256;
    const codec::test::Pixels packed(row_bytes * 21, 0x5b);
    all.push_back(seed_of(encode_png(32, 21, packed, style)));
  };
  for (const bool interlaced : {false, true}) {
    image(8, 2, 96, interlaced);
    image(8, 0, 32, interlaced);
    image(1, 0, 4, interlaced);
    image(16, 6, 256, interlaced);
    image(4, 3, 16, interlaced);
    image(8, 4, 64, interlaced);
  }
  return all;
}

std::vector<Seed> webps() {
  return {seed_of(codec::test::encode_webp(pattern(40, 31), std::nullopt)),
          seed_of(codec::test::encode_webp(pattern(40, 31), 70.F))};
}

std::vector<Seed> bitmaps() {
  // 4 x 3 pixels of 24 bits: file header, BITMAPINFOHEADER, rows of 12 bytes.
  Seed bmp{'B', 'M', 90, 0, 0, 0, 0, 0, 0, 0, 54, 0, 0, 0,  40,
           0,   0,   0,  4, 0, 0, 0, 3, 0, 0, 0,  1, 0, 24, 0};
  bmp.resize(90, 0x3c);
  std::fill(bmp.begin() + 30, bmp.begin() + 54, std::uint8_t{0});
  // One strip of 2 x 1 grey pixels, seven entries of twelve bytes.
  Seed tiff{'I', 'I', '*', 0, 8, 0, 0, 0, 7, 0};
  const std::uint16_t entries[7][3] = {{256, 3, 2}, {257, 3, 1},   {258, 3, 8}, {259, 3, 1},
                                       {262, 3, 1}, {273, 4, 100}, {279, 4, 2}};
  for (const auto& [tag, type, value] : entries) {
    for (const std::uint16_t word :
         {tag, type, std::uint16_t{1}, std::uint16_t{0}, value, std::uint16_t{0}}) {
      tiff.push_back(static_cast<std::uint8_t>(word & 255));
      tiff.push_back(static_cast<std::uint8_t>(word >> 8));
    }
  }
  tiff.resize(102, 0x77);
  return {std::move(bmp), std::move(tiff), seed_of("P3 2 1 255 1 2 3 4 5 6\n"),
          seed_of("P5\n# grey\n2 1\n255\nab"), seed_of("P1 3 1 1 0 1\n")};
}

/// Zeros and the end of the input stand for defaults. So the seeds begin with the defaults, and
/// more and more values differ.
std::vector<Seed> option_seeds() {
  std::mt19937 random(20261122);
  std::vector<Seed> all{Seed{}};
  for (const unsigned changed : {3u, 6u, 12u, 25u, 50u, 100u}) {
    for (int i = 0; i < 8; ++i) {
      Seed& seed = all.emplace_back(option_bytes);
      for (auto& byte : seed)
        if (random() % 100 < changed) byte = static_cast<std::uint8_t>(random());
    }
  }
  return all;
}

#ifdef WEIR_HAS_SHARDS
std::vector<Seed> shards_for(const std::string& target) {
  using test::tar_header, test::tar_member, test::tar_end;
  if (target == "shard_pattern")
    return {seed_of("train-{000..015}.tar"), seed_of("{a,b}{1..0}"), seed_of("{a"),
            seed_of("a.tar")};
  if (target == "shard_keys")
    return {seed_of("a/b.seg.png"), seed_of("json:/a/0\n{\"a\":[7]}"), seed_of("cls\n 12 \n"),
            seed_of("json:/a~1b\n{\"a/b\":-3}")};
  if (target == "shard_dali")
    return {seed_of("v1.2 2\njpg 1 5 a.jpg cls 8 1 a.cls\njpg 10 1 b.jpg\n"), seed_of("v1.2 0\n")};
  if (target == "shard_tar") {
    const auto image = tar_member("a.jpg", "image") + tar_member("a.cls", "3");
    const std::string record = "20 path=b/long.jpg\n";
    auto pax = tar_header("pax", record.size(), 'x') + record;
    pax.resize(1024);
    auto longer = tar_header("././@LongLink", 150, 'L') + std::string(149, 'n');
    longer.resize(1024);
    return {seed_of(image + tar_member("b.txt", "") + tar_end()),
            seed_of(pax + tar_member("b", "x") + longer + tar_member("c", "y") + tar_end()),
            seed_of(image + tar_header("l.jpg", 0, '1', "a.jpg") + tar_end())};
  }
  // An index of one shard and one sample, and one without any.
  std::vector<Seed> all;
  for (const std::uint64_t count : {1u, 0u}) {
    shards::Index index;
    for (std::uint64_t i = 0; i < count; ++i) {
      index.shards.push_back({.name = "a.tar", .bytes = 2048});
      index.samples.push_back({.offset = 512, .name = index.add_name("a.jpg"), .bytes = 5});
    }
    const test::TemporaryFolder folder;
    const auto path = (folder / "index.weir").string();
    shards::write_index(path, index);
    std::ifstream in(path, std::ios::binary);
    all.push_back({std::istreambuf_iterator<char>(in), {}});
  }
  return all;
}
#endif

}  // namespace

std::vector<Seed> seeds(const std::string& target) {
  if (target.starts_with("jpeg")) return jpegs();
  if (target.starts_with("png")) return pngs();
  if (target.starts_with("webp")) return webps();
  if (target.starts_with("pnm"))
    return {seed_of("P5\n# grey\n2 1\n255\nab"), seed_of("P6 3 2 255 abcdefghijklmnopqr"),
            seed_of("P6 9 9 65535\n")};
  if (target.starts_with("foreign")) return bitmaps();
  if (target == "exif")
    return {
        seed_of(std::string_view("II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0", 22)),
        seed_of(std::string_view("MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0", 22))};
  if (target == "manifest")
    return {seed_of("a.jpg\t0\nb/c.png\t1\n"), seed_of("\xef\xbb\xbf# x\r\n\r\n/d e\t-5\r\n"),
            seed_of("path\tlabel\tmask\tz-depth\na\t0\t\tb\r\nc\t1\td\t\n"), seed_of("no tab\n"),
            seed_of("x\t99999999999999999999\n")};
  if (target == "name_list")
    return {seed_of("a.jpg\nb/c d.png\r\n\n\\\\x\\n\\ry\n"),
            seed_of("\xff\xfe\n#\nlast without an end"), seed_of("sound\nwrong\\t\n"),
            seed_of("ends in one\\")};
  if (target == "consumer_trace") return {seed_of("10\n 2.5 \n\n1e3\n"), seed_of("-1\n")};
  if (target == "arguments")
    return {seed_of("run\nfolder\n--batch\n32\n--size\n224x224\n--memory-budget\n64MiB"),
            seed_of("sweep\nsynthetic:100,32x32\n--max-queue-size\n1,2,4\n--json\n-"),
            seed_of("tune\nx\n--read-delay-ms\n50:20\n--target-readiness\n0.9\n--fit\nletterbox"),
            seed_of("plan\n--grid"), seed_of("--help")};
  if (target == "model")
    return {
        seed_of(R"({"input":{"channels":3,"height":9,"width":9},"batch":8,"micro_batch":2,"layers":[
          {"type":"Conv2d","name":"c","out_channels":4,"kernel":[3,2],"stride":2,"padding":1,"groups":1},
          {"type":"BatchNorm"},{"type":"ReLU","in_place":true},{"type":"MaxPool2d","kernel":2,
          "ceil_mode":true},{"type":"Flatten"},{"type":"Dropout"},{"type":"Linear","out_features":5}]})"),
        seed_of(R"({"input":{"tokens":7},"optimizer":"adam","types":"bfloat16","layers":[
          {"type":"Embedding","count":9,"features":6},{"type":"Linear","out_features":4},
          {"type":"Swish"},{"type":"GELU"},{"type":"Softmax"}]})"),
        seed_of(R"({"input":{"features":4},"types":{"input":"uint8","optimizer":"float64"},
          "counts":{"parameters":9007199254740991,"activations":5,"kept":2,"output":[1,2]}})")};
  if (target == "json")
    return {seed_of("photo.jpg cut before EOI"), seed_of("</script><!--\xff\xfe\"\\\n\x01")};
  if (target == "page")
    return {
        seed_of(R"({"schema":2,"command":"run","version":"0","plan":{"batch":8},"faults":[
          {"index":0,"path":"</script><!--\u003c","reason":"\ud83d\ude00"}],"queue":{"occupancy":[0.5,1e-3]}})"),
        seed_of(
            R"({"schema":2,"command":"sweep","runs":[{"plan":null},[[[[]]]],{}],"advice":{"a":-0.0}})"),
        seed_of(R"({"schema":2})"), seed_of("[1,2"),
        seed_of("{\"schema\":1,\"command\":\"\xff\",\"a\":18446744073709551616}")};
#ifdef WEIR_HAS_SHARDS
  if (target.starts_with("shard")) return shards_for(target);
#endif
  return option_seeds();
}

}  // namespace weir::fuzz
