#pragma once

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "support/temporary_folder.hpp"
#include "weir/error.hpp"
#include "weir/source.hpp"

namespace weir::test {

inline std::string text_of(const Encoded& encoded) {
  return {reinterpret_cast<const char*>(encoded.bytes.data()), encoded.bytes.size()};
}

/// The size in the header of a JPEG or a binary PPM; 0 x 0 for others.
inline ImageSize encoded_size(const std::string& image) {
  ImageSize size;
  if (std::sscanf(image.c_str(), "P%*1[56] %u %u", &size.width, &size.height) == 2) return size;
  const auto number = [&](std::size_t at) {
    const auto byte = [&](std::size_t i) {
      return std::uint32_t{static_cast<std::uint8_t>(image[i])};
    };
    return byte(at) << 8 | byte(at + 1);
  };
  for (std::size_t i = 2; i + 9 < image.size() && number(0) == 0xffd8; i += 2 + number(i + 2))
    if (number(i) == 0xffc0) return {number(i + 5), number(i + 7)};
  return {};
}

inline std::string read_text(const AnySource& source, std::uint64_t i) {
  MemorySink sink;
  return text_of(source.read(i, sink));
}
inline std::int64_t label_of(const AnySource& source, std::uint64_t i) {
  MemorySink sink;
  return source.read(i, sink).label;
}
inline std::vector<std::string> names_of(const AnySource& source) {
  std::vector<std::string> names;
  for (std::uint64_t i = 0; i < source.size(); ++i) names.push_back(source.name(i));
  return names;
}

struct Refusal {
  FaultKind kind;
  std::string reason;
  std::size_t takes;  ///< calls of take() before it failed
};
inline std::optional<Refusal> refusal_of(const AnySource& source, std::uint64_t i) {
  MemorySink sink;
  try {
    source.read(i, sink);
  } catch (const SampleError& error) {
    return Refusal{error.kind(), error.what(), sink.parts().size()};
  }
  return std::nullopt;
}

/// Creates a socket at that path, which must be short.
inline void make_socket(const std::filesystem::path& path) {
  const auto where = path.string();
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (where.size() >= sizeof(address.sun_path)) throw std::runtime_error("path of a socket");
  std::memcpy(address.sun_path, where.c_str(), where.size());
  const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  const auto* const to = reinterpret_cast<const sockaddr*>(&address);
  const bool bound = ::bind(socket, to, sizeof(address)) == 0;
  ::close(socket);
  if (!bound) throw std::runtime_error("bind");
}

/// The number of open descriptors of this process.
inline std::ptrdiff_t open_descriptors() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
}

}  // namespace weir::test
