#include "proof/configurations/configurations.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <numeric>
#include <thread>

#include "contract/laws/fixture.hpp"
#include "source/order.hpp"
#include "support/catch.hpp"

namespace weir::test {
namespace {

constexpr std::uint64_t members_a_family = 4;
// Less than ctest's limit for a quick test. A run takes some milliseconds.
constexpr auto hang = std::chrono::seconds(60);

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr || *text == '\0' ? otherwise : std::strtoull(text, nullptr, 10);
}

std::uint32_t between(RandomStream& random, std::uint32_t low, std::uint32_t high) {
  return low + static_cast<std::uint32_t>(random.below(high - low + 1));
}

/// Half of the values lie below the square root of the range, because limits are tight at small values.
std::uint64_t log_between(RandomStream& random, double low, double high) {
  return static_cast<std::uint64_t>(low * std::pow(high / low, random.uniform()));
}

void mix(std::uint64_t& digest, const void* data, std::size_t bytes) {
  const auto* from = static_cast<const unsigned char*>(data);
  for (; bytes > 0;) {
    const auto n = std::min<std::size_t>(bytes, 8);
    std::uint64_t word = 0;
    std::memcpy(&word, from, n);
    digest = mix64(digest ^ mix64(word + n));
    from += n;
    bytes -= n;
  }
}

void add(Outcome& outcome, const Batch& batch) {
  const auto pixels = batch.pixel_bytes();
  mix(outcome.digest, pixels.data(), pixels.size());
  mix(outcome.digest, batch.sizes().data(), batch.sizes().size_bytes());
  for (std::uint32_t i = 0; i < batch.size(); ++i) {
    const auto annotation = batch.annotation(i);
    mix(outcome.digest, annotation.data(), annotation.size());
    if (!batch.encoded().empty()) continue;
    const auto& window = batch.window(i);
    const double rectangles[] = {window.source.x,      window.source.y, window.source.width,
                                 window.source.height, window.target.x, window.target.y};
    mix(outcome.digest, rectangles, sizeof rectangles);
  }
  mix(outcome.digest, batch.labels().data(), batch.labels().size_bytes());
  mix(outcome.digest, batch.indices().data(), batch.indices().size_bytes());
  mix(outcome.digest, batch.statuses().data(), batch.statuses().size_bytes());
  for (const auto& name : batch.planes()) {
    const auto plane = batch.plane(name);
    mix(outcome.digest, plane.pixel_bytes().data(), plane.pixel_bytes().size());
    mix(outcome.digest, plane.statuses().data(), plane.statuses().size_bytes());
  }
  outcome.rows += batch.size();
}

/// Reads the books as often as it can, and stops a run that hangs.
class Watch {
 public:
  Watch(std::shared_ptr<MemoryLedger> ledger, std::string name)
      : ledger_(std::move(ledger)),
        name_(std::move(name)),
        thread_([this](const std::stop_token& stop) {
          const auto begun = std::chrono::steady_clock::now();
          while (!stop.stop_requested()) {
            look();
            if (std::chrono::steady_clock::now() - begun > hang) {
              std::fprintf(stderr, "hung: %s\n", name_.c_str());
              std::abort();
            }
            std::this_thread::sleep_for(std::chrono::microseconds(50));
          }
        }) {}
  std::string breach() {
    thread_.request_stop();
    thread_.join();
    look();
    return breach_;
  }

 private:
  void look() {
    const auto now = ledger_->snapshot();
    const auto sum = std::accumulate(now.accounts.begin(), now.accounts.end(), std::uint64_t{0});
    if (now.live > now.budget.value_or(UINT64_MAX))
      breach_ = "live " + std::to_string(now.live) + " above the budget";
    if (sum != now.live)
      breach_ = "accounts give " + std::to_string(sum) + ", live is " + std::to_string(now.live);
  }

