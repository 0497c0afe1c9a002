#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <string>

#include "shards/dali_index.hpp"
#include "shards/index.hpp"
#include "shards/keys.hpp"
#include "shards/labels.hpp"
#include "shards/members.hpp"
#include "shards/scan.hpp"
#include "source/checked_path.hpp"
#include "targets.hpp"
#include "weir/error.hpp"

namespace weir::fuzz {
namespace {

std::string words_in(Input input) { return {input.begin(), input.end()}; }

/// Runs `read`, which may throw an Error of this code with a message that is safe to print.
template <class Read>
void may_refuse(Errc code, const Read& read) {
  try {
    read();
  } catch (const Error& error) {
    must(error.code() == code, "what is damaged is a source that failed, misuse is misuse");
    for (const char* c = error.what(); *c != '\0'; ++c)
      must(static_cast<unsigned char>(*c) >= ' ' && *c != 0x7f, "messages carry no control bytes");
  }
}

/// The input as a shard in memory.
shards::ShardFile shard_of(Input input, std::string path = "shard.tar") {
  FileDescriptor file(memfd_create("fuzz", MFD_CLOEXEC));
  must(static_cast<bool>(file), "there is room for one more file");
  must(::write(file.value(), input.data(), input.size()) == static_cast<ssize_t>(input.size()),
       "the file takes the input");
  return {std::move(path), "shard.tar", std::move(file), input.size()};
}

std::string path_of(const shards::ShardFile& file) {
  return "/proc/self/fd/" + std::to_string(file.file.value());
}

void check(const shards::Index& index) {
  std::uint64_t end = 0;
  std::uint32_t shard = 0;
  for (const auto& sample : index.samples) {
    must(sample.shard < index.shards.size() && sample.shard >= shard, "samples are in order");
    if (sample.shard != shard) end = 0;
    shard = sample.shard;
    must(sample.offset >= end, "no sample overlaps another");
    end = sample.offset + sample.bytes;
    must(end >= sample.offset && end <= index.shards[shard].bytes, "a sample is in its shard");
    must(*index.name(sample) != '\0', "each sample has a name");
  }
}

}  // namespace

bool shard_index(Input input) {
  const auto read = [](Input bytes) {
    const auto file = shard_of(bytes);
    may_refuse(Errc::source_failed, [&] {
      const auto index = shards::read_index(path_of(file));
      check(index);
      must(index.held_bytes() <= 4 * bytes.size() + 4096, "memory grows with what was read");
    });
  };
  read(input);
  // With the right checksum, so that what it protects is tried, too.
  std::vector<std::uint8_t> right(input.begin(), input.end());
  if (right.size() < sizeof(Checksum)) return true;
  const auto end = right.size() - sizeof(Checksum);
  RunningChecksum sum;
  sum.add(std::as_bytes(std::span(right).first(end)));
  const auto value = sum.value();
  std::memcpy(right.data() + end, &value, sizeof(value));
  read(right);
  return true;
}

bool shard_tar(Input input) {
  std::vector<shards::ShardFile> files;
  files.push_back(shard_of(input));
  const ShardOptions options{.planes = {{"mask", "png"}}, .annotation = "txt"};
  may_refuse(Errc::source_failed, [&] {
    std::uint64_t end = 0;
    shards::read_members(files[0],
                         [&](const shards::Member& member) {
                           must(member.header >= end && member.offset >= member.header + 512,
                                "members come one after the other, each after its header");
                           end = member.offset + member.bytes;
                           must(end <= input.size(), "a member is in its shard");
                           must(source::is_below(member.name), "no path leads out of the folder");
                         },
                         {});
    const auto scan = shards::scan_shards(files, options, {});
    check(scan.index);
    must(scan.planes.size() == scan.index.samples.size(), "each sample has its plane");
    must(scan.left_out.size() == scan.index.skipped, "what is left out is counted");
  });
  return true;
}

bool shard_pattern(Input input) {
  const auto pattern = words_in(input);
  may_refuse(Errc::bad_options, [&] {
    const auto paths = shards::expand_braces(pattern);
    must(!paths.empty() && paths.size() <= shards::most_paths, "there is a path, and no flood");
    const bool braces = pattern.find_first_of("{}") != pattern.npos;
    must(braces || (paths.size() == 1 && paths[0] == pattern), "without braces it is the path");
    for (const auto& path : paths)
      must(path.find_first_of("{}") == path.npos, "no brace is left over");
  });
  return true;
}

bool shard_keys(Input input) {
  const auto text = words_in(input);
  if (const auto name = shards::split(text)) {
    must(std::string(name->key) + "." + std::string(name->extension) == text,
         "key and extension are the name");
    const auto base = name->key.substr(name->key.rfind('/') + 1);
    must(!base.empty() && base.find('.') == base.npos, "the key ends at the first dot");
  }
  may_refuse(Errc::bad_options, [&] {
    const auto colon = std::min(text.find('\n'), text.size());
    const shards::Labels labels({.label = text.substr(0, colon)});
    try {
      labels.parse(std::string_view(text).substr(std::min(colon + 1, text.size())));
    } catch (const std::invalid_argument&) {
    }
  });
  return true;
}

bool shard_dali(Input input) {
  const auto index = shard_of(input, "f.tar");
  // The folder and the name make the path of the descriptor.
  struct Link {
    Link() : folder("/tmp/weir-fuzz-XXXXXX") {
      must(mkdtemp(folder.data()) != nullptr, "there is room for a folder");
    }
    ~Link() {
      ::unlink((folder + "/f.idx").c_str());
      ::rmdir(folder.c_str());
    }
    std::string folder;
  } link;
  must(::symlink(path_of(index).c_str(), (link.folder + "/f.idx").c_str()) == 0,
       "it can be linked");
  may_refuse(Errc::source_failed, [&] {
    std::uint64_t end = 0;
    shards::read_dali_index(link.folder, index, [&](const shards::Member& member) {
      must(member.offset >= end, "members come one after the other");
      end = member.offset + member.bytes;
      must(end <= input.size(), "a member is in its shard");
    });
  });
  return true;
}

}  // namespace weir::fuzz
