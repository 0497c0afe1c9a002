#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fixture.hpp"
#include "source/delayed.hpp"
#include "source/fingerprint.hpp"
#include "support/catch.hpp"
#include "support/text.hpp"
#include "weir/error.hpp"
#include "weir/source.hpp"

using namespace weir;
using namespace weir::test;
using Names = std::vector<std::string>;

namespace {

/// Samples that know all that a source can know. The bytes of a sample are its name.
class Named {
 public:
  explicit Named(Names names, std::shared_ptr<std::atomic<int>> reads = {})
      : names_(std::move(names)), reads_(std::move(reads)) {}
  std::uint64_t size() const { return names_.size(); }
  Encoded read(std::uint64_t i, ByteSink&) const {
    if (reads_) ++*reads_;
    return {std::as_bytes(std::span(names_[i])), 7};
  }
  std::string name(std::uint64_t i) const { return names_[i]; }
  std::uint64_t index_bytes() const { return 1000; }
  std::optional<std::uint64_t> encoded_bytes(std::uint64_t i) const { return names_[i].size(); }
  Names class_names() const { return {"a", "b"}; }
  std::uint64_t skipped() const { return 4; }

 private:
  Names names_;
  std::shared_ptr<std::atomic<int>> reads_;
};

/// Throws `error` at each read. With none, it gives no bytes.
template <class Thrown>
class Failing {
 public:
  explicit Failing(std::optional<Thrown> error) : error_(std::move(error)) {}
  std::uint64_t size() const { return 2; }
  Encoded read(std::uint64_t, ByteSink&) const {
    if (error_) throw Thrown(*error_);
    return {};
  }
  std::string name(std::uint64_t i) const { return "mask/" + std::to_string(i); }
  std::uint64_t index_bytes() const { return 11; }

 private:
  std::optional<Thrown> error_;
};

/// A source of the user's own, which gives `given` planes and names others.
class Offering {
 public:
  Offering(Names names, EncodedPlanes given) : names_(std::move(names)), given_(given) {}
  std::uint64_t size() const { return 1; }
  Encoded read(std::uint64_t, ByteSink&) const {
    return {.bytes = std::as_bytes(std::span("x")), .planes = given_};
  }
  std::string name(std::uint64_t) const { return "x"; }
  std::uint64_t index_bytes() const { return 0; }
  Names planes() const { return names_; }

 private:
  Names names_;
  EncodedPlanes given_;
};

AnySource files(Names names) { return Named(std::move(names)); }

std::string images_of(const AnySource& source, std::uint64_t i) {
  MemorySink sink;
  const auto sample = source.read(i, sink);
  auto images = text_of(sample);
  for (const auto& plane : sample.planes) images += '+' + text_of({.bytes = plane});
  return images;
}

}  // namespace

TEST_CASE("a sample with a plane keeps all else of its image", "[planes]") {
  const auto images = files({"x/1.jpg", "x/2.jpg"}), masks = files({"y/2.png", "y/1.png"});
  const auto both = with_plane(images, "mask", masks);
  CHECK(both.planes() == Names{"mask"});
  REQUIRE(both.size() == 2);
  CHECK(images_of(both, 0) == "x/1.jpg+y/1.png");
  CHECK(images_of(both, 1) == "x/2.jpg+y/2.png");
  CHECK(label_of(both, 1) == 7);
  CHECK(both.name(1) == "x/2.jpg");
  CHECK(both.encoded_bytes(1) == 7);
  CHECK(both.index_bytes() >= images.index_bytes() + masks.index_bytes());
  CHECK(both.class_names() == Names{"a", "b"});
  CHECK(both.skipped() == 8);
  CHECK(images.planes().empty());
}

TEST_CASE("planes nest, each behind those that are there", "[planes]") {
  const auto a = files({"a/1"}), b = files({"b/1"}), c = files({"c/1"});
  const auto nested = with_plane(with_plane(a, "mask", b), "depth", c);
  CHECK(nested.planes() == Names{"mask", "depth"});
  CHECK(images_of(nested, 0) == "a/1+b/1+c/1");
  // Planes that the partner offers are none of the sample.
  const auto flat = with_plane(a, "depth", with_plane(c, "mask", b));
  CHECK(flat.planes() == Names{"depth"});
  CHECK(images_of(flat, 0) == "a/1+c/1");
  const auto holes =
      with_plane(with_plane(files({"1", "2"}), "mask", files({"2"}), MissingPlane::absent), "depth",
                 files({"2", "1"}));
  CHECK(images_of(holes, 0) == "1++1");
}

