#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "api/running_stream.hpp"
#include "conductor/request_list.hpp"
#include "weir/stream.hpp"

namespace weir::api {

/// The data of Requests.
class RequestState final : public RunningStream {
 public:
  RequestState(std::shared_ptr<LoaderState> its_loader, const RequestOptions& requested);
  ~RequestState();

  /// As Requests::ask(): throws where try_ask() is false.
  void ask(std::span<const std::uint64_t> indices);
  /// As Requests::try_ask(). `call` is for messages.
  bool try_ask(const char* call, std::span<const std::uint64_t> indices);
  std::vector<std::uint64_t> outstanding() const;

 private:
  void check(const char* call, std::span<const std::uint64_t> indices) const;
  /// Bytes of the slab for these samples, at most, if sizes differ.
  std::uint64_t most_bytes(std::span<const std::uint64_t> indices) const;

  std::shared_ptr<conductor::RequestList> requests_;
  ImageSize replacement_;  ///< the largest that may stand for a sample of unknown size
};

}  // namespace weir::api
