#include <cstring>

#include "targets.hpp"
#include "weir/error.hpp"
#include "weir/footprint.hpp"

namespace weir::fuzz {
namespace {

void check(const Footprint& print, const Model& model) {
  const auto& all = print.training;
  must(print.layers.size() == model.layers.size(), "every layer has its line");
  must(print.batch >= 1 && print.micro_batch >= 1 && print.micro_batch <= print.batch,
       "a micro-batch is a part of the batch");
  must(all.peak >= all.total, "the end of the forward pass is a moment, too");
  must(all.total >= all.input && print.prediction.total >= all.input, "the batch is there");
  std::uint64_t kept = print.input_copy_bytes, parameters = 0;
  for (const auto& layer : print.layers) {
    kept += layer.kept_bytes;
    parameters += layer.parameters;
  }
  must(kept == all.kept && parameters == print.parameters, "layers add up to the whole");
}

void check_fit(Model model, const Footprint& print) {
  const auto room = print.training.peak;
  must(largest_batch(model, room) >= print.batch, "a batch fits where its peak does");
  const auto micro = largest_micro_batch(model, room);
  must(micro >= print.micro_batch && micro <= print.batch, "and so does its micro-batch");
}

}  // namespace

bool model(Input input) {
  const std::string text(input.begin(), input.end());
  try {
    const auto read = parse_model(text);
    const auto print = footprint(read);
    check(print, read);
    check_fit(read, print);
  } catch (const Error& error) {
    must(error.code() == Errc::bad_options, "a bad model is misuse");
    must(std::strlen(error.what()) > 10, "the message says what is wrong");
    for (const char* c = error.what(); *c != '\0'; ++c)
      must(static_cast<unsigned char>(*c) >= ' ' && *c != 0x7f, "messages carry no control bytes");
  }
  return true;
}

}  // namespace weir::fuzz
