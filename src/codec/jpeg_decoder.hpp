#pragma once

#include <memory>

#include "codec/canvas.hpp"

namespace weir::codec {

/// libjpeg-turbo, its struct made once and its memory taken from the job's arena. Not thread-safe.
class JpegDecoder {
 public:
  struct Session;

  JpegDecoder();
  JpegDecoder(JpegDecoder&&) noexcept;
  ~JpegDecoder();
  Result<RowStatus> decode(const DecodeJob& job);

 private:
  Result<RowStatus> decode_once(const DecodeJob& job);

  std::unique_ptr<Session> session_;
};

}  // namespace weir::codec
