#include "shards/shard_file.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/directory.hpp"
#include "base/sanitize.hpp"
#include "weir/error.hpp"

namespace weir::shards {

ShardFile open_shard(std::string path, std::string name) {
  auto opened = open_regular(path);
  if (!opened.file) {
    const bool many = opened.error == EMFILE || opened.error == ENFILE;
    throw Error(Errc::source_failed, Stage::read,
                "shard " + sanitize(path) + ": " + opened.why() +
                    (many ? "; each shard keeps a file open: raise the limit with `ulimit -n`, or "
                            "make larger shards"
                          : ""));
  }
  return {std::move(path), std::move(name), std::move(opened.file), opened.bytes};
}

std::vector<std::string> tar_names_in(const std::string& folder) {
  auto names = names_in(folder);
  std::erase_if(names, [](const std::string& name) { return !name.ends_with(".tar"); });
  std::ranges::sort(names);
  return names;
}

void refuse_shard(const ShardFile& shard, std::uint64_t offset, const std::string& why) {
  throw Error(Errc::source_failed, Stage::read,
              "shard " + sanitize(shard.path) + ": at byte " + std::to_string(offset) + ": " + why);
}

}  // namespace weir::shards
