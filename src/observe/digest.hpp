#pragma once

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <bit>
#include <cstddef>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>

#include "weir/batch.hpp"

namespace weir::observe {

static_assert(std::endian::native == std::endian::little,
              "labels and indices are hashed as they lie in memory");

/// SHA-256 over the data that a stream delivers, in order. Each batch adds its pixels in memory
/// order, the sizes if images keep their own sizes (height and width as little-endian uint32), the
/// labels as little-endian int64, the indices as little-endian uint64, the pixels and statuses of
/// each plane, and of annotations the lengths (little-endian uint32) and the bytes.
class Digest {
 public:
  Digest() {
    require(algorithm_ && handle_ ? EVP_DigestInit_ex(handle_.get(), algorithm_.get(), nullptr)
                                  : 0);
  }

  void add(const Batch& batch) {
    add(std::as_bytes(batch.pixel_bytes()));
    add(std::as_bytes(batch.sizes()));
    add(std::as_bytes(batch.labels()));
    add(std::as_bytes(batch.indices()));
    for (const auto& name : batch.planes()) {
      const auto plane = batch.plane(name);
      add(std::as_bytes(plane.pixel_bytes()));
      add(std::as_bytes(plane.statuses()));
    }
    const auto lengths = batch.annotation_lengths();
    add(std::as_bytes(lengths));
    for (std::uint32_t row = 0; row < lengths.size(); ++row) add(batch.annotation(row));
  }
  void add(std::span<const std::byte> bytes) {
    require(EVP_DigestUpdate(handle_.get(), bytes.data(), bytes.size()));
  }
  /// Returns 64 hex digits. add() is not allowed afterwards.
  std::string hex() && {
    std::array<unsigned char, 32> bytes{};
    require(EVP_DigestFinal_ex(handle_.get(), bytes.data(), nullptr));
    return fmt::format("{:02x}", fmt::join(bytes, ""));
  }

 private:
  template <auto destroy>
  struct Destroy {
    void operator()(auto* object) const noexcept { destroy(object); }
  };
  static void require(int ok) {
    if (ok != 1) throw std::runtime_error("SHA-256 is not available");
  }

  // EVP_sha256() would use the default context of OpenSSL 3.0. That context crashes if an allocation
  // fails during its creation. A separate context reports the failure.
  std::unique_ptr<OSSL_LIB_CTX, Destroy<OSSL_LIB_CTX_free>> library_{OSSL_LIB_CTX_new()};
  std::unique_ptr<EVP_MD, Destroy<EVP_MD_free>> algorithm_{
      library_ ? EVP_MD_fetch(library_.get(), "SHA256", nullptr) : nullptr};
  std::unique_ptr<EVP_MD_CTX, Destroy<EVP_MD_CTX_free>> handle_{EVP_MD_CTX_new()};
};

}  // namespace weir::observe
