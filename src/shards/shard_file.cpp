#include "shards/shard_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/sanitize.hpp"
#include "weir/error.hpp"

namespace weir::shards {

ShardFile open_shard(std::string path, std::string name) {
  const auto fail = [&path](const std::string& why) {
    throw Error(Errc::source_failed, Stage::read, "shard " + sanitize(path) + ": " + why);
  };
  auto file = open_at(AT_FDCWD, path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY);
  if (!file) {
    const bool many = errno == EMFILE || errno == ENFILE;
    fail("cannot open: " + errno_text(errno) +
         (many ? "; each shard keeps a file open: raise the limit with `ulimit -n`, or make larger "
                 "shards"
               : ""));
  }
  struct stat status {};
  if (retried([&] { return ::fstat(file.value(), &status); }) != 0)
    fail("cannot stat: " + errno_text(errno));
  if (!S_ISREG(status.st_mode)) fail("not a regular file");
  return {std::move(path), std::move(name), std::move(file),
          static_cast<std::uint64_t>(status.st_size)};
}

void refuse_shard(const ShardFile& shard, std::uint64_t offset, const std::string& why) {
  throw Error(Errc::source_failed, Stage::read,
              "shard " + sanitize(shard.path) + ": at byte " + std::to_string(offset) + ": " + why);
}

}  // namespace weir::shards
