#include "shards/index.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <new>
#include <set>
#include <span>
#include <utility>

#include "base/checked.hpp"
#include "base/file_descriptor.hpp"
#include "base/new_file.hpp"
#include "base/sanitize.hpp"
#include "source/checked_path.hpp"
#include "source/name_table.hpp"
#include "weir/error.hpp"

namespace weir::shards {
namespace {

static_assert(std::endian::native == std::endian::little, "the file is the memory of its rows");

// The file: Header, ShardRow for each shard, Sample for each sample, text, and the Checksum of all
// that.
struct Header {
  std::array<char, 8> magic{'w', 'e', 'i', 'r', 'i', 'd', 'x', '\n'};
  std::uint32_t version = 1;
  std::uint32_t reserved = 0;
  std::uint64_t shards = 0, samples = 0, text = 0, skipped = 0;
  std::uint64_t label = 0;  ///< offset in the text; 0: Index::label is empty
  std::uint64_t reserved_too = 0;
};
static_assert(sizeof(Header) == 64);

struct ShardRow {
  std::uint64_t name = 0, bytes = 0, first = 0;
  Checksum checksum{};
  std::uint64_t reserved = 0;
};
static_assert(sizeof(ShardRow) == 48);

constexpr std::size_t piece_rows = 1 << 17;
constexpr std::size_t piece_text = 4 << 20;

template <class T>
std::span<const std::byte> bytes_of(const T& value) {
  return std::as_bytes(std::span(&value, 1));
}

/// Reads one index. Every text after `what` in a message says what is wrong.
class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path) {
    auto opened = open_regular(path);
    if (!opened.file) fail(opened.why());
    file_ = std::move(opened.file);
    bytes_ = opened.bytes;
  }

  Index read() {
    Header header;
    if (bytes_ < sizeof(header)) damaged("it has " + std::to_string(bytes_) + " bytes");
    fill(std::as_writable_bytes(std::span(&header, 1)));
    check(header);
    const auto rows = read_shards(header.shards);
    Index index;
    index.skipped = header.skipped;
    index.label.clear();
    read_samples(index, header.samples, rows);
    read_text(index, header.text);
    const auto computed = sum_.value();
    Checksum stored;
    fill(std::as_writable_bytes(std::span(&stored, 1)));
    if (stored != computed) damaged("its checksum differs from its content");
    if (header.label != 0) index.label = text_at(index, header.label);
    name_shards(index, rows);
    for (const auto& sample : index.samples)
      if (text_at(index, sample.name).empty()) damaged("a sample has no name");
    return index;
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw Error(Errc::source_failed, Stage::read, "index " + sanitize(path_) + ": " + why);
  }
  [[noreturn]] void damaged(const std::string& why) const {
    fail(why + "; make it again with `weir index`");
  }

  void fill(std::span<std::byte> bytes) {
    if (read_full(file_, bytes) < bytes.size()) {
      if (errno != 0) fail("cannot read: " + errno_text(errno));
      damaged("it was cut short while it was read");
    }
    sum_.add(bytes);
  }

  void check(const Header& header) const {
    if (header.magic != Header().magic) fail("not an index of weir");
    if (header.version != Header().version)
      fail("its version is " + std::to_string(header.version) + "; this weir reads version " +
           std::to_string(Header().version));
    const auto whole = add_sat(
        add_sat(mul_sat(header.shards, sizeof(ShardRow)), mul_sat(header.samples, sizeof(Sample))),
        add_sat(header.text, sizeof(Header) + sizeof(Checksum)));
    if (whole != bytes_)
      damaged("it has " + std::to_string(bytes_) + " bytes where its header says " +
              std::to_string(whole));
    if (header.reserved != 0 || header.reserved_too != 0) damaged("a reserved field is not 0");
    if (header.shards > UINT32_MAX) damaged("it has too many shards");
  }

  /// Reads `count` rows in pieces. Calls examine(row) for each. There is no memory for all of them
  /// before the first piece is valid, so a file of holes ends there.
  template <class T, class Check>
  void read_rows(std::vector<T>& rows, std::uint64_t count, std::size_t piece,
                 const Check& examine) {
    while (rows.size() < count) {
      const auto done = rows.size();
      if (done == piece) reserve(rows, count);
      rows.resize(done + std::min(piece, static_cast<std::size_t>(count) - done));
      const auto fresh = std::span(rows).subspan(done);
      fill(std::as_writable_bytes(fresh));
      for (const auto& row : fresh) examine(row);
    }
  }

  template <class T>
  void reserve(std::vector<T>& rows, std::uint64_t count) {
    try {
      rows.reserve(static_cast<std::size_t>(count));
    } catch (const std::bad_alloc&) {
      fail("out of memory: its " + std::to_string(bytes_) + " bytes must fit into memory");
    }
  }

  std::vector<ShardRow> read_shards(std::uint64_t count) {
    std::vector<ShardRow> rows;
    std::uint64_t first = 0;
    read_rows(rows, count, piece_rows, [&](const ShardRow& row) {
      if (row.bytes == 0) damaged("a shard is empty");
      if (row.reserved != 0) damaged("a reserved field is not 0");
      if (row.first < first) damaged("its shards are not in order");
      first = row.first;
    });
    return rows;
  }

