#include "weir/interop/torch.hpp"

#include <thread>

#include "contract/interop/scene.hpp"

using namespace weir;
using namespace weir::test;
using Extents = std::vector<std::int64_t>;

namespace {

Drop drop_of(torch::Tensor tensor) {
  return [held = std::make_shared<torch::Tensor>(std::move(tensor))] { held->reset(); };
}

/// Compares element by element, with libtorch's own view of bits and strides.
template <Element T>
void check_values(const torch::Tensor& converted, const torch::Tensor& pixels) {
  const auto mean = torch::tensor({0.485, 0.456, 0.406}, torch::kFloat64).view({3, 1, 1});
  const auto stddev = torch::tensor({0.229, 0.224, 0.225}, torch::kFloat64).view({3, 1, 1});
  const auto wanted = (pixels.to(torch::kFloat64) / 255 - mean) / stddev;
  REQUIRE(converted.sizes() == wanted.sizes());
  const auto error = (converted.to(torch::kFloat64) - wanted).abs().max().template item<double>();
  CHECK(error < (sizeof(T) == 4 ? 1e-6 : std::same_as<T, float16> ? 2e-3 : 2e-2));
}

template <Element T>
void check_own_sizes(const Lease& lease, Layout layout) {
  const Converter<T> converter(imagenet, layout);
  for (std::uint32_t i = 0; i < lease->size(); ++i) {
    const auto image = lease->image(i);
    std::vector<T> wanted(image.values());
    converter(image, wanted);
    const auto tensor = to_tensor(image, converter);
    CHECK(tensor.sizes() == Extents{3, image.shape.height, image.shape.width});
    CHECK(tensor.scalar_type() == interop::scalar_type<T>());
    CHECK(std::memcmp(tensor.data_ptr(), wanted.data(), tensor.nbytes()) == 0);
    check_values<T>(tensor, as_tensor(lease, lease->image(i)));
  }
}

template <Element T>
void check_conversion(Layout layout) {
  Scene scene;
  const Converter<T> converter(imagenet, layout);
  const auto block = scene.lease->slice(1, 3);
  std::vector<T> wanted(3 * scene.image_bytes());
  converter(block, wanted);
  const auto tensor = to_tensor(block, converter);
  CHECK(tensor.sizes() == Extents{3, 3, 16, 16});
  CHECK(tensor.nbytes() == wanted.size() * sizeof(T));
  CHECK(std::memcmp(tensor.data_ptr(), wanted.data(), tensor.nbytes()) == 0);

  check_values<T>(tensor, as_tensor(scene.lease, scene.lease->slice(1, 3)));
  CHECK(scene.lease.use_count() == 1);
}

template <std::signed_integral T>
void check_signed(const Lease& lease) {
  const auto values = lease->annotations<T>(0);
  const auto tensor = as_tensor(lease, values);
  CHECK(tensor.scalar_type() == torch::CppTypeToScalarType<T>::value);
  REQUIRE(tensor.sizes() == Extents{static_cast<std::int64_t>(values.size())});
  CHECK(tensor.min().template item<std::int64_t>() == std::ranges::min(values));
}

/// A typical loop over a torch::data loader.
template <class DataLoader>
std::vector<std::int64_t> train(DataLoader& data_loader, torch::Tensor& sum) {
  std::vector<std::int64_t> targets;
  for (auto& batch : data_loader) {
    sum += batch.data.to(torch::kFloat64).sum();
    for (std::int64_t i = 0; i < batch.target.size(0); ++i)
      targets.push_back(batch.target[i].template item<std::int64_t>());
  }
  return targets;
}

Options shuffled() {
  auto options = small_options();
  options.order = Order::shuffle();
  options.queue.max_leases = 2;
  return options;
}

}  // namespace

