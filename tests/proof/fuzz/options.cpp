#include "weir/options.hpp"

#include <bit>
#include <chrono>
#include <cstring>
#include <memory>
#include <vector>

#include "targets.hpp"
#include "weir/plan.hpp"

namespace weir::fuzz {
namespace {

/// Values from the input, and zeros after its end. A first byte of 0 keeps a value's default, so
/// that a value out of bounds does not hide the others.
class Values {
 public:
  explicit Values(Input input) : rest_(input) {}
  template <class T>
  T next() {
    T value{};
    const auto size = std::min(sizeof(T), rest_.size());
    if (size > 0) std::memcpy(&value, rest_.data(), size);
    rest_ = rest_.subspan(size);
    return value;
  }
  /// Small in half of the cases, because most limits are small.
  void number(std::uint32_t& usual) {
    const auto how = next<std::uint8_t>();
    const auto value = next<std::uint32_t>();
    if (how > 0) usual = how % 2 == 0 ? value : value % 64;
  }
  /// A value of any magnitude.
  void number(std::uint64_t& usual) {
    const auto how = next<std::uint8_t>();
    const auto value = next<std::uint64_t>();
    if (how > 0) usual = value >> (how % 64);
  }
  /// Any double, or a value between -0.5 and 2.
  void share(double& usual) {
    const auto how = next<std::uint8_t>();
    const auto value = next<double>();
    if (how > 0) usual = how % 2 == 0 ? value : (how - 50) / 100.0;
  }
  void time(std::chrono::milliseconds& usual) {
    const auto how = next<std::uint8_t>();
    const auto value = next<std::int64_t>();
    if (how > 0) usual = std::chrono::milliseconds(how % 2 == 0 ? value : value % 1000);
  }
  /// Of the type of the value, if there is one.
  template <class T>
  void number(std::optional<T>& usual) {
    T value{};
    number(value);
    if (value != 0) usual = value;
  }
  void flag(bool& usual) { usual ^= (next<std::uint8_t>() & 1) != 0; }
  bool flag() { return (next<std::uint8_t>() & 1) != 0; }
  /// One of the first `kinds`, or the default for 0.
  template <class E>
  void kind(E& usual, unsigned kinds) {
    usual = static_cast<E>((static_cast<unsigned>(usual) + next<std::uint8_t>()) % kinds);
  }

