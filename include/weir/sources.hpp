#pragma once

#include <concepts>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "weir/export.hpp"
#include "weir/rows.hpp"
#include "weir/source.hpp"

/// \file
/// Sources made from lists and from other sources. Each forwards what the sources below it know:
/// names, planes, class names, sizes, skipped entries and the fingerprint. They read nothing themselves, and
/// throw before anything is read.
namespace weir {

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
/// one's name stays.
WEIR_API AnySource relabelled(AnySource source, const std::map<std::int64_t, std::int64_t>& labels,
                              std::vector<std::string> class_names = {});

/// A weight for each sample, with which Order::weighted() draws each label equally often: 1 divided
/// by the number of samples with its label. A sample without a class, of label -1, has weight 0.
/// Takes the labels from AnySource::label() and reads no sample. Throws Error{bad_options} that names
/// a sample whose label is unknown, and if no sample has a class.
WEIR_API std::vector<double> balanced(const AnySource& source);

/// The samples of all sources, one source after the other, with their own labels. Throws
/// Error{bad_options} if two sources have different names for one class; see
/// FolderOptions::classes and relabelled(). Also if planes() of two differ, and without a source.
WEIR_API AnySource concatenated(std::vector<AnySource> sources);

/// What with_plane() does with a sample that has no such plane.
enum class MissingPlane : std::uint8_t {
  error,   ///< throws Error{bad_options} that names the first such sample and the number of others
  skip,    ///< leaves it out and counts it as skipped
  absent,  ///< keeps it; its plane is an empty span in Encoded::planes
};

/// Adds a plane to each sample of `images`: the image of the sample of `others` that has the same stem.
/// The stem of a name is what remains of it without the extension, and without the folders that all
/// names of its source begin with: "cat/1" for "/data/cat/1.jpg" beside "/data/dog/1.jpg". All else of a
/// sample is that of `images`. The new plane is the last one of planes(), so calls nest:
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
/// call, and symbolic links are followed. A file that does not exist is a fault when it is read, and one
/// of more than 64 MiB is a fault of kind `limit`. Throws Error{bad_options} as the other form, and if
/// there are not as many paths as samples.
WEIR_API AnySource with_plane(AnySource images, std::string name,
                              const std::vector<std::string>& paths,
                              MissingPlane missing = MissingPlane::error);

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
/// links are followed. A file of more than 64 MiB is a fault of kind `limit`. Throws Error{bad_options}
/// if no sample has a file, and as `missing` says.
WEIR_API AnySource with_annotations(AnySource images, const std::string& folder,
                                    const std::string& extension,
                                    MissingPlane missing = MissingPlane::error);

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
