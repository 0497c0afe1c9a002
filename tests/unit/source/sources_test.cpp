#include "weir/source.hpp"

#include <optional>
#include <set>

#include "source/fingerprint.hpp"
#include "source/name_list.hpp"
#include "support/catch.hpp"
#include "support/text.hpp"
#include "unit/source/fixture.hpp"

namespace {

using namespace weir;
using namespace weir::test;

using Names = std::vector<std::string>;

/// Samples that know all that a source can know. The bytes of a sample are its name.
class Knowing {
 public:
  explicit Knowing(Names names, std::string own_fingerprint = {})
      : names_(std::move(names)), fingerprint_(std::move(own_fingerprint)) {}
  std::uint64_t size() const { return names_.size(); }
  Encoded read(std::uint64_t i, ByteSink&) const {
    return {std::as_bytes(std::span(names_[i])), static_cast<std::int64_t>(i % 3)};
  }
  std::string name(std::uint64_t i) const { return names_[i]; }
  std::uint64_t index_bytes() const { return 1000; }
  std::optional<std::uint64_t> encoded_bytes(std::uint64_t i) const { return 10 + i; }
  std::optional<ImageSize> image_size(std::uint64_t i) const {
    return ImageSize{static_cast<std::uint32_t>(i), 7};
  }
  std::optional<std::int64_t> label(std::uint64_t i) const {
    return static_cast<std::int64_t>(i % 3);
  }
  Names class_names() const { return {"ant", "bee", "cow"}; }
  std::uint64_t skipped() const { return 4; }
  std::string fingerprint() const { return fingerprint_; }

 private:
  Names names_;
  std::string fingerprint_;
};

AnySource letters(const std::string& text, const std::string& fingerprint = {}) {
  Names names;
  for (const char c : text) names.emplace_back(1, c);
  return Knowing(std::move(names), fingerprint);
}

std::string joined_names(const AnySource& source) {
  std::string names;
  for (const auto& name : names_of(source)) names += name;
  return names;
}

/// Checks that sample i of `part` is sample `of[i]` of `whole`, in every call.
void check_forwards(const AnySource& part, const AnySource& whole,
                    const std::vector<std::uint64_t>& of) {
  REQUIRE(part.size() == of.size());
  for (std::uint64_t i = 0; i < of.size(); ++i) {
    CHECK(part.name(i) == whole.name(of[i]));
    CHECK(read_text(part, i) == read_text(whole, of[i]));
    CHECK(label_of(part, i) == label_of(whole, of[i]));
    CHECK(part.encoded_bytes(i) == whole.encoded_bytes(of[i]));
    CHECK(part.image_size(i) == whole.image_size(of[i]));
    CHECK(part.label(i) == whole.label(of[i]));
  }
  CHECK(part.class_names() == whole.class_names());
  CHECK(part.skipped() == whole.skipped());
}

}  // namespace

TEST_CASE("files of a list come in its order, with the caller's labels", "[sources]") {
  const TemporaryFolder folder;
  const auto a = folder.write("a.jpg", std::string_view("first")),
             b = folder.write("deep/b.png", std::string_view("second"));
  const auto files = image_files({b, a, b, folder.string() + "/none"}, {7, -1, 0, 0});
  CHECK(names_of(files) == Names{b, a, b, folder.string() + "/none"});
  CHECK(read_text(files, 0) == "second");
  CHECK(read_text(files, 1) == "first");
  CHECK(label_of(files, 0) == 7);
  CHECK(label_of(files, 1) == -1);
  CHECK(refusal_of(files, 3)->kind == FaultKind::io);
  CHECK(files.class_names().empty());
  CHECK(label_of(image_files({a}), 0) == 0);
  const FolderOptions two{.max_encoded_bytes = 5, .classes = {"cat", "dog"}};
  const auto named = image_files({a, b}, {-1, 1}, two);
  CHECK(named.class_names() == Names{"cat", "dog"});
  CHECK(refusal_of(named, 1)->kind == FaultKind::limit);

  // Relative paths keep the folder of the call.
  const auto here = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  const auto relative = image_files({"deep/b.png"});
  std::filesystem::current_path(here);
  CHECK(relative.name(0) == "deep/b.png");
  CHECK(read_text(relative, 0) == "second");

  CHECK_THROWS_WITH(image_files({}), has_text("paths is empty"));
  CHECK_THROWS_WITH(image_files({a, ""}), has_text("paths[1] is empty"));
  CHECK_THROWS_WITH(image_files({std::string("a\0b", 3)}), has_text("paths[0]"));
  CHECK_THROWS_WITH(image_files({a, b}, {1}), has_text("2 paths and 1 labels"));
  CHECK_THROWS_WITH(image_files({a, b}, {0, 2}, two),
                    has_text("labels[1] = 2: there are 2 classes"));
}

