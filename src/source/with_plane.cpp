#include <algorithm>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/sanitize.hpp"
#include "base/text.hpp"
#include "source/checked_path.hpp"
#include "source/fingerprint.hpp"
#include "source/name_table.hpp"
#include "source/plane_names.hpp"
#include "source/stems.hpp"
#include "weir/source.hpp"

namespace weir::source {
namespace {

/// The partner of a sample whose plane is absent.
constexpr std::uint64_t no_partner = UINT64_MAX;

/// Wants no planes: of a sample that becomes a plane, only the image is read.
class ImageSink final : public ByteSink {
 public:
  explicit ImageSink(ByteSink& sink) noexcept : sink_(sink) {}
  std::optional<std::span<std::byte>> try_take(std::size_t bytes) override {
    return sink_.try_take(bytes);
  }
  bool wants(std::size_t) const noexcept override { return false; }
  bool wants_annotation() const noexcept override { return false; }

 private:
  ByteSink& sink_;
};

/// A source with one more plane, from the images of another source.
class WithPlane : public AnySource {
 public:
  /// `partners`: for each image the index in `others`, or no_partner. Empty: the same index.
  WithPlane(AnySource images, std::string name, AnySource others,
            std::vector<std::uint64_t> partners, std::uint64_t left_out)
      : AnySource(std::move(images)),
        name_(std::move(name)),
        at_(AnySource::planes().size()),
        others_(std::move(others)),
        partners_(std::move(partners)),
        left_out_(left_out) {}

  std::optional<Encoded> try_read(std::uint64_t i, ByteSink& sink) const {
    auto sample = AnySource::try_read(i, sink);
    if (!sample) return std::nullopt;
    auto& planes = sample->planes;
    if (planes.size() > at_)
      throw SampleError(FaultKind::unsupported, concat("with_plane: the source gave ",
                                                       planes.size(), " planes and names ", at_));
    while (planes.size() < at_) (void)planes.add({});
    const auto partner = partner_of(i);
    auto plane = std::optional(EncodedPlanes::Plane());
    if (partner != no_partner && sink.wants(at_)) plane = read_other(partner, sink);
    if (!plane) return std::nullopt;
    (void)planes.add(*plane);
    return sample;
  }
  std::vector<std::string> planes() const {
    auto names = AnySource::planes();
    names.push_back(name_);
    return names;
  }
  std::string plane_name(std::uint64_t i, std::size_t plane) const {
    if (plane != at_) return AnySource::plane_name(i, plane);
    const auto partner = partner_of(i);
    return partner == no_partner ? std::string() : others_.name(partner);
  }
  std::uint64_t index_bytes() const {
    return add_sat(
        add_sat(AnySource::index_bytes(), others_.index_bytes()),
        sizeof(*this) + held_bytes(name_) + partners_.capacity() * sizeof(std::uint64_t));
  }
  std::string fingerprint() const {
    auto text = source::fingerprint(static_cast<const AnySource&>(*this)) +
                source::fingerprint(others_) + name_;
    for (const auto partner : partners_) text += concat(' ', partner);
    return fingerprint_of_text(text);
  }
  std::uint64_t skipped() const { return AnySource::skipped() + others_.skipped() + left_out_; }

 private:
  std::uint64_t partner_of(std::uint64_t i) const noexcept {
    return partners_.empty() ? i : partners_[i];
  }
  std::optional<EncodedPlanes::Plane> read_other(std::uint64_t partner, ByteSink& sink) const {
    const auto without = [&](const SampleError& why) {
      return without_plane(sink, at_, name_, others_.name(partner), why);
    };
    ImageSink image(sink);
    try {
      auto other = others_.try_read(partner, image);
      // An empty span would say that the plane is absent.
      if (other && other->bytes.empty())
        throw SampleError(FaultKind::corrupt, "the source gave no bytes");
      return other ? std::optional(other->bytes) : std::nullopt;
    } catch (const SampleError& error) {
      return without(error);
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception& error) {
      return without({FaultKind::io, error.what()});
    } catch (const BytesRefused&) {
      throw;
    } catch (...) {
      return without({FaultKind::io, "the source threw something that is no std::exception"});
    }
  }