TEST_CASE("each source passes the name of a plane's file", "[planes]") {
  const auto two =
      with_plane(with_plane(files({"a/1", "a/2"}), "mask", files({"b/2"}), MissingPlane::absent),
                 "depth", files({"c/2", "c/1"}));
  const AnySource both[] = {two, subset(two, {0, 1}), concatenated({two, two}),
                            source::delayed(two, {0, 0, 0})};
  for (const auto& source : both) {
    CHECK(source.plane_name(0, 0).empty());
    CHECK(source.plane_name(1, 0) == "b/2");
    CHECK(source.plane_name(1, 1) == "c/2");
  }
  CHECK(subset(two, {1}).plane_name(0, 1) == "c/2");
  CHECK(concatenated({two, two}).plane_name(3, 0) == "b/2");
  CHECK(files({"1"}).plane_name(0, 0).empty());
}

TEST_CASE("a sink may do without a plane that cannot be read", "[planes]") {
  class Lenient final : public ByteSink {
   public:
    std::optional<std::span<std::byte>> try_take(std::size_t) override { return std::nullopt; }
    bool may_lack(std::size_t plane, const SampleError& why) override {
      said += std::to_string(plane) + why.what();
      return true;
    }
    std::string said{};
  };
  const auto bad =
      with_plane(with_plane(files({"1"}), "mask", files({"1"})), "depth", in_memory({{"1", {}}}));
  Lenient lenient;
  const auto sample = source::delayed(subset(bad, {0}), {0, 0, 0}).read(0, lenient);
  CHECK(text_of(sample) == "1");
  CHECK(text_of({.bytes = sample.planes[0]}) == "1");
  CHECK(sample.planes[1].empty());
  CHECK(lenient.said == "1the source gave no bytes");
  CHECK(refusal_of(bad, 0)->reason == "plane depth: 1: the source gave no bytes");
}

TEST_CASE("a plane that nobody wants is not read", "[planes]") {
  const auto masks = std::make_shared<std::atomic<int>>(0),
             depths = std::make_shared<std::atomic<int>>(0);
  const auto all = with_plane(with_plane(files({"1"}), "mask", Named({"1"}, masks)), "depth",
                              with_plane(Named({"1"}, depths), "mask", Named({"1"}, masks)));
  MemorySink none, second, whole;
  none.want({});
  second.want({1});
  const auto alone = all.read(0, none);
  CHECK(alone.planes.size() == 2);
  CHECK(alone.planes[0].empty());
  CHECK(alone.planes[1].empty());
  CHECK((*masks == 0 && *depths == 0));
  const auto deep = all.read(0, second);
  CHECK(deep.planes[0].empty());
  CHECK(text_of({.bytes = deep.planes[1]}) == "1");
  CHECK((*masks == 0 && *depths == 1));
  (void)all.read(0, whole);
  CHECK((*masks == 1 && *depths == 2));
}

