// Delivers the JPEGs of a folder once, and counts only what runs from Loader::stream() to its end.

#include <cstdint>
#include <cstdlib>
#include <string>

#include "support/temporary_folder.hpp"
#include "weir/weir.hpp"

// No header of GCC declares them.
extern "C" void __gcov_reset();
extern "C" void __gcov_dump();

int main() {
  constexpr std::uint64_t images = 64;
  const weir::test::TemporaryFolder folder;
  const auto made = weir::synthetic(images, {300, 400});
  for (std::uint64_t i = 0; i < images; ++i) {
    weir::MemorySink sink;
    folder.write(std::to_string(i) + ".jpg", made.read(i, sink).bytes);
  }
  weir::Options options;
  options.shape = {224, 224};
  options.batch = 8;
  options.workers = 2;
  weir::Loader loader(weir::image_folder(folder.string()), options);

  __gcov_reset();
  std::uint64_t samples = 0;
  auto stream = loader.stream();
  while (const auto batch = stream.next())
    samples += batch->pixels().shape.height == 224 ? batch->size() : 0;
  __gcov_dump();
  return samples == images ? EXIT_SUCCESS : EXIT_FAILURE;
}
