// Batches on a CUDA device: uint8 over the bus from pinned slabs, normalised there to NCHW half or
// bfloat16 in one pass. Checks the first batches against weir::Converter.
//   cuda [FOLDER] [--bfloat16] [--pageable] [--size N] [--batch N] [--epochs N] [--cache]
#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>
#include <weir/interop/cuda.hpp>
#include <weir/memory.hpp>
#include <weir/weir.hpp>

#include "normalize.hpp"

namespace {

constexpr std::uint32_t in_flight = 3;  ///< copies that may be in progress on the device
constexpr std::uint64_t checked_batches = 8;

void check(cudaError_t result) {
  if (result != cudaSuccess) throw std::runtime_error(cudaGetErrorString(result));
}

/// Device memory.
template <class T>
class Room {
 public:
  explicit Room(std::size_t count) {
    check(cudaMalloc(reinterpret_cast<void**>(&data_), count * sizeof(T)));
  }
  ~Room() { cudaFree(data_); }
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;
  T* data() const noexcept { return data_; }

 private:
  T* data_ = nullptr;
};

struct Choice {
  std::string folder;
  bool bfloat16 = false, pageable = false, cache = false;
  std::uint32_t size = 224, batch = 64;
  std::uint64_t epochs = 2;
};

Choice parse(std::span<char*> words) {
  Choice choice;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string word = words[i];
    const auto number = [&] {
      if (++i == words.size()) throw std::runtime_error(word + " needs a number");
      return static_cast<std::uint32_t>(std::stoul(words[i]));
    };
    if (word == "--bfloat16")
      choice.bfloat16 = true;
    else if (word == "--pageable")
      choice.pageable = true;
    else if (word == "--cache")
      choice.cache = true;
    else if (word == "--size")
      choice.size = number();
    else if (word == "--batch")
      choice.batch = number();
    else if (word == "--epochs")
      choice.epochs = number();
    else
      choice.folder = word;
  }
  return choice;
}

/// The distance of two values in units in the last place. Values of one sign are ordered like their bits.
template <class T>
int steps_between(T a, T b) {
  const auto ordered = [](std::uint16_t bits) {
    return (bits & 0x8000) != 0 ? -(bits & 0x7fff) : static_cast<int>(bits);
  };
  return std::abs(ordered(a.bits) - ordered(b.bits));
}

template <class T>
int train(weir::Loader& loader, const Choice& choice) {
  const auto shape = loader.plan().shape;
  const auto area = shape.height * shape.width;
  const auto values = loader.plan().batch * weir::image_values(shape, weir::PixelFormat::rgb8);
  const weir::Converter<T> convert(weir::imagenet);
  const Room<std::uint8_t> pixels(values);
  const Room<T> images(values);
  std::vector<T> wanted(values), got(values);
  cudaStream_t stream{};
  check(cudaStreamCreate(&stream));

  std::uint64_t bytes = 0, count = 0, one_step = 0;
  const auto begun = std::chrono::steady_clock::now();
  for (weir::Batch& batch : loader.stream({.epochs = choice.epochs})) {
    const auto block = batch.pixels();
    const auto size = block.pixels.size();
    const bool look = batch.sequence() < checked_batches;
    if (look) convert(block, std::span(wanted).first(size));
    check(
        cudaMemcpyAsync(pixels.data(), block.pixels.data(), size, cudaMemcpyHostToDevice, stream));
    check(normalize(pixels.data(), images.data(), block.count, area, weir::imagenet, stream));
    bytes += size;
    count += batch.size();
    weir::release_after(std::move(batch), stream);
    // A network would take `images` here, on the same stream.
    if (!look) continue;
    check(cudaMemcpyAsync(got.data(), images.data(), size * sizeof(T), cudaMemcpyDeviceToHost,
                          stream));
    check(cudaStreamSynchronize(stream));
    for (std::size_t i = 0; i < size; ++i) {
      const auto steps = steps_between(got[i], wanted[i]);
      if (steps > 1) throw std::runtime_error("the device's value is not the Converter's");
      one_step += static_cast<std::uint64_t>(steps);
    }
  }
  check(cudaStreamSynchronize(stream));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
  check(cudaStreamDestroy(stream));
  std::cout << count << " images, " << static_cast<double>(count) / took.count() << " a second, "
            << static_cast<double>(bytes) / took.count() / 1e9
            << " GB/s; differences of one step: " << one_step << "\n";
  return count > 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const auto choice = parse(std::span(argv, static_cast<std::size_t>(argc)).subspan(1));
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
      std::cout << "skipped: no CUDA device\n";
      return 0;
    }
    const auto pinned = std::make_shared<weir::PinnedMemory>();
    weir::Options options{.shape = {choice.size, choice.size},
                          .order = weir::Order::shuffle(),
                          .batch = choice.batch,
                          .queue = {.max_leases = in_flight + 1}};
    if (!choice.pageable) options.memory.upstream = pinned;
    if (choice.cache) options.cache = {.keep = weir::Cache::decoded, .max_bytes = 4ull << 30};
    weir::Loader loader(choice.folder.empty() ? weir::synthetic(512, {256, 256})
                                              : weir::image_folder(choice.folder),
                        options);
    if (!choice.pageable && !pinned->note().empty()) std::cout << pinned->note() << '\n';
    return choice.bfloat16 ? train<weir::bfloat16>(loader, choice)
                           : train<weir::float16>(loader, choice);
  } catch (const std::exception& error) {
    std::cerr << "cuda: " << error.what() << '\n';
    return 1;
  }
}