TEST_CASE("a folder takes the caller's class order, if it is complete", "[sources]") {
  const TemporaryFolder folder;
  for (const auto* name : {"ant/1.jpg", "bee/1.jpg", "cow/1.jpg", "loose.jpg"})
    folder.write(name, std::string_view("x"));
  const auto labels = [](const AnySource& source) {
    std::map<std::string, std::int64_t> all;
    for (std::uint64_t i = 0; i < source.size(); ++i) all[source.name(i)] = label_of(source, i);
    return all;
  };
  const auto whole = image_folder(folder.string(), {.classes = {"cow", "ant", "bee"}});
  CHECK(whole.class_names() == Names{"cow", "ant", "bee"});
  CHECK(labels(whole) ==
        std::map<std::string, std::int64_t>{
            {"ant/1.jpg", 1}, {"bee/1.jpg", 2}, {"cow/1.jpg", 0}, {"loose.jpg", -1}});
  CHECK(joined_names(whole) == joined_names(image_folder(folder.string())));

  const auto refused = [&](FolderOptions options, const char* text) {
    CHECK_THROWS_WITH(image_folder(folder.string(), options), has_text(text));
  };
  refused({.classes = {"cow", "ant", "bee", "dog"}}, "`classes[3]` = dog: there is no such folder");
  refused({.classes = {"cow", "bee"}}, "`classes` does not name the folder ant");
  refused({.classes = {"cow", "bee", "cow", "ant"}}, "`classes[2]` = cow: occurs twice");
  refused({.classes = {"cow", ""}}, "`classes[1]` is empty");
  refused({.skip_other_classes = true}, "classes is empty");

  const auto some =
      image_folder(folder.string(), {.classes = {"cow", "bee"}, .skip_other_classes = true});
  CHECK(labels(some) ==
        std::map<std::string, std::int64_t>{{"bee/1.jpg", 1}, {"cow/1.jpg", 0}, {"loose.jpg", -1}});
  CHECK(some.skipped() == 1);
  refused({.classes = {"dog"}, .skip_other_classes = true}, "`classes[0]` = dog");
}

TEST_CASE("a manifest has the names of its classes", "[sources]") {
  const TemporaryFolder folder;
  const auto list = folder.write("list.tsv", std::string_view("a.jpg\t1\nb.jpg\t-1\n"));
  CHECK(manifest(list, {.classes = {"x", "y"}}).class_names() == Names{"x", "y"});
  CHECK_THROWS_WITH(manifest(list, {.classes = {"x"}}),
                    has_text("list.tsv:1: label 1: there are 1"));
}

TEST_CASE("a subset is the chosen samples in the chosen order", "[sources]") {
  const auto whole = letters("abcdefgh");
  check_forwards(subset(whole, {7, 0, 3, 3}), whole, {7, 0, 3, 3});
  check_forwards(subset(whole, {0}), whole, {0});
  check_forwards(subset(whole, [](std::string_view name) { return name > "d"; }), whole,
                 {4, 5, 6, 7});
  check_forwards(subset(subset(whole, {1, 3, 5, 7}), {3, 0}), whole, {7, 1});
  CHECK_THROWS_WITH(subset(whole, {1, 8}), has_text("indices[1] = 8: the source has 8 samples"));
  CHECK_THROWS_WITH(subset(whole, [](const std::string&) { return false; }),
                    has_text("none of 8 samples is chosen"));
}

