// Calls every function of the component footprint.
#include <cstdio>

#include <weir/error.hpp>
#include <weir/footprint.hpp>

int main(int, char** arguments) {
  const auto model =
      weir::parse_model(R"({"input": {"features": 8}, "optimizer": "adam", "batch": 2,
    "layers": [{"type": "Linear", "out_features": 4}, {"type": "ReLU", "in_place": true}]})");
  const auto peak = weir::footprint(model).training.peak;
  std::printf("%s, %s, %s: %llu bytes\n", weir::kind_name(model.layers[0]).data(),
              to_string(model.optimizer).data(), to_string(model.types.input).data(),
              static_cast<unsigned long long>(peak));
  if (to_string(weir::layer::Function::relu) != "ReLU") return 1;
  if (!weir::layer::may_be_in_place(weir::layer::Function::relu)) return 1;
  if (weir::state_values(model.optimizer) != 2) return 1;
  if (weir::largest_batch(model, peak) != 2 || weir::largest_micro_batch(model, peak) != 2)
    return 1;
  try {
    weir::read_model(arguments[0]);  // a program is no text
  } catch (const weir::Error& error) {
    return error.code() == weir::Errc::source_failed ? 0 : 1;
  }
  return 1;
}
