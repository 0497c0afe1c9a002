#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "cli/settings.hpp"
#include "cli/shards.hpp"
#include "source/folder_walk.hpp"
#include "weir/plan.hpp"
#include "weir/source.hpp"

namespace weir::cli {

/// What the data have beside their samples.
struct DataNotes {
  std::vector<source::Unreached> unreached;  ///< parts of a folder that could not be examined
  std::vector<NoImage> without_image;        ///< samples of tar shards; for probe only
  std::uint64_t open_files = 0;              ///< files that the source keeps open: tar shards
};

/// The source for DATA and --ext, with the delay of --read-delay-ms. Throws Error{source_failed},
/// also if there are no samples; std::invalid_argument for a malformed synthetic:; or Refusal for a
/// kind that is not supported yet. A stop request ends the listing of a folder or of shards (Refusal
/// with the exit code of an interrupt), the delays of reads, and the painting of synthetic images.
AnySource open_data(const Settings& settings, std::stop_token stop = {},
                    DataNotes* notes = nullptr);

/// The same in two steps. The first opens the source without a delay, the second adds the delay.
AnySource open_undelayed(const Settings& settings, const std::stop_token& stop = {},
                         DataNotes* notes = nullptr);
AnySource delayed(AnySource source, const Settings& settings, std::stop_token stop = {});

/// Stores the image of the sample that was read last, alone.
class VectorSink final : public ByteSink {
 public:
  std::optional<std::span<std::byte>> try_take(std::size_t bytes) override {
    bytes_.resize(bytes);
    return bytes_;
  }
  bool wants(std::size_t) const noexcept override { return false; }
  bool wants_annotation() const noexcept override { return false; }

 private:
  std::vector<std::byte> bytes_;
};

/// The settings with what a Loader of `source` would measure: the sizes of the images, and with them
/// or with `measured` the bytes of the largest sample. So they are measured once, and alike in every
/// command. `weir plan` also measures data of few samples, for Plan::data_ceiling_bytes alone. Shows
/// progress. Throws as measure_sizes(), and Refusal after a stop request.
Settings surveyed(Settings settings, const AnySource& source, const std::stop_token& stop);

/// The plan of surveyed() settings, with data_ceiling_bytes. Throws as weir::resolve().
Plan plan_of(const Settings& settings, std::uint64_t index_bytes, std::uint64_t samples);

struct Surveyed {
  Settings settings;
  AnySource source;
};
/// DATA as open_data() gives it, and the settings for it. Measures without --read-delay-ms.
Surveyed open_surveyed(const Settings& settings, const std::stop_token& stop = {},
                       DataNotes* notes = nullptr);

}  // namespace weir::cli