TEST_CASE("a batch as a tensor lies in the slab", "[interop]") {
  Scene scene;
  const auto tensor = as_tensor(scene.lease);
  CHECK(tensor.data_ptr() == scene.first);
  CHECK(tensor.dtype() == torch::kUInt8);
  CHECK(tensor.sizes() == Extents{4, 3, 16, 16});
  CHECK(tensor.is_contiguous(torch::MemoryFormat::ChannelsLast));
  CHECK(tensor[2][1][3][5].item<int>() ==
        scene.pixels[2 * scene.image_bytes() + (3 * 16 + 5) * 3 + 1]);
  const auto micro = as_tensor(scene.lease, scene.lease->slice(2, 2));
  CHECK(micro.data_ptr() == scene.row(2));
  CHECK(micro.equal(tensor.slice(0, 2)));
  const auto labels = as_tensor(scene.lease, scene.lease->labels());
  CHECK(labels.data_ptr() == scene.lease->labels().data());
  CHECK(labels.dtype() == torch::kInt64);
  CHECK(labels[3].item<std::int64_t>() == scene.lease->labels()[3]);
  CHECK(scene.lease.use_count() == 4);
}

TEST_CASE("the slab is idle after tensors die in any order", "[interop]") {
  drop_in_every_order("torch::Tensor", [](Scene& scene) {
    return std::vector{drop_of(as_tensor(scene.lease, scene.lease->labels())),
                       drop_of(as_tensor(scene.lease).permute({0, 2, 3, 1}).select(0, 3))};
  });
  drop_in_every_order("torch::Tensor", [](Scene& scene) {
    return std::vector{drop_of(as_tensor(scene.lease, scene.second_block()).select(0, 1)),
                       drop_of(as_tensor(scene.lease, scene.lease->slice(0, 2)))};
  });
}

TEST_CASE("second images are a tensor where they lie beside the pixels", "[interop]") {
  Scene scene;
  const auto second = as_tensor(scene.lease, scene.second_block());
  CHECK(second.data_ptr() == scene.second_row(0));
  CHECK(second.dtype() == torch::kUInt8);
  CHECK(second.sizes() == Extents{4, 3, 8, 12});
  CHECK(second.is_contiguous(torch::MemoryFormat::ChannelsLast));
  CHECK(second[2].data_ptr() == scene.second_row(2));
  CHECK(second[2][1][3][5].item<int>() == scene.second_row(2)[(3 * 12 + 5) * 3 + 1]);
  CHECK(scene.lease.use_count() == 2);
}

TEST_CASE("a tensor has the type and strides of its format", "[interop]") {
  Scene scene;
  for (const auto& block : scene.blocks_of_each_type()) {
    CAPTURE(to_string(block.format));
    const auto values = to_tensor<std::int32_t>(block);
    const std::int64_t channels = channels_of(block.format);
    CHECK(values.sizes() == Extents{4, channels, block.shape.height, block.shape.width});
    CHECK(to_tensor<std::int64_t>(block.image(3)).equal(values[3].to(torch::kInt64)));
    const auto view = block.image(3);
    CHECK(values[3][-1][-1][-1].item<int>() ==
          (value_bytes(block.format) == 1
               ? view.line_as<std::uint8_t>(block.shape.height - 1).back()
               : view.line_as<std::uint16_t>(block.shape.height - 1).back()));
    if (value_bytes(block.format) == 1) {
      CHECK(as_tensor(scene.lease, block).equal(values));
      CHECK(as_tensor(scene.lease, view).equal(values[3]));
#if TORCH_VERSION_MAJOR * 100 + TORCH_VERSION_MINOR >= 203
    } else {
      CHECK(as_tensor(scene.lease, block).to(torch::kInt32).equal(values));
      CHECK(as_tensor(scene.lease, view).to(torch::kInt32).equal(values[3]));
#else
    } else {
      CHECK_THROWS_WITH(as_tensor(scene.lease, block), has_text("weir::to_tensor<std::int32_t>()"));
      CHECK_THROWS_WITH(as_tensor(scene.lease, view), has_text("libtorch has uint16 from"));
#endif
    }
  }
  CHECK(scene.lease.use_count() == 1);
}

TEST_CASE("a tensor of a column has the column's type", "[interop]") {
  Scene scene;
  check_signed<std::int8_t>(scene.lease);
  check_signed<std::int16_t>(scene.lease);
  check_signed<std::int32_t>(scene.lease);
  check_signed<std::int64_t>(scene.lease);
#if TORCH_VERSION_MAJOR * 100 + TORCH_VERSION_MINOR < 203
  CHECK_THROWS_WITH(as_tensor(scene.lease, scene.lease->indices()),
                    has_text("libtorch has uint64 from") && !has_text("pixels"));
#endif
}

