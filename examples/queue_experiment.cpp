// The experiment behind weir: how many samples does a prefetch queue draw and hold before they are
// consumed? Batches of 128; ten steps are consumed, then the loader settles.
#include <cstdint>
#include <cstdio>
#include <weir/weir.hpp>

namespace {

constexpr weir::ImageSize shape{64, 64};
constexpr std::uint32_t batch_size = 128, steps = 10;

/// False if the counts differ from those that max_queue_size promises.
bool measure(std::uint32_t max_queue_size) {
  weir::Loader loader(weir::synthetic(3'000, {72, 96}),
                      {.shape = shape,
                       .order = weir::Order::shuffle(),
                       .batch = batch_size,
                       .queue = {.max_queue_size = max_queue_size}});
  auto stream = loader.stream({.epochs = std::nullopt});
  for (std::uint32_t step = 0; step < steps; ++step) {
    if (!stream.next()) return false;  // the batch is released at once, so it is consumed
  }
  stream.settle();

  const auto now = loader.snapshot();
  const auto ahead = now.samples.drawn - now.samples.consumed;
  const auto pixels = ahead * weir::image_bytes(shape, weir::PixelFormat::rgb8);
  const auto as_float32 = pixels * sizeof(float);
  const auto staging = now.memory[weir::Account::filling] + now.memory[weir::Account::ready] +
                       now.memory[weir::Account::leased] + now.memory[weir::Account::idle];
  std::printf("%14u %8llu %9llu %7llu %13llu %13llu %13llu\n", max_queue_size,
              static_cast<unsigned long long>(now.samples.drawn),
              static_cast<unsigned long long>(now.samples.consumed),
              static_cast<unsigned long long>(ahead), static_cast<unsigned long long>(pixels),
              static_cast<unsigned long long>(as_float32),
              static_cast<unsigned long long>(staging));
  return now.samples.consumed == std::uint64_t{steps} * batch_size &&
         now.samples.drawn == std::uint64_t{steps + max_queue_size} * batch_size &&
         now.samples.conserved();
}

}  // namespace

int main() {
  std::printf("%14s %8s %9s %7s %13s %13s %13s\n", "max_queue_size", "drawn", "consumed", "ahead",
              "bytes ahead", "as float32", "slabs hold");
  bool as_promised = true;
  for (const std::uint32_t max_queue_size : {1U, 2U, 4U, 10U})
    as_promised &= measure(max_queue_size);
  return as_promised ? 0 : 1;
}
