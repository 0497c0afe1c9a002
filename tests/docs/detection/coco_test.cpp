#include "coco.hpp"

#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "mosaic.hpp"
#include "png.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"
#include "yolo.hpp"

using namespace detection;
using weir::test::Approx;
using weir::test::has_text;
using weir::test::TemporaryFolder;

namespace {

constexpr std::uint32_t width = 8, height = 4;

weir::AnySource named(const std::vector<std::string>& names) {
  std::vector<weir::MemorySample> samples;
  samples.reserve(names.size());
  const std::vector<std::uint8_t> black(std::size_t{width} * height * 3);
  for (const auto& name : names)
    samples.push_back({name, write_png(PngKind::rgb, width, height, black)});
  return weir::in_memory(std::move(samples));
}

weir::Options whole() {
  weir::Options options{.shape = {8, 8}, .fit = weir::Fit::letterbox};
  options.annotation_bytes = weir::ByteBound::measured;
  options.batch = 8;
  options.workers = 1;
  return options;
}

/// The lists of a file with two images, of which one has boxes.
struct Lists {
  std::string images = R"({"id": 7, "file_name": "a.jpg"}, {"id": 9, "file_name": "b.jpg"})";
  std::string annotations =
      R"({"id": 1, "image_id": 7, "category_id": 3, "bbox": [1, 1, 2, 2], "iscrowd": 0})";
  std::string categories = R"({"id": 3, "name": "cat"})";

  std::string text() const {
    return R"({"info": {"images": [1]}, "images": [)" + images + R"(], "annotations": [)" +
           annotations + R"(], "categories": [)" + categories + "]}";
  }
};

std::string message(const std::string& json, const CocoOptions& options = {}) {
  const TemporaryFolder folder;
  try {
    with_boxes_from_coco(folder.write("coco.json", json), named({"a.jpg", "b.jpg"}), options);
  } catch (const weir::Error& error) {
    CHECK(error.code() == weir::Errc::source_failed);
    CHECK_THAT(error.what(), has_text("coco.json: "));
    return error.what();
  }
  return "no error";
}

void check_annotation(const std::string& annotation, const std::string& wanted) {
  CAPTURE(annotation);
  CHECK_THAT(message(Lists{.annotations = annotation}.text()), has_text(wanted));
}

}  // namespace

TEST_CASE("COCO's boxes, crowds and ids reach their images", "[detection]") {
  const TemporaryFolder folder;
  // Annotations come first, outlines are skipped, and each image is found in another way.
  const auto file = folder.write("coco.json", R"({
    "annotations": [
      {"segmentation": [[1, 2, 3, 4]], "area": 1.5, "iscrowd": 0, "image_id": 20,
       "bbox": [1.5, 0.25, 2, 1e0], "category_id": 90, "id": 5000000000},
      {"segmentation": {"counts": [1, 2], "size": [4, 8], "bbox": [9], "id": 8}, "iscrowd": 1,
       "image_id": -10, "bbox": [0, 0, 8, 4], "category_id": 2, "id": 2},
      {"image_id": 20, "bbox": [3, 3, 0, 1], "category_id": 2, "id": 3}],
    "licenses": [], "info": null,
    "images": [{"id": 20, "file_name": "val/b.jpg"}, {"id": -10, "file_name": "val/a.png"},
               {"id": 30, "file_name": "val/\u00e9.jpg", "width": 8}],
    "categories": [{"id": 90, "name": "brush"}, {"id": 2, "name": "bicycle"}]})");
  const auto set =
      with_boxes_from_coco(file, named({"x/val/a.png", "x/val/b", "x/val/\u00e9.webp"}));
  CHECK(set.image_ids == std::vector<std::int64_t>{-10, 20, 30});
  REQUIRE(set.categories.size() == 2);
  CHECK(set.categories[1].name == "brush");
  CHECK(set.class_of(2) == 0);
  CHECK(set.class_of(90) == 1);
  CHECK(set.class_of(3) == -1);

  weir::Loader loader(set.images, whole());
  const auto batch = loader.stream().next();
  REQUIRE(batch->size() == 3);
  const auto crowd = batch->annotations<Box>(0), boxes = batch->annotations<Box>(1);
  REQUIRE(crowd.size() == 1);
  CHECK(crowd[0].crowd == 1);
  CHECK(crowd[0].id == 2);
  REQUIRE(boxes.size() == 2);
  CHECK(boxes[0].id == 5000000000);
  CHECK(boxes[0].x == 1.5f);
  CHECK(boxes[0].height == 1);
  CHECK(boxes[0].category == 90);
  CHECK(boxes[1].width == 0);
  CHECK(boxes[1].crowd == 0);
  CHECK(batch->annotations<Box>(2).empty());
  // A box without an area is never visible.
  CHECK(visible_boxes(*batch, 1).size() == 1);
}

