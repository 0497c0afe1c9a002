#include "shards/dali_index.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string_view>

#include "base/checked.hpp"
#include "base/new_file.hpp"
#include "base/numbers.hpp"
#include "base/sanitize.hpp"
#include "base/text.hpp"
#include "base/text_file.hpp"
#include "shards/keys.hpp"
#include "weir/error.hpp"

namespace weir::shards {
namespace {

constexpr std::string_view version = "v1.2";

std::string_view take_word(std::string_view& line) { return take_until(line, ' '); }

std::string dali_index_path(const std::string& folder, const ShardFile& shard) {
  const auto name = std::string_view(shard.path).substr(shard.path.rfind('/') + 1);
  return folder + '/' + std::string(name.substr(0, name.find('.', 1))) + ".idx";
}

}  // namespace

void check_dali_names(const std::string& folder, const std::vector<ShardFile>& shards) {
  std::map<std::string, const ShardFile*> known;
  for (const auto& shard : shards) {
    const auto [other, is_new] = known.emplace(dali_index_path(folder, shard), &shard);
    if (!is_new)
      refuse(Stage::read, "`dali_index` = ", sanitize(folder), ": the shards ",
             sanitize(other->second->path), " and ", sanitize(shard.path), " have one index, ",
             sanitize(other->first),
             ", because DALI ends a name at its first dot; rename one of them");
  }
}

void read_dali_index(const std::string& folder, const ShardFile& shard,
                     const std::function<void(const Member&)>& each) {
  const auto path = dali_index_path(folder, shard);
  const auto text = read_text_file(path, most_list_bytes);
  std::uint64_t number = 0, samples = 0, end = 0;
  const auto fail = [&](const std::string& why) {
    throw Error(Errc::source_failed, Stage::read,
                sanitize(path) + ":" + std::to_string(number) + ": " + why +
                    "; make it again with `weir index --dali-index` or wds2idx");
  };
  std::string_view rest = text;
  do {
    ++number;
    auto line = take_until(rest, '\n');
    if (number == 1) {
      if (take_word(line) != version)
        fail("not an index of wds2idx " + std::string(version) + ", which begins with its version");
      const auto count = parse_number<std::uint64_t>(take_word(line));
      if (!count) fail("no number of samples");
      samples = *count;
      continue;
    }
    while (!line.empty()) {
      take_word(line);  // the extension, which the name has, too
      const auto offset = parse_number<std::uint64_t>(take_word(line)),
                 bytes = parse_number<std::uint64_t>(take_word(line));
      const auto name = take_word(line);
      if (!offset || !bytes || name.empty()) fail("not EXTENSION OFFSET SIZE NAME for each member");
      if (*offset < end) fail("a member overlaps the one before");
      end = add_sat(*offset, *bytes);
      if (end > shard.bytes) fail("a member is outside of its shard");
      if (*bytes > UINT32_MAX) fail("a member has 4 GiB or more");
      each({.name = name, .header = *offset, .offset = *offset, .bytes = *bytes});
    }
  } while (!rest.empty());
  if (number - 1 != samples)
    fail(concat("it has ", number - 1, " samples where it says ", samples));
}

void write_dali_index(const std::string& folder, const ShardFile& shard,
                      const std::stop_token& stop) {
  std::string lines, key;
  std::uint64_t samples = 0;
  const auto add = [&](const Member& member) {
    const auto name = split(member.name);
    if (!name) return;
    if (member.name.find_first_of(" \n\r\t") != member.name.npos || name->extension.empty())
      refuse_shard(shard, member.header,
                   "member '" + sanitize(member.name) +
                       "' has a space or no extension; DALI's index separates by spaces");
    if (samples > 0 && key == name->key) {
      lines += ' ';
    } else {
      lines += samples++ == 0 ? "" : "\n";
      key = name->key;
    }
    lines += std::string(name->extension) + ' ' + std::to_string(member.offset) + ' ' +
             std::to_string(member.bytes) + ' ' + std::string(member.name);
  };
  read_members(shard, add, stop);
  if (samples > 0) lines += '\n';
  NewFile file(dali_index_path(folder, shard));
  const auto head = std::string(version) + ' ' + std::to_string(samples) + '\n';
  file.write(std::as_bytes(std::span(head)));
  file.write(std::as_bytes(std::span(lines)));
  file.commit();
}

}  // namespace weir::shards
