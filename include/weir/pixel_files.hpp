#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "weir/export.hpp"
#include "weir/source.hpp"

namespace weir {

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