TEST_CASE("a split holds out every n-th sample", "[sources]") {
  const auto whole = letters("abcdefghijklmnopq");
  const auto [training, hold_out] = split(whole, 8);
  check_forwards(hold_out, whole, {0, 8, 16});
  check_forwards(training, whole, {1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15});
  for (std::uint64_t size = 2; size < 20; ++size)
    for (std::uint64_t n = 2; n < 22; ++n) {
      const auto all = letters(std::string("abcdefghijklmnopqrs").substr(0, size));
      const auto parts = split(all, n);
      std::set<std::string> seen;
      for (const auto& part : {parts.training, parts.hold_out})
        for (const auto& name : names_of(part)) CHECK(seen.insert(name).second);
      CHECK(seen.size() == size);
      CHECK(parts.hold_out.name(0) == "a");
    }
  CHECK_THROWS_WITH(split(whole, 1), has_text("every_nth = 1: must be at least 2"));
  CHECK_THROWS_WITH(split(letters("a"), 8), has_text("the source has 1 samples"));
}

TEST_CASE("labels are replaced, and class names move with them", "[sources]") {
  const auto whole = letters("abcd");  // labels 0 1 2 0
  const auto other = relabelled(whole, {{0, 5}, {1, 2}, {2, 2}});
  CHECK(label_of(other, 0) == 5);
  CHECK(label_of(other, 1) == 2);
  CHECK(label_of(other, 2) == 2);
  CHECK(other.class_names() == Names{"", "", "bee", "", "", "ant"});
  CHECK(relabelled(whole, {{0, 1}, {1, -1}, {2, 0}}, {"no", "yes"}).class_names() ==
        Names{"no", "yes"});
  CHECK(relabelled(whole, {{0, 1LL << 40}}).class_names().empty());
  CHECK(joined_names(other) == "abcd");
  CHECK(other.skipped() == 4);
  CHECK(other.image_size(3) == whole.image_size(3));
  CHECK(other.encoded_bytes(3) == whole.encoded_bytes(3));
  CHECK(other.label(0) == 5);
  CHECK_FALSE(relabelled(whole, {{0, 0}, {2, 1}}).label(1));
  const auto refused = refusal_of(relabelled(whole, {{0, 0}, {2, 1}}), 1);
  REQUIRE(refused);
  CHECK(refused->kind == FaultKind::unsupported);
  CHECK(refused->reason == "relabelled: label 1 has no new label");
  CHECK_THROWS_WITH(relabelled(whole, {}), has_text("labels is empty"));
}

TEST_CASE("sources follow one another", "[sources]") {
  const auto a = letters("abc"), b = letters("d"), none = in_memory({}), c = letters("efgh");
  const auto all = concatenated({a, none, b, c});
  CHECK(all.size() == 8);
  CHECK(joined_names(all) == "abcdefgh");
  CHECK(read_text(all, 3) == "d");
  CHECK(read_text(all, 7) == "h");
  CHECK(label_of(all, 5) == 1);
  CHECK(all.label(5) == 1);
  CHECK(all.encoded_bytes(7) == 13);
  CHECK(all.image_size(4) == ImageSize{0, 7});
  CHECK(all.skipped() == 12);
  CHECK(all.class_names() == Names{"ant", "bee", "cow"});
  const auto more = in_memory({}, {"ant", "bee", "cow", "dog"});
  CHECK(concatenated({a, more}).class_names().size() == 4);
  CHECK_THROWS_WITH(concatenated({more, in_memory({}, {"ant", "elk"})}),
                    has_text("class 1 is 'bee', in sources[1] 'elk'"));
  // The numbers that relabelled() leaves free have no names.
  const auto cats = in_memory({}, {"cat", "dog"}),
             cows = relabelled(in_memory({}, {"cow", "fox"}), {{0, 2}, {1, 3}});
  CHECK(concatenated({cats, cows}).class_names() == Names{"cat", "dog", "cow", "fox"});
  CHECK(concatenated({cows, cats}).class_names() == Names{"cat", "dog", "cow", "fox"});
  CHECK_THROWS_WITH(concatenated({}), has_text("sources is empty"));
  CHECK_THROWS_WITH(concatenated({synthetic(UINT64_MAX, {8, 8}), synthetic(2, {8, 8})}),
                    has_text("2^64 samples or more"));
}

