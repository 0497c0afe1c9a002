#pragma once

#include <bitset>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "weir/error.hpp"
#include "weir/export.hpp"
#include "weir/image.hpp"
#include "weir/rows.hpp"

/// \file
/// Sources of samples: what one is, and those that weir has.
namespace weir {

/// Thrown by ByteSink::take() when the budget refuses bytes. It is not a std::exception, so a
/// source that catches those does not catch it.
struct WEIR_API BytesRefused {};

/// Gives a source charged memory for one encoded sample.
class WEIR_API ByteSink {
 public:
  virtual ~ByteSink() = default;
  /// Call it before any side effect, once for each part of the sample. Earlier parts stay valid.
  /// Throws BytesRefused, which the source must not catch; weir reads the sample again when the
  /// budget has room. A sample in one part, in a row without partners, is read once unless its bytes
  /// are refused. Other samples, with all samples of their row, are also read again if weir must resize
  /// the memory that it reuses between rows.
  std::span<std::byte> take(std::size_t bytes);
  /// As take(), but returns nothing if the budget refuses the bytes. The source must then return
  /// nothing from try_read() at once.
  virtual std::optional<std::span<std::byte>> try_take(std::size_t bytes) = 0;
  /// Whether anyone asked for plane `plane` of Source::planes(). The source need not read another
  /// plane, and then gives an empty span for it.
  virtual bool wants([[maybe_unused]] std::size_t plane) const noexcept { return true; }
  /// Whether anyone asked for Encoded::annotation. The source need not read it otherwise.
  virtual bool wants_annotation() const noexcept { return true; }
  /// Says that plane `plane` cannot be read, and why. True: the sample may be without it; the source
  /// gives an empty span for it, and goes on. False: the source throws `why`.
  virtual bool may_lack([[maybe_unused]] std::size_t plane,
                        [[maybe_unused]] const SampleError& why) {
    return false;
  }
};

/// Memory for samples outside of a Loader, such as in the test of a source. Not thread-safe.
class MemorySink final : public ByteSink {
 public:
  /// Refuses what would make more than `most_bytes` together; nullopt: no limit.
  explicit MemorySink(std::optional<std::uint64_t> most_bytes = {}) noexcept : left_(most_bytes) {}

  std::optional<std::span<std::byte>> try_take(std::size_t bytes) override {
    if (left_ && bytes > *left_) return std::nullopt;
    if (left_) *left_ -= bytes;
    return parts_.emplace_back(bytes);
  }
  bool wants(std::size_t plane) const noexcept override {
    return plane < wanted_.size() && wanted_[plane];
  }
  bool wants_annotation() const noexcept override { return wants_annotation_; }
  /// Wants these planes alone. Before the first call it wants all.
  void want(std::initializer_list<std::size_t> planes) {
    wanted_.reset();
    for (const auto plane : planes) wanted_.set(plane);
  }
  /// Whether it wants the annotation. Before the first call it does.
  void want_annotation(bool wanted) noexcept { wants_annotation_ = wanted; }
  /// What was taken, in the order of the calls. Valid as long as this.
  const std::vector<std::vector<std::byte>>& parts() const noexcept { return parts_; }

