#include "weir/footprint.hpp"

#include <fstream>
#include <nlohmann/json.hpp>

#include "support/catch.hpp"
#include "weir/error.hpp"

using namespace weir;
using namespace weir::test;

TEST_CASE("every malformed model is told its layer and its field", "[model]") {
  std::ifstream file(WEIR_ROOT "/tests/program/footprint/malformed.json");
  const auto cases = nlohmann::json::parse(file);
  REQUIRE(cases.size() > 80);
  for (const auto& malformed : cases) {
    const auto text = malformed["model"].dump();
    CAPTURE(text.substr(0, 400));
    const bool misfit = malformed["schema"] == "takes";
    try {
      const auto model = parse_model(text);
      CHECK(misfit);
      footprint(model);
      FAIL_CHECK("nothing is wrong with it");
    } catch (const Error& error) {
      CHECK(error.code() == Errc::bad_options);
      for (const auto& part : malformed["says"])
        CHECK_THAT(error.what(), has_text(part.get<std::string>()));
    }
  }
}

TEST_CASE("the input that an error recommends is accepted", "[model]") {
  std::string text;
  try {
    parse_model(R"({"layers": []})");
  } catch (const Error& error) {
    text = error.what();
  }
  const auto begin = text.find("write ");
  REQUIRE(begin != std::string::npos);
  const auto model =
      parse_model('{' + text.substr(begin + 6) + R"(, "layers": [{"type": "Flatten"}]})");
  CHECK(model.input == Dims{3, 224, 224});
}

TEST_CASE("a model is read field by field", "[model]") {
  const auto model = parse_model(R"({
    "name": "small", "input": {"channels": 3, "height": 9, "width": 7}, "optimizer": "adam",
    "types": {"parameters": "float64", "activations": "bfloat16", "input": "uint8"},
    "batch": 12, "micro_batch": 4,
    "layers": [
      {"type": "Conv2d", "name": "c", "out_channels": 6, "kernel": [3, 2], "stride": 2, "padding": [1, 0],
       "dilation": 1.0, "groups": 3, "bias": false, "in_channels": 3},
      {"type": "ReLU", "in_place": true},
      {"type": "MaxPool2d", "kernel": 2},
      {"type": "Counts", "parameters": 5, "activations": 6, "kept": 2, "output": [7, 8]}]})");
  CHECK(model.name == "small");
  CHECK(model.input == Dims{3, 9, 7});
  CHECK(model.optimizer == Optimizer::adam);
  CHECK(model.types.gradients == ElementType::f64);
  CHECK(model.types.optimizer == ElementType::f64);
  CHECK(model.types.activations == ElementType::bf16);
  CHECK(model.types.input == ElementType::u8);
  CHECK(model.batch == 12);
  CHECK(model.micro_batch == 4);
  REQUIRE(model.layers.size() == 4);
  const auto& conv = std::get<layer::Conv2d>(model.layers[0].kind);
  CHECK(model.layers[0].name == "c");
  CHECK(conv.kernel == Extent{3, 2});
  CHECK(conv.stride == Extent{2, 2});
  CHECK(conv.padding == Extent{1, 0});
  CHECK(conv.groups == 3);
  CHECK_FALSE(conv.bias);
  CHECK(std::get<layer::Activation>(model.layers[1].kind).in_place);
  CHECK_FALSE(std::get<layer::MaxPool2d>(model.layers[2].kind).stride);
  CHECK(std::get<layer::Counts>(model.layers[3].kind).output == Dims{7, 8});
}

TEST_CASE("what is not said has the defaults of the struct", "[model]") {
  const auto model =
      parse_model(R"({"input": {"tokens": 5}, "counts": {"parameters": 1, "activations": 2}})");
  CHECK(model.tokens);
  CHECK_FALSE(model.batch);
  CHECK(model.optimizer == Optimizer::sgd);
  CHECK(std::get<layer::Counts>(model.layers.at(0).kind).kept == 1);
  CHECK(
      parse_model(R"({"input": {"features": 1}, "layers": [], "types": "float16"})").types.input ==
      ElementType::f16);
}

TEST_CASE("a model of invalid JSON or with a double field is refused", "[model]") {
  CHECK_THROWS_WITH(parse_model("{\"input\": {\n \"features\": 3}, }"), has_text("line 2"));
  CHECK_THROWS_WITH(parse_model(""), has_text("not JSON"));
  CHECK_THROWS_WITH(parse_model(R"({"input": {"features": 1, "features": 2}, "layers": []})"),
                    has_text("features is there twice"));
  CHECK_THROWS_WITH(parse_model(R"({"batch": 1e400})"), "has a number beyond 1.8e308");
  CHECK_THROWS_WITH(parse_model(std::string(17u << 20, ' ')), has_text("16777216 bytes"));
  CHECK_THROWS_AS(parse_model(std::string(1u << 20, '[')), Error);
}

TEST_CASE("a model that cannot be read is told by its name", "[model]") {
  CHECK_THROWS_WITH(read_model("/no/such/model.json"), has_text("/no/such/model.json"));
  CHECK_THROWS_WITH(read_model("/"), has_text("cannot read /"));
  CHECK(read_model(WEIR_ROOT "/examples/models/vgg16.json").layers.size() == 39);
}

TEST_CASE("a model that is nested without end is refused in words", "[model]") {
  const auto nested = std::string(100'000, '[') + '1' + std::string(100'000, ']');
  CHECK_THROWS_WITH(parse_model(nested), has_text("levels deep"));
}
