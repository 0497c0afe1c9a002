// The same work as torch_before.cpp, with weir.
#include <weir/interop/torch.hpp>
#include <weir/weir.hpp>

#include "trainer.hpp"

constexpr std::uint32_t side = 64, batch_size = 16;

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  Trainer trainer;
  const weir::Options options{.shape = {side, side},
                              .fit = weir::Fit::stretch,
                              .order = weir::Order::shuffle(),
                              .batch = batch_size,
                              .workers = 2};
  weir::Loader images(weir::image_folder(argv[1]), options);
  const weir::Normalize to_minus_one_to_one{{0.5, 0.5, 0.5}, {0.5, 0.5, 0.5}};
  weir::TensorLoader loader(images, weir::converted(weir::Converter<float>(to_minus_one_to_one)));
  for (auto& batch : loader)
    trainer.learn(batch.data.data_ptr<float>(), batch.target.data_ptr<std::int64_t>(),
                  static_cast<std::size_t>(batch.data.size(0)), side);
  trainer.print();
}