TEST_CASE("samples without the plane are refused, left out or kept", "[planes]") {
  const auto images = files({"x/1.jpg", "x/2.jpg", "x/3.jpg"});
  const auto masks = files({"y/3.png", "y/9.png", "y/1.png"});
  CHECK_THROWS_WITH(with_plane(images, "mask", masks),
                    has_text("plane mask: 'x/2.jpg' has no partner of its stem, nor have 0 others "
                             "of 3 samples; `MissingPlane::absent`") &&
                        has_text("`MissingPlane::skip` leaves them out"));
  const auto some = with_plane(images, "mask", masks, MissingPlane::skip);
  REQUIRE(some.size() == 2);
  CHECK(images_of(some, 0) == "x/1.jpg+y/1.png");
  CHECK(images_of(some, 1) == "x/3.jpg+y/3.png");
  CHECK(some.skipped() == 4 + 4 + 2);
  const auto all = with_plane(images, "mask", masks, MissingPlane::absent);
  REQUIRE(all.size() == 3);
  CHECK(images_of(all, 1) == "x/2.jpg+");
  CHECK(images_of(all, 2) == "x/3.jpg+y/3.png");
  CHECK(all.skipped() == 4 + 4 + 1);
  CHECK_THROWS_WITH(with_plane(images, "mask", files({"1.png", "2.png", "3.png", "2.jpg"})),
                    has_text("plane mask: '2.") && has_text("have the same stem"));
  CHECK_THROWS_WITH(with_plane(images, "mask", files({"a.png", "b.png"}), MissingPlane::absent),
                    has_text("the first image is 'x/1.jpg', the first file 'a.png'"));
  CHECK_THROWS_WITH(with_plane(in_memory({}), "mask", masks, MissingPlane::absent),
                    has_text("no image has the stem"));
  // The dots of hidden files and of folders are no extensions.
  CHECK(images_of(with_plane(files({"x/.a", "x.d/b"}), "mask", files({"x/.a.png", "x.d/b.jpg"})),
                  1) == "x.d/b+x.d/b.jpg");
  CHECK_THROWS(with_plane(files({"x/.a", "x.c/b"}), "mask", files({"x/.b", "x.d/b"})));
}

TEST_CASE("whole names come first, then those without common folders", "[planes]") {
  const auto both = files({"cat/1.jpg", "dog/1.jpg"});
  const auto dog = files({"dog/1.png"});
  CHECK(images_of(with_plane(dog, "mask", both), 0) == "dog/1.png+dog/1.jpg");
  const auto some = with_plane(both, "mask", dog, MissingPlane::absent);
  CHECK(images_of(some, 0) == "cat/1.jpg+");
  CHECK(images_of(some, 1) == "dog/1.jpg+dog/1.png");
  // A list has other folders before those of the classes.
  const auto listed = files({"/data/dog/1.jpg", "/data/cat/1.jpg"});
  CHECK(images_of(with_plane(listed, "mask", both), 0) == "/data/dog/1.jpg+dog/1.jpg");
}

TEST_CASE("a plane may be a list of files, with holes", "[planes]") {
  const TemporaryFolder folder;
  const auto a = folder.write("a.png", std::string_view("first"));
  folder.write("deep/b.png", std::string_view("second"));
  const auto images = files({"1", "2", "3", "4"});
  const auto here = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  const Names paths{a, "", "deep/b.png", a};
  const auto all = with_plane(images, "mask", paths, MissingPlane::absent);
  const auto some = with_plane(images, "mask", paths, MissingPlane::skip);
  std::filesystem::current_path(here);
  CHECK(images_of(all, 0) == "1+first");
  CHECK(images_of(all, 1) == "2+");
  CHECK(images_of(all, 2) == "3+second");
  CHECK(images_of(all, 3) == "4+first");
  CHECK(all.skipped() == 4);
  CHECK(some.size() == 3);
  CHECK(images_of(some, 1) == "3+second");
  CHECK(some.skipped() == 5);

  const auto missing = folder.string() + "/none";
  const auto fault = refusal_of(with_plane(images, "mask", Names(4, missing)), 2);
  REQUIRE(fault);
  CHECK(fault->kind == FaultKind::io);
  CHECK(contains(fault->reason, "plane mask: " + missing + ": cannot open: No such file"));
  const FolderOptions small{.max_encoded_bytes = 5};
  const auto large = with_plane(images, "mask", Names(4, folder.string() + "/deep/b.png"),
                                MissingPlane::error, small);
  CHECK(refusal_of(large, 0)->kind == FaultKind::limit);
  const auto refused = [&](const Names& list, const char* text) {
    CHECK_THROWS_WITH(with_plane(images, "mask", list), has_text(text));
  };
  refused(paths, "plane mask: '2' has no path, nor have 0 others of 4 samples");
  refused({a, a}, "plane mask: 2 paths and 4 samples; there must be as many");
  refused(Names(4), "plane mask: all 4 paths are empty, so no sample has the plane");
  refused({a, std::string("a\0b", 3), "", ""}, "paths[1] = a\\x00b: has a NUL byte");
}

