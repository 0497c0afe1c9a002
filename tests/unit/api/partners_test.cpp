// Options::partners: rows of several samples.
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <stdexcept>

#include "contract/laws/breach.hpp"
#include "contract/laws/fixture.hpp"
#include "contract/laws/rows.hpp"
#include "support/catch.hpp"
#include "support/text.hpp"
#include "unit/api/plain_source.hpp"

using namespace weir;
using namespace weir::test;

namespace {

/// Writes what the partners are: their sum to the row, their number to each label, all indices to the
/// annotation.
void mix(DecodedSample& sample) {
  std::vector<std::uint64_t> indices{sample.index};
  for (const auto& partner : sample.partners) {
    indices.push_back(partner.index);
    const auto y = partner.image.shape.height / 2, x = partner.image.shape.width / 2;
    const auto value = partner.image.data[y * partner.image.row_stride + 3 * x];
    for (std::uint32_t line = 0; line < sample.row.shape.height; ++line)
      for (auto& byte : sample.row.line_as<std::uint8_t>(line)) byte = std::uint8_t(byte + value);
    sample.label += 10 * (1 + partner.label) + 1000 * partner.attempt;
  }
  sample.annotation.assign(std::span<const std::uint64_t>(indices));
}

Options mixed(std::uint32_t count, TransformInput input = TransformInput::fitted) {
  auto options = small_options();
  options.order = Order::shuffle();
  options.seed = 5;
  options.partners.count = count;
  options.annotation_bytes = sizeof(std::uint64_t) * (1 + count);
  options.transform = {.apply = mix, .input = input};
  return options;
}

using RowSamples = std::vector<std::vector<std::uint64_t>>;
/// The samples of each row: what mix() has written.
void add_samples(const Batch& batch, RowSamples& rows) {
  for (std::uint32_t i = 0; i < batch.size(); ++i) {
    if (batch.statuses()[i] == RowStatus::padding) continue;
    const auto indices = batch.annotations<std::uint64_t>(i);
    rows.emplace_back(indices.begin(), indices.end());
  }
}

RowSamples samples_of(Loader& loader, const StreamOptions& extent = {}) {
  RowSamples rows;
  for (auto& batch : loader.stream(extent)) add_samples(batch, rows);
  return rows;
}

bool differ(std::vector<std::uint64_t> samples) {
  std::ranges::sort(samples);
  return std::ranges::adjacent_find(samples) == samples.end();
}

}  // namespace

TEST_CASE("rows have partners, and the books count them", "[api][partners]") {
  auto options = mixed(3);
  Loader loader(Plain(50), options);
  CHECK(loader.plan().partners == 3);
  const auto rows = samples_of(loader, {.epochs = 2});
  REQUIRE(rows.size() == 100);
  std::set<std::uint64_t> partners;
  for (const auto& row : rows) {
    REQUIRE(row.size() == 4);
    CHECK(differ(row));
    partners.insert(row.begin() + 1, row.end());
  }
  CHECK(partners.size() > 45);
  CHECK(std::vector(rows.begin(), rows.begin() + 50) != std::vector(rows.begin() + 50, rows.end()));
  const auto samples = loader.snapshot().samples;
  CHECK(samples.drawn == 100);
  CHECK(samples.consumed == 100);
  CHECK(samples.partners == 300);
  CHECK(samples.conserved());
  CHECK(samples.has_partners(3));
  CHECK_FALSE(samples.has_partners(2));
}