  const std::shared_ptr<MemoryLedger> ledger_;
  const std::string name_;
  std::string breach_;
  std::jthread thread_;
};

/// `prepare(n)` is called before each request of a batch.
template <class From, class Prepare>
void consume(From& stream, const Member& member, Outcome& outcome, Prepare prepare) {
  std::deque<Batch> held;
  for (std::uint64_t n = 0;; ++n) {
    if (held.size() >= member.max_leases) held.pop_front();
    prepare(n);
    auto batch = stream.next();
    if (!batch) return;
    add(outcome, *batch);
    held.push_back(std::move(*batch));
  }
}

/// Adds bytes to a bound that is set.
void raise(std::optional<ByteBound>& bound, std::uint64_t more) {
  if (bound) bound = bound->bytes().value() + more;
}

Options options_of(const Family& family, const Member& member) {
  auto options = family.options;
  options.workers = member.workers;
  options.queue = {member.max_queue_size, member.max_leases, member.max_queue_bytes};
  options.io.read_ahead = member.read_ahead;
  options.memory.budget_bytes = member.budget;
  if (member.keep != Cache::nothing) options.cache = {member.keep, member.cache_bytes};
  return options;
}

void drain(Loader& loader, const Family& family, const Member& member, Outcome& outcome) {
  outcome.max_sample_bytes = loader.plan().max_sample_bytes;
  outcome.floor_bytes = loader.plan().floor_bytes;
  outcome.ceiling = loader.plan().ceiling_bytes;
  outcome.data_ceiling = loader.plan().data_ceiling_bytes.value_or(0);
  try {
    if (family.asks.empty()) {
      auto stream = loader.stream({.epochs = family.epochs});
      consume(stream, member, outcome, [&](std::uint64_t n) {
        if (member.dawdles && n % 5 == 1) stream.settle();
      });
    } else {
      // The batches in hand are not finished either.
      auto requests = loader.requests({.max_outstanding = member.max_leases + 1});
      auto next = family.asks.begin();
      consume(requests, member, outcome, [&](std::uint64_t) {
        while (next != family.asks.end() && requests.try_ask(*next)) ++next;
      });
    }
  } catch (const Error& error) {
    outcome.error = error.what();
  }
  const auto report = loader.report();
  if (!report.samples.has_partners(family.options.partners.count))
    outcome.partners = "partners " + std::to_string(report.samples.partners) + " of rows " +
                       std::to_string(report.samples.produced());
  outcome.faults = report.fault_count;
  outcome.hits = report.cache.hits;
}

void settle_books(Outcome& outcome, const MemoryLedger& ledger, Watch& watch) {
  outcome.breach = watch.breach();
  outcome.peak = ledger.snapshot().peak;
  outcome.left = ledger.snapshot().live;
}

/// An order that may draw a sample several times, or not at all.
Order drawing_order(RandomStream& random, std::uint32_t size) {
  const auto draws = random.below(50);
  std::vector<double> weights(size, 1.0);
  for (std::uint32_t i = 1; i < size; ++i) weights[i] = static_cast<double>(random.below(3));
  switch (random.below(4)) {
    case 0: return Order::with_replacement(draws);
    case 1: return Order::weighted(std::move(weights), draws);
    case 2: return Order::every(1 + random.below(5), random.below(size));
    default:
      return Order::own("random", draws, [size](auto epoch, auto position, auto& own) {
        return position % 3 == 0 ? own.below(size) : (epoch + position) % size;
      });
  }
}

/// Something of all that a partner has.
void mix_into(DecodedSample& sample, const PartnerSample& partner) {
  const auto mix_views = [](const MutableImageView& to, const ImageView& from) {
    if (!from.data) return;
    const auto line = std::min(to.line_bytes(), from.line_bytes());
    for (std::uint32_t y = 0; y < std::min(to.shape.height, from.shape.height); ++y)
      for (std::size_t x = 0; x < line; ++x)
        to.data[y * to.row_stride + x] ^= from.data[y * from.row_stride + x];
  };
  mix_views(sample.row, partner.image);
  for (std::size_t p = 0; p < sample.planes.size(); ++p)
    mix_views(sample.planes[p].row, partner.planes[p].image);
  sample.label += partner.label + static_cast<std::int64_t>(partner.index + partner.attempt);
  sample.label += partner.at.x + 3 * std::int64_t{partner.at.y};
  sample.label += static_cast<std::int64_t>(partner.annotation.size());
}

bool refused(const Family& family, Member member, std::uint64_t budget) {
  member.budget = budget;
  try {
    Loader(Files(family.files, 1000), options_of(family, member));
  } catch (const Error& error) {
    return error.code() == Errc::budget_too_small;
  }
  return false;
}

}  // namespace

