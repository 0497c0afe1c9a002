#include <iostream>
#include <vector>
#include <weir/weir.hpp>

int main(int argc, char** argv) {
  weir::Loader loader(argc > 1 ? weir::image_folder(argv[1]) : weir::synthetic(200, {375, 500}),
                      {.shape = {224, 224}, .order = weir::Order::shuffle(), .batch = 32});
  const weir::Converter<float> to_float(weir::imagenet);
  std::vector<float> input(loader.plan().batch * loader.plan().row_values());
  for (weir::Batch& batch : loader.stream()) {
    to_float(batch, input);
    std::cout << batch.size() << " images, " << loader.snapshot().memory.live << " bytes live\n";
  }
}
