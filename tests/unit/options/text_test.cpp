#include <string>

#include "support/catch.hpp"
#include "weir/options.hpp"

using namespace weir;

namespace {

std::string refusal(const std::string& text) {
  try {
    static_cast<void>(Options::parse(text));
  } catch (const Error& error) {
    CHECK(error.code() == Errc::bad_options);
    return error.what();
  }
  return "accepted";
}

bool refuses(const std::string& text, const std::string& part) {
  INFO(refusal(text));
  return refusal(text).find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a text gives options, and others keep their defaults", "[options]") {
  const auto options = Options::parse("batch=64,shape=112x96,fit=random,max_queue_size=9");
  CHECK(options.batch == 64);
  CHECK(options.shape == ImageSize{112, 96});
  CHECK(options.fit == Fit::random);
  CHECK(options.queue.max_queue_size == 9);
  CHECK(options.queue.max_leases == 1);
  CHECK(to_string(Options::parse("")).empty());
}

TEST_CASE("values of each kind are read", "[options]") {
  const auto options = Options::parse(
      "memory.budget_bytes=1.5GiB,max_sample_bytes=measured,flip.horizontal=50%,"
      "random.area=0.3:1,fill=114,letterbox.enlarge=false,order=blocks:8:4,watchdog.after=250,"
      "planes=mask pixels=grey8 fill=255 scale=1/2 optional=true; depth pixels=stored16,"
      "transform.whole=image:mask,drop_last=true,limits.max_side=99");
  CHECK(options.memory.budget_bytes == 3ull << 29);
  CHECK(options.memory.max_sample_bytes == ByteBound::measured);
  CHECK(options.flip.horizontal == 0.5);
  CHECK(options.random.area == std::array{0.3, 1.0});
  CHECK(options.fill == Fill{114, 114, 114, 0});
  // What has no channel is not dropped.
  CHECK(Options::parse("fill=1:2,pixels=grey8").fill == Fill{1, 2, 0, 0});
  CHECK_FALSE(options.letterbox.enlarge);
  CHECK(options.order == Order::blocks(8, 4));
  CHECK(options.watchdog.after == std::chrono::milliseconds(250));
  REQUIRE(options.planes.size() == 2);
  CHECK(options.planes[0].pixels == PixelFormat::grey8);
  CHECK(options.planes[0].fill == Fill{255, 0, 0, 0});
  CHECK(options.planes[0].scale == Ratio{1, 2});
  CHECK(options.planes[0].optional);
  CHECK(options.planes[1].name == "depth");
  CHECK(options.transform.whole == std::vector<std::string>{"image", "mask"});
  CHECK(options.drop_last);
  CHECK(options.limits.max_side == 99);
  CHECK(to_string(options) == to_string(Options::parse(to_string(options))));
}

TEST_CASE("a schedule of sizes is repeated from its text", "[options]") {
  const auto options =
      Options::parse("shape=32x48,sizes.size.name=epoch 0: 16; 2+3: 32x48,fill=7:0");
  CHECK(options.sizes.size.of({.epoch = 2, .step = 2}) == ImageSize{16, 16});
  CHECK(options.sizes.size.of({.epoch = 2, .step = 3}) == ImageSize{32, 48});
  CHECK(to_string(options) == "shape=32x48,fill=7:0,sizes.size.name=epoch 0: 16x16; 2+3: 32x48");
  CHECK(refuses("sizes.size.name=epoch 1: 16",
                "`sizes.size.name` = epoch 1: 16: part 1 'epoch 1: 16': the first size must be"));
}

TEST_CASE("objects are left out of the text of options", "[options]") {
  Options options;
  options.seed = 5;
  options.transform = {.apply = [](DecodedSample&) {}, .input = TransformInput::fitted};
  options.window = {.choose = [](const WindowInput&, Random&) { return Window{}; }, .name = "mine"};
  options.sizes.size = {"mine", [](const SizeInput&) { return ImageSize{8, 8}; }};
  options.order = GENERATE(Order::weighted({1, 2}), Order::own("mine", 10, {}));
  options.partners = {.count = 1, .pick = PartnerPick::own, .name = "mine"};
  options.planes = {{.name = "mask", .made = true}};
  CHECK(to_string(options) == "seed=5");
}

TEST_CASE("a text that cannot be read names the option and the value", "[options]") {
  CHECK(refuses("batch=0", "`batch` = 0: must be 1 to 1048576"));
  CHECK(refuses("batch=1e3", "`batch` = 1e3: must be a whole number, 1 to 1048576; write 1000"));
  CHECK(refuses("interval=1", "`tuning.interval` = 1: must be 10 ms or more"));
  CHECK(refuses("interval=1e3", "must be a whole number, 10 or more; write 1000"));
  CHECK(refuses("bach=3", "'bach': no option has this name"));
  CHECK(refuses("batch", "batch has no value; write batch=VALUE"));
  CHECK(refuses("batch=3,batch=4", "batch is given twice"));
  CHECK(refuses("batch=3,", "'': no option has this name"));
  CHECK(refuses("max_bytes=3",
                "'max_bytes': several options end so; write queue.max_bytes or cache.max_bytes"));
  CHECK(refuses("fit=crop", "`fit` = crop: must be one of center|random|stretch|letterbox|patch"));
  CHECK(refuses("shape=224", "`shape` = 224: must be HxW, each 1 to 65500"));
  CHECK(refuses("planes=mask scale=0", "`planes` = mask scale=0: must be A or A/B"));
  CHECK(refuses("planes=mask size=3", "must be NAME key=value"));
  CHECK(refuses("transform.apply=f", "`transform.apply` = f: is an object of C++"));
}
