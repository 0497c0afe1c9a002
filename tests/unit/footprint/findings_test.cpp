#include "findings/footprint.hpp"

#include <nlohmann/json.hpp>
#include <sstream>

#include "base/checked.hpp"
#include "models.hpp"
#include "report/table.hpp"
#include "support/catch.hpp"
#include "support/text.hpp"

using namespace weir;
using namespace weir::findings;
using test::contains;

namespace {

/// The words of the line of `text` that begins with `label`.
std::vector<std::string> advice_text(const std::string& text, const std::string& label) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const auto at = line.find_first_not_of(' ');
    if (at == line.npos || line.compare(at, label.size(), label) != 0) continue;
    std::istringstream rest(line.substr(at + label.size()));
    return {std::istream_iterator<std::string>(rest), {}};
  }
  return {};
}

}  // namespace

TEST_CASE("the summary table shows batch, micro-batch and prediction", "[footprint]") {
  auto model = test::published();
  model.micro_batch = 1;
  const auto text = footprint_text(model_figures(model));
  CHECK(contains(text, "MB = 10^6 bytes, MiB = 2^20 bytes"));
  CHECK(contains(text, "batch 128 MiB"));
  CHECK(contains(text, "1 at once MiB"));
  using Words = std::vector<std::string>;
  CHECK(advice_text(text, "these three") == Words{"218.27", "228.88", "218.27", "228.88"});
  CHECK(advice_text(text, "activations  ") == Words{"520.27", "545.54", "4.06", "4.26"});
  CHECK(advice_text(text, "input batch") == Words{"4.39", "4.61", "4.39", "4.61"});
  CHECK(advice_text(text, "total") == Words{"742.93", "779.02", "226.73", "237.75"});
  // A second table, because one would be wider than a terminal.
  const auto prediction = text.substr(text.find("prediction 1 MiB"));
  CHECK(advice_text(prediction, "these three") == Words{"-"});
  CHECK(advice_text(prediction, "activations  ") == Words{"2.03", "2.13"});
  CHECK(advice_text(prediction, "total") == Words{"79.18", "83.03"});
}

TEST_CASE("the table by layer adds up to its last line", "[footprint]") {
  const auto text = footprint_text(model_figures(
      test::dense(1000, {test::linear(2000), {layer::Dropout{}, "drop"}, test::linear(10)})));
  using Words = std::vector<std::string>;
  CHECK(advice_text(text, "0  Linear") ==
        Words{"2000", "2,002,000", "2,000", "7.64", "7.64", "-", "-"});
  CHECK(advice_text(text, "1  Dropout drop") == Words{"2000", "-", "2,000", "-", "-", "-", "0.01"});
  CHECK(advice_text(text, "in all") == Words{"2,022,010", "4,010", "7.71", "7.71", "0.00", "0.01"});
  const auto lines = report::wrapped(text);
  for (std::size_t at = 0, end; (end = lines.find('\n', at)) != lines.npos; at = end + 1)
    CHECK(end - at <= 80);
}

TEST_CASE("names from a file carry no control bytes into the table", "[footprint]") {
  auto model = test::published();
  model.name = "a\x1b[31m";
  model.layers[0].name.assign(200, 'x').push_back('\n');
  const auto text = footprint_text(model_figures(model));
  CHECK_FALSE(contains(text, "\x1b"));
  CHECK_FALSE(contains(text, std::string(40, 'x')));
}

TEST_CASE("what fits is the largest that does, and none is said so", "[footprint]") {
  const auto model = test::published();
  const auto fit = *model_figures(model, 1ull << 30).fit;
  CHECK(fit.at_once.images == largest_batch(model, 1ull << 30));
  CHECK(fit.at_once.peak_bytes <= 1ull << 30);
  CHECK(fit.micro_batch.images == 128);
  CHECK_FALSE(fit.in_micros);
  const auto text = footprint_text(model_figures(model, 1 << 20));
  CHECK(contains(text, "not even one image fits"));
  CHECK(to_json(model_figures(model, 1 << 20))["fit"]["batch"]["images"] == 0);
}

TEST_CASE("JSON has every layer and both units' bytes", "[footprint]") {
  auto model = test::dense(8, {{layer::Linear{4}, "fc"}});
  model.batch = 3;
  const auto json = to_json(model_figures(model));
  CHECK(json["parameters"] == 36);
  CHECK(json["layers"][0]["name"] == "fc");
  CHECK(json["layers"][0]["output"] == report::Json::array({4}));
  CHECK(json["batch"]["total_bytes"] == 36 * 8 + 3 * 4 * 4 + 3 * 8 * 4);
  CHECK(json["micro_batch"].is_null());
  CHECK(json["fit"].is_null());
}

TEST_CASE("a place in the queue beside one more image", "[footprint]") {
  Options options;
  options.shape = {8, 8};
  options.batch = 16;
  options.workers = 1;
  const auto plan = resolve(options, 0);
  Model model;
  model.input = {3, 8, 8};
  model.layers = {test::conv3(4)};
  model.batch = 16;
  const auto both = together(plan, model_figures(model));
  CHECK(both.host_bytes == plan.slabs * plan.slab_bytes + plan.index_bytes);
  CHECK(both.slot_host_bytes == plan.slab_bytes);
  CHECK(both.image_training_bytes ==
        4 * (3 * 64 + 4 * 64 + 4 * 64));  // input, output, its gradient
  // A second micro-batch, which adds gradients up, is not the cost of an image.
  model.micro_batch = 16;
  CHECK(together(plan, model_figures(model)).image_training_bytes == both.image_training_bytes);
  model.micro_batch.reset();
  // The columns of 17 rows, without those of 16. Labels and indices of 17 rows begin another 64 bytes,
  // as the windows do.
  const auto more = [&](std::uint64_t each) {
    return round_up(17 * each, 64) - round_up(16 * each, 64);
  };
  const auto row = more(8 * 8 * 3) + 2 * more(8) + more(1) + more(sizeof(Window));
  CHECK(both.image_host_bytes == plan.slabs * row);
  // A plane counts, too.
  options.planes = {{.name = "mask", .pixels = PixelFormat::stored8}};
  const auto masked = resolve(options, 0);
  CHECK(together(masked, model_figures(model)).image_host_bytes ==
        masked.slabs * (row + more(8 * 8) + more(1)));
  CHECK(both.mismatch.empty());
  CHECK(contains(together_text(both, plan), "one more queue slot"));

  model.input = {1, 8, 8};
  const auto mismatch = [&] { return together(plan, model_figures(model)).mismatch; };
  const std::string loader = "the loader gives images of 3x8x8, the model takes ";
  CHECK(mismatch() == loader + "1x8x8; write --pixels grey8");
  model.input = {1, 9, 8};
  CHECK(mismatch() == loader + "1x9x8; write --pixels grey8 --size 9x8");
  model.input = {7, 8, 8};
  CHECK(mismatch() == loader + "7x8x8");

  Together huge;
  huge.training_bytes = huge.image_training_bytes = unlimited - 1;
  huge.host_bytes = huge.image_host_bytes = huge.slot_host_bytes = 2;
  CHECK(to_json(huge)["total_bytes"] == unlimited);
  const auto text = together_text(huge, plan);
  CHECK(advice_text(text, "staging and index; training at its peak") ==
        std::vector<std::string>{"2", "B", "16.00", "EiB", "16.00", "EiB"});
  CHECK(contains(text, "9.22e+18 slots"));
}
