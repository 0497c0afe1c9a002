#include "shards/tar_shards.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "base/sanitize.hpp"
#include "shards/checksum.hpp"
#include "weir/error.hpp"

namespace weir::shards {
namespace {

[[noreturn]] void fail(const std::string& what) {
  throw Error(Errc::source_failed, Stage::read, what);
}

source::FileDescriptor open_shard(const std::string& path, std::uint64_t bytes) {
  auto file = source::open_at(AT_FDCWD, path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY);
  if (!file) {
    const bool many = errno == EMFILE || errno == ENFILE;
    fail("cannot open shard " + sanitize(path) + ": " + source::errno_text(errno) +
         (many ? "; each shard keeps one file open: raise the limit with `ulimit -n`, or make "
                 "larger shards"
               : ""));
  }
  struct stat status {};
  if (source::retried([&] { return ::fstat(file.value(), &status); }) != 0)
    fail("cannot stat shard " + sanitize(path) + ": " + source::errno_text(errno));
  if (!S_ISREG(status.st_mode)) fail("shard " + sanitize(path) + " is not a regular file");
  if (static_cast<std::uint64_t>(status.st_size) != bytes)
    fail("shard " + sanitize(path) + " has " + std::to_string(status.st_size) +
         " bytes where its index says " + std::to_string(bytes) +
         "; if it was made anew, run `weir index` again");
  return file;
}

std::string hex(std::uint64_t value) {
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(value));
  return text.data();
}

}  // namespace

TarShards::TarShards(const std::string& folder, Index index, const ShardOptions& options)
    : index_(std::move(index)),
      max_encoded_bytes_(options.max_encoded_bytes),
      verify_(options.verify) {
  files_.reserve(index_.shards.size());
  for (const auto& shard : index_.shards)
    files_.push_back(open_shard(folder + shard.name, shard.bytes));
}

std::optional<Encoded> TarShards::try_read(std::uint64_t i, ByteSink& sink) const {
  const auto& sample = index_.samples[i];
  if (sample.bytes > max_encoded_bytes_)
    throw SampleError(FaultKind::limit, "the member has " + std::to_string(sample.bytes) +
                                            " bytes, max_encoded_bytes is " +
                                            std::to_string(max_encoded_bytes_));
  const auto bytes = sink.try_take(sample.bytes);
  if (!bytes) return std::nullopt;
  const int file = files_[sample.shard].value();
  for (std::size_t done = 0; done < bytes->size();) {
    const auto got = source::retried([&] {
      return ::pread(file, bytes->data() + done, bytes->size() - done,
                     static_cast<off_t>(sample.offset + done));
    });
    if (got < 0) throw SampleError(FaultKind::io, "cannot read: " + source::errno_text(errno));
    if (got == 0)
      throw SampleError(FaultKind::truncated, "the shard ended at byte " +
                                                  std::to_string(sample.offset + done) +
                                                  ", inside of the member");
    done += static_cast<std::size_t>(got);
  }
  if (verify_) {
    const auto found = checksum_of(*bytes);
    if (found != sample.checksum)
      throw SampleError(FaultKind::corrupt,
                        "its checksum is " + hex(found) + " where the index says " +
                            hex(sample.checksum) + "; byte " + std::to_string(sample.offset) +
                            " of the shard, " + std::to_string(sample.bytes) + " bytes");
  }
  return Encoded{*bytes, sample.label};
}

std::string TarShards::name(std::uint64_t i) const {
  return index_.shards[sample(i).shard].name + '/' + index_.name(sample(i));
}

std::optional<ImageSize> TarShards::image_size(std::uint64_t i) const {
  if (sample(i).height == 0) return std::nullopt;
  return ImageSize{sample(i).height, sample(i).width};
}

std::uint64_t TarShards::index_bytes() const noexcept {
  return sizeof(*this) + index_.held_bytes() + files_.capacity() * sizeof(source::FileDescriptor);
}

std::string TarShards::fingerprint() const {
  RunningChecksum sum;
  const auto add = [&](const auto& value) { sum.add(std::as_bytes(std::span(&value, 1))); };
  for (const auto& shard : index_.shards) {
    sum.add(std::as_bytes(std::span(shard.name)));
    add('\0');
    add(shard.bytes);
  }
  for (const auto& each : index_.samples) {
    add(each.offset);
    add(each.bytes);
    add(each.shard);
  }
  const auto value = sum.value();
  return "shards " + hex(value.high) + hex(value.low);
}

}  // namespace weir::shards

weir::AnySource weir::tar_shards(const std::vector<std::string>& paths,
                                 const ShardOptions& options) {
  namespace fs = std::filesystem;
  if (paths.size() != 1)
    throw Error(Errc::bad_options, Stage::read, "tar_shards: give one folder with an index.weir");
  fs::path folder = paths.front();
  if (folder.filename() == shards::index_name) folder = folder.parent_path();
  const auto index = folder / shards::index_name;
  return shards::TarShards(folder.empty() ? "" : folder.string() + '/',
                           shards::read_index(index.string()), options);
}

weir::AnySource weir::tar_shards(const std::string& path, const ShardOptions& options) {
  return tar_shards(std::vector{path}, options);
}
