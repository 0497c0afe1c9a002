#pragma once

#include <concepts>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "weir/export.hpp"
#include "weir/source.hpp"

/// \file
/// Sources made from lists and from other sources. Each forwards what the sources below it know:
/// names, class names, sizes, skipped entries and the fingerprint. They read nothing themselves, and
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

/// The samples of all sources, one source after the other, with their own labels. Throws
/// Error{bad_options} if two sources have different names for one class; see
/// FolderOptions::classes and relabelled(). Also if there is no source.
WEIR_API AnySource concatenated(std::vector<AnySource> sources);

// The stem of a name is what remains of it without the extension, and without the folders that all
// names of its source begin with: "cat/1" for "/data/cat/1.jpg" beside "/data/dog/1.jpg".

/// Whether paired() compares the names.
enum class PairNames : std::uint8_t {
  same_stem,  ///< the two names of each pair must have the same stem
  any,        ///< names may differ
};

/// Pairs of images. Sample i is sample i of `first`, with its label and side bytes, and the image of
/// sample i of `second` as the first of Encoded::planes. Pairs nest: of `paired(paired(a, b), c)`,
/// and of `paired(a, paired(b, c))`, b is plane 0 and c plane 1. More than seven planes are a fault
/// of kind `unsupported`. A fault has the name of the first image. If another image is bad, the reason
/// contains its name. Throws Error{bad_options} if the numbers of samples differ, or with the first
/// pair whose stems differ.
WEIR_API AnySource paired(AnySource first, AnySource second,
                          PairNames names = PairNames::same_stem);

/// What paired_by_stem() does with a sample whose stem `second` does not have.
enum class MissingPair : std::uint8_t {
  error,  ///< throws Error{bad_options} that names it
  blank,  ///< its second image is black and has the size of the first: Encoded::blank
  skip,   ///< leaves it out and counts it as skipped
};

/// Pairs each sample of `first` with the sample of `second` that has the same stem. Samples of
/// `second` that belong to no pair are left out and counted as skipped. Throws Error{bad_options} if
/// two samples of `second` have one stem, and if there is no pair.
WEIR_API AnySource paired_by_stem(AnySource first, AnySource second,
                                  MissingPair missing = MissingPair::error);

}  // namespace weir