  std::string name_;
  std::size_t at_;  ///< the number of this plane, below EncodedPlanes::most
  AnySource others_;
  std::vector<std::uint64_t> partners_;
  std::uint64_t left_out_;  ///< samples of both sources that belong to no sample of this one
};
static_assert(Source<WithPlane>);

std::string quoted(const std::string& name) { return '\'' + sanitize(name) + '\''; }

std::string first_of(const AnySource& source) {
  return source.size() == 0 ? "none" : quoted(source.name(0));
}

void check_name(const AnySource& images, const std::string& name) {
  if (const auto why = not_a_plane(name, images.planes()); !why.empty())
    refuse(Stage::read, "with_plane: name = ", why);
}

/// Finds the samples of a source by their stems.
class StemTable {
 public:
  StemTable(const AnySource& source, Folders folders, const std::string& plane) {
    const Stems stems(source, folders);
    for (std::uint64_t i = 0; i < source.size(); ++i) table_.emplace_back(stems[i], i);
    std::ranges::sort(table_);
    const auto twice = std::ranges::adjacent_find(table_, {}, &Entry::first);
    if (twice != table_.end())
      refuse(Stage::read, "plane ", plane, ": ", quoted(source.name(twice[0].second)), " and ",
             quoted(source.name(twice[1].second)), " have the same stem");
  }
  std::uint64_t find(const std::string& stem) const {
    const auto found = std::ranges::lower_bound(table_, stem, {}, &Entry::first);
    return found != table_.end() && found->first == stem ? found->second : no_partner;
  }

 private:
  using Entry = std::pair<std::string, std::uint64_t>;
  std::vector<Entry> table_;
};

/// Adds the plane. `partners` has an entry for each image; `left_out`: samples of `others` that are
/// nobody's partner; `lacks`: what an image without a partner lacks.
AnySource paired(AnySource images, std::string name, AnySource others,
                 std::vector<std::uint64_t> partners, std::uint64_t left_out, MissingPlane missing,
                 const char* lacks) {
  const auto lonely = static_cast<std::uint64_t>(std::ranges::count(partners, no_partner));
  if (lonely > 0 && missing == MissingPlane::error) {
    const auto first = std::ranges::find(partners, no_partner) - partners.begin();
    refuse(Stage::read, "plane ", name, ": ",
           quoted(images.name(static_cast<std::uint64_t>(first))), " has no ", lacks, ", nor have ",
           lonely - 1, " others of ", images.size(),
           " samples; `MissingPlane::absent` keeps such samples without the plane, "
           "`MissingPlane::skip` leaves them out");
  }
  if (lonely > 0 && missing == MissingPlane::skip) {
    std::vector<std::uint64_t> kept;
    for (std::uint64_t i = 0; i < partners.size(); ++i)
      if (partners[i] != no_partner) kept.push_back(i);
    std::erase(partners, no_partner);
    images = subset(std::move(images), std::move(kept));
    left_out += lonely;
  }
  std::uint64_t in_order = 0;
  while (in_order < partners.size() && partners[in_order] == in_order) ++in_order;
  if (in_order == partners.size()) partners.clear();
  partners.shrink_to_fit();
  return WithPlane(std::move(images), std::move(name), std::move(others), std::move(partners),
                   left_out);
}

}  // namespace
}  // namespace weir::source

weir::AnySource weir::with_plane(AnySource images, std::string name, AnySource others,
                                 MissingPlane missing) {
  source::check_name(images, name);
  std::vector<std::uint64_t> partners;
  std::vector<bool> used(others.size());
  bool any = false;
  for (const auto folders : source::each_folders) {
    if (any) break;
    const source::StemTable table(others, folders, name);
    const source::Stems stems(images, folders);
    partners.clear();
    for (std::uint64_t i = 0; i < images.size(); ++i) {
      const auto partner = partners.emplace_back(table.find(stems[i]));
      if (partner != source::no_partner) any = used[partner] = true;
    }
  }
  if (!any)
    refuse(Stage::read, "plane ", name,
           ": no image has the stem of one of its files; the first image is ",
           source::first_of(images), ", the first file ", source::first_of(others));
  const auto unused = static_cast<std::uint64_t>(std::ranges::count(used, false));
  return source::paired(std::move(images), std::move(name), std::move(others), std::move(partners),
                        unused, missing, "partner of its stem");
}

weir::AnySource weir::with_plane(AnySource images, std::string name,
                                 const std::vector<std::string>& paths, MissingPlane missing,
                                 const FolderOptions& options) {
  source::check_name(images, name);
  if (paths.size() != images.size())
    refuse(Stage::read, "plane ", name, ": ", paths.size(), " paths and ", images.size(),
           " samples; there must be as many, with an empty path for an absent plane");
  std::vector<std::string> files;
  std::vector<std::uint64_t> partners;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const auto& path = source::checked_path(paths[i], "plane ", name, ": paths[", i, ']');
    partners.push_back(path.empty() ? source::no_partner : files.size());
    if (!path.empty()) files.push_back(path);
  }
  if (files.empty())
    refuse(Stage::read, "plane ", name, ": all ", paths.size(),
           " paths are empty, so no sample has the plane");
  auto others = image_files(files, {}, {.max_encoded_bytes = options.max_encoded_bytes});
  return source::paired(std::move(images), std::move(name), std::move(others), std::move(partners),
                        0, missing, "path");
}