TEST_CASE("a partner looks as its sample does in a row of its own", "[api][partners]") {
  struct Look {
    std::vector<std::uint8_t> image, mask;
    Window window;
    std::int64_t label;
    std::uint64_t annotation;
    PlaneStatus status;
    bool operator==(const Look&) const = default;
  };
  const auto pixels = [](const ImageView& view) {
    std::vector<std::uint8_t> all;
    for (std::uint32_t y = 0; view.data && y < view.shape.height; ++y)
      all.insert(all.end(), view.data + y * view.row_stride,
                 view.data + y * view.row_stride + view.line_bytes());
    return all;
  };
  const auto input = GENERATE(TransformInput::fitted, TransformInput::decoded);
  auto options = small_options();
  options.shape = {20, 28};
  options.fit = GENERATE(Fit::center, Fit::letterbox, Fit::stretch);
  options.fill = {7, 7, 7};
  options.planes = {{.name = "mask",
                     .pixels = PixelFormat::grey8,
                     .fill = {9},
                     .scale = {1, 2},
                     .optional = true}};
  options.annotation_bytes = sizeof(std::uint64_t);
  const Plain source(24, {}, {3, 11});
  std::mutex mutex;
  std::map<std::uint64_t, Look> alone;
  auto by_itself = options;
  by_itself.transform = {
      .apply =
          [&](DecodedSample& s) {
            const std::lock_guard lock(mutex);
            alone[s.index] = {
                pixels(s.image), pixels(s.planes[0].image),           s.window,
                s.label,         s.annotation.as<std::uint64_t>()[0], s.planes[0].status};
          },
      .input = input};
  Loader first(source, by_itself);
  drain(first);
  REQUIRE(alone.size() == 24);

  std::uint64_t seen = 0, different = 0;
  options.partners.count = 2;
  // What the pixels of a partner look like in a row of its own.
  const auto in_row = [&](const ImageView& part, PixelOffset at, ImageSize row, std::uint8_t fill) {
    if (!part.data || input == TransformInput::decoded) return pixels(part);
    const auto pixel = pixel_bytes(part.format);
    const auto line = row.width * pixel;
    std::vector<std::uint8_t> all(row.height * line, fill);
    for (std::uint32_t y = 0; y < part.shape.height; ++y)
      std::copy_n(part.data + y * part.row_stride, part.line_bytes(),
                  all.data() + (at.y + y) * line + at.x * pixel);
    return all;
  };
  options.transform = {
      .apply =
          [&](DecodedSample& s) {
            const std::lock_guard lock(mutex);
            for (const auto& p : s.partners) {
              ++seen;
              different += alone.at(p.index) !=
                           Look{in_row(p.image, p.at, s.row.shape, 7),
                                in_row(p.planes[0].image, p.planes[0].at, s.planes[0].row.shape, 9),
                                p.window,
                                p.label,
                                p.annotations<std::uint64_t>()[0],
                                p.planes[0].status};
            }
          },
      .input = input};
  Loader loader(source, options);
  drain(loader, {.epochs = 3});
  CHECK(seen == 3 * 24 * 2);
  CHECK(different == 0);
}

TEST_CASE("rows of several samples are the same on other machines",
          "[api][partners][determinism]") {
  auto options = mixed(4, GENERATE(TransformInput::fitted, TransformInput::decoded));
  options.fit = Fit::random;
  options.faults.policy = OnFault::skip;
  options.planes = {{.name = "mask", .pixels = PixelFormat::grey8, .optional = true}};
  options.memory.max_sample_bytes = 120'000;
  const Plain source(40, {4, 9, 22}, {5});
  Loader first(source, options);
  const auto expected = drain(first, {.epochs = 2});
  REQUIRE(expected.indices.size() == 80);
  const auto mask = first.report().planes[0];
  CHECK(mask.decodes > 4 * mask.ok);
  for (const auto& other : on_other_machines(options)) {
    CAPTURE(other.workers, other.queue.max_queue_size, other.io.read_ahead);
    Loader loader(source, other);
    CHECK(drain(loader, {.epochs = 2}) == expected);
    CHECK(loader.snapshot().samples.has_partners(4));
    CHECK(breach_of(loader.snapshot(), loader.plan()).empty());
  }
  auto cached = options;
  cached.cache = {Cache::encoded, 1 << 20};
  Loader loader(source, cached);
  CHECK(drain(loader, {.epochs = 2}) == expected);
  const auto cache = loader.report().cache;
  // Each sample of a row is looked up. After a failure all samples of the row are.
  CHECK(cache.hits + cache.misses >= 80 * 5);
  CHECK(cache.hits > 300);
}