Family::Family(std::uint64_t key) {
  RandomStream random(key);
  const auto size = between(random, 1, 40);
  const bool many_broken = random.below(4) == 0;
  for (std::uint32_t i = 0; i < size; ++i) {
    // In hundredths, by kind: most files are photographs, few are huge.
    constexpr std::array<std::uint64_t, kind_count> shares{50, 2, 14, 14, 6, 5, 9};
    auto draw = random.below(many_broken ? 140 : 100);
    std::size_t kind = 0;
    while (kind + 1 < kind_count && draw >= shares[kind]) draw -= shares[kind++];
    const auto& images = images_of(static_cast<Kind>(kind));
    files.push_back(&images[random.below(images.size())]);
  }
  options.shape = {between(random, 1, 48), between(random, 1, 48)};
  options.fit = static_cast<Fit>(random.below(4));
  options.batch = between(random, 1, 8);
  options.order = random.below(3) == 0   ? Order::sequential()
                  : random.below(2) == 0 ? Order::shuffle()
                                         : Order::blocks(1 + random.below(20), 1 + random.below(5));
  if (random.below(3) == 0) options.order = drawing_order(random, size);
  options.seed = random.next();
  options.drop_last =
      random.below(5) == 0 && options.batch <= source::positions_of(options.order, size);
  options.faults.policy = random.below(2) == 0 ? OnFault::skip : OnFault::blank;
  options.faults.strict = random.below(4) > 0;
  if (random.below(4) > 0) options.memory.max_sample_bytes = log_between(random, 20e3, 12e6);
  epochs = between(random, 1, 2);
  if (random.below(5) == 0) {
    // Large enough that a batch has more bytes than the list of requests.
    options.shape = {options.shape.height + 4, options.shape.width + 4};
    asks.resize(between(random, 1, 20));
    for (auto& ask : asks) {
      const auto first = random.below(size);
      const auto most =
          std::min<std::uint64_t>({options.batch, size, source::positions_of(options.order, size)});
      for (auto i = 1 + random.below(most); i > 0; --i) ask.push_back((first + i) % size);
    }
  }
  if (random.below(3) == 0) options.annotation_bytes = between(random, 1, 5000);
  if (random.below(3) == 0) {
    options.transform = {
        .apply = scatter,
        .input = random.below(4) == 0 ? TransformInput::decoded : TransformInput::fitted,
        .scratch_bytes = between(random, 48 * sizeof(std::size_t), 10'000)};
    raise(options.memory.max_sample_bytes, options.transform.scratch_bytes);
  }
  if (random.below(6) == 0) options.limits.max_pixels = log_between(random, 100, 1e6);
  if (random.below(6) == 0) options.limits.max_encoded_bytes = log_between(random, 300, 1e5);
}

void Family::keep_sizes(std::uint64_t key) {
  RandomStream random(key);
  auto& sizes = options.sizes;
  sizes.mode = random.below(3) == 0 ? Sizes::ragged : Sizes::padded;
  options.fit = Fit::center;
  if (random.below(2) == 0) sizes.max_height = between(random, 20, 200);
  if (random.below(2) == 0) sizes.max_width = between(random, 20, 200);
  if (sizes.mode == Sizes::padded && random.below(2) == 0)
    sizes.bucket_batches = between(random, 1, 6);
  if (options.transform.apply) {
    options.transform.input = TransformInput::fitted;
    const auto more = 2500 * sizeof(std::size_t) - options.transform.scratch_bytes;
    options.transform.scratch_bytes += more;
    raise(options.memory.max_sample_bytes, more);
  }
  sizes.index = measure_sizes(Files(files, 1000), options);
}

void Family::add_planes(std::uint64_t key) {
  RandomStream random(key);
  constexpr std::array formats{PixelFormat::rgb8, PixelFormat::grey8, PixelFormat::rgba8,
                               PixelFormat::grey16, PixelFormat::rgb16};
  for (const char* name : {"first", "second"}) {
    if (random.below(3) == 0) continue;
    options.planes.push_back({.name = name,
                              .pixels = formats[random.below(formats.size())],
                              .fill = {static_cast<std::uint16_t>(random.below(256))},
                              .scale = {between(random, 1, 2), 1},
                              .match = PlaneMatch::stretch,
                              .optional = random.below(4) > 0});
  }
  options.fill = {static_cast<std::uint16_t>(random.below(256)), 7};
  if (random.below(3) == 0) options.flip.vertical = random.below(2) == 0 ? 1 : 0.5;
  if (options.sizes.mode == Sizes::fixed && random.below(4) == 0) {
    options.fit = Fit::patch;
    options.patch.pad_small = true;
  }
}

void Family::choose_windows(std::uint64_t key) {
  RandomStream random(key);
  options.fit = Fit::center;
  options.flip = {};
  options.patch = {};
  options.window = {
      .choose =
          [](const WindowInput& in, Random& numbers) {
            const double w = in.image.width, h = in.image.height;
            const double width = w * numbers.uniform(0.1, 1.5),
                         height = h * numbers.uniform(0.1, 1.5);
            // Some show nothing of the image.
            return Window{
                .source = {numbers.uniform(-w, w), numbers.uniform(-h, h) / 2, width, height},
                .target = {0, 0, double(in.row.width), (in.row.height + 1) / 2.0},
                .flip = {numbers.below(2) == 1, numbers.below(2) == 1}};
          },
      .name = "random",
      .same_each_epoch = random.below(2) == 0};
  if (options.sizes.mode == Sizes::padded) options.sizes.multiple_of = between(random, 1, 40);
}

void Family::change_sizes(std::uint64_t key) {
  auto& sizes = options.sizes;
  const bool fixed = sizes.mode == Sizes::fixed;
  if (!fixed) {
    RandomStream random(key);
    sizes.max_height = between(random, 1, 200);
    sizes.max_width = between(random, 1, 200);
    if (options.transform.apply && random.below(2) == 0)
      options.transform.input = TransformInput::decoded;
  }
  const auto bound = fixed ? options.shape : sizes.bound();
  sizes.size = {
      "random", [=](const SizeInput& in) {
        RandomStream random(mix_key({key, in.epoch, in.step, in.index}));
        return ImageSize{between(random, 1, bound.height), between(random, 1, bound.width)};
      }};
}

void Family::add_partners(std::uint64_t key) {
  RandomStream random(key);
  auto& partners = options.partners;
  partners.count = between(random, 1, 4);
  const auto size = files.size();
  const auto pick = random.below(4);
  // It is unknown which samples an order of one's own draws.
  if (pick == 1 && options.order.kind != Order::Kind::own) {
    partners.pick = PartnerPick::same_label;
    partners.repeat = true;  // a label has few samples
  } else if (pick == 0) {
    partners.pick = PartnerPick::own;
    partners.name = "steps";
    partners.choose = [size](auto epoch, auto position, auto partner, auto& own) {
      return (epoch + position * partner + own.below(3)) % size;
    };
  }
  options.window.same_each_epoch = false;
  auto& transform = options.transform;
  if (!transform.apply && options.sizes.mode == Sizes::fixed)
    transform.input = static_cast<TransformInput>(random.below(2));
  else if (!transform.apply)
    transform.input = TransformInput::fitted;
  transform.apply = [before = std::move(transform.apply)](DecodedSample& sample) {
    if (before) before(sample);
    for (const auto& partner : sample.partners) mix_into(sample, partner);
  };
  if (auto& most = options.memory.max_sample_bytes)
    most = most->bytes().value() * (1 + partners.count);
  try {
    (void)resolve(options, 1000, 0, size);
  } catch (const Error&) {
    partners.repeat = true;  // the order draws too few samples
  }
}

Member Member::draw(const Family& family, RandomStream& random) {
  Member member;
  member.workers = between(random, 1, 16);
  member.max_queue_size = between(random, 1, 64);
  member.max_leases = random.below(3) == 0 ? between(random, 2, 3) : 1;
  member.read_ahead = random.below(3) == 0 ? 0 : between(random, 1, 32);
  member.dawdles = random.below(4) == 0;
  if (random.below(3) == 0) member.max_queue_bytes = log_between(random, 1e3, 5e6);
  const auto floor = resolve(options_of(family, member), 1000, 0, family.files.size()).floor_bytes;
  member.budget = random.below(3) == 0
                      ? floor
                      : floor + random.below(random.below(2) == 0 ? floor / 8 : 3 * floor);
  const auto& options = family.options;
  const bool fixed = options.sizes.mode == Sizes::fixed;
  const bool decodes_anew = options.transform.apply || options.flip.vertical == 0.5 ||
                            options.sizes.size.of || options.fit == Fit::random ||
                            (fixed && options.fit == Fit::patch) ||
                            (options.window.choose && !options.window.same_each_epoch);
  member.keep = static_cast<Cache>(random.below(decodes_anew ? 2 : 3));
  if (member.keep == Cache::nothing) return member;
  if (random.below(2) == 0) member.cache_bytes = log_between(random, 1e3, 5e6);
  if (random.below(4) > 0)
    member.budget += (std::uint64_t{member.workers} + member.read_ahead + random.below(2)) << 20;
  return member;
}

std::string Member::to_string() const {
  return "workers " + std::to_string(workers) + ", queue " + std::to_string(max_queue_size) +
         ", leases " + std::to_string(max_leases) + ", read-ahead " + std::to_string(read_ahead) +
         ", queue bytes " + std::to_string(max_queue_bytes.value_or(0)) + ", budget " +
         std::to_string(budget) +
         (keep == Cache::nothing ? ""
                                 : ", cache " + std::string(weir::to_string(keep)) + ":" +
                                       std::to_string(cache_bytes.value_or(0))) +
         (dawdles ? ", dawdles" : "");
}

Outcome run(const Family& family, const Member& member, const std::string& name) {
  Outcome outcome;
  auto options = options_of(family, member);
  const auto ledger = options.memory.ledger = std::make_shared<MemoryLedger>(member.budget);
  Watch watch(ledger, name);
  {
    Loader loader(Files(family.files, 1000), options);
    drain(loader, family, member, outcome);
  }
  settle_books(outcome, *ledger, watch);
  return outcome;
}

std::pair<Outcome, Outcome> run_together(const std::array<Family, 2>& families,
                                         const std::array<Member, 2>& members, std::uint64_t budget,
                                         const std::string& name) {
  std::array<Outcome, 2> outcomes;
  const auto ledger = std::make_shared<MemoryLedger>(budget);
  Watch watch(ledger, name);
  {
    std::vector<Loader> loaders;
    for (std::size_t i = 0; i < 2; ++i) {
      auto options = options_of(families[i], members[i]);
      options.memory.ledger = ledger;
      loaders.emplace_back(Files(families[i].files, 1000), options);
    }
    const std::jthread other([&] { drain(loaders[1], families[1], members[1], outcomes[1]); });
    drain(loaders[0], families[0], members[0], outcomes[0]);
  }
  settle_books(outcomes[0], *ledger, watch);
  return {outcomes[0], outcomes[1]};
}

void survey_configurations(std::uint64_t count, bool own_sizes) {
  count = number_from("WEIR_CONFIGURATIONS", count);
  const auto seed = number_from("WEIR_CONFIGURATION_SEED", 1);
  std::uint64_t rows = 0, at_floor = 0, ended_in_error = 0, with_faults = 0, with_hits = 0;
  std::unique_ptr<Family> family;
  std::map<std::uint64_t, Outcome> expected;  // by max_sample_bytes
  for (std::uint64_t i = 0; i < count; ++i) {
    if (i % members_a_family == 0) {
      family = std::make_unique<Family>(mix_key({seed, i}));
      if (own_sizes) family->keep_sizes(mix_key({seed, i, 3}));
      if (i % (3 * members_a_family) == 0) family->add_planes(mix_key({seed, i, 7}));
      if (i % (4 * members_a_family) == 0) family->choose_windows(mix_key({seed, i, 8}));
      if (i % (5 * members_a_family) == 0) family->change_sizes(mix_key({seed, i, 9}));
      // With and without each of the others.
      if (i / members_a_family % 7 < 2) family->add_partners(mix_key({seed, i, 10}));
      expected.clear();
    }
    RandomStream random(mix_key({seed, i, 1}));
    const auto member = Member::draw(*family, random);
    const auto name = "WEIR_CONFIGURATION_SEED=" + std::to_string(seed) + ", configuration " +
                      std::to_string(i) + ": " + member.to_string();
    CAPTURE(name);
    const auto outcome = run(*family, member, name);
    CHECK(outcome.breach.empty());
    CHECK(outcome.partners.empty());
    CHECK(outcome.peak <= member.budget);
    if (family->asks.empty()) CHECK(outcome.peak <= outcome.ceiling);  // without a list of requests
    CHECK(outcome.left == 0);
    CHECK(refused(*family, member, outcome.floor_bytes - 1));

    auto [known, fresh] = expected.try_emplace(outcome.max_sample_bytes);
    if (fresh) {
      Family plain = *family;
      plain.options.memory.max_sample_bytes = outcome.max_sample_bytes;
      known->second = run(plain, {}, name + " (reference)");
    }
    CHECK(outcome.rows == known->second.rows);
    CHECK(outcome.error == known->second.error);
    CHECK(outcome.digest == known->second.digest);
    rows += outcome.rows;
    if (member.budget == outcome.floor_bytes) ++at_floor;
    if (!outcome.error.empty()) ++ended_in_error;
    if (outcome.faults > 0) ++with_faults;
    if (outcome.hits > 0) ++with_hits;
  }
  CHECK(rows > 10 * count);
  CHECK(10 * at_floor > count);
  CHECK(4 * with_faults > count);
  CHECK(2 * ended_in_error < count);
  CHECK(20 * with_hits > count);
}

std::uint64_t survey_ceilings(std::uint64_t count) {
  count = number_from("WEIR_CONFIGURATIONS", count);
  const auto seed = number_from("WEIR_CONFIGURATION_SEED", 1);
  std::uint64_t close = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    Family family(mix_key({seed, i, 4}));
    family.asks.clear();
    RandomStream random(mix_key({seed, i, 6}));
    // PNGs have many encoded bytes, progressive JPEGs need much scratch. A huge file would have the
    // most of both.
    for (auto& file : family.files) {
      const auto& images = images_of(random.below(2) == 0 ? Kind::png : Kind::progressive);
      file = &images[random.below(images.size())];
    }
    if (i % 4 == 0) family.keep_sizes(mix_key({seed, i, 5}));
    if (i % 3 == 0) family.add_planes(mix_key({seed, i, 7}));
    if (i % 5 == 0) family.choose_windows(mix_key({seed, i, 8}));
    if (i % 7 == 0) family.change_sizes(mix_key({seed, i, 9}));
    if (i % 6 < 2) family.add_partners(mix_key({seed, i, 10}));
    auto member = Member::draw(family, random);
    if (i % 3 != 0) {
      member.budget = UINT64_MAX;
      if (member.keep != Cache::nothing && !member.cache_bytes) member.cache_bytes = 100'000;
    }
    family.options.memory.max_sample_bytes = ByteBound::measured;
    const auto name = "WEIR_CONFIGURATION_SEED=" + std::to_string(seed) + ", ceiling " +
                      std::to_string(i) + ": " + member.to_string();
    CAPTURE(name);
    Outcome outcome;
    try {
      outcome = run(family, member, name);
    } catch (const Error& error) {
      // The floor was that of another max_sample_bytes.
      CHECK(error.code() == Errc::budget_too_small);
      continue;
    }
    CHECK(outcome.peak <= outcome.data_ceiling);
    CHECK(outcome.data_ceiling <= outcome.ceiling);
    if (10 * outcome.peak >= 9 * outcome.data_ceiling) ++close;
  }
  return close;
}

void survey_pairs(std::uint64_t count) {
  const auto seed = number_from("WEIR_CONFIGURATION_SEED", 1);
  for (std::uint64_t i = 0; i < count; ++i) {
    RandomStream random(mix_key({seed, i, 2}));
    std::array<Family, 2> families{Family(random.next()), Family(random.next())};
    std::array<Member, 2> members;
    std::uint64_t floors = 0;
    for (std::size_t k = 0; k < 2; ++k) {
      // Set explicitly; otherwise the plan would depend on which loader came first.
      auto& most = families[k].options.memory.max_sample_bytes;
      most = log_between(random, 50e3, 4e6);
      members[k] = Member::draw(families[k], random);
      auto alone = options_of(families[k], members[k]);
      alone.memory.budget_bytes.reset();
      alone.cache = {};
      floors += resolve(alone, 1000).floor_bytes;
    }
    const auto budget = floors + (random.below(2) == 0 ? 0 : random.below(floors));
    const auto name = "WEIR_CONFIGURATION_SEED=" + std::to_string(seed) + ", pair " +
                      std::to_string(i) + " on " + std::to_string(budget) +
                      " bytes: " + members[0].to_string() + "; " + members[1].to_string();
    CAPTURE(name);
    const auto [first, second] = run_together(families, members, budget, name);
    CHECK(first.breach.empty());
    CHECK(first.peak <= budget);
    CHECK(first.left == 0);
    const auto alone = run(families[0], {}, name + " (first alone)");
    const auto other = run(families[1], {}, name + " (second alone)");
    CHECK(first.digest == alone.digest);
    CHECK(first.error == alone.error);
    CHECK(second.digest == other.digest);
    CHECK(second.error == other.error);
  }
}

}  // namespace weir::test
