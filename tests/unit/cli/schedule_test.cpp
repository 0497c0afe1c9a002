// --schedule: what it reads, and its refusals.
#include <stdexcept>
#include <string>
#include <vector>

#include "cli/measure.hpp"
#include "cli/settings.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"
#include "support/text.hpp"

using namespace weir;
using namespace weir::cli;
using test::contains;

namespace {

Options with(std::vector<std::string> words) {
  words.insert(words.begin(), {"run", "x", "--schedule"});
  return parse(words).options;
}

std::string why(std::vector<std::string> words) {
  try {
    with(std::move(words));
  } catch (const Refusal& refused) {
    CHECK(refused.exit_code == 2);
    return refused.text;
  }
  return "accepted";
}

}  // namespace

TEST_CASE("a schedule gives the size of an epoch and a step", "[settings]") {
  const auto options = with({"epoch 0: 160, epoch 10:192,30+500 : 224x320"});
  CHECK(options.shape == ImageSize{224, 320});
  const auto& [name, of] = options.sizes.size;
  CHECK(name == "epoch 0: 160x160; 10: 192x192; 30+500: 224x320");
  CHECK(of({.epoch = 0}) == ImageSize{160, 160});
  CHECK(of({.epoch = 9, .step = 1000}) == ImageSize{160, 160});
  CHECK(of({.epoch = 10}) == ImageSize{192, 192});
  CHECK(of({.epoch = 30, .step = 499}) == ImageSize{192, 192});
  CHECK(of({.epoch = 30, .step = 500}) == ImageSize{224, 320});
  CHECK(of({.epoch = 31}) == ImageSize{224, 320});
  CHECK(with({"0: 160, 2: 224"}).shape == ImageSize{224, 224});
  CHECK(with({"epoch 0: 160", "--size", "200x200"}).shape == ImageSize{200, 200});
}

TEST_CASE("a schedule bounds images that keep their own sizes", "[settings]") {
  const auto sizes = with({"epoch 0: 100x50, 1: 40", "--sizes", "ragged"}).sizes;
  CHECK(sizes.bound() == ImageSize{100, 50});
  CHECK(sizes.size.of({.index = 3, .image = {300, 100}}) == ImageSize{100, 33});
  CHECK(sizes.size.of({.epoch = 1, .index = 3, .image = {20, 10}}) == ImageSize{20, 10});
  const auto bounded = with({"epoch 0: 40", "--sizes", "padded", "--max-size", "90x80"}).sizes;
  CHECK(bounded.bound() == ImageSize{90, 80});
}

TEST_CASE("a schedule may be a file", "[settings]") {
  const test::TemporaryFolder folder;
  const auto file = [&](std::string_view text) {
    folder.write("sizes", text);
    return (folder.path() / "sizes").string();
  };
  const auto options = with({file("# growing\r\n0: 16\n\n  1+2: 20x30 \n")});
  CHECK(options.sizes.size.name == "epoch 0: 16x16; 1+2: 20x30");
  std::string many = "0: 16\n";
  for (int epoch = 1; epoch < 30; ++epoch) many += std::to_string(epoch) + ": 17\n";
  const auto name = with({file(many)}).sizes.size.name;
  CHECK(name.starts_with("schedule "));
  CHECK(name.size() <= 64);
  CHECK(name != with({file(many + "30: 18\n")}).sizes.size.name);
  CHECK(contains(why({file("0: 16\n# no\n2: 20\n1: 24\n")}),
                 "line 4 '1: 24': must be later than the part before it"));
  CHECK(contains(why({file("# nothing\n")}), "has no sizes"));
  CHECK_THROWS_AS(why({"/no/such/file"}), std::runtime_error);
}

TEST_CASE("tune and sweep measure the largest size that they reach", "[settings]") {
  const auto measured = [](std::string command, std::vector<std::string> more) {
    std::vector<std::string> words{std::move(command), "x", "--schedule",
                                   "epoch 0: 160, 10: 224, 20+5: 30x900"};
    words.insert(words.end(), more.begin(), more.end());
    const auto settings = parse(words);
    const auto& [name, of] = settings.options.sizes.size;
    CHECK(name == "epoch 0: 160x160; 10: 224x224; 20+5: 30x900");
    CHECK(settings.options.shape == ImageSize{224, 900});
    CHECK(of({.epoch = 0}) == of({.epoch = 30}));
    CHECK(of({}) == settings.measured_size);
    report::Json json;
    CHECK(contains(put_measured_size(json, settings), "reach.") == settings.epochs.has_value());
    return of({});
  };
  CHECK(measured("tune", {}) == ImageSize{224, 224});
  CHECK(measured("sweep", {}) == ImageSize{224, 224});
  CHECK(measured("tune", {"--epochs", "10"}) == ImageSize{160, 160});
  CHECK(measured("sweep", {"--epochs", "11"}) == ImageSize{224, 224});
  const auto own = parse({"sweep", "x", "--schedule", "epoch 0: 40, 5: 80", "--sizes", "ragged"});
  CHECK(own.options.sizes.size.of({.index = 1, .image = {100, 50}}) == ImageSize{80, 40});
}

TEST_CASE("a wrong schedule is refused by its part", "[settings]") {
  CHECK(contains(why({"epoch 0: 16, 1 24"}), "part 2 '1 24': has no colon; write EPOCH: SIZE"));
  CHECK(contains(why({"epoch 1: 16"}),
                 "part 1 'epoch 1: 16': the first size must be that of epoch 0"));
  CHECK(contains(why({"epoch 0+1: 16"}), "the first size must be that of epoch 0"));
  CHECK(
      contains(why({"epoch 0: 16, 0: 17"}), "part 2 '0: 17': must be later than the part before"));
  CHECK(contains(why({"epoch 0: 16, 2+5: 17, 2+4: 18"}), "part 3 '2+4: 18': must be later"));
  CHECK(contains(why({"epoch 0: 16, x: 17"}), "part 2 'x: 17': must be a whole number"));
  CHECK(contains(why({"epoch 0: 16, 3: 0"}), "part 2 '3: 0': must be HxW, each 1 to 65500"));
  CHECK(contains(why({"epoch 0: 16,"}), "part 2 '': has no colon"));
  CHECK(contains(why({"epoch 0: 16, 5: 300", "--size", "224x224"}),
                 "5: 300x300 is beyond 224x224, which --size gives; leave that option out"));
  CHECK(contains(why({"epoch 0: 9", "--sizes", "ragged", "--max-size", "8x9"}),
                 "0: 9x9 is beyond 8x9, which --max-size gives"));
  CHECK(contains(why({"epoch 0: 16", "--decode", "none"}), "is for decoded images"));
}
