#include "cli/digest.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

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

struct Digest::Context {
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> handle{EVP_MD_CTX_new(),
                                                                 &EVP_MD_CTX_free};
};

Digest::Digest() : context_(std::make_unique<Context>()) {
  require(EVP_DigestInit_ex(context_->handle.get(), EVP_sha256(), nullptr));
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