TEST_CASE("parts of a source with its own fingerprint have others", "[sources]") {
  using source::fingerprint;
  const auto named = letters("abcd"), own = letters("abcd", "shard 7");
  // Names identify the samples.
  CHECK(subset(named, {0, 1}).fingerprint().empty());
  CHECK(fingerprint(subset(named, {0, 1})) == fingerprint(letters("ab")));
  CHECK(fingerprint(concatenated({letters("ab"), letters("cd")})) == fingerprint(named));
  CHECK(fingerprint(relabelled(own, {{0, 1}})) == fingerprint(own));
  std::set<std::string> all{fingerprint(own)};
  for (const auto& part :
       {subset(own, {0, 1}), subset(own, {1, 0}), split(own, 2).training, split(own, 2).hold_out,
        split(own, 3).hold_out, source::without(own, {"a"}).source,
        source::without(own, {"b"}).source, concatenated({own, named}), concatenated({named, own}),
        with_plane(own, "mask", named), with_plane(own, "mask", letters("dcba"))})
    CHECK(all.insert(fingerprint(part)).second);
}

TEST_CASE("sources know their labels without a read", "[sources]") {
  const TemporaryFolder folder;
  const auto a = folder.write("data/a/1.jpg", "1"), b = folder.write("data/b/2.jpg", "2");
  folder.write("data/beside.jpg", "3");
  const auto known = [](const AnySource& source) {
    std::vector<std::int64_t> labels;
    for (std::uint64_t i = 0; i < source.size(); ++i) labels.push_back(source.label(i).value());
    return labels;
  };
  using Labels = std::vector<std::int64_t>;
  const auto images = image_folder((folder / "data").string());
  CHECK(known(images) == Labels{0, 1, -1});
  CHECK(known(split(images, 2).training) == Labels{1});
  CHECK(known(with_plane(images, "mask", images)) == Labels{0, 1, -1});
  CHECK(known(image_files({a, b}, {7, 9})) == Labels{7, 9});
  CHECK(known(image_files({a, b})) == Labels{0, 0});
  CHECK(known(manifest(folder.write("list.tsv", a + "\t3\n" + b + "\t-4\n"))) == Labels{3, -4});
  CHECK(known(in_memory({{"x", {}, 5}})) == Labels{5});
  CHECK(known(synthetic(2, {8, 8})) == Labels{0, 1});
  // Of two records, one has a label that no class has.
  const auto cifar =
      cifar_binary({folder.write("batch.bin", std::string(3073, '\1') + std::string(3073, '\xb'))});
  CHECK(cifar.label(0) == 1);
  CHECK_FALSE(cifar.label(1));
}

TEST_CASE("balanced weights draw each class equally often", "[sources]") {
  const auto of = [](const std::vector<std::int64_t>& labels) {
    std::vector<MemorySample> samples;
    for (const auto label : labels) samples.push_back({"x", {}, label});
    return in_memory(std::move(samples));
  };
  CHECK(balanced(of({3, 7, 7, -1, 7, 7})) == std::vector<double>{1, 0.25, 0.25, 0, 0.25, 0.25});
  CHECK_THROWS_WITH(balanced(of({-1, -1})), has_text("none of 2 samples has a class"));
  struct Unknown {
    std::uint64_t size() const { return 2; }
    Encoded read(std::uint64_t, ByteSink&) const { return {}; }
    std::string name(std::uint64_t) const { return "a/1.jpg"; }
    std::uint64_t index_bytes() const { return 0; }
  };
  CHECK_THROWS_WITH(balanced(Unknown()),
                    has_text("the label of sample 0, a/1.jpg, is not known without reading it"));
  CHECK_THROWS_WITH(balanced(relabelled(of({3, 7}), {{3, 0}})), has_text("map it to -1"));
  CHECK(balanced(relabelled(of({3, 7}), {{3, 0}, {7, -1}})) == std::vector<double>{1, 0});
}
