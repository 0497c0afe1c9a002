#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weir/export.hpp"
#include "weir/random.hpp"

/// \file
/// The order in which samples are drawn, and how far a trainer is in it.
namespace weir {

namespace source {
class Weights;
}  // namespace source

/// The order of an epoch: which sample is drawn at which position. It is a pure function of the
/// order, Options::seed, the epoch and the number of samples. The first three kinds draw each sample
/// once an epoch. The others may leave samples out, and some draw samples several times.
struct WEIR_API Order {
  /// The kinds of order.
  enum class Kind : std::uint8_t {
    sequential,        ///< the order of the source
    shuffle,           ///< a new order of all samples in each epoch
    blocks,            ///< a new order in each epoch that reads the source in runs
    with_replacement,  ///< each position draws any sample, all with the same probability
    weighted,          ///< each position draws any sample, with a probability by its weight
    every,             ///< each n-th sample of the source
    own,               ///< a function of the user's own
  };
  /// Returns the index in the source of the sample at `position` of `epoch`, below Loader::size().
  /// It must be a pure function of its arguments. `random` depends on Options::seed, epoch and
  /// position alone, and differs from the one of a transform. Called by several threads at once, and
  /// again for a replacement; never under a lock of weir. It may be slow, but then next() waits.
  using Function =
      std::function<std::uint64_t(std::uint64_t epoch, std::uint64_t position, Random& random)>;

  Kind kind = Kind::sequential;  ///< use the functions below to set it
  std::uint64_t block = 64;      ///< blocks: consecutive samples in a block; >= 1
  std::uint64_t together = 64;   ///< blocks: blocks whose samples are mixed; >= 1
  /// with_replacement, weighted, own: positions of an epoch; 0: as many as the source has samples.
  std::uint64_t draws = 0;
  std::uint64_t nth = 1;     ///< every: distance from one sample to the next; >= 1
  std::uint64_t offset = 0;  ///< every: index of the first sample
  std::shared_ptr<const source::Weights> weights{};  ///< weighted: one for each sample
  /// own: 1 to 64 printable ASCII characters. A Progress has it, so another function needs another
  /// name.
  std::string name{};
  Function function{};  ///< own