 private:
  std::optional<std::uint64_t> left_;
  std::bitset<EncodedPlanes::most> wanted_ = std::bitset<EncodedPlanes::most>().set();
  bool wants_annotation_ = true;
  std::vector<std::vector<std::byte>> parts_;
};

/// A collection of encoded samples. All calls are const, and many threads call them at once.
///
/// | call | gives |
/// | --- | --- |
/// | `size()` | how many samples there are; must neither change nor throw; 0: a stream ends at once |
/// | `read(i, sink)` | sample i < size(), in memory from `sink.take(bytes)`; throws SampleError |
/// | `try_read(i, sink)` | with `sink.try_take(bytes)`; nothing if that fails. Called instead of `read` if the class or a base of it has this |
/// | `name(i)` | name of the sample in reports and faults |
/// | `index_bytes()` | bytes that the source itself holds, charged once to the account `index`; `concatenated` and `with_plane` charge those of each part, also of one that is used twice |
/// | `planes()` | optional: a `std::vector<std::string>`, a name for each of Encoded::planes |
/// | `annotation_bytes()` | optional: a `std::optional<std::uint64_t>`: the most that an Encoded::annotation has, if known |
/// | `plane_name(i, plane)` | optional: the name in faults of a plane of sample i, such as its file |
/// | `encoded_bytes(i)` | optional: a `std::optional<std::uint64_t>`, of Encoded::bytes, if known without reading |
/// | `image_size(i)` | optional: a `std::optional<ImageSize>`, upright, if known without reading |
/// | `label(i)` | optional: a `std::optional<std::int64_t>`, of Encoded::label, if known without reading |
/// | `class_names()` | optional: a `std::vector<std::string>`, by label |
/// | `skipped()` | optional: number of entries that the source found and left out |
/// | `fingerprint()` | optional: a `std::string` that identifies the data set; default: its names |
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

/// Type-erased Source with one virtual call per sample. Copies share the source. Any thread.
class AnySource {
 public:
  // clang-format off
  /// Takes ownership of the source.
  template <class S>
    requires(!std::same_as<S, AnySource>) && Source<S>
  // NOLINTNEXTLINE(google-explicit-constructor): a Source is an AnySource
  AnySource(S source) : self_(std::make_shared<Model<S>>(std::move(source))) {}
  // clang-format on

  /// Number of samples.
  std::uint64_t size() const { return self_->size(); }
  /// Reads sample i. Throws BytesRefused, SampleError, or any exception of the source.
  Encoded read(std::uint64_t i, ByteSink& sink) const {
    if (const auto encoded = try_read(i, sink)) return *encoded;
    throw BytesRefused{};
  }
  /// As read(), but returns nothing if the sink refuses bytes.
  std::optional<Encoded> try_read(std::uint64_t i, ByteSink& sink) const {
    return self_->try_read(i, sink);
  }
  /// Name of sample i in reports and faults.
  std::string name(std::uint64_t i) const { return self_->name(i); }
  /// Bytes that the source itself holds.
  std::uint64_t index_bytes() const { return self_->index_bytes(); }
  /// Names of the planes beside the image, in the order of Encoded::planes. Empty if there are none.
  std::vector<std::string> planes() const { return self_->planes(); }
  /// The most bytes that an annotation has, if known without reading. 0: there is none.
  std::optional<std::uint64_t> annotation_bytes() const { return self_->annotation_bytes(); }
  /// Name in faults of plane `plane` of sample i, such as its file. Empty if the source names none.
  std::string plane_name(std::uint64_t i, std::size_t plane) const {
    return self_->plane_name(i, plane);
  }
  /// Encoded size of image i without planes, if known without reading.
  std::optional<std::uint64_t> encoded_bytes(std::uint64_t i) const {
    return self_->encoded_bytes(i);
  }
  /// Size of the upright image i, if known without reading.
  std::optional<ImageSize> image_size(std::uint64_t i) const { return self_->image_size(i); }
  /// Label of sample i, if known without reading the sample.
  std::optional<std::int64_t> label(std::uint64_t i) const { return self_->label(i); }
  /// Class names by label. Empty if the source has none.
  std::vector<std::string> class_names() const { return self_->class_names(); }
  /// Number of entries that the source found and left out. 0 if it does not count them.
  std::uint64_t skipped() const { return self_->skipped(); }
  /// The source's own text that identifies the data set. Empty: the names identify it.
  std::string fingerprint() const { return self_->fingerprint(); }