TEST_CASE("a COCO file that is not one says what is wrong", "[detection]") {
  CHECK(message(Lists().text()) == "no error");
  const std::string deep(100'000, '[');
  for (const auto& [json, wanted] : std::vector<std::pair<std::string, std::string>>{
           {"", "parse error at line 1"},
           {"[]", "the file is not an object"},
           {"3", "the file is not an object"},
           {"{}", "there is no list 'images'"},
           {R"({"images": [], "annotations": []})", "there is no list 'categories'"},
           {R"({"images": {}})", "'images' is not a list"},
           {R"({"images": null})", "'images' is not a list"},
           {R"({"images": [3]})", "images[0]: it is not an object"},
           {R"({"images": [[]]})", "images[0]: it is not an object"},
           {Lists().text() + "]", "parse error at line 1"},
           {Lists().text().substr(0, 150), "annotations[0] of image 7: parse error at line 1"},
           {deep, "the file is not an object"},
           {R"({"info": )" + deep, "nested more than 64 deep"},
           {R"({"info": )" + std::string(100'000, 'x'), "invalid literal"},
           {"{\"info\": \"\xFF\"}", "ill-formed UTF-8"},
           {"{\"info\": \"\x1B[2J\"}", "control character"}}) {
    CAPTURE(json.substr(0, 200), wanted);
    const auto text = message(json);
    CHECK_THAT(text, has_text(wanted));
    CHECK(text.size() < 400);
    CHECK(text.find('\x1B') == text.npos);
  }
  CHECK_THROWS_AS(with_boxes_from_coco("/", named({"a.jpg"})), weir::Error);
  CHECK_THROWS_AS(with_boxes_from_coco("/dev/zero", named({"a.jpg"})), weir::Error);
}

TEST_CASE("a wrong annotation names its image and what is wrong", "[detection]") {
  const auto bbox = [](const std::string& value) {
    return R"({"id": 1, "image_id": 7, "category_id": 3, "bbox": )" + value + "}";
  };
  const std::string here = "annotations[0] of image 7: ";
  check_annotation(bbox("[1, 2, 3]"), here + "bbox is not a list of 4 numbers");
  check_annotation(bbox("[1, 2, 3, 4, 5, 6]"), here + "bbox is not a list of 4 numbers");
  check_annotation(bbox("{\"x\": 1, \"y\": 1, \"w\": 1, \"h\": 1}"), "not a list of 4 numbers");
  check_annotation(bbox("4"), here + "bbox is not a list of 4 numbers");
  check_annotation(bbox("[[1, 2, 3, 4], 2, 3, 4]"), here + "bbox has a value that is not a number");
  check_annotation(bbox("[null, 2, 3, 4]"), here + "bbox has a value that is not a number");
  check_annotation(bbox("[\"1\", 2, 3, 4]"), here + "bbox has a value that is not a number");
  check_annotation(bbox("[1, 2, 3, 16777217]"), "a number from -16777216 to 16777216");
  check_annotation(bbox("[-1e300, 2, 3, 4]"), "a number from -16777216 to 16777216");
  check_annotation(bbox("[1, 2, -0.5, 4]"), here + "bbox has a negative side: -0.5 x 4");
  check_annotation(bbox("[1, 2, NaN, 4]"), here + "parse error");
  check_annotation(bbox("[1, 2, 1e999, 4]"), here + "number overflow parsing '1e999'");
  check_annotation(R"({"image_id": 7, "category_id": 3, "bbox": [1, 1, 1, 1]})",
                   here + "id is missing");
  check_annotation(R"({"id": 1, "image_id": 7, "bbox": [1, 1, 1, 1]})",
                   here + "category_id is missing");
  check_annotation(R"({"id": 1, "image_id": 7, "category_id": 3})", here + "bbox is missing");
  check_annotation(R"({"id": 1, "category_id": 3, "bbox": [1, 1, 1, 1]})",
                   "annotations[0]: image_id is missing");
  const auto with = [](const std::string& keys) {
    return R"({"bbox": [1, 1, 1, 1], )" + keys + "}";
  };
  check_annotation(with(R"("id": 9223372036854775808, "image_id": 7, "category_id": 3)"),
                   here + "id is not a whole number from -9223372036854775808 to");
  check_annotation(with(R"("id": 1, "image_id": 1e30, "category_id": 3)"),
                   "annotations[0]: image_id is not a whole number");
  check_annotation(with(R"("id": 1, "image_id": "7", "category_id": 3)"),
                   "annotations[0]: image_id is not a whole number");
  check_annotation(with(R"("id": 1, "image_id": 7, "category_id": 2147483648)"),
                   here + "category_id is not a whole number");
  check_annotation(with(R"("id": 1, "image_id": 7, "category_id": 3, "iscrowd": 2)"),
                   here + "iscrowd is not a whole number from 0 to 1");
  check_annotation(with(R"("id": [1], "image_id": 7, "category_id": 3)"),
                   here + "id is not a whole number");
  check_annotation(with(R"("id": 4, "image_id": 8, "category_id": 3)"),
                   "annotation 4 is of image 8, which is not in 'images'");
  check_annotation(with(R"("id": 4, "image_id": 7, "category_id": 1)"),
                   "annotation 4 of image 7 has the category 1, which is not in 'categories'");
}

TEST_CASE("wrong images and categories are named", "[detection]") {
  const auto images = [](const std::string& list) {
    return message(Lists{.images = list, .annotations = ""}.text());
  };
  CHECK_THAT(images(R"({"id": 7, "file_name": "a.jpg"}, {"id": 7, "file_name": "b.jpg"})"),
             has_text("image 7 comes twice"));
  CHECK_THAT(images(R"({"id": 7, "file_name": "a.jpg"}, {"id": 8, "file_name": "a.jpg"})"),
             has_text("images 7 and 8 have one file_name, 'a.jpg'"));
  CHECK_THAT(images(R"({"id": 7, "file_name": 3})"),
             has_text("images[0] of image 7: file_name is not a text"));
  CHECK_THAT(images(R"({"file_name": "a.jpg"})"), has_text("images[0]: id is missing"));
  CHECK_THAT(
      message(Lists{.categories = R"({"id": 3, "name": "x"}, {"id": 3, "name": "y"})"}.text()),
      has_text("category 3 comes twice"));
  CHECK_THAT(message(Lists{.categories = R"({"id": 3})"}.text()),
             has_text("categories[0] of category 3: name is missing"));
}

TEST_CASE("an image that one side lacks is an error or left out", "[detection]") {
  const TemporaryFolder folder;
  const auto file = folder.write("coco.json", Lists().text());
  CHECK_THAT(message(Lists{.images = R"({"id": 7, "file_name": "a.jpg"})"}.text()),
             has_text("no image with the name or stem of 'b.jpg', nor of 0 others of 2"));
  CHECK_THAT(message(Lists{.images = R"({"id": 7, "file_name": "a.jpg"},
      {"id": 9, "file_name": "b.jpg"}, {"id": 8, "file_name": "c\u001b.jpg"})"}
                         .text()),
             has_text("image 8, 'c?.jpg', is not in the source"));
  // The other image has its stem, but is not the one that the file names.
  const auto set =
      with_boxes_from_coco(file, named({"c.jpg", "a.png", "a.jpg", "a.jpg"}), {.partial = true});
  CHECK(set.image_ids == std::vector<std::int64_t>{7, 7});
  CHECK(set.images.size() == 2);
  CHECK(set.images.annotation_bytes() == sizeof(Box));
  CHECK_THROWS_WITH(with_boxes_from_coco(file, named({"c.jpg"}), {.partial = true}),
                    has_text("no image with the name or stem of 'c.jpg'"));
}

TEST_CASE("a COCO file and the boxes of an image are bounded", "[detection]") {
  Lists many;
  for (int i = 2; i <= 10; ++i)
    many.annotations += R"(, {"image_id": 7, "category_id": 3, "bbox": [1, 1, 2, 2], "id": )" +
                        std::to_string(i) + "}";
  CHECK(message(many.text(), {.most_boxes = 10}) == "no error");
  CHECK_THAT(message(many.text(), {.most_boxes = 9}),
             has_text("image 7 has more boxes than CocoOptions::most_boxes = 9"));
  const auto bytes = many.text().size();
  CHECK(message(many.text(), {.most_bytes = bytes}) == "no error");
  CHECK_THAT(message(many.text(), {.most_bytes = bytes - 1}),
             has_text(std::to_string(bytes) + " bytes, more than CocoOptions::most_bytes = "));
}

TEST_CASE("mutated COCO files are read or refused", "[detection]") {
  const TemporaryFolder folder;
  const auto images = named({"a.jpg", "b.jpg"});
  const auto whole_text = Lists().text();
  const std::string bytes = "{}[]\",:-+.eE0189tfnu\\ \x01\xC3";
  std::mt19937 random(3);
  int read = 0, refused = 0;
  for (int i = 0; i < 1500; ++i) {
    auto text = whole_text;
    for (auto left = 1 + random() % 3; left > 0; --left) {
      const auto at = random() % text.size();
      if (random() % 4 == 0)
        text.erase(at, random() % 20);
      else if (random() % 4 == 0)
        text.insert(at, text.substr(random() % text.size(), random() % 40));
      else
        text[at] = bytes[random() % bytes.size()];
    }
    try {
      with_boxes_from_coco(folder.write("coco.json", text), images);
      ++read;
    } catch (const weir::Error&) {
      ++refused;
    }
  }
  CHECK(read > 20);
  CHECK(refused > 500);
}

TEST_CASE("results are written as COCO's evaluation reads them", "[detection]") {
  const TemporaryFolder folder;
  const auto path = (folder / "results.json").string();
  std::vector<Detection> found{{5000000000, 90, {1.5, 2, 3, 4}, 0.75}, {-1, 2, {0, 0, 1, 1}, 1}};
  write_coco_results(path, found);
  std::ifstream in(path);
  const auto results = nlohmann::json::parse(in);
  REQUIRE(results.size() == 2);
  CHECK(results[0] == nlohmann::json::parse(R"({"image_id": 5000000000, "category_id": 90,
    "bbox": [1.5, 2.0, 3.0, 4.0], "score": 0.75})"));
  write_coco_results(path, {});
  CHECK(nlohmann::json::parse(std::ifstream(path)).empty());

  found[1].score = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_WITH(write_coco_results(path, found), has_text("image -1 has a number"));
  CHECK_THROWS_AS(write_coco_results("/no/such/folder", {}), weir::Error);
}

TEST_CASE("targets are centres and sides of visible boxes", "[detection]") {
  const TemporaryFolder folder;
  Lists lists;
  lists.annotations = R"({"id": 1, "image_id": 9, "category_id": 3, "bbox": [1, 1, 2, 2]},
    {"id": 2, "image_id": 9, "category_id": 3, "bbox": [0, 0, 8, 4], "iscrowd": 1},
    {"id": 3, "image_id": 9, "category_id": 4, "bbox": [20, 1, 2, 2]},
    {"id": 4, "image_id": 9, "category_id": 4, "bbox": [6, 0, 4, 2]})";
  lists.categories += R"(, {"id": 4, "name": "dog"})";
  const auto set =
      with_boxes_from_coco(folder.write("coco.json", lists.text()), named({"a.jpg", "b.jpg"}));
  auto options = whole();
  options.flip.horizontal = 1;
  weir::Loader loader(set.images, options);
  const auto batch = loader.stream().next();
  // 8 x 4 in 8 x 8: two lines of fill above. Box 3 is outside, and half of box 4 is.
  const auto targets = loss_targets(*batch, [&](std::int32_t id) { return set.class_of(id); });
  REQUIRE(targets.size() == 2);
  CHECK(targets[0] == Target{1, 0, 6.0f / 8, 4.0f / 8, 2.0f / 8, 2.0f / 8});
  CHECK(targets[1] == Target{1, 1, 1.0f / 8, 3.0f / 8, 2.0f / 8, 2.0f / 8});
}

TEST_CASE("mosaics take the boxes of YOLO's label files", "[detection]") {
  const TemporaryFolder folder;
  for (const auto* const name : {"3", "5", "7"})
    folder.write("x/" + std::string(name) + ".txt", std::string(name) + " 0.5 0.5 1 1\n");
  const std::vector<std::string> names{"x/3.jpg", "x/5.jpg", "x/7.jpg", "x/none.jpg"};
  auto options = mosaic::options({8, 8}, 1);
  options.transform.apply = [](weir::DecodedSample& sample) { mosaic::apply(sample, 1e-9); };
  options.batch = 4;
  weir::Loader loader(with_boxes_from_yolo(named(names), folder.string()), options);
  const auto batch = loader.stream().next();
  for (const auto row : {0u, 1u, 2u, 3u}) {
    std::set<std::int32_t> classes;
    for (const auto& box : batch->annotations<Box>(row)) classes.insert(box.category);
    CHECK(classes == std::set<std::int32_t>{3, 5, 7});
  }
  CHECK_THROWS_WITH(with_boxes_from_yolo(named(names), folder / "none"), has_text("no folder"));
  const auto wrong = folder.write("x/none.txt", "3 0.5\n");
  CHECK_THROWS_WITH(with_boxes_from_yolo(named(names), folder.string()),
                    has_text("line 1 of " + wrong + " is not a class and four numbers"));
}

TEST_CASE("YOLO's label files become boxes, and wrong lines faults", "[detection]") {
  const TemporaryFolder folder;
  folder.write("a.txt", "3 0.5 0.5 0.25 0.5\r\n\n0 0 1 0 0\n");
  folder.write("b.txt", "");
  const std::vector<std::string> wrong{
      "1 0.5 0.5 0.25",      "1 0.5 0.5 0.25 0.5 0.5", "x 0.5 0.5 0.25 0.5",
      "-1 0.5 0.5 0.25 0.5", "1 1.5 0.5 0.25 0.5",     "1 0.5 0.5 -0.25 0.5",
      "1 nan 0.5 0.25 0.5",  "1 0.5 1e999 0.25 0.5",   "1.5 0.5 0.5 0.5 0.5"};
  std::vector<std::string> names{"a.jpg", "b.jpg"};
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    names.push_back("wrong" + std::to_string(i) + ".jpg");
    folder.write("wrong" + std::to_string(i) + ".txt", "1 0.5 0.5 0.25 0.5\n" + wrong[i] + "\n");
  }
  auto options = whole();
  options.annotation_bytes = 4 * sizeof(Box);
  options.batch = static_cast<std::uint32_t>(names.size());
  options.faults.policy = weir::OnFault::blank;
  options.transform = {.apply = boxes_from_yolo, .input = weir::TransformInput::fitted};
  weir::Loader loader(weir::with_annotations(named(names), folder.string(), ".txt"), options);
  const auto batch = loader.stream().next();
  const auto boxes = batch->annotations<Box>(0);
  REQUIRE(boxes.size() == 2);
  CHECK(boxes[0].category == 3);
  CHECK(boxes[0].x == 3);
  CHECK(boxes[0].y == 1);
  CHECK(boxes[0].width == 2);
  CHECK(boxes[0].height == 2);
  CHECK(boxes[1].id == 3);
  CHECK(batch->annotations<Box>(1).empty());
  CHECK(batch->statuses()[1] == weir::RowStatus::ok);
  const auto report = loader.report();
  REQUIRE(report.faults.size() == wrong.size());
  for (const auto& fault : report.faults) {
    CAPTURE(fault.name, fault.reason);
    CHECK_THAT(fault.reason, has_text("line 2 of the labels "));
    CHECK(batch->annotations<Box>(static_cast<std::uint32_t>(fault.index)).empty());
  }
}
