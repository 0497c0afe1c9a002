#include "shards/tar_writer.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "base/checked.hpp"

namespace weir::shards {
namespace {

constexpr std::size_t tar_block = 512;
constexpr std::array<std::byte, TarWriter::end_bytes> zeros{};

/// The header of a regular file.
class UstarHeader {
 public:
  UstarHeader(std::string_view name, std::uint64_t bytes) {
    constexpr std::size_t size_at = 124, sum_at = 148;
    text_.fill('\0');
    put(0, name);
    put(100, "000644 ");
    for (const std::size_t user_group_device : {108u, 116u, 329u, 337u})
      put(user_group_device, "000000 ");
    put(136, "00000000000 ");  // time
    put(sum_at, "        0");  // the sum is of blanks; a regular file
    put(257, std::string_view("ustar\00000", 8));
    put_octal(size_at, 11, bytes);
    text_[size_at + 11] = ' ';
    const auto sum = std::accumulate(text_.begin(), text_.end(), 0u, [](unsigned total, char c) {
      return total + static_cast<unsigned char>(c);
    });
    put_octal(sum_at, 6, sum);
    text_[sum_at + 6] = '\0';
  }
  std::span<const std::byte> bytes() const noexcept { return std::as_bytes(std::span(text_)); }

 private:
  void put(std::size_t at, std::string_view text) {
    std::ranges::copy(text, text_.begin() + static_cast<std::ptrdiff_t>(at));
  }
  void put_octal(std::size_t at, std::size_t digits, std::uint64_t value) {
    for (std::size_t i = digits; i-- > 0; value /= 8)
      text_[at + i] = static_cast<char>('0' + value % 8);
  }

  std::array<char, tar_block> text_;
};

}  // namespace

TarWriter::TarWriter(const std::string& path) : file_(path) { waiting_.reserve(held_bytes); }

std::uint64_t TarWriter::member_bytes(std::uint64_t bytes) noexcept {
  return add_sat(tar_block, round_up(bytes, tar_block));
}

std::uint64_t TarWriter::add(std::string_view name, std::span<const std::byte> bytes) {
  put(UstarHeader(name, bytes.size()).bytes());
  const auto offset = size_;
  put(bytes);
  put(std::span(zeros).first(round_up(size_, tar_block) - size_));
  return offset;
}

Checksum TarWriter::finish() {
  put(zeros);
  flush();
  file_.commit();
  return sum_.value();
}

void TarWriter::put(std::span<const std::byte> bytes) {
  sum_.add(bytes);
  size_ += bytes.size();
  if (waiting_.size() + bytes.size() > held_bytes) flush();
  if (bytes.size() > held_bytes) return file_.write(bytes);
  waiting_.insert(waiting_.end(), bytes.begin(), bytes.end());
}

void TarWriter::flush() {
  file_.write(waiting_);
  waiting_.clear();
}

}  // namespace weir::shards
