#include "cli/digest.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <bit>
#include <stdexcept>

namespace weir::cli {
namespace {

static_assert(std::endian::native == std::endian::little,
              "labels and indices are hashed as they lie in memory");

void require(int ok) {
  if (ok != 1) throw std::runtime_error("SHA-256 is not available");
}

}  // namespace

// EVP_sha256() would use the default context of OpenSSL 3.0. That context crashes if an allocation
// fails during its creation. A separate context reports the failure.
struct Digest::Context {
  std::unique_ptr<OSSL_LIB_CTX, decltype(&OSSL_LIB_CTX_free)> library{OSSL_LIB_CTX_new(),
                                                                      &OSSL_LIB_CTX_free};
  std::unique_ptr<EVP_MD, decltype(&EVP_MD_free)> algorithm{
      library ? EVP_MD_fetch(library.get(), "SHA256", nullptr) : nullptr, &EVP_MD_free};
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> handle{EVP_MD_CTX_new(),
                                                                 &EVP_MD_CTX_free};
};

Digest::Digest() : context_(std::make_unique<Context>()) {
  auto* const handle = context_->handle.get();
  const auto* const algorithm = context_->algorithm.get();
  require(algorithm && handle && EVP_DigestInit_ex(handle, algorithm, nullptr) == 1);
}
Digest::Digest(Digest&&) noexcept = default;
Digest::~Digest() = default;

void Digest::add(std::span<const std::byte> bytes) {
  require(EVP_DigestUpdate(context_->handle.get(), bytes.data(), bytes.size()));
}

void Digest::add(const Batch& batch) {
  add(std::as_bytes(batch.pixel_bytes()));
  add(std::as_bytes(batch.sizes()));
  add(std::as_bytes(batch.labels()));
  add(std::as_bytes(batch.indices()));
}

std::string Digest::hex() && {
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
  unsigned int size = 0;
  require(EVP_DigestFinal_ex(context_->handle.get(), bytes.data(), &size));
  std::string text;
  for (const auto byte : std::span(bytes).first(size)) text += fmt::format("{:02x}", byte);
  return text;
}

}  // namespace weir::cli