TEST_CASE("the name of a plane is short, plain and its own", "[planes]") {
  const auto one = files({"1"});
  const auto refused = [&](const AnySource& images, const std::string& name, const char* text) {
    CHECK_THROWS_WITH(with_plane(images, name, one),
                      has_text("with_plane: name = ") && has_text(text));
    CHECK_THROWS_WITH(with_plane(images, name, Names{"1"}), has_text(text));
  };
  for (const auto& name : {std::string(), std::string(33, 'a'), std::string("Mask"),
                           std::string("a b"), std::string("m\xc3\xa4sk")})
    refused(one, name, "has 1 to 32 characters of a-z, 0-9, '_' and '-'");
  refused(one, "image", "this is the name of the image");
  auto seven = one;
  for (int i = 0; i < 7; ++i) seven = with_plane(seven, "plane-" + std::to_string(i), one);
  CHECK(images_of(seven, 0) == "1+1+1+1+1+1+1+1");
  refused(seven, "plane-3", "'plane-3': there is a plane of this name");
  refused(seven, "plane_7", "at most 7 planes, and there are plane-0, plane-1");
  CHECK(with_plane(one, std::string(32, 'z'), one).planes().size() == 1);
}

TEST_CASE("the fault of a plane names the plane and its file", "[planes]") {
  const auto images = files({"0", "1"});
  const auto check = [&](AnySource masks, FaultKind kind, const std::string& reason) {
    const auto fault = refusal_of(with_plane(images, "mask", std::move(masks)), 1);
    REQUIRE(fault);
    CHECK(fault->kind == kind);
    CHECK(fault->reason == "plane mask: mask/1: " + reason);
  };
  check(Failing<SampleError>(SampleError(FaultKind::timeout, "it is away")), FaultKind::timeout,
        "it is away");
  check(Failing<std::runtime_error>(std::runtime_error("broken")), FaultKind::io, "broken");
  check(Failing<int>(3), FaultKind::io, "the source threw something that is no std::exception");
  check(Failing<SampleError>(std::nullopt), FaultKind::corrupt, "the source gave no bytes");
  MemorySink sink;
  CHECK_THROWS_AS(
      with_plane(images, "mask", Failing<std::bad_alloc>(std::bad_alloc())).read(1, sink),
      std::bad_alloc);
}

TEST_CASE("a source gives no more planes than it names", "[planes]") {
  const auto x = files({"x"});
  const auto bytes = std::as_bytes(std::span("y"));
  CHECK(images_of(with_plane(Offering({"a", "b"}, {}), "c", x), 0).ends_with("+++x"));
  const auto fault = refusal_of(with_plane(Offering({}, {bytes}), "c", x), 0);
  REQUIRE(fault);
  CHECK(fault->kind == FaultKind::unsupported);
  CHECK(contains(fault->reason, "gave 1 planes and names 0"));
}

TEST_CASE("sources one after another have the same planes", "[planes]") {
  const auto one = files({"1"});
  const auto mask = with_plane(one, "mask", one), both = with_plane(mask, "depth", one);
  CHECK(concatenated({both, both}).planes() == Names{"mask", "depth"});
  CHECK_THROWS_WITH(
      concatenated({both, mask}),
      has_text("the planes of sources[0] are mask, depth, those of sources[1] are mask;"));
  CHECK_THROWS_WITH(concatenated({one, with_plane(with_plane(one, "depth", one), "mask", one)}),
                    has_text("are none, those of sources[1] are depth, mask;"));
}

TEST_CASE("a fingerprint knows a plane, its name and its partners", "[planes]") {
  using source::fingerprint;
  const auto a = files({"1", "2"}), turned = files({"2", "1"});
  const auto plain = fingerprint(with_plane(a, "mask", a));
  CHECK(plain == fingerprint(with_plane(a, "mask", a)));
  CHECK(plain != fingerprint(a));
  CHECK(plain != fingerprint(with_plane(a, "depth", a)));
  CHECK(plain != fingerprint(with_plane(a, "mask", turned)));
}
