#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weir/export.hpp"

namespace weir {

/// Which samples the trainer has finished, by their positions in the order. It does not depend on
/// batch, workers or ranks, so a job can resume with other ones. Samples that were prefetched or are
/// still in hand are not finished and come again.
///
/// Save it with the trainer's own checkpoint. Stream::progress() gives it, and StreamOptions::resume
/// takes it.
struct WEIR_API Progress {
  /// Positions first .. end-1, and the same `times` times, each `distance` after the one before.
  struct Run {
    std::uint64_t first = 0;     ///< first position
    std::uint64_t end = 0;       ///< one past the last position of the first interval
    std::uint64_t distance = 0;  ///< from one interval to the next; 0 if there is one
    std::uint64_t times = 1;     ///< number of intervals
    /// Compares all fields.
    friend bool operator==(const Run&, const Run&) = default;
  };
  /// Consecutive epochs with the same finished positions.
  struct Epochs {
    std::uint64_t first = 0;  ///< the first epoch
    std::uint64_t count = 1;  ///< number of epochs
    std::uint64_t end = 0;  ///< positions of an epoch; drop_last can make it less than the samples
    /// The global batch that cuts the size buckets of the epoch; 0: no buckets.
    std::uint64_t bucket_rows = 0;
    std::vector<Run> done{};  ///< finished positions, ascending
    /// Compares all fields.
    friend bool operator==(const Epochs&, const Epochs&) = default;
  };

  std::string fingerprint;    ///< of the data set: 32 hexadecimal digits
  std::uint64_t samples = 0;  ///< positions of an epoch: what the order draws
  std::uint64_t seed = 0;     ///< Options::seed
  std::string order{};        ///< to_string() of Options::order
  /// Unfinished epochs, ascending. All epochs before them are finished. In epochs that are not
  /// listed after the first one, nothing is finished. At least one.
  std::vector<Epochs> epochs{};

  /// The positions that the trainer of any of the ranks has finished. The order of the states does
  /// not matter; a state may come twice. The samples of a rank whose state is missing come again.
  /// Throws Error{bad_options} if the states are not of one job, if there is none, or if their union
  /// would need more than 128 MiB.
  static Progress merge(std::span<const Progress> states);
  /// JSON text: at most 4 KiB, unless many batches are held out of order.
  std::string to_json() const;
  /// Reads to_json(). Throws Error{bad_options} if the text is not complete, not valid, or written
  /// by a newer version. Keeps nothing but the state in memory.
  static Progress parse(std::string_view json);
  /// Writes to_json() to a temporary file, syncs it and renames it to `path`, or to the file to which
  /// a symbolic link there leads. Throws std::system_error.
  void save(const std::string& path) const;
  /// Reads a file of save(). Throws std::system_error if it cannot be read, or as parse().
  static Progress load(const std::string& path);

  /// Compares all fields.
  friend bool operator==(const Progress&, const Progress&) = default;
};

}  // namespace weir
