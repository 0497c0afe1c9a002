#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "cli/settings.hpp"
#include "report/json.hpp"
#include "weir/source.hpp"

namespace weir::shards {
class TarShards;
}

namespace weir::cli {

struct DataNotes;

/// A sample of tar shards that is left out because it has no image.
struct NoImage {
  std::string name;          ///< shard and key
  std::uint64_t offset = 0;  ///< of its first member
};

/// Whether DATA is tar shards: by its name, or because the folder has an index of them.
bool is_shards(const Settings& settings);
/// Whether a folder has files *.tar, and tar shards can be read. Throws Error{source_failed}.
bool has_shards(const std::string& folder);

/// The source for shards. Throws as open_data(). Gives hints about samples without image or label.
/// `notes` may be null.
AnySource open_shards(const Settings& settings, const std::stop_token& stop, DataNotes* notes);
/// How many files shards keep open, and how many the process may have. Empty if it is none.
std::string open_files_text(std::uint64_t open_files);

/// The shards of `weir index`, searched for members whatever index there is.
shards::TarShards search_shards(const Settings& settings, const std::stop_token& stop);

/// The result of a comparison with the checksums of an index.
struct ChecksumFindings {
  bool compared = false;  ///< false: DATA is no shards, or they have no index
  std::uint64_t shards = 0, samples = 0;
  std::vector<std::string> wrong;  ///< one line for each sample or shard that differs
};

report::Json to_json(const ChecksumFindings& findings);
/// A line, and one for each of the first that differ. Empty if nothing was compared.
std::string to_text(const ChecksumFindings& findings);

/// Reads all shards and compares them with their index. Gives a hint if there is none.
ChecksumFindings compare_checksums(const Settings& settings, const std::stop_token& stop);

}  // namespace weir::cli