TEST_CASE("a plane of one channel becomes targets of a cross-entropy", "[interop]") {
  Scene scene;
  const auto plane = scene.annotations_as({16, 18}, PixelFormat::stored8);
  const auto targets = to_targets(plane);
  CHECK(targets.dtype() == torch::kInt64);
  CHECK(targets.sizes() == Extents{4, 16, 18});
  CHECK(targets[3][15][17].item<std::int64_t>() == scene.second_pixels.back());
  std::vector<std::int64_t> table(256, 5);
  table[scene.second_pixels[0]] = -100;
  CHECK(to_targets(plane, table)[0][0][0].item<std::int64_t>() == -100);
  CHECK(to_targets(plane, table).max().item<std::int64_t>() == 5);
  CHECK_THROWS_WITH(to_targets(scene.second_block()), has_text("must have one channel"));
  auto out = torch::zeros({4, 1, 16, 18}, torch::kInt32);
  convert_into<std::int32_t>(out, plane);
  CHECK(out.to(torch::kInt64).equal(targets.unsqueeze(1)));
  CHECK_THROWS_WITH(convert_into<std::int64_t>(out, plane), has_text("wanted are Long"));
}

TEST_CASE("tensor views keep the lease, clones and conversions do not", "[interop]") {
  Scene scene;
  auto tensor = as_tensor(std::move(scene.lease));
  const auto clone = tensor.clone(), floats = tensor.to(torch::kFloat32);
  auto view = tensor.slice(0, 1, 3).select(1, 0);
  tensor.reset();
  CHECK(scene.leased() == scene.slab_bytes);
  CHECK(view[0][0][0].item<int>() == scene.pixels[scene.image_bytes()]);
  view.reset();
  CHECK(scene.leased() == 0);
  scene.stream.reset();
  scene.loader.reset();
  CHECK(scene.upstream->outstanding() == 0);
  CHECK(clone[0][0][0][0].item<int>() == scene.pixels[0]);
  CHECK(floats[0][0][0][0].item<float>() == scene.pixels[0]);
}

TEST_CASE("tensors may die on other threads", "[interop]") {
  Scene scene;
  std::vector<torch::Tensor> tensors;
  for (std::uint32_t i = 0; i < 4; ++i)
    tensors.push_back(as_tensor(scene.lease, scene.lease->slice(i, 1)));
  scene.lease.reset();
  {
    std::vector<std::jthread> threads;
    for (auto& tensor : tensors) threads.emplace_back([&tensor] { tensor.reset(); });
  }
  CHECK(scene.leased() == 0);
  CHECK(scene.stream->next());
}

TEST_CASE("a part of a batch is converted straight into a tensor", "[interop]") {
  for (const auto layout : {Layout::nchw, Layout::nhwc}) {
    CAPTURE(layout);
    check_conversion<float>(layout);
    check_conversion<float16>(layout);
    check_conversion<bfloat16>(layout);
  }
}

TEST_CASE("convert_into refuses an unfit tensor and says why", "[interop]") {
  Scene scene;
  const Converter<float> to_float;
  const auto block = scene.lease->pixels();
  auto out = torch::empty({4, 3, 16, 16});
  const auto* const where = out.data_ptr();
  convert_into(out, block, to_float);
  CHECK(out.data_ptr() == where);
  CHECK(out[0][0][0][0].item<float>() == Approx(scene.pixels[0] / 255.0));
  for (const auto& wrong :
       {torch::empty({4, 3, 16, 15}), torch::empty({4, 16, 16, 3}), torch::empty({3, 3, 16, 16}),
        torch::empty({4, 3, 16, 16}, torch::kFloat64),
        torch::empty({4, 3, 16, 16},
                     torch::TensorOptions().memory_format(torch::MemoryFormat::ChannelsLast))})
    CHECK_THROWS_WITH(convert_into(wrong, block, to_float),
                      has_text("wanted are Float") && has_text("[4, 3, 16, 16]"));
}