TEST_CASE("a window puts each sample into its part of the row", "[api][partners]") {
  auto options = small_options();
  options.shape = {32, 32};
  options.annotation_bytes = 64;
  options.partners.count = 3;
  options.window = {
      .choose =
          [](const WindowInput& in, Random&) {
            auto shared = in.row_random;
            const double x = 8 + 16 * shared.uniform(), y = 8 + 16 * shared.uniform();
            const Rect quarters[] = {
                {0, 0, x, y}, {x, 0, 32 - x, y}, {0, y, x, 32 - y}, {x, y, 32 - x, 32 - y}};
            return Window{.source = {0, 0, double(in.image.width), double(in.image.height)},
                          .target = quarters[in.partner]};
          },
      .name = "quarters"};
  options.transform = {
      .apply =
          [](DecodedSample& s) {
            std::vector<std::uint64_t> indices{s.index};
            std::vector<Window> windows{s.window};
            for (const auto& p : s.partners) {
              indices.push_back(p.index);
              windows.push_back(p.window);
              const auto& [x, y, width, height] = p.window.target;
              if (p.at != PixelOffset{std::uint32_t(std::round(x)), std::uint32_t(std::round(y))} ||
                  p.image.shape.width != std::round(x + width) - std::round(x) ||
                  p.image.shape.height != std::round(y + height) - std::round(y))
                throw std::runtime_error("the image is not its part of the row");
              for (std::uint32_t line = 0; line < p.image.shape.height; ++line)
                std::copy_n(p.image.data + line * p.image.row_stride, p.image.line_bytes(),
                            s.row.data + (p.at.y + line) * s.row.row_stride + 3 * p.at.x);
            }
            // The four targets meet in one point.
            for (const auto& w : windows)
              if (std::abs(windows[3].target.x - (w.target.x == 0 ? w.target.width : w.target.x)) >
                  1e-9)
                throw std::runtime_error("the centres differ");
            s.annotation.assign(std::span<const std::uint64_t>(indices));
          },
      .input = TransformInput::fitted};
  Loader loader(Plain(20), options);
  for (auto& batch : loader.stream())
    for (std::uint32_t i = 0; i < batch.size(); ++i) {
      const auto indices = batch.annotations<std::uint64_t>(i);
      const auto image = batch.image(i);
      const auto corner = [&](std::uint32_t y, std::uint32_t x) {
        return std::uint64_t{image.data[y * image.row_stride + 3 * x]};
      };
      CHECK(corner(0, 0) == indices[0]);
      CHECK(corner(0, 31) == indices[1]);
      CHECK(corner(31, 0) == indices[2]);
      CHECK(corner(31, 31) == indices[3]);
    }
}

TEST_CASE("a partner that fails is redrawn and named, alone", "[api][partners][faults]") {
  auto options = mixed(3);
  options.order = Order::sequential();
  options.faults.policy = OnFault::skip;
  Loader loader(Plain(30, {7}), options);
  std::uint64_t redrawn = 0;
  for (auto& batch : loader.stream({.epochs = 2}))
    for (std::uint32_t i = 0; i < batch.size(); ++i) {
      const auto own = batch.sequence() % 8 * 4 + i;
      const auto indices = batch.annotations<std::uint64_t>(i);
      CHECK(differ({indices.begin(), indices.end()}));
      CHECK(std::ranges::find(indices, 7u) == indices.end());
      CHECK((batch.indices()[i] == own) == (own != 7));
      CHECK((batch.statuses()[i] == RowStatus::replaced) == (own == 7));
      redrawn += static_cast<std::uint64_t>(batch.labels()[i]) / 1000;
    }
  const auto report = loader.report();
  CHECK(redrawn > 0);
  CHECK(report.fault_count == redrawn + 2);
  CHECK(report.samples.replaced == 2);
  CHECK(report.samples.failed == redrawn + 2);
  CHECK(report.samples.drawn == 60 + redrawn + 2);
  CHECK(report.samples.partners == 180);
  CHECK(report.samples.conserved());
  std::uint64_t named = 0;
  for (const auto& fault : report.faults) {
    CHECK(fault.index == 7);
    CHECK(fault.name == "plain/7");
    const bool partner = fault.reason.starts_with("partner ");
    named += partner;
    CHECK((fault.reason.find(" of the row of sample ") != std::string::npos) == partner);
  }
  CHECK(named == redrawn);
}

