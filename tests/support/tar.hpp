#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace weir::test {

/// A ustar header of one block, with its checksum. `type` is '0' for a file.
inline std::string tar_header(std::string_view name, std::uint64_t bytes, char type = '0',
                              std::string_view link = {}) {
  std::string header(512, '\0');
  const auto put = [&](std::size_t at, std::string_view text) {
    header.replace(at, text.size(), text);
  };
  put(0, name.substr(0, 100));
  put(100, "0000644");
  put(108, "0000000");
  put(116, "0000000");
  char digits[13];
  if (bytes < (1ull << 33)) {
    std::snprintf(digits, sizeof digits, "%011llo", static_cast<unsigned long long>(bytes));
    put(124, {digits, 11});
  } else {  // base 256
    header[124] = static_cast<char>(0x80);
    for (std::size_t i = 0; i < 8; ++i) header[135 - i] = static_cast<char>(bytes >> (8 * i));
  }
  put(136, "00000000000");
  put(148, "        ");
  header[156] = type;
  put(157, link);
  put(257, std::string_view("ustar\00000", 8));
  unsigned sum = 0;
  for (const char c : header) sum += static_cast<unsigned char>(c);
  std::snprintf(digits, sizeof digits, "%06o", sum);
  put(148, std::string_view(digits, 7));
  header[155] = ' ';
  return header;
}

/// A member with its header, filled to whole blocks.
inline std::string tar_member(std::string_view name, std::string_view content) {
  auto member = tar_header(name, content.size()) + std::string(content);
  member.resize((member.size() + 511) / 512 * 512);
  return member;
}

/// Extended headers of what follows: 'x' of one member, 'g' of all. Each record is "LENGTH KEY=VALUE\n".
inline std::string tar_pax(std::string_view record, char type = 'x') {
  auto length = record.size() + 3;  // a blank, an end of line and one digit
  if (length > 9) ++length;
  auto content = std::to_string(length) + ' ' + std::string(record) + '\n';
  auto header = tar_header("PaxHeaders/x", content.size(), type);
  content.resize(512);
  return header + content;
}

/// The end of an archive.
inline std::string tar_end() { return std::string(1024, '\0'); }

}  // namespace weir::test