  void read_samples(Index& index, std::uint64_t count, const std::vector<ShardRow>& shards) {
    std::uint64_t i = 0, end = 0;
    std::uint32_t shard = 0;
    read_rows(index.samples, count, piece_rows, [&](const Sample& sample) {
      const auto wrong = [&](const std::string& what) {
        damaged("sample " + std::to_string(i) + ' ' + what);
      };
      if (sample.shard >= shards.size() || sample.shard < shard) wrong("names a wrong shard");
      if (sample.shard != shard) end = 0;
      shard = sample.shard;
      if (i < shards[shard].first || (shard + 1u < shards.size() && i >= shards[shard + 1].first))
        wrong("is not in the range of its shard");
      if (sample.name == 0) wrong("has no name");  // a hole in the file ends here
      if (sample.offset < end) wrong("overlaps the one before");
      end = add_sat(sample.offset, sample.bytes);
      if (end > shards[shard].bytes) wrong("is outside of its shard");
      if ((sample.height == 0) != (sample.width == 0)) wrong("has half a size");
      if (sample.reserved != 0) wrong("has a reserved field that is not 0");
      ++i;
    });
    if (!shards.empty() && shards.back().first > count) damaged("a shard begins after the end");
  }

  void read_text(Index& index, std::uint64_t count) {
    index.text.clear();
    if (count == 0) damaged("it has no names");
    // Names are never empty, so two NUL in a row are a hole.
    char before = 'x';
    bool first = true;
    read_rows(index.text, count, piece_text, [&](char c) {
      if (c == '\0' && before == '\0' && !first) damaged("an empty name");
      first = false;
      before = c;
    });
    if (index.text.front() != '\0' || index.text.back() != '\0') damaged("a name does not end");
  }

  /// The name that begins at the offset.
  std::string_view text_at(const Index& index, std::uint64_t offset) const {
    if (offset >= index.text.size() || (offset > 0 && index.text[offset - 1] != '\0'))
      damaged("a name is outside of the names");
    return index.text.data() + offset;
  }

  void name_shards(Index& index, const std::vector<ShardRow>& rows) const {
    std::set<std::string_view> known;
    index.shards.reserve(rows.size());
    for (const auto& row : rows) {
      const auto name = text_at(index, row.name);
      if (name.empty() || !known.insert(name).second) damaged("a shard has no name of its own");
      if (!source::is_below(name))
        fail("shard '" + sanitize(name) + "' is not below the index's folder");
      index.shards.push_back({.name = std::string(name),
                              .bytes = row.bytes,
                              .first = row.first,
                              .checksum = row.checksum});
    }
  }

  const std::string& path_;
  FileDescriptor file_;
  std::uint64_t bytes_ = 0;
  RunningChecksum sum_;
};

}  // namespace

void set_size(Sample& sample, ImageSize size) noexcept {
  const auto [least, most] = std::minmax(size.height, size.width);
  if (least == 0 || most > UINT16_MAX) size = {};
  sample.height = static_cast<std::uint16_t>(size.height);
  sample.width = static_cast<std::uint16_t>(size.width);
}

std::uint64_t Index::add_name(std::string_view name) {
  const auto offset = text.size();
  text.insert(text.end(), name.begin(), name.end());
  text.push_back('\0');
  return offset;
}

std::span<const Sample> Index::samples_of(std::size_t shard) const noexcept {
  const auto first = shards[shard].first;
  const auto end = shard + 1 == shards.size() ? samples.size() : shards[shard + 1].first;
  return std::span(samples).subspan(first, end - first);
}

std::uint64_t Index::held_bytes() const noexcept {
  auto bytes =
      shards.capacity() * sizeof(Shard) + samples.capacity() * sizeof(Sample) + text.capacity();
  bytes += source::held_bytes(label);
  for (const auto& shard : shards) bytes += source::held_bytes(shard.name);
  return bytes;
}

void write_index(const std::string& path, const Index& index) {
  std::vector<ShardRow> rows;
  std::string names;
  const auto add = [&](const std::string& text) {
    if (text.empty()) return std::uint64_t{0};
    const auto offset = index.text.size() + names.size();
    names += text;
    names += '\0';
    return std::uint64_t{offset};
  };
  for (const auto& shard : index.shards)
    rows.push_back({add(shard.name), shard.bytes, shard.first, shard.checksum});
  const auto label = add(index.label);

  NewFile file(path);
  RunningChecksum sum;
  const auto put = [&](std::span<const std::byte> bytes) {
    sum.add(bytes);
    file.write(bytes);
  };
  put(bytes_of(Header{.shards = index.shards.size(),
                      .samples = index.samples.size(),
                      .text = index.text.size() + names.size(),
                      .skipped = index.skipped,
                      .label = label}));
  put(std::as_bytes(std::span(rows)));
  put(std::as_bytes(std::span(index.samples)));
  put(std::as_bytes(std::span(index.text)));
  put(std::as_bytes(std::span(names)));
  const auto value = sum.value();
  file.write(bytes_of(value));
  file.commit();
}

Index read_index(const std::string& path) { return Reader(path).read(); }

}  // namespace weir::shards
