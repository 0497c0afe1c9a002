#pragma once

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
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

/// Grants every request and records it.
class RecordingSink final : public ByteSink {
 public:
  std::optional<std::span<std::byte>> try_take(std::size_t bytes) override {
    taken.push_back(bytes);
    memory_.assign(bytes, std::byte{0xa5});
    return memory_;
  }
  std::vector<std::size_t> taken;

 private:
  std::vector<std::byte> memory_;
};

inline std::string text_of(const Encoded& encoded) {
  return {reinterpret_cast<const char*>(encoded.bytes.data()), encoded.bytes.size()};
}
inline std::string read_text(const AnySource& source, std::uint64_t i) {
  RecordingSink sink;
  return text_of(source.read(i, sink));
}
inline std::int64_t label_of(const AnySource& source, std::uint64_t i) {
  RecordingSink sink;
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
  RecordingSink sink;
  try {
    source.read(i, sink);
  } catch (const SampleError& error) {
    return Refusal{error.kind(), error.what(), sink.taken.size()};
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