TEST_CASE("a partner that fails ends the stream or blanks its row", "[api][partners][faults]") {
  auto options = mixed(1);
  options.order = Order::sequential();
  options.partners.pick = PartnerPick::own;
  options.partners.name = "next";
  options.partners.choose = [](std::uint64_t, std::uint64_t position, std::uint32_t, Random&) {
    return (position + 1) % 12;
  };
  options.faults.policy = OnFault::blank;
  Loader blank(Plain(12, {6}), options);
  std::vector<RowStatus> statuses;
  for (auto& batch : blank.stream())
    statuses.insert(statuses.end(), batch.statuses().begin(), batch.statuses().end());
  for (std::uint64_t i = 0; i < 12; ++i)
    CHECK((statuses[i] == RowStatus::blank) == (i == 5 || i == 6));
  CHECK(blank.snapshot().samples.partners == 10);
  CHECK(blank.snapshot().samples.failed == 2);

  options.faults.policy = OnFault::stop;
  Loader stop(Plain(12, {6}), options);
  auto stream = stop.stream();
  CHECK(stream.next());
  CHECK_THROWS_WITH(stream.next(),
                    has_text("plain/6") && has_text("partner 1 of the row of sample 5"));
  stream.settle();
  CHECK(stop.snapshot().samples.has_partners(1));

  // A function that gives the same sample after each failure.
  options.faults.policy = OnFault::skip;
  Loader skip(Plain(12, {6}), options);
  CHECK_THROWS_WITH(drain(skip), has_text("failed 64 times") && has_text("plain/6"));
}

TEST_CASE("partners are of the label of their row if that is asked", "[api][partners]") {
  auto options = mixed(3);
  options.partners.pick = PartnerPick::same_label;
  options.partners.repeat = GENERATE(false, true);
  options.order = GENERATE(Order::shuffle(), Order::every(2, 1));
  const Plain source(80);
  Loader loader(source, options);
  const auto rows = samples_of(loader);
  REQUIRE(rows.size() >= 40);
  bool repeated = false;
  for (const auto& row : rows) {
    repeated |= !differ(row);
    for (const auto index : row) {
      CHECK(index % 4 == row[0] % 4);
      CHECK((options.order.kind == Order::Kind::shuffle || index % 2 == 1));
    }
  }
  CHECK(repeated == options.partners.repeat);
  const auto without = [&] {
    auto other = options;
    other.partners.pick = PartnerPick::any;
    return Loader(source, other).plan().index_bytes;
  };
  CHECK(loader.plan().index_bytes == without() + 80 * 16);
}

TEST_CASE("ranks and a resumed job draw the partners of one process", "[api][partners]") {
  const auto options = mixed(2);
  const Plain source(61);
  Loader one(source, options);
  const auto expected = samples_of(one, {.epochs = 2});

  auto in_ranks = options;
  in_ranks.batch = 2;
  RowSamples rows;
  auto whole = options;
  whole.batch = 6;
  Loader global(source, whole);
  const auto global_rows = samples_of(global);
  auto loaders = job(source, in_ranks, 3);
  std::vector<Stream> streams;
  for (auto& loader : loaders) streams.push_back(loader.stream());
  for (bool more = true; more;)
    for (auto& stream : streams) {
      const auto batch = stream.next();
      more = batch.has_value();
      if (more) add_samples(*batch, rows);
    }
  CHECK(rows == global_rows);
  CHECK(std::vector(expected.begin(), expected.begin() + 61) == global_rows);

  RowSamples resumed;
  Loader before(source, options);
  Progress progress;
  {
    auto stream = before.stream({.epochs = 2});
    for (int i = 0; i < 9; ++i) add_samples(*stream.next(), resumed);
    progress = stream.progress();
  }
  Loader after(source, options);
  const auto rest = samples_of(after, {.resume = progress, .epochs = 2});
  resumed.insert(resumed.end(), rest.begin(), rest.end());
  CHECK(resumed == expected);
}

