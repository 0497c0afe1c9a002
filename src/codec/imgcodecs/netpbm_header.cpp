#include "codec/imgcodecs/headers.hpp"

namespace weir::imgcodecs {
namespace {

constexpr std::size_t max_header_bytes = 64 << 10;

bool is_space(std::uint8_t byte) { return byte == ' ' || (byte >= '\t' && byte <= '\r'); }
bool is_digit(std::uint8_t byte) { return byte >= '0' && byte <= '9'; }

class Numbers {
 public:
  explicit Numbers(codec::Bytes text) : text_(text) {}

  std::uint32_t next() {
    while (is_space(peek()) || peek() == '#') {
      const bool comment = peek() == '#';
      ++at_;
      while (comment && peek() != '\n' && peek() != '\r') ++at_;
    }
    require(is_digit(peek()), FaultKind::corrupt, "PNM header without its numbers");
    std::uint32_t value = 0;
    while (is_digit(peek())) {
      value = value * 10 + (text_.u8(at_++) - '0');
      require(value <= 0x7fffffff / 10, FaultKind::corrupt, "PNM header with a number too large");
    }
    // OpenCV skips any character after a number, even the start of a comment.
    require(is_space(peek()), FaultKind::corrupt, "PNM header without a blank behind a number");
    return value;
  }

 private:
  std::uint8_t peek() const {
    require(at_ < text_.size(), FaultKind::truncated, "cut inside the PNM header");
    require(at_ < max_header_bytes, FaultKind::limit, "PNM header without an end");
    return text_.u8(at_);
  }

  codec::Bytes text_;
  std::size_t at_ = 2;
};

}  // namespace

Header read_netpbm_header(codec::Bytes pnm) {
  Numbers numbers(pnm);
  const std::uint32_t width = numbers.next();
  return line_by_line(width, numbers.next());
}

}  // namespace weir::imgcodecs
