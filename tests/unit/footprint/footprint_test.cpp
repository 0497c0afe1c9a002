#include "weir/footprint.hpp"

#include "models.hpp"
#include "support/catch.hpp"
#include "weir/error.hpp"

using namespace weir;
using namespace weir::test;
using layer::Function;

namespace {

double mib(std::uint64_t bytes) { return static_cast<double>(bytes) / (1 << 20); }
constexpr std::uint64_t f32 = 4;

}  // namespace

TEST_CASE("the footprint is the published hand calculation to the byte", "[footprint]") {
  const auto print = footprint(published());
  const auto& bytes = print.training;
  CHECK(bytes.parameters + bytes.gradients + bytes.optimizer == 19'072'984 * 3 * f32);
  CHECK(mib(bytes.parameters + bytes.gradients + bytes.optimizer) == Approx(218.27).margin(0.005));
  CHECK(mib(bytes.kept) == Approx(520.27).margin(0.005));
  CHECK(mib(bytes.input) == Approx(4.39).margin(0.005));
  CHECK(mib(bytes.total) == Approx(742.93).margin(0.005));
  CHECK(bytes.peak == bytes.total);
}

TEST_CASE("the footprint of one image's activations has known figures", "[footprint]") {
  auto model = published();
  std::get<layer::Counts>(model.layers[0].kind).kept = 1;
  model.micro_batch = 1;
  const auto print = footprint(model);
  CHECK(print.training.total == 19'072'984 * 3 * f32 + 532'752 * f32 + 128 * 9000 * f32);
  CHECK(mib(print.training.total) == Approx(224.695).margin(0.005));
}

TEST_CASE("a tensor is its values times its bytes", "[footprint]") {
  Model model;
  model.input = {3, 100, 100};
  model.batch = 256;
  CHECK(footprint(model).training.total == 30'720'000);
  model.input = {3, 500, 500};
  model.batch = 1;
  CHECK(footprint(model).training.total == 3'000'000);
  CHECK(footprint(model).prediction.total == 3'000'000);
  model.types.input = ElementType::u8;
  CHECK(footprint(model).training.total == 750'000);
}

TEST_CASE("parameters in all: times 2, 3, 3 and 4", "[footprint]") {
  auto model = published();
  const auto in_all = [&](Optimizer optimizer) {
    model.optimizer = optimizer;
    const auto bytes = footprint(model).training;
    return bytes.parameters + bytes.gradients + bytes.optimizer;
  };
  const auto once = 19'072'984 * f32;
  CHECK(in_all(Optimizer::sgd) == 2 * once);
  CHECK(in_all(Optimizer::momentum) == 3 * once);
  CHECK(in_all(Optimizer::rmsprop) == 3 * once);
  CHECK(in_all(Optimizer::adam) == 4 * once);
  model.types = {.parameters = ElementType::bf16,
                 .gradients = ElementType::bf16,
                 .optimizer = ElementType::f32};
  CHECK(in_all(Optimizer::adam) == 19'072'984 * (2 + 2 + 2 * 4));
}

TEST_CASE("a plain Swish keeps one more tensor than a recomputing one", "[footprint]") {
  const auto with = [](Function swish) {
    auto model = dense(20, {linear(50), function(swish), linear(60), function(swish), linear(10)});
    model.batch = 7;
    return footprint(model).training;
  };
  // Linear keeps its input, Swish its input, and the caller the output.
  CHECK(with(Function::silu).kept == 7 * f32 * (50 + 50 + 60 + 60 + 10));
  CHECK(with(Function::swish).kept == 7 * f32 * (50 + 50 + 50 + 60 + 60 + 60 + 10));
  CHECK(with(Function::silu).input == 7 * f32 * 20);
  // At its peak there are the gradients of the second Swish's input and output.
  CHECK(with(Function::silu).peak - with(Function::silu).total > 0);
}

TEST_CASE("the peak is the kept tensors plus the gradients in flight", "[footprint]") {
  auto model = dense(100, {linear(10), function(Function::sigmoid), linear(30)});
  const auto bytes = footprint(model).training;
  // Kept: the Sigmoid's output, which the second Linear reads, and the model's output.
  CHECK(bytes.kept == f32 * (10 + 30));
  // Backward through the second Linear: gradients of its 30 and its 10 values.
  CHECK(bytes.peak == bytes.total + f32 * (30 + 10));
  // Prediction: 10 and 30 at the same time; the input batch is a separate account.
  CHECK(footprint(model).prediction.activations == f32 * 40);
}

TEST_CASE("what a layer kept is let go once its gradient is done", "[footprint]") {
  const auto model = dense(4, {linear(1000), function(Function::relu), linear(100),
                               function(Function::swish), linear(1)});
  const auto bytes = footprint(model).training;
  CHECK(bytes.kept == f32 * (1000 + 3 * 100 + 1));
  // At the ReLU: its output and the model's, gradients of its 1000 values on both sides.
  CHECK(bytes.peak - (bytes.total - bytes.kept) == f32 * (1000 + 1 + 2 * 1000));
}

TEST_CASE("nothing below the first parameters gets a gradient", "[footprint]") {
  Model model;
  model.input = {3, 8, 8};
  model.layers = {{layer::AvgPool2d{.kernel = {2, 2}}}, conv3(1)};
  const auto bytes = footprint(model).training;
  CHECK(bytes.kept == f32 * (48 + 16));
  CHECK(bytes.peak == bytes.total + f32 * 16);
}

TEST_CASE("a function in place writes where its input was", "[footprint]") {
  const auto kept = [](Function which, bool in_place) {
    return footprint(dense(4, {linear(10), function(which, in_place), linear(10)})).training.kept;
  };
  CHECK(kept(Function::relu, true) == f32 * 20);
  CHECK(kept(Function::relu, false) == f32 * 20);  // no layer needs the output of the Linear
  CHECK(kept(Function::elu, true) == f32 * 20);
  CHECK(kept(Function::elu, false) == f32 * 30);
  const auto peak = [](bool in_place) {
    return footprint(dense(4, {linear(99), function(Function::relu, in_place), linear(1)}))
        .prediction.activations;
  };
  CHECK(peak(true) == f32 * 100);
  CHECK(peak(false) == f32 * 198);
}

TEST_CASE("layers before the first parameters keep nothing", "[footprint]") {
  const std::vector<Layer> pool{{layer::MaxPool2d{.kernel = {2, 2}}}};
  Model model;
  model.input = {3, 8, 8};
  model.layers = pool;
  CHECK(footprint(model).training.kept == 0);
  model.layers.push_back(conv3(2));
  const auto print = footprint(model);
  CHECK(print.layers[0].kept_bytes == f32 * 3 * 16);  // the convolution's input, without indices
  CHECK(print.layers[1].kept_bytes == f32 * 2 * 16);  // the model's output
}

TEST_CASE("an input of another type is converted by micro-batches", "[footprint]") {
  auto model = dense(100, {linear(10)});
  model.types.input = ElementType::u8;
  model.batch = 64;
  model.micro_batch = 16;
  const auto print = footprint(model);
  CHECK(print.training.input == 64 * 100);
  CHECK(print.input_copy_bytes == 16 * 100 * f32);
  CHECK(print.training.kept == 16 * f32 * (100 + 10));
  model.types.input = ElementType::f32;
  CHECK(footprint(model).input_copy_bytes == 0);
}

TEST_CASE("tokens are int64 and become features", "[footprint]") {
  Model model;
  model.input = {12};
  model.tokens = true;
  model.layers = {{layer::Embedding{.count = 100, .features = 16}}, linear(8)};
  const auto print = footprint(model);
  CHECK(print.training.input == 12 * 8);
  CHECK(print.parameters == 100 * 16 + 16 * 8 + 8);
  CHECK(print.layers[1].output == Dims{12, 8});
  CHECK(print.training.kept == f32 * 12 * (16 + 8));
}

TEST_CASE("the largest batch fits and one more does not", "[footprint]") {
  auto model = dense(20, {linear(50), function(Function::relu), linear(10)});
  const auto peak = [&](std::uint64_t batch, std::optional<std::uint64_t> micro) {
    auto other = model;
    other.batch = batch;
    other.micro_batch = micro;
    return footprint(other).training.peak;
  };
  const std::uint64_t room = 100'000;
  const auto batch = largest_batch(model, room);
  REQUIRE(batch > 10);
  CHECK(peak(batch, {}) <= room);
  CHECK(peak(batch + 1, {}) > room);

  model.batch = 2 * batch;
  const auto micro = largest_micro_batch(model, room);
  REQUIRE((micro > 0 && micro < batch));
  CHECK(peak(2 * batch, micro) <= room);
  CHECK(peak(2 * batch, micro + 1) > room);

  model.micro_batch = 3;
  const auto in_threes = largest_batch(model, room);
  CHECK(in_threes > batch);
  CHECK(peak(in_threes, 3) <= room);
  CHECK(peak(in_threes + 1, 3) > room);

  CHECK(largest_batch(model, 1000) == 0);
  CHECK(largest_micro_batch(model, 1000) == 0);
  CHECK(largest_batch(model, UINT64_MAX) > UINT32_MAX);
}

TEST_CASE("gradients that add up are there twice for one layer", "[footprint]") {
  auto model = measured();
  CHECK(footprint(model).training.peak == 79'911'936);  // libtorch: 79,912,960
  model.micro_batch = 4;
  CHECK(footprint(model).training.peak == 102'977'024);  // libtorch: the same
  // The whole batch fits where one image at a time does not.
  CHECK(largest_micro_batch(model, 79'911'936) == 16);
  CHECK(largest_micro_batch(model, 79'911'935) == 0);
  CHECK(largest_micro_batch(model, 102'977'024) == 16);
  model.batch = 1000;
  CHECK(largest_micro_batch(model, 115'068'416) == 4);
  CHECK(largest_batch(model, 79'911'936) == 4);
}

TEST_CASE("narrow activations need narrow copies of weights", "[footprint]") {
  auto model = measured();
  model.types.activations = ElementType::bf16;
  const auto print = footprint(model);
  const auto& bytes = print.training;
  CHECK(bytes.total - bytes.gradients == 52'738'944);  // libtorch under autocast: the same
  CHECK(bytes.peak == 88'402'304);                     // libtorch: 88,394,880
  model.micro_batch = 4;
  CHECK(footprint(model).training.total == 84'651'392);  // libtorch: the same
  CHECK(footprint(model).training.peak == 118'731'648);  // libtorch: 118,731,392
  const auto weights = std::uint64_t{65'536} * 128;
  CHECK(print.layers[3].kept_bytes == weights * 2 + 16 * 128 * 2);
  // In prediction only one layer's copy, beside its input and output.
  CHECK(print.prediction.activations == weights * 2 + 16 * (65'536 + 128) * 2);
  model.types.parameters = ElementType::bf16;
  CHECK(footprint(model).layers[3].kept_bytes == 4 * 128 * 2);
}

TEST_CASE("activations that are never kept are there once", "[footprint]") {
  const auto print =
      footprint(dense(1, {{layer::Counts{.parameters = 10, .activations = 1'000'000, .kept = 0}}}));
  CHECK(print.training.kept == 0);
  CHECK(print.training.total == 84);
  CHECK(print.training.peak == 4'000'084);
  CHECK(print.prediction.total == 4'000'044);
}

TEST_CASE("a size no machine has is an error that names the layer", "[footprint]") {
  auto model = dense(1ull << 40, {linear(10), linear(1ull << 62)});
  CHECK_THROWS_WITH(footprint(model), has_text("layers[1] (Linear): parameters: 2^64"));
  model = published();
  model.batch = UINT64_MAX;
  CHECK_THROWS_WITH(footprint(model), has_text("layers[0] (Counts): activations kept"));
  CHECK_THROWS_WITH(footprint({.input = {1}, .batch = 0}), "`batch` = 0: must be 1 or more");
  CHECK_THROWS_WITH(largest_batch({.input = {1}, .micro_batch = 0}, 100),
                    "`micro_batch` = 0: must be 1 or more");
  model.layers = {};
  model.input = {0};
  CHECK_THROWS_AS(footprint(model), Error);
}
