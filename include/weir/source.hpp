#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "weir/export.hpp"
#include "weir/image.hpp"
#include "weir/sizes.hpp"

namespace weir {

/// Thrown by ByteSink::take() where bytes are refused. Not a std::exception: a source that catches
/// those lets it through.
struct WEIR_API BytesRefused {};

/// Gives a source memory for one encoded sample, once its bytes are on the books.
class WEIR_API ByteSink {
 public:
  virtual ~ByteSink() = default;
  /// Call before any side effect, once for each part of the sample; what was given before stays. Throws
  /// BytesRefused, which must be let through: the sample is read again when the bytes are granted. A
  /// sample taken in one piece is read once unless they are refused; one of several parts is read again,
  /// too, where the memory kept from sample to sample must grow.
  std::span<std::byte> take(std::size_t bytes);
  /// The same without an exception: nothing where bytes are refused. Then the source returns at once,
  /// with nothing, from try_read().
  virtual std::optional<std::span<std::byte>> try_take(std::size_t bytes) = 0;
};

/// Where samples come from. All calls are const and come from many threads at once.
///
/// | call | gives |
/// | --- | --- |
/// | `size()` | how many samples there are; must not change |
/// | `read(i, sink)` | sample i < size(), in memory that `sink.take(bytes)` gave; throws SampleError |
/// | `try_read(i, sink)` | instead of `read`: with `sink.try_take(bytes)`; nothing where that gives nothing |
/// | `name(i)` | what reports and faults call it |
/// | `index_bytes()` | bytes the source itself holds, charged once to the account `index` |
/// | `encoded_bytes(i)` | optional: a `std::optional<std::uint64_t>`, known without reading |
/// | `image_size(i)` | optional: a `std::optional<ImageSize>` of the image upright, known without reading |
/// | `class_names()` | optional: a `std::vector<std::string>`, by label |
/// | `skipped()` | optional: how many entries it came upon and left out |
template <class S>
concept Source = requires(const S& s, std::uint64_t i, ByteSink& sink) {
  { s.size() } -> std::convertible_to<std::uint64_t>;
  requires requires {
    { s.read(i, sink) } -> std::same_as<Encoded>;
  } || requires {
    { s.try_read(i, sink) } -> std::same_as<std::optional<Encoded>>;
  };
  { s.name(i) } -> std::convertible_to<std::string>;
  { s.index_bytes() } -> std::convertible_to<std::uint64_t>;
};

/// Any Source behind one virtual call a sample. Copies share the source. Any thread.
class AnySource {
 public:
  // clang-format off
  /// Takes the source over.
  template <class S>
    requires(!std::same_as<S, AnySource>) && Source<S>
  // NOLINTNEXTLINE(google-explicit-constructor): a Source is an AnySource
  AnySource(S source) : self_(std::make_shared<Model<S>>(std::move(source))) {}
  // clang-format on

  /// Samples.
  std::uint64_t size() const { return self_->size(); }
  /// Throws BytesRefused, SampleError, or anything the source throws.
  Encoded read(std::uint64_t i, ByteSink& sink) const {
    if (const auto encoded = try_read(i, sink)) return *encoded;
    throw BytesRefused{};
  }
  /// The same, but gives nothing where the sink refuses bytes.
  std::optional<Encoded> try_read(std::uint64_t i, ByteSink& sink) const {
    return self_->try_read(i, sink);
  }
  /// What reports and faults call sample i.
  std::string name(std::uint64_t i) const { return self_->name(i); }
  /// What the source itself holds.
  std::uint64_t index_bytes() const { return self_->index_bytes(); }
  /// Of sample i, where it is known without reading.
  std::optional<std::uint64_t> encoded_bytes(std::uint64_t i) const {
    return self_->encoded_bytes(i);
  }
  /// Of the image upright; nullopt: not known without reading.
  std::optional<ImageSize> image_size(std::uint64_t i) const { return self_->image_size(i); }
  /// By label; empty where the source has none.
  std::vector<std::string> class_names() const { return self_->class_names(); }
  /// Entries that the source came upon and left out; 0 where it does not count them.
  std::uint64_t skipped() const { return self_->skipped(); }