TEST_CASE("a request has partners by the number of its row", "[api][partners]") {
  auto options = mixed(2);
  options.order = Order::every(50);  // requests draw from all samples
  options.partners.repeat = true;
  Loader loader(Plain(60), options);
  const auto ask = [&] {
    auto requests = loader.requests();
    requests.ask({3, 3, 3});
    requests.ask({40});
    RowSamples rows;
    while (rows.size() < 4) add_samples(*requests.next(), rows);
    return rows;
  };
  const auto rows = ask();
  REQUIRE(rows.size() == 4);
  CHECK(rows[0][0] == 3);
  CHECK(rows[3][0] == 40);
  CHECK(rows[0] != rows[1]);
  CHECK(rows == ask());
}

TEST_CASE("partners have the size of their row if sizes differ", "[api][partners][sizes]") {
  auto options = mixed(2);
  options.sizes.mode = GENERATE(Sizes::padded, Sizes::ragged);
  const Plain source(40, {6});
  options.faults.policy = OnFault::skip;
  std::atomic<std::uint64_t> wrong{0};
  options.transform.apply = [&](DecodedSample& sample) {
    for (const auto& partner : sample.partners) {
      wrong += partner.image.shape != sample.row.shape;
      wrong += partner.image.data[0] != partner.index;
      wrong += partner.image.data[partner.image.bytes() - 1] != partner.index;
    }
    mix(sample);
  };
  Loader first(source, options);
  const auto expected = drain(first, {.epochs = 2});
  CHECK(wrong == 0);
  CHECK(expected.indices.size() == 80);
  options.workers = 1;
  options.io.read_ahead = 3;
  options.memory.budget_bytes = first.plan().floor_bytes + 3000;
  Loader other(source, options);
  CHECK(drain(other, {.epochs = 2}) == expected);
}

TEST_CASE("the measured bytes hold all samples of a row", "[api][partners][measured]") {
  auto options = mixed(3, GENERATE(TransformInput::fitted, TransformInput::decoded));
  options.shape = {64, 64};
  options.faults.policy = OnFault::blank;
  const Plain source(12);
  const auto most = measure_sample_bytes(source, options);
  const auto faults = [&](std::uint64_t bound) {
    auto bounded = options;
    bounded.memory.max_sample_bytes = bound;
    Loader loader(source, bounded);
    drain(loader, {.epochs = 4});
    return loader.report();
  };
  CHECK(faults(most).fault_count == 0);
  auto alone = options;
  alone.partners = {};
  const auto one = measure_sample_bytes(source, alone);
  CHECK(most > one);
  CHECK(most < 5 * (one + 3 * 64 * 64));
  const auto report = faults(one);
  CHECK(report.fault_count > 0);
  CHECK(report.faults[0].kind == FaultKind::memory);
  auto measured = options;
  measured.memory.max_sample_bytes = ByteBound::measured;
  Loader loader(source, measured);
  CHECK(loader.plan().max_sample_bytes == most);
  CHECK(loader.plan().data_ceiling_bytes);
  drain(loader, {.epochs = 2});
  CHECK(loader.snapshot().memory.peak <= *loader.plan().data_ceiling_bytes);
}

TEST_CASE("rows without a transform still read their partners", "[api][partners]") {
  auto options = mixed(3);
  options.transform = {};
  Loader loader(Plain(20), options);
  const auto log = drain(loader);
  CHECK(log.indices.size() == 20);
  CHECK(loader.snapshot().samples.partners == 60);
  std::uint64_t decoded = 0;
  for (const auto& stage : loader.report().stages)
    if (stage.stage == Stage::decode) decoded = stage.count;
  CHECK(decoded == 20);
}