TEST_CASE("images of own sizes are converted straight into tensors", "[interop][sizes]") {
  for (const auto mode : {Sizes::padded, Sizes::ragged})
    for (const auto layout : {Layout::nchw, Layout::nhwc}) {
      CAPTURE(mode, layout);
      const auto lease = lease_of_own_sizes(mode);
      check_own_sizes<float>(lease, layout);
      check_own_sizes<float16>(lease, layout);
      check_own_sizes<bfloat16>(lease, layout);
      CHECK(lease.use_count() == 1);
    }
}

TEST_CASE("an image is converted into a tensor's row or refused", "[interop][sizes]") {
  const auto lease = lease_of_own_sizes(Sizes::padded);
  const auto image = lease->image(2);
  const std::int64_t height = image.shape.height, width = image.shape.width;
  for (const auto layout : {Layout::nchw, Layout::nhwc}) {
    const Converter<float> to_float({.scale = 1}, layout);
    auto rows = torch::zeros({3, 3, height, width}).contiguous(interop::format_of(to_float));
    convert_into(rows[1], image, to_float);
    CHECK(rows[1].equal(as_tensor(lease, lease->image(2)).to(torch::kFloat32)));
    CHECK(rows[0].sum().item<float>() == 0);
    CHECK(rows[2].sum().item<float>() == 0);
  }
  const Converter<float> to_float;
  for (const auto& wrong :
       {torch::empty({3, height, width + 1}), torch::empty({1, 3, height, width}),
        torch::empty({height, width, 3}).permute({2, 0, 1}),
        torch::empty({3, height, width}, torch::kFloat64), torch::tensor(1.0F)})
    CHECK_THROWS_WITH(convert_into(wrong, image, to_float), has_text("wanted are Float"));
}

TEST_CASE("one image at its own size is an example of torch::data", "[interop][sizes]") {
  for (const auto mode : {Sizes::padded, Sizes::ragged}) {
    auto options = small_options();
    options.sizes.mode = mode;
    options.sizes.multiple_of = mode == Sizes::padded ? 32 : 1;
    options.batch = 1;
    Loader loader(synthetic(8, {24, 30}, 3), options), other(synthetic(8, {24, 30}, 3), options);
    TensorLoader data_loader(loader, converted(Converter<float>({.scale = 1}, Layout::nhwc)),
                             {.epochs = 1});
    auto stream = other.stream();
    for (auto& example : data_loader) {
      const auto lease = share(stream.next().value());
      const auto pixels =
          mode == Sizes::padded ? as_tensor(lease) : as_tensor(lease, lease->image(0)).unsqueeze(0);
      CHECK(example.data.suggest_memory_format() == torch::MemoryFormat::ChannelsLast);
      CHECK(example.data.equal(pixels.to(torch::kFloat32)));
      CHECK(example.target[0].item<std::int64_t>() == lease->labels()[0]);
    }
    CHECK(loader.snapshot().samples.consumed == 8);
  }
  auto options = small_options();
  options.sizes.mode = Sizes::ragged;
  Loader loader(synthetic(8, {24, 30}, 3), options);
  TensorLoader data_loader(loader);
  CHECK_THROWS_WITH(*data_loader.begin(), has_text("`sizes.mode` = ragged"));
}

