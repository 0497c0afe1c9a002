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
  auto file = source::open_at(AT_FDCWD, path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY);
  if (!file) {
    const bool many = errno == EMFILE || errno == ENFILE;
    fail("cannot open: " + source::errno_text(errno) +
         (many ? "; each shard keeps a file open: raise the limit with `ulimit -n`, or make larger "
                 "shards"
               : ""));
  }
  struct stat status {};
  if (source::retried([&] { return ::fstat(file.value(), &status); }) != 0)
    fail("cannot stat: " + source::errno_text(errno));
  if (!S_ISREG(status.st_mode)) fail("not a regular file");
  return {std::move(path), std::move(name), std::move(file),
          static_cast<std::uint64_t>(status.st_size)};
}

std::size_t read_at(const ShardFile& shard, std::uint64_t offset,
                    std::span<std::byte> into) noexcept {
  std::size_t done = 0;
  errno = 0;
  while (done < into.size()) {
    const auto got = source::retried([&] {
      return ::pread(shard.file.value(), into.data() + done, into.size() - done,
                     static_cast<off_t>(offset + done));
    });
    if (got == 0) errno = 0;
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

void refuse_shard(const ShardFile& shard, std::uint64_t offset, const std::string& why) {
  throw Error(Errc::source_failed, Stage::read,
              "shard " + sanitize(shard.path) + ": at byte " + std::to_string(offset) + ": " + why);
}

}  // namespace weir::shards
