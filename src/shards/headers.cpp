#include "shards/headers.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "base/checked.hpp"
#include "base/numbers.hpp"
#include "base/sanitize.hpp"

namespace weir::shards {
namespace {

constexpr std::size_t type_at = 156;

/// The field of a header that has the size of what follows it.
std::string_view size_field(std::string_view header) { return header.substr(124, 12); }

/// The number of octal digits, or of bytes if the first bit is set. Empty if a blank or NUL does not
/// end the digits.
std::optional<std::uint64_t> number_in(std::string_view field) {
  if ((field.front() & 0x80) != 0) {
    std::uint64_t number = 0;
    for (const char c : field.substr(field.size() - sizeof number))
      number = number << 8 | static_cast<unsigned char>(c);
    return number;
  }
  constexpr std::string_view ends(" \0", 2);
  field.remove_prefix(std::min(field.find_first_not_of(ends), field.size()));
  const auto digits = field.substr(0, field.find_first_of(ends));
  return digits.empty() ? 0 : parse_number<std::uint64_t>(digits, 8);
}

class Headers {
 public:
  Headers(const ShardFile& shard, const Member& member) : shard_(shard), member_(member) {}

  void check() const {
    std::string body;
    for (auto at = member_.header; at < member_.offset;) {
      std::array<char, block> bytes{};
      read(at, bytes);
      const std::string_view header(bytes.data(), bytes.size());
      const auto size = number_in(size_field(header));
      if (!size)
        refuse("the size '" + sanitize(size_field(header)) + "', which is no octal number");
      at += block;
      if (at == member_.offset) return;
      if (*size > member_.offset - at) refuse("a header that says more bytes than follow");
      const auto type = header[type_at];
      if (type == 'x' || type == 'X' || type == 'g') {
        body.resize(static_cast<std::size_t>(*size));
        read(at, body);
        check_records(body, type == 'g');
      }
      at += round_up(*size, block);
    }
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    refuse_shard(shard_, member_.header,
                 "member '" + sanitize(member_.name) + "' has " + what + "; make the shard again");
  }

  void read(std::uint64_t at, std::span<char> into) const {
    if (read_full(shard_.file, std::as_writable_bytes(into), at) == into.size()) return;
    refuse_shard(
        shard_, at,
        "cannot read a header: " + (errno == 0 ? "the file became shorter" : errno_text(errno)));
  }

  /// Records are "LENGTH KEY=VALUE\n", as in "11 size=12\n".
  void check_records(std::string_view records, bool for_all) const {
    while (!records.empty()) {
      auto rest = records;
      const auto length = take_number<std::size_t>(rest).value_or(0);
      const auto begin = records.size() - rest.size() + 1;
      if (length <= begin || length > records.size() || !rest.starts_with(' ') ||
          records[length - 1] != '\n')
        refuse("a pax header whose records do not have the length that they say");
      check_record(records.substr(begin, length - 1 - begin), for_all);
      records.remove_prefix(length);
    }
  }

  void check_record(std::string_view record, bool for_all) const {
    const auto equals = std::min(record.find('='), record.size());
    const auto key = record.substr(0, equals);
    if (key.starts_with("GNU.sparse.") || key == "SCHILY.realsize")
      refuse("'" + sanitize(key) +
             "' in a pax header: it is sparse, so its bytes are not in one piece");
    if (key != "size") return;
    const auto value = record.substr(std::min(equals + 1, record.size()));
    if (for_all) refuse("a pax header that gives all members one size");
    if (value.empty() || value.find_first_not_of("0123456789") != value.npos)
      refuse("the size '" + sanitize(value) + "' in a pax header, which is no decimal number");
  }

  const ShardFile& shard_;
  const Member& member_;
};

}  // namespace

void check_sizes(const ShardFile& shard, const Member& member) { Headers(shard, member).check(); }

}  // namespace weir::shards
