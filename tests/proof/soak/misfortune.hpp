#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>
#include <memory_resource>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "proof/configurations/images.hpp"
#include "weir/weir.hpp"

namespace weir::test {

/// Injects a failure in one of a hundred operations of each kind, and counts them. Allocations of
/// slabs are few, so they fail one time in twenty. Any thread.
class Misfortune {
 public:
  enum class Kind : std::uint8_t { read, cut, damage, slow, transform, allocation };
  static constexpr std::size_t kinds = 6;

  explicit Misfortune(std::uint64_t seed) : seed_(seed) {}
  bool strikes(Kind kind) noexcept {
    const auto turn = turn_.fetch_add(1, std::memory_order_relaxed);
    const std::uint64_t one_in = kind == Kind::allocation ? 20 : 100;
    if (mix_key({seed_, static_cast<std::uint64_t>(kind), turn}) % one_in != 0) return false;
    struck_[static_cast<std::size_t>(kind)].fetch_add(1, std::memory_order_relaxed);
    return true;
  }
  std::uint64_t draw(std::uint64_t below) noexcept {
    return mix_key({seed_, 99, turn_.fetch_add(1, std::memory_order_relaxed)}) % below;
  }
  std::uint64_t struck(Kind kind) const noexcept {
    return struck_[static_cast<std::size_t>(kind)].load();
  }

 private:
  const std::uint64_t seed_;
  std::atomic<std::uint64_t> turn_{0};
  std::array<std::atomic<std::uint64_t>, kinds> struck_{};
};

/// Files that sometimes throw, or are truncated, damaged or late.
class Unreliable {
 public:
  Unreliable(std::vector<const Bytes*> files, std::shared_ptr<Misfortune> misfortune)
      : files_(std::move(files)), misfortune_(std::move(misfortune)) {}
  std::uint64_t size() const { return files_.size(); }
  Encoded read(std::uint64_t i, ByteSink& sink) const {
    using enum Misfortune::Kind;
    const Bytes& file = *files_[i];
    auto& luck = *misfortune_;
    if (luck.strikes(read)) fail(luck.draw(4));
    const auto size = luck.strikes(cut) ? file.size() / 2 : file.size();
    const auto bytes = sink.take(size);
    std::copy_n(file.begin(), size, bytes.begin());
    if (luck.strikes(damage))
      for (int k = 0; k < 8; ++k) bytes[luck.draw(size)] ^= std::byte{0x55};
    if (luck.strikes(slow)) std::this_thread::sleep_for(std::chrono::milliseconds(luck.draw(20)));
    return {bytes, static_cast<std::int64_t>(i)};
  }
  std::string name(std::uint64_t i) const { return "file/" + std::to_string(i); }
  std::uint64_t index_bytes() const { return 0; }

 private:
  [[noreturn]] static void fail(std::uint64_t how) {
    if (how == 0) throw SampleError(FaultKind::timeout, "the store is slow today");
    if (how == 1) throw std::bad_alloc();
    if (how == 2) throw 42;
    throw std::runtime_error("the store is away");
  }
  std::vector<const Bytes*> files_;
  std::shared_ptr<Misfortune> misfortune_;
};

/// Memory that is sometimes refused.
class Scarce final : public std::pmr::memory_resource {
 public:
  explicit Scarce(Misfortune& misfortune) : misfortune_(misfortune) {}

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    if (misfortune_.strikes(Misfortune::Kind::allocation)) throw std::bad_alloc();
    return std::pmr::new_delete_resource()->allocate(bytes, alignment);
  }
  void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override {
    std::pmr::new_delete_resource()->deallocate(memory, bytes, alignment);
  }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    return this == &other;
  }
  Misfortune& misfortune_;
};

}  // namespace weir::test