  /// The order of the source.
  static Order sequential() noexcept { return {}; }
  /// A new order of all samples in each epoch; if not `on`, the order of the source.
  static Order shuffle(bool on = true) noexcept {
    return {.kind = on ? Kind::shuffle : Kind::sequential};
  }
  /// A new order in each epoch for data that is cheap to read in runs. The source is cut into blocks
  /// of `block` samples, the blocks are shuffled, and the samples of each `together` blocks are
  /// shuffled. A short last block stays in the last group.
  static Order blocks(std::uint64_t block = 64, std::uint64_t together = 64) noexcept {
    return {.kind = Kind::blocks, .block = block, .together = together};
  }
  /// Each position draws any sample, independently of the others. `draws`: positions of an epoch; 0:
  /// as many as the source has samples.
  static Order with_replacement(std::uint64_t draws = 0) noexcept {
    return {.kind = Kind::with_replacement, .draws = draws};
  }
  /// The same, but the probability of a sample is proportional to its weight. A draw takes constant
  /// time, by an alias table. The loader keeps 24 bytes for each sample, in the account `index`.
  /// Throws Error{bad_options} if `weights` is empty or has only zeros, or if a weight is negative
  /// or not finite. There must be one weight for each sample; a Loader refuses others.
  static Order weighted(std::vector<double> weights, std::uint64_t draws = 0);
  /// The samples `offset`, `offset` + `n`, … of the source, in its order: for example a part that is
  /// held out.
  static Order every(std::uint64_t n, std::uint64_t offset = 0) noexcept {
    return {.kind = Kind::every, .nth = n, .offset = offset};
  }
  /// An order of the user's own. If the function throws, or returns an index that the source does
  /// not have, the stream ends before the batch of that position, and next() throws the exception or
  /// Error{bad_options}. Where sizes differ, the Loader calls it for the first epoch, and
  /// throws this itself.
  static Order own(std::string name, std::uint64_t draws, Function function);
};

/// For example "shuffle", "blocks:64:64", "every:8:0" or "own:curriculum". For weights it has their
/// hash. It does not have Order::draws.
WEIR_API std::string to_string(const Order& order);

/// Whether both draw the same samples: compares to_string() and Order::draws. Functions are compared
/// by their names.
WEIR_API bool operator==(const Order& a, const Order& b);

/// Which samples may be the partners of a row. Only samples that Options::order can draw.
enum class PartnerPick : std::uint8_t {
  /// Each with the same probability; with Order::weighted by their weights. With Order::own: those of
  /// other positions of the epoch.
  any,
  /// Those with the label of the row's own sample, each with the same probability. The source must
  /// know its labels without a read (Source::label). The loader keeps 16 bytes for each sample, in the
  /// account `index`. Not with Order::own.
  same_label,
  own,  ///< PartnerOptions::choose decides
};

/// The index in the source of partner 1 .. PartnerOptions::count of a row. `random` depends on (seed,
/// epoch, position, partner, attempt); `attempt` counts the failures of this partner. Pure, called by
/// several threads at once, and perhaps more than once for a row. If it throws, or the source has no
/// sample with this index, the stream ends before the batch, as with Order::own.
using PartnerFunction = std::function<std::uint64_t(std::uint64_t epoch, std::uint64_t position,
                                                    std::uint32_t partner, Random& random)>;

/// Further samples of each row, for a transform that makes one row of several images: mosaic, mixup,
/// pairs. The samples of a row are read and decoded together, within max_sample_bytes. Which they are is
/// a pure function of (seed, epoch, position), as the order is. With Requests, position is the number of
/// the row. Not with Decode::none and Cache::decoded.
struct PartnerOptions {
  std::uint32_t count = 0;              ///< partners of each row; 0 to 15
  PartnerPick pick = PartnerPick::any;  ///< which samples they may be
  /// Whether each draw is independent of the others. Otherwise the samples of a row all differ. With
  /// OnFault::skip, a sample that fails is redrawn alone. If no other sample is left, its replacement is
  /// one that the row has. Not with `own`.
  bool repeat = false;
  PartnerFunction choose{};  ///< for `own`
  /// Identifies `choose` in Loader::identity(), which ranks compare. 1 to 64 printable ASCII characters.
  std::string name{};

  static constexpr std::uint32_t most = 15;  ///< most partners of a row
};

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
  /// What decides the size buckets of an epoch: SizeOptions::bucket_batches. All 0: no buckets.
  struct Buckets {
    std::uint64_t rows = 0;     ///< the global batch that cuts them
    std::uint64_t batches = 0;  ///< SizeOptions::bucket_batches
    std::uint64_t sizes = 0;    ///< hash of the sizes of all images, within the bound
    /// Compares all fields.
    friend bool operator==(const Buckets&, const Buckets&) = default;
  };
  /// Consecutive epochs with the same finished positions.
  struct Epochs {
    std::uint64_t first = 0;  ///< the first epoch
    std::uint64_t count = 1;  ///< number of epochs
    std::uint64_t end = 0;  ///< positions of an epoch; drop_last can make it less than the samples
    Buckets buckets{};      ///< those of the finished positions
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
  /// JSON text: at most 4 KiB, unless many batches are held out of order, or the states of some ranks
  /// alone were resumed with another number of ranks.
  std::string to_json() const;
  /// Reads to_json(). Throws Error{bad_options} if the text is not complete, not valid, or written
  /// by a newer version. Keeps nothing but the state in memory.
  static Progress parse(std::string_view json);
  /// Writes to_json() to a temporary file, syncs it and renames it to `path`, or to the file to which
  /// a symbolic link there leads. Throws std::system_error.
  void save(const std::string& path) const;
  /// Reads a file of save(). Throws Error{source_failed} if it cannot be read, or as parse().
  static Progress load(const std::string& path);

  /// Compares all fields.
  friend bool operator==(const Progress&, const Progress&) = default;
};

}  // namespace weir