TEST_CASE("partners that cannot be are refused before a thread starts", "[api][partners]") {
  const auto refused = [](Options options, const std::string& text) {
    CAPTURE(text);
    CHECK_THROWS_WITH(Loader(Plain(20), options), has_text(text));
  };
  const auto with = [](auto change) {
    auto options = mixed(3);
    change(options);
    return options;
  };
  refused(with([](auto& o) { o.partners.count = 16; }), "`partners.count` = 16: must be 0 to 15");
  refused(with([](auto& o) { o.order = Order::every(7); }),
          "`partners.count` = 3: must be below the number of samples that the order draws, 3");
  refused(with([](auto& o) {
            std::vector<double> weights(20);
            weights[2] = weights[4] = 1;
            o.order = Order::weighted(weights);
          }),
          "must be below the number of samples that the order draws, 2");
  refused(with([](auto& o) { o.decode = Decode::none; }), "partners.count");
  refused(with([](auto& o) {
            o.transform = {};
            o.annotation_bytes = 0;
            o.cache = {Cache::decoded, 1 << 20};
          }),
          "`partners.count` makes a row of several samples; `cache.keep` = encoded");
  refused(with([](auto& o) { o.partners.pick = PartnerPick::own; }), "needs `partners.choose`");
  const auto zero = [](std::uint64_t, std::uint64_t, std::uint32_t, Random&) {
    return std::uint64_t{0};
  };
  refused(with([&](auto& o) { o.partners.choose = zero; }), "`partners.choose` is for own");
  refused(with([&](auto& o) {
            o.partners.pick = PartnerPick::own;
            o.partners.choose = zero;
          }),
          "partners.name");
  refused(with([&](auto& o) {
            o.partners = {
                .count = 1, .pick = PartnerPick::own, .repeat = true, .choose = zero, .name = "a"};
          }),
          "partners.repeat");
  refused(with([](auto& o) { o.partners = {.count = 0, .repeat = true}; }),
          "without `partners.count`");
  refused(with([](auto& o) {
            o.partners.pick = PartnerPick::same_label;
            o.partners.count = 5;
          }),
          "a row needs 6 samples of its label, and label 0 has 5");
  refused(with([](auto& o) {
            o.partners.pick = PartnerPick::same_label;
            o.order =
                Order::own("mine", 20, [](std::uint64_t, std::uint64_t p, Random&) { return p; });
          }),
          "Order::own");
  refused(with([](auto& o) {
            o.window = {.choose = [](const WindowInput&, Random&) { return Window{}; },
                        .name = "same",
                        .same_each_epoch = true};
          }),
          "window.same_each_epoch");
  auto unlabelled = mixed(2);
  unlabelled.partners.pick = PartnerPick::same_label;
  CHECK_THROWS_WITH(Loader(Flawed(20, 0), unlabelled), has_text("flawed/0") && has_text("label"));
}

TEST_CASE("a function that gives no partner ends the stream", "[api][partners]") {
  auto options = mixed(2);
  options.order = Order::sequential();
  options.partners = {.count = 2, .pick = PartnerPick::own, .name = "mine"};
  options.partners.choose = [](std::uint64_t, std::uint64_t position, std::uint32_t partner,
                               Random&) {
    return position == 9 && partner == 2 ? 100 : position / 2;
  };
  Loader loader(Plain(20), options);
  auto stream = loader.stream();
  CHECK(stream.next());
  CHECK(stream.next());
  CHECK_THROWS_WITH(stream.next(), has_text("`partners.choose` (mine) gives index 100") &&
                                       has_text("position 9, partner 2"));
  options.partners.choose = [](std::uint64_t, std::uint64_t, std::uint32_t,
                               Random&) -> std::uint64_t { throw std::out_of_range("no partner"); };
  Loader throwing(Plain(20), options);
  CHECK_THROWS_AS(drain(throwing), std::out_of_range);
}
