#include "weir/options.hpp"

#include <cstring>

#include "targets.hpp"
#include "weir/plan.hpp"

namespace weir::fuzz {
namespace {

/// Values from the input, zeros where it has ended.
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
  bool flag() { return (next<std::uint8_t>() & 1) != 0; }
  /// Small as often as not: most limits are near.
  std::uint32_t number() {
    const auto value = next<std::uint32_t>();
    return flag() ? value : value % 64;
  }

 private:
  Input rest_;
};

Options options_of(Values& values) {
  Options o;
  o.shape = {values.number(), values.number(), values.flag() ? 3u : values.number()};
  o.fit = static_cast<Fit>(values.next<std::uint8_t>() % 4);
  o.short_side = values.number();
  o.batch = values.number();
  o.workers = values.number();
  o.queue = {values.number(), values.number()};
  o.io.read_ahead = values.number();
  o.memory.budget_bytes = values.next<std::uint64_t>() >> (values.next<std::uint8_t>() % 64);
  o.memory.alignment =
      values.flag() ? std::size_t{1} << (values.next<std::uint8_t>() % 64) : values.number();
  o.memory.max_sample_bytes = values.next<std::uint64_t>() >> (values.next<std::uint8_t>() % 64);
  o.faults.policy = static_cast<OnFault>(values.next<std::uint8_t>() % 3);
  o.faults.tolerate_share = values.next<double>();
  o.tuning.mode = values.flag() ? Tuning::automatic : Tuning::off;
  o.tuning.target_readiness = values.flag() ? values.next<double>() : 0.99;
  o.tuning.most_queue = values.number();
  o.tuning.most_workers = values.number();
  o.tuning.most_read_ahead = values.number();
  o.side_bytes = values.next<std::uint64_t>() >> (values.next<std::uint8_t>() % 64);
  o.transform.scratch_bytes = values.next<std::uint64_t>() >> (values.next<std::uint8_t>() % 64);
  if (values.flag()) o.transform.apply = [](DecodedSample&) {};
  o.trace.events = values.next<std::uint64_t>() >> (values.next<std::uint8_t>() % 64);
  return o;
}

void check(const Plan& plan, const Options& asked) {
  must(plan.max_queue_size >= 1 && plan.workers >= 1 && plan.batch >= 1, "nothing is left at 0");
  must(plan.slabs == plan.max_queue_size + plan.max_leases, "slabs: the queue and the leases");
  must(plan.start.max_queue_size <= plan.max_queue_size_asked, "a queue is cut, never raised");
  must(plan.budget_bytes <= asked.memory.budget_bytes, "a budget is never raised");
  must(plan.floor_bytes <= plan.budget_bytes, "the floor fits the budget");
  must(plan.max_sample_bytes <= plan.budget_bytes, "a sample fits the budget");
  must(plan.ceiling_bytes <= plan.budget_bytes, "no more than the budget can be live");
  must(plan.start.max_queue_size <= plan.max_queue_size && plan.start.workers <= plan.workers &&
           plan.start.read_ahead <= plan.read_ahead,
       "a stream begins within its bounds");
  must(slab_bytes(plan.shape, plan.batch, asked.memory.alignment, asked.side_bytes) ==
           plan.slab_bytes,
       "a slab is as large as weir::slab_bytes says");
}

}  // namespace

bool options(Input input) {
  Values values(input);
  const auto asked = options_of(values);
  const auto index = values.next<std::uint64_t>() >> (values.next<std::uint8_t>() % 64);
  const auto others = values.next<std::uint64_t>() >> (values.next<std::uint8_t>() % 64);
  try {
    const auto plan = resolve(asked, index, others);
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