 private:
  struct Concept {
    virtual ~Concept() = default;
    virtual std::uint64_t size() const = 0;
    virtual std::optional<Encoded> try_read(std::uint64_t i, ByteSink& sink) const = 0;
    virtual std::string name(std::uint64_t i) const = 0;
    virtual std::uint64_t index_bytes() const = 0;
    virtual std::optional<std::uint64_t> encoded_bytes(std::uint64_t i) const = 0;
    virtual std::optional<ImageSize> image_size(std::uint64_t i) const = 0;
    virtual std::vector<std::string> class_names() const = 0;
    virtual std::uint64_t skipped() const = 0;
  };
  template <class S>
  struct Model final : Concept {
    explicit Model(S s) : source(std::move(s)) {}
    std::uint64_t size() const override { return source.size(); }
    std::optional<Encoded> try_read(std::uint64_t i, ByteSink& sink) const override {
      if constexpr (requires { source.try_read(i, sink); }) {
        return source.try_read(i, sink);
      } else {
        try {
          return source.read(i, sink);
        } catch (const BytesRefused&) {
          return std::nullopt;
        }
      }
    }
    std::string name(std::uint64_t i) const override { return source.name(i); }
    std::uint64_t index_bytes() const override { return source.index_bytes(); }
    std::optional<std::uint64_t> encoded_bytes(std::uint64_t i) const override {
      if constexpr (requires { source.encoded_bytes(i); }) return source.encoded_bytes(i);
      return std::nullopt;
    }
    std::optional<ImageSize> image_size(std::uint64_t i) const override {
      if constexpr (requires { source.image_size(i); }) return source.image_size(i);
      return std::nullopt;
    }
    std::vector<std::string> class_names() const override {
      if constexpr (requires { source.class_names(); }) return source.class_names();
      return {};
    }
    std::uint64_t skipped() const override {
      if constexpr (requires { source.skipped(); }) return source.skipped();
      return 0;
    }
    S source;
  };
  std::shared_ptr<const Concept> self_;
};

/// Which symbolic links of a folder are followed. The others are skipped.
enum class FollowSymlinks : std::uint8_t {
  no,           ///< none
  inside_root,  ///< those that lead to a regular file under the root
  yes,          ///< wherever they lead, into folders too; not into one that the path came through
};

/// What of a folder is taken.
struct FolderOptions {
  std::vector<std::string> extensions{};  ///< ".jpg"; "*": all; empty: all that may be images
  std::uint64_t max_encoded_bytes = 64ull << 20;  ///< a larger file is a Fault of kind `limit`
  FollowSymlinks follow_symlinks = FollowSymlinks::inside_root;  ///< links to files and folders
};

/// Every regular non-dot file under `path`, in byte order of the relative path. The label is the rank of the top
/// directory, 0 in a flat folder. Skipped and counted: folders that may not be read or that the path came through
/// already, links that are not followed, what is neither file nor folder, and, without extensions, files whose
/// extension is never an image's, as .txt and .db. Throws Error{source_failed}.
WEIR_API AnySource image_folder(const std::string& path, const FolderOptions& options = {});

/// Lines of `path<TAB>label`; relative paths are relative to the manifest's folder. Its author chose
/// the paths: they are followed wherever they lead. Throws Error{source_failed} naming the line.
WEIR_API AnySource manifest(const std::string& tsv, const FolderOptions& options = {});

/// One sample of in_memory().
struct MemorySample {
  std::string name;              ///< for reports and faults
  std::vector<std::byte> bytes;  ///< encoded: a JPEG, say
  std::int64_t label = 0;        ///< any number
};
/// Encoded samples already in memory; they count as index bytes.
WEIR_API AnySource in_memory(std::vector<MemorySample> samples,
                             std::vector<std::string> class_names = {});

/// Pairs: sample i is image i of `first`, with its label and side bytes, and image i of `second` as
/// Encoded::second. A fault names the image of `first`, and in its reason that of `second` where that is
/// the bad one. Throws Error{bad_options} where the sizes differ.
WEIR_API AnySource paired(AnySource first, AnySource second);

/// `count` JPEGs of about `encoded_shape`, made on demand: a pure function of (seed, index).
/// Ten classes, told apart by colour and pattern.
WEIR_API AnySource synthetic(std::uint64_t count, Shape encoded_shape, std::uint64_t seed = 0);

}  // namespace weir