 private:
  friend struct Internals;
  struct Concept {
    virtual ~Concept() = default;
    virtual std::uint64_t size() const = 0;
    virtual std::optional<Encoded> try_read(std::uint64_t i, ByteSink& sink) const = 0;
    virtual std::string name(std::uint64_t i) const = 0;
    virtual std::uint64_t index_bytes() const = 0;
    virtual std::vector<std::string> planes() const = 0;
    virtual std::optional<std::uint64_t> annotation_bytes() const = 0;
    virtual std::string plane_name(std::uint64_t i, std::size_t plane) const = 0;
    virtual std::optional<std::uint64_t> encoded_bytes(std::uint64_t i) const = 0;
    virtual std::optional<ImageSize> image_size(std::uint64_t i) const = 0;
    virtual std::optional<std::int64_t> label(std::uint64_t i) const = 0;
    virtual std::vector<std::string> class_names() const = 0;
    virtual std::uint64_t skipped() const = 0;
    virtual std::string fingerprint() const = 0;
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
    std::vector<std::string> planes() const override {
      if constexpr (requires { source.planes(); }) return source.planes();
      return {};
    }
    std::optional<std::uint64_t> annotation_bytes() const override {
      if constexpr (requires { source.annotation_bytes(); }) return source.annotation_bytes();
      return std::nullopt;
    }
    std::string plane_name(std::uint64_t i, std::size_t plane) const override {
      if constexpr (requires { source.plane_name(i, plane); }) return source.plane_name(i, plane);
      return {};
    }
    std::optional<std::uint64_t> encoded_bytes(std::uint64_t i) const override {
      if constexpr (requires { source.encoded_bytes(i); }) return source.encoded_bytes(i);
      return std::nullopt;
    }
    std::optional<ImageSize> image_size(std::uint64_t i) const override {
      if constexpr (requires { source.image_size(i); }) return source.image_size(i);
      return std::nullopt;
    }
    std::optional<std::int64_t> label(std::uint64_t i) const override {
      if constexpr (requires { source.label(i); }) return source.label(i);
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
    std::string fingerprint() const override {
      if constexpr (requires { source.fingerprint(); }) return source.fingerprint();
      return {};
    }
    S source;
  };
  std::shared_ptr<const Concept> self_;
};

/// Which symbolic links in a folder are followed. Other links are skipped.
enum class FollowSymlinks : std::uint8_t {
  no,           ///< none
  inside_root,  ///< links to a regular file below the root
  yes,          ///< all links, also to folders, except to a folder on the current path
};

/// Which files of a folder are samples, and what their classes are.
struct FolderOptions {
  /// For example ".jpg"; "*": every file; empty: every file that may be an image.
  std::vector<std::string> extensions{};
  std::uint64_t max_encoded_bytes = 64ull << 20;  ///< a larger file gives a Fault of kind `limit`
  FollowSymlinks follow_symlinks = FollowSymlinks::inside_root;  ///< which links are followed
  /// The names of the classes, by label. A folder: its top directories in this order, instead of
  /// byte order; one that is missing, and one that is not named, are errors. A manifest or a list
  /// of files: what class_names() gives. Empty: a folder has all its top directories, others none. A
  /// name that is empty or occurs twice is an Error{bad_options}.
  std::vector<std::string> classes{};
  /// Top directories that `classes` does not name are skipped and counted.
  bool skip_other_classes = false;
};

/// A folder of images: all regular files below `path` without a leading dot, in byte order of the
/// relative path. The label is the rank of the top directory, or its position in `classes`, or 0 in
/// a flat folder. It is -1 for a file beside the class folders. The source skips and counts unreadable folders, folders that are already on the path, links that are not
/// followed, and entries that are neither file nor folder. Without `extensions` it also skips and
/// counts files with an extension that no image has, such as .txt and .db. Throws
/// Error{source_failed}, also if there is no sample; the message says what was left out and why.
/// The same error while a `weir pack` into it, or into a folder below, has not ended.
WEIR_API AnySource image_folder(const std::string& path, const FolderOptions& options = {});

/// A file with lines of `path<TAB>label`. Relative paths are relative to the folder of the
/// manifest. All symbolic links are followed, because the author of the manifest chose the paths.
/// Empty lines do not count, nor do lines that begin with '#', which are comments. "./#name" is a file of
/// the name "#name".
/// A first line `path<TAB>label<TAB>mask<TAB>depth` names planes (see with_plane()): then each line has
/// as many columns, the further ones are the files of its planes, and an empty one is an absent plane.
/// Of the options, max_encoded_bytes and `classes` count. Throws Error{source_failed} with the line
/// number, also for a label from the number of `classes` on, and if there is no sample.
WEIR_API AnySource manifest(const std::string& tsv, const FolderOptions& options = {});

/// One sample for in_memory().
struct MemorySample {
  std::string name;              ///< name in reports and faults
  std::vector<std::byte> bytes;  ///< the encoded image, for example a JPEG
  std::int64_t label = 0;        ///< any number
};
/// Encoded samples in memory. Their bytes count as index bytes. There may be none: then a stream
/// ends at once.
WEIR_API AnySource in_memory(std::vector<MemorySample> samples,
                             std::vector<std::string> class_names = {});

/// Generates `count` JPEGs of about `encoded_shape` on demand. Each is a pure function of (seed,
/// index). There are ten classes, which differ in colour and pattern. `count` may be 0: then a
/// stream ends at once.
WEIR_API AnySource synthetic(std::uint64_t count, ImageSize encoded_shape, std::uint64_t seed = 0);

/// The files at `paths`, in this order, with `labels`: one each, or none; then all are 0. Relative
/// paths begin at the current folder of this call. Symbolic links are followed, because the caller
/// chose the paths. A file that does not exist is a fault when it is drawn. Of the options,
/// max_encoded_bytes and `classes` count; with classes, a label must be -1 or name one. Throws
/// Error{bad_options} with the position of the path or label, and if there is no path.
WEIR_API AnySource image_files(const std::vector<std::string>& paths,
                               const std::vector<std::int64_t>& labels = {},
                               const FolderOptions& options = {});

/// The samples of `source` with these indices, in this order. An index may come more than once.
/// Throws Error{bad_options} for an index that `source` does not have, and if there is none.
WEIR_API AnySource subset(AnySource source, std::vector<std::uint64_t> indices);

/// The samples whose names satisfy `wanted`, in the order of the source. Calls `wanted` once for
/// each name. Throws Error{bad_options} if no name does.
template <std::predicate<const std::string&> Wanted>
AnySource subset(AnySource source, const Wanted& wanted) {
  std::vector<std::uint64_t> indices;
  for (std::uint64_t i = 0; i < source.size(); ++i)
    if (wanted(source.name(i))) indices.push_back(i);
  return subset(std::move(source), std::move(indices));
}

/// The result of split().
struct Split {
  AnySource training;  ///< all samples but those of `hold_out`
  AnySource hold_out;  ///< samples 0, n, 2n …
};
/// Divides a source: every n-th sample is held out, beginning with the first. Both parts keep the
/// order of the source. They need no table. Throws Error{bad_options} if `every_nth` is below 2, or
/// if there are fewer than two samples.
WEIR_API Split split(const AnySource& source, std::uint64_t every_nth);

/// `source` with other labels: `labels` has a new one for each old one. A label that it does not
/// have is a fault of kind `unsupported`. `class_names`: by new label; empty: the names of `source`
/// move with their labels, if these are 0 to 65535. Several old labels may become one; the first
/// one's name stays. Throws Error{bad_options} if `labels` is empty.
WEIR_API AnySource relabelled(AnySource source, const std::map<std::int64_t, std::int64_t>& labels,
                              std::vector<std::string> class_names = {});

/// A weight for each sample, with which Order::weighted() draws each label equally often: 1 divided
/// by the number of samples with its label. A sample without a class, of label -1, has weight 0.
/// Takes the labels from AnySource::label() and reads no sample. Throws Error{bad_options} that names
/// a sample whose label is unknown, and if no sample has a class.
WEIR_API std::vector<double> balanced(const AnySource& source);

/// The samples of all sources, one source after the other, with their own labels. Throws
/// Error{bad_options} if two sources have different names for one class; see
/// FolderOptions::classes and relabelled(). Also if planes() of two differ, without a source, and for 2^64 samples and more.
WEIR_API AnySource concatenated(std::vector<AnySource> sources);

/// What with_plane() does with a sample that has no such plane.
enum class MissingPlane : std::uint8_t {
  error,   ///< throws Error{bad_options} that names the first such sample and the number of others
  skip,    ///< leaves it out and counts it as skipped
  absent,  ///< keeps it; its plane is an empty span in Encoded::planes
};

/// Adds a plane to each sample of `images`: the image of the sample of `others` that has the same stem.
/// The stem of a name is the name without the extension. Only if no two stems are the same, the folders
/// that all names of a source begin with do not count either: the stem of "/data/cat/1.jpg" beside
/// "/data/dog/1.jpg" is then "cat/1". All else of a sample is that of `images`. The new plane is the last one of planes(), so calls nest:
/// `with_plane(with_plane(images, "mask", a), "depth", b)` has the planes mask and depth. Planes of
/// `others` are not read, nor is this plane if nobody wants it (ByteSink::wants). The reason of its
/// fault has the name of the plane and of the sample of `others`. Samples of `others` that belong to no
/// image are left out and counted as skipped.
///
/// `name` has 1 to 32 characters of a-z, 0-9, '_' and '-'. It is not "image" and not the name of
/// another plane; a sample has at most seven planes. Throws Error{bad_options} otherwise, if two samples
/// of `others` have one stem, and if no sample has the plane.
WEIR_API AnySource with_plane(AnySource images, std::string name, AnySource others,
                              MissingPlane missing = MissingPlane::error);

/// The same with a file for each sample: `paths[i]` belongs to sample i of `images`, and is empty if
/// there is none. A path may come more than once. Relative paths begin at the current folder of this
/// call, and symbolic links are followed. A file that does not exist is a fault when it is read. Of the
/// options, max_encoded_bytes counts. Throws Error{bad_options} as the other form, and if there are not
/// as many paths as samples.
WEIR_API AnySource with_plane(AnySource images, std::string name,
                              const std::vector<std::string>& paths,
                              MissingPlane missing = MissingPlane::error,
                              const FolderOptions& options = {});

/// Adds an annotation to each sample (Encoded::annotation, Options::annotation_bytes):
/// `annotations[i]` has the bytes of sample i, and may be empty. They stay in memory, counted in
/// index_bytes(). They replace those of `images`. Throws Error{bad_options} if there are not as many as
/// samples.
WEIR_API AnySource with_annotations(AnySource images, const std::vector<std::string>& annotations);

/// The same with elements: the boxes of each image, for Batch::annotations().
template <AnnotationElement T>
AnySource with_annotations(AnySource images, const std::vector<std::vector<T>>& annotations) {
  std::vector<std::string> bytes;
  bytes.reserve(annotations.size());
  for (const auto& one : annotations)
    bytes.emplace_back(reinterpret_cast<const char*>(one.data()), one.size() * sizeof(T));
  return with_annotations(std::move(images), bytes);
}

/// The same with a file for each sample: that in `folder` with its stem, as with_plane() defines it,
/// and `extension`: ".txt" for YOLO's labels and for captions. The annotation is the content of the
/// file, which may be empty. The files are looked up by this call, and read with the samples. Symbolic
/// links are followed. Of the options, max_encoded_bytes counts; annotation_bytes() leaves out the files
/// above it. The fingerprint is that of the images: the contents of files, as of images, do not count.
/// Throws Error{source_failed} if the folder cannot be opened, and Error{bad_options} if no sample has a
/// file, and as `missing` says.
WEIR_API AnySource with_annotations(AnySource images, const std::string& folder,
                                    const std::string& extension,
                                    MissingPlane missing = MissingPlane::error,
                                    const FolderOptions& options = {});

/// A data set of CIFAR, and which of its labels.
enum class Cifar : std::uint8_t {
  ten,             ///< CIFAR-10
  hundred_fine,    ///< CIFAR-100 with its 100 classes
  hundred_coarse,  ///< CIFAR-100 with its 20 superclasses
};

/// The images of CIFAR's binary files (data_batch_1.bin, train.bin), file by file in the order of
/// `paths`. They are not compressed, so a worker only copies or resizes their pixels. A sample's
/// name is its file's name without the folder and its number there, from 0. A label that the data set does not have is a
/// fault of kind `corrupt`. The files stay open. Throws Error{source_failed} if a file cannot be
/// opened, is empty or is no whole number of records, and Error{bad_options} without a path.
WEIR_API AnySource cifar_binary(const std::vector<std::string>& paths, Cifar kind = Cifar::ten);

/// The grey images of a pair of IDX files, as of MNIST (train-images-idx3-ubyte and
/// train-labels-idx1-ubyte). Options::pixels = PixelFormat::grey8 delivers them as they are, in a third
/// of the bytes of rgb8. Otherwise as cifar_binary(). Throws Error{source_failed} also if the
/// files differ in the number of samples, or a size differs from what the header states.
WEIR_API AnySource mnist_idx(const std::string& images, const std::string& labels);

}  // namespace weir