TEST_CASE("a plane is the target of a data loader, through a table", "[interop][planes]") {
  auto options = small_options();
  // Images of another seed have other sizes.
  const PlaneOptions mask{
      .name = "mask", .pixels = PixelFormat::grey8, .match = PlaneMatch::stretch};
  options.planes = {mask};
  const auto source = with_plane(synthetic(8, {24, 30}, 3), "mask", synthetic(8, {24, 30}, 4));
  Loader loader(source, options), other(source, options);
  std::vector<std::int64_t> table(256);
  for (std::size_t i = 0; i < 256; ++i) table[i] = 1000 - static_cast<std::int64_t>(i);
  TensorLoader data_loader(loader, converted(Converter<float>(), "mask", table), {.epochs = 1});
  auto stream = other.stream();
  for (auto& example : data_loader) {
    const auto lease = share(stream.next().value());
    const auto plane = as_tensor(lease, lease->plane("mask").pixels());
    CHECK(example.target.sizes() == Extents{4, 16, 16});
    CHECK(example.target.equal(1000 - plane.squeeze(1).to(torch::kInt64)));
  }
  CHECK(loader.snapshot().samples.consumed == 8);

  // One ragged image keeps its own size, and so does its plane. A padded one keeps its padding.
  options.batch = 1;
  for (const auto mode : {Sizes::padded, Sizes::ragged}) {
    options.sizes = {.mode = mode, .multiple_of = mode == Sizes::padded ? 32u : 1u};
    Loader one(source, options);
    TensorLoader alone(one, converted(Converter<float>(), "mask", table), {.epochs = 1});
    auto same = Loader(source, options).stream();
    for (auto& example : alone) {
      const auto lease = share(same.next().value());
      const auto rows = lease->plane("mask");
      const auto plane = mode == Sizes::padded ? as_tensor(lease, rows.pixels()).squeeze(1)
                                               : as_tensor(lease, rows.image(0));
      CHECK(example.data.sizes().slice(2) == plane.sizes().slice(1));
      CHECK(example.target.equal(1000 - plane.to(torch::kInt64)));
    }
    CHECK(one.snapshot().samples.consumed == 8);
  }
}

TEST_CASE("a loader is taken for one of torch::data, epoch by epoch", "[interop]") {
  Loader loader(synthetic(18, {24, 24}, 3), shuffled()),
      other(synthetic(18, {24, 24}, 3), shuffled());
  const auto wanted = drain(other, {.epochs = 2});
  const bool copied = GENERATE(true, false);
  CAPTURE(copied);
  TensorLoader data_loader(loader, copied ? converted(Converter<float>({.scale = 1})) : uncopied(),
                           {.epochs = 2});
  auto sum = torch::zeros({}, torch::kFloat64);
  auto targets = train(data_loader, sum);
  CHECK(targets.size() == 18);
  const auto second = train(data_loader, sum);
  targets.insert(targets.end(), second.begin(), second.end());
  CHECK(targets == wanted.labels);
  double all = 0;
  for (const auto pixel : wanted.pixels) all += pixel;
  CHECK(sum.item<double>() == Approx(all));
  CHECK(train(data_loader, sum).empty());
  CHECK(loader.snapshot().samples.consumed == 36);
}

TEST_CASE("a batch of torch::data says which samples it has", "[interop]") {
  const auto source = synthetic(18, {24, 24}, 3);
  Loader loader(source, shuffled()), other(source, shuffled());
  const auto wanted = drain(other);
  TensorLoader data_loader(loader);
  std::vector<std::uint64_t> indices;
  for (auto& batch : data_loader) {
    const auto names = batch.names();
    REQUIRE(names.size() == batch.indices.size());
    for (std::size_t i = 0; i < names.size(); ++i) CHECK(names[i] == source.name(batch.indices[i]));
    indices.insert(indices.end(), batch.indices.begin(), batch.indices.end());
  }
  CHECK(indices == wanted.indices);
  const TensorBatch padding{{}, {UINT64_MAX}, &loader};
  CHECK(padding.names() == std::vector<std::string>{""});
}

TEST_CASE("an epoch that was broken off is followed by the next one", "[interop]") {
  Loader loader(synthetic(18, {24, 24}, 3), shuffled()),
      other(synthetic(18, {24, 24}, 3), shuffled());
  const auto wanted = drain(other, {.epochs = 2});
  TensorLoader data_loader(loader);
  for (auto& batch : data_loader)
    if (batch.target.size(0) > 0) break;
  auto sum = torch::zeros({}, torch::kFloat64);
  CHECK(train(data_loader, sum) == std::vector(wanted.labels.begin() + 18, wanted.labels.end()));
  CHECK(loader.snapshot().samples.conserved());
}

TEST_CASE("after a last epoch that was broken off no epoch comes", "[interop]") {
  const std::uint64_t epochs = GENERATE(1u, 2u);
  Loader loader(synthetic(18, {24, 24}, 3), shuffled());
  TensorLoader data_loader(loader, converted(Converter<float>()), {.epochs = epochs});
  for (std::uint64_t epoch = 0; epoch < epochs; ++epoch)
    for (auto& batch : data_loader)
      if (batch.target.size(0) > 0) break;
  for (int again = 0; again < 2; ++again) CHECK(data_loader.begin() == data_loader.end());
}

