#pragma once

#include <algorithm>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "unit/source/fixture.hpp"
#include "weir/source.hpp"

namespace weir::test {

/// What every source promises, checked on a source whose samples can all be read.
inline void check_source(const AnySource& source) {
  REQUIRE(source.size() > 0);
  CHECK(source.index_bytes() > 0);
  CHECK(source.fingerprint() == source.fingerprint());
  const auto longest = source.annotation_bytes();
  CHECK(source.annotation_bytes() == longest);
  const auto classes = source.class_names().size(), planes = source.planes().size();
  std::vector<bool> seen(planes);
  for (std::uint64_t i = 0; i < source.size(); ++i) {
    CAPTURE(i);
    CHECK_FALSE(source.name(i).empty());
    MemorySink sink, again;
    const auto sample = source.try_read(i, sink), other = source.try_read(i, again);
    REQUIRE((sample && other));
    CHECK_FALSE(sample->bytes.empty());
    CHECK(std::ranges::equal(sample->bytes, other->bytes));
    CHECK(std::ranges::equal(sample->annotation, other->annotation));
    CHECK(sample->annotation.size() <= longest.value_or(UINT64_MAX));
    CHECK(sample->label == other->label);
    if (classes > 0)
      CHECK((sample->label >= 0 && static_cast<std::size_t>(sample->label) < classes));
    if (const auto label = source.label(i)) CHECK(*label == sample->label);
    if (const auto bytes = source.encoded_bytes(i)) CHECK(*bytes == sample->bytes.size());
    if (const auto size = source.image_size(i)) CHECK(*size == encoded_size(text_of(*sample)));
    MemorySink image;
    image.want({});
    image.want_annotation(false);
    const auto alone = source.try_read(i, image);
    REQUIRE(alone);
    CHECK(std::ranges::equal(alone->bytes, sample->bytes));
    CHECK(image.parts().size() <= 1);
    for (const auto& [read, all] : {std::pair(*sample, true), std::pair(*alone, false)}) {
      REQUIRE(read.planes.size() == planes);
      for (std::size_t plane = 0; plane < planes; ++plane) {
        CHECK(std::ranges::equal(read.planes[plane], other->planes[plane]) ==
              (all || other->planes[plane].empty()));
        if (!read.planes[plane].empty()) {
          seen[plane] = true;
          CHECK_FALSE(source.plane_name(i, plane).empty());
        }
        CHECK((all || read.planes[plane].empty()));
      }
    }
    std::uint64_t taken = 0;
    for (const auto& part : sink.parts()) taken += part.size();
    if (taken == 0) continue;  // it holds its samples
    // The first part is refused, and the last one.
    for (const auto most : {std::uint64_t{0}, taken - 1}) {
      MemorySink full(most);
      CHECK_FALSE(source.try_read(i, full));
      CHECK_THROWS_AS(source.read(i, full), BytesRefused);
    }
  }
  CHECK(std::ranges::count(seen, false) == 0);
  // Reads of several threads do not disturb each other.
  MemorySink here, there;
  std::optional<Encoded> last;
  std::thread reader([&] { last = source.try_read(source.size() - 1, there); });
  const auto first = source.try_read(0, here);
  reader.join();
  CHECK((first && last));
}

}  // namespace weir::test
