#include "pack/shard_writer.hpp"

#include <span>
#include <utility>

#include "base/text.hpp"
#include "pack/done_shards.hpp"

namespace weir::pack {
namespace {

using shards::TarWriter;

/// The key of a sample: eight digits or more.
std::string key_of(source::Position position) { return zero_padded(position.value(), 8); }

}  // namespace

bool ShardWriter::is_full(std::uint64_t bytes, const Member& member) const {
  const auto label = std::to_string(member.label);
  bytes += TarWriter::member_bytes(member.bytes.size()) + TarWriter::member_bytes(label.size());
  for (const auto& other : member.others) bytes += TarWriter::member_bytes(other.bytes.size());
  return bytes > shard_bytes_;
}

void ShardWriter::add(std::uint64_t number, source::Position position, const Member& member) {
  if (!tar_) {
    number_ = number;
    record_ = {};
    tar_.emplace(folder_ + '/' + shard_name(number));
  }
  const auto key = key_of(position), label = std::to_string(member.label);
  const auto offset = tar_->add(key + '.' + std::string(member.extension), member.bytes);
  for (const auto& other : member.others) tar_->add(key + '.' + other.extension, other.bytes);
  tar_->add(key + ".cls", std::as_bytes(std::span(label)));
  record_.samples.push_back(
      {.offset = offset,
       .name = record_.add_name(to_text(Origin{position, member.source_checksum, member.need})),
       .label = member.label,
       .checksum = member.checksum,
       .bytes = static_cast<std::uint32_t>(member.bytes.size())});
  set_size(record_.samples.back(), member.size);
}

shards::Index ShardWriter::finish() {
  const auto checksum = tar_->finish();
  record_.shards.push_back(
      {.name = shard_name(number_), .bytes = tar_->size(), .checksum = checksum});
  tar_.reset();
  // The record follows its shard: without one, the shard is made again.
  shards::write_index(folder_ + '/' + record_name(number_), record_);
  record_.samples.shrink_to_fit();
  record_.text.shrink_to_fit();
  return std::exchange(record_, {});
}

}  // namespace weir::pack