TEST_CASE("a loop's current batch and a step that throws are unfinished", "[interop][resume]") {
  Loader loader(synthetic(18, {24, 24}, 3), shuffled());
  TensorLoader data_loader(loader, converted(Converter<float>()), {.epochs = 2});
  CHECK(data_loader.progress() == loader.progress_after(0));
  std::uint64_t steps = 0;
  for (auto& batch : data_loader) {
    CHECK(batch.target.size(0) > 0);
    CHECK(data_loader.progress() == loader.progress_after(steps++));
  }
  CHECK(data_loader.progress() == loader.progress_after(steps));
  const auto breaks = [&] {
    int step = 0;
    for (auto& batch : data_loader)
      if (batch.target.size(0) > 0 && ++step == 3) throw std::runtime_error("a step that fails");
  };
  CHECK_THROWS_AS(breaks(), std::runtime_error);
  const auto state = data_loader.progress();
  CHECK(state == loader.progress_after(steps + 2));

  Loader after(synthetic(18, {24, 24}, 3), shuffled());
  TensorLoader rest(after, converted(Converter<float>()), {.resume = state, .epochs = 2});
  CHECK(rest.progress() == state);
  auto sum = torch::zeros({}, torch::kFloat64);
  CHECK(train(rest, sum).size() == 18 - 2 * after.plan().batch);
  CHECK(train(rest, sum).empty());
  CHECK(rest.progress() == after.progress_after(2 * steps));
}

TEST_CASE("a batch for which an ExampleMaker throws is unfinished", "[interop][resume]") {
  const auto source = synthetic(18, {24, 24}, 3);
  Loader loader(source, shuffled()), other(source, shuffled()), after(source, shuffled());
  const auto wanted = drain(other);
  const auto make = converted(Converter<float>());
  int made = 0;
  const auto fails_once = [&](Batch batch) {
    if (++made == 2) throw std::runtime_error("no memory for the second batch");
    return make(std::move(batch));
  };
  TensorLoader data_loader(loader, fails_once, {.epochs = 1});
  auto batch = data_loader.begin();
  CHECK(batch->indices.front() == wanted.indices[0]);
  CHECK_THROWS_AS(++batch, std::runtime_error);
  while (++batch != data_loader.end()) continue;
  TensorLoader rest(after, make, {.resume = data_loader.progress(), .epochs = 1});
  auto sum = torch::zeros({}, torch::kFloat64);
  CHECK(train(rest, sum) == std::vector(wanted.labels.begin() + 4, wanted.labels.begin() + 8));
}

TEST_CASE("an error of the stream comes out of the loop", "[interop]") {
  Loader loader(Flawed(18, 10), small_options());
  TensorLoader data_loader(loader);
  auto sum = torch::zeros({}, torch::kFloat64);
  CHECK_THROWS_AS(train(data_loader, sum), Error);
}

TEST_CASE("own-size images are tensors but a ragged batch is not", "[interop][sizes]") {
  for (const auto mode : {Sizes::padded, Sizes::ragged}) {
    const auto lease = lease_of_own_sizes(mode);
    const auto image = lease->image(1);
    if (mode == Sizes::ragged)
      CHECK_THROWS_WITH(as_tensor(lease), has_text("`sizes.mode` = ragged"));
    else
      CHECK(as_tensor(lease).size(3) == lease->pixels().shape.width);
    const auto tensor = as_tensor(lease, lease->image(1));
    CHECK(tensor.data_ptr() == image.data);
    CHECK(tensor.size(0) == 3);
    CHECK(tensor.size(1) == lease->sizes()[1].height);
    CHECK(tensor.size(2) == lease->sizes()[1].width);
    const auto last = (image.shape.height - 1) * image.row_stride + (image.shape.width - 1) * 3;
    CHECK(tensor[2][-1][-1].item<int>() == image.data[last + 2]);
  }
}
