#include "pack/done_shards.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/checksum.hpp"
#include "base/file_descriptor.hpp"
#include "base/numbers.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"
#include "weir/error.hpp"

namespace weir::pack {

using source::Position;

namespace {

constexpr std::size_t piece_bytes = 1 << 20;

/// A record that cannot be read is none: its shard is made again.
std::optional<shards::Index> read_record(const std::string& path) {
  if (!std::filesystem::exists(path)) return std::nullopt;
  try {
    return shards::read_index(path);
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// The records of the first shards, to the first one that is missing or wrong.
std::vector<DoneShard> records_in(const std::string& folder) {
  std::vector<DoneShard> done;
  while (auto record = read_record(folder + '/' + record_name(done.size()))) {
    const auto name = shard_name(done.size());
    if (record->shards.size() != 1 || record->samples.empty() || record->shards[0].name != name)
      break;
    done.push_back({.record = *std::move(record)});
  }
  return done;
}

/// Empty if the text is not of to_text().
std::optional<Origin> read_origin(std::string_view text) {
  const auto words = split(text, ' ');
  if (words.size() != 3) return std::nullopt;
  const auto position = parse_number<std::uint64_t>(words[0]),
             checksum = parse_number<std::uint64_t>(words[1]),
             need = parse_number<std::uint64_t>(words[2]);
  if (!position || !checksum || !need) return std::nullopt;
  return Origin{Position(*position), *checksum, *need};
}

/// Finds the positions of the shard, which begins at `begin`. Returns false if the record is wrong.
bool find_positions(DoneShard& shard, Position begin, Position end) {
  shard.begin = shard.end = begin;
  for (const auto& sample : shard.record.samples) {
    const auto origin = read_origin(shard.record.name(sample));
    if (!origin || origin->position < shard.end || origin->position >= end) return false;
    for (; shard.end < origin->position; ++shard.end) shard.left_out.push_back(shard.end);
    ++shard.end;
  }
  return true;
}

bool file_holds(const std::string& path, const shards::Shard& shard, const std::stop_token& stop) {
  const auto opened = open_regular(path);
  if (!opened.file || opened.bytes != shard.bytes) return false;
  RunningChecksum sum;
  std::vector<std::byte> piece(piece_bytes);
  while (!stop.stop_requested()) {
    const auto got = read_full(opened.file, piece);
    sum.add(std::span(piece).first(got));
    if (got < piece.size()) return errno == 0 && sum.value() == shard.checksum;
  }
  return false;
}

}  // namespace

std::string shard_name(std::uint64_t number) {
  return concat("shard-", zero_padded(number, 6), ".tar");
}
std::string record_name(std::uint64_t number) {
  return concat(".shard-", zero_padded(number, 6), ".weir");
}

std::string to_text(const Origin& origin) {
  return concat(origin.position.value(), ' ', origin.checksum, ' ', origin.need);
}

Origin origin_of(const shards::Index& record, const shards::Sample& sample) {
  return read_origin(record.name(sample)).value();
}

std::vector<DoneShard> find_done(const std::string& folder, const source::Sampler& sampler,
                                 unsigned threads, const std::stop_token& stop) {
  auto done = records_in(folder);
  Position begin;
  for (auto shard = done.begin(); shard != done.end(); ++shard) {
    if (stop.stop_requested()) return {};
    if (!find_positions(*shard, begin, sampler.end())) {
      done.erase(shard, done.end());
      break;
    }
    begin = shard->end;
  }
  for_each_index(done.size(), threads, [&] {
    return [&](std::uint64_t i) {
      auto& shard = done[static_cast<std::size_t>(i)];
      shard.holds = file_holds(folder + '/' + shard_name(i), shard.record.shards[0], stop);
    };
  });
  if (stop.stop_requested()) return {};
  return done;
}

}  // namespace weir::pack