 private:
  Input rest_;
};

std::shared_ptr<const SizeIndex> some_sizes(Values& values) {
  std::vector<ImageSize> sizes(values.next<std::uint8_t>() % 20u);
  for (auto& size : sizes) {
    size = {values.next<std::uint16_t>(), values.next<std::uint16_t>()};
    if (size.height == 0 || size.width == 0) size = {};  // unknown
  }
  return std::make_shared<const SizeIndex>(std::move(sizes));
}

Options options_of(Values& values) {
  Options o;
  o.shape = {224, 224};
  values.number(o.shape.height);
  values.number(o.shape.width);
  values.kind(o.fit, 4);
  values.number(o.short_side);
  values.kind(o.pixels, 8);
  values.kind(o.filter, 4);
  values.kind(o.decode, 2);
  values.kind(o.exif, 2);
  values.kind(o.order.kind, 8);
  values.number(o.order.block);
  values.number(o.order.together);
  values.number(o.batch);
  values.number(o.workers);
  values.number(o.queue.max_queue_size);
  values.number(o.queue.max_leases);
  values.number(o.queue.max_bytes);
  values.number(o.io.read_ahead);
  values.number(o.memory.budget_bytes);
  std::uint64_t alignment = o.memory.alignment;
  values.number(alignment);
  o.memory.alignment = values.flag() ? std::bit_ceil(alignment >> 1) : alignment;
  std::optional<std::uint64_t> sample_bytes;
  values.number(sample_bytes);
  if (sample_bytes) o.memory.max_sample_bytes = *sample_bytes;
  values.kind(o.cache.keep, 3);
  values.number(o.cache.max_bytes);
  values.kind(o.faults.policy, 3);
  values.number(o.faults.tolerate);
  values.share(o.faults.tolerate_share);
  values.flag(o.faults.strict);
  values.kind(o.tuning.mode, 2);
  values.share(o.tuning.target_readiness);
  values.number(o.tuning.most_queue);
  values.number(o.tuning.most_workers);
  values.number(o.tuning.most_read_ahead);
  values.time(o.tuning.interval);
  values.number(o.trace.events);
  std::chrono::milliseconds after{};
  values.time(after);
  if (after.count() != 0) o.watchdog.after = after;
  values.number(o.limits.max_pixels);
  values.number(o.limits.max_side);
  values.number(o.limits.max_scans);
  values.number(o.limits.max_encoded_bytes);
  values.number(o.limits.max_header_bytes);
  values.number(o.limits.max_markers);
  values.number(o.limits.max_ancillary_bytes);
  std::uint64_t annotation_bytes = 0;
  values.number(annotation_bytes);
  o.annotation_bytes = annotation_bytes;
  values.kind(o.sizes.mode, 3);
  values.number(o.sizes.max_height);
  values.number(o.sizes.max_width);
  values.number(o.sizes.bucket_batches);
  if (values.flag()) o.transform.apply = [](DecodedSample&) {};
  values.kind(o.transform.input, 2);
  values.number(o.transform.scratch_bytes);
  values.number(o.seed);
  values.flag(o.drop_last);
  if (!values.flag()) o.sizes.index = some_sizes(values);
  return o;
}

/// The last part of the input, so that older inputs keep their meaning.
void add_order(Values& values, Order& order) {
  values.number(order.draws);
  values.number(order.nth);
  values.number(order.offset);
  if (values.flag()) order.name = "own";
  if (values.flag())
    order.function = [](std::uint64_t, std::uint64_t position, Random&) { return position % 7; };
  if (const auto weights = values.next<std::uint8_t>() % 20u; weights > 0)
    order.weights = Order::weighted(std::vector<double>(weights, 0.5)).weights;
}

/// Most inputs have an option without effect, which alone would be refused.
void leave_out(Options& o) {
  auto& order = o.order;
  const Order usual;
  const auto is = [&](auto... kinds) { return ((order.kind == kinds) || ...); };
  using enum Order::Kind;
  if (!is(blocks)) order.block = usual.block, order.together = usual.together;
  if (!is(every)) order.nth = usual.nth, order.offset = usual.offset;
  if (!is(with_replacement, weighted, own)) order.draws = usual.draws;
  if (o.faults.policy == OnFault::stop)
    o.faults.tolerate = {}, o.faults.tolerate_share = Options().faults.tolerate_share;
  if (!o.transform.apply) o.transform.input = {};
}

void check_sizes(const Plan& plan, const Options& asked) {
  const auto& sizes = plan.sizes;
  must(sizes.mode == asked.sizes.mode, "how images share a batch is as asked");
  must(sizes.least_slab_bytes <= sizes.typical_slab_bytes, "no batch is less than the least");
  must(sizes.typical_slab_bytes <= plan.slab_bytes, "no batch is more than the most");
  must(sizes.unknown <= asked.sizes.index->size(), "no more is not known than there is");
  for (const auto padding : {sizes.padding, sizes.padding_without_buckets})
    must(padding >= 0 && padding < 1, "padding is a share");
  const auto bound = asked.sizes.bound();
  must((bound.height == 0 || sizes.largest.height <= bound.height) &&
           (bound.width == 0 || sizes.largest.width <= bound.width),
       "no image is larger than the bound");
}

void check_cache(const CachePlan& cache, const Options& asked) {
  must(cache.keep == asked.cache.keep, "what is kept is as asked");
  must(cache.bytes == 0 || cache.bytes > cache.table_bytes, "a cache has room for its table");
  must(cache.keep != Cache::nothing || cache.bytes == 0, "nothing takes nothing");
  must(cache.bytes <= asked.cache.max_bytes.value_or(UINT64_MAX), "a bound is kept");
  must(cache.bytes <= asked.memory.budget_bytes.value_or(UINT64_MAX), "a cache fits the budget");
}

void check(const Plan& plan, const Options& asked) {
  must(plan.max_queue_size >= 1 && plan.workers >= 1 && plan.batch >= 1, "nothing is left at 0");
  must(plan.slabs == plan.max_queue_size + plan.max_leases, "slabs: the queue and the leases");
  must(plan.start.max_queue_size <= plan.max_queue_size_requested, "a queue is cut, never raised");
  const auto budget = plan.budget_bytes.value_or(UINT64_MAX);
  must(budget == asked.memory.budget_bytes.value_or(UINT64_MAX), "the budget is as asked");
  must(plan.floor_bytes <= budget, "the floor fits the budget");
  must(plan.max_sample_bytes <= budget, "a sample fits the budget");
  must(plan.ceiling_bytes <= budget, "no more than the budget can be live");
  must(plan.start.max_queue_size <= plan.max_queue_size && plan.start.workers <= plan.workers &&
           plan.start.read_ahead <= plan.read_ahead,
       "a stream begins within its bounds");
  must(plan.max_queue_bytes == asked.queue.max_bytes,
       "the bytes of the queue are bounded as asked");
  check_cache(plan.cache, asked);
  if (asked.sizes.mode != Sizes::fixed) return check_sizes(plan, asked);
  must(plan.slab_bytes_of(plan.batch) == plan.slab_bytes,
       "a slab is as large as Plan::slab_bytes_of says");
}

}  // namespace

bool options(Input input) {
  Values values(input);
  auto asked = options_of(values);
  std::uint64_t index = 0, others = 0, samples = 0;
  values.number(index);
  values.number(others);
  values.number(samples);
  add_order(values, asked.order);
  if (!values.flag()) leave_out(asked);
  try {
    const auto plan = resolve(asked, index, others, samples);
    check(plan, asked);
    if (plan.max_queue_size < 1000) (void)plan.depth_cost(plan.max_queue_size);
  } catch (const Error& error) {
    must(error.code() == Errc::bad_options || error.code() == Errc::budget_too_small,
         "misuse, or an impossible plan");
    must(std::strlen(error.what()) > 10, "the message says what is wrong");
  }
  return true;
}

}  // namespace weir::fuzz
