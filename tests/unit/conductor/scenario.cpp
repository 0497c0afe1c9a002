#include "unit/conductor/scenario.hpp"

#include <algorithm>

#include "base/random.hpp"

namespace weir::test {

namespace {

/// The third sample is never drawn.
const std::vector<double> weights{3, 1, 0, 2};
constexpr std::uint64_t own_samples = 5;

std::uint64_t own_index(std::uint64_t epoch, std::uint64_t position) noexcept {
  return (epoch + position * position) % own_samples;
}

/// An order of each kind that has s.dataset positions.
void choose_order(Scenario& s, std::uint64_t kind) {
  s.samples = s.dataset;
  if (s.dataset == 0) return;
  switch (static_cast<Order::Kind>(kind)) {
    case Order::Kind::sequential: break;
    case Order::Kind::shuffle: s.order = Order::shuffle(); break;
    case Order::Kind::blocks: s.order = Order::blocks(2, 2); break;
    case Order::Kind::with_replacement:
      s.samples = 3;
      s.order = Order::with_replacement(s.dataset);
      break;
    case Order::Kind::weighted:
      s.samples = weights.size();
      s.order = Order::weighted(weights, s.dataset);
      break;
    case Order::Kind::every:
      s.samples = 3 * s.dataset;
      s.order = Order::every(3, 1);
      break;
    case Order::Kind::own:
      s.samples = own_samples;
      s.order = Order::own("squares", s.dataset,
                           [](std::uint64_t epoch, std::uint64_t position, Random&) {
                             return own_index(epoch, position);
                           });
      break;
  }
}

}  // namespace

Scenario random_scenario(std::uint64_t seed) {
  RandomStream random(mix_key({seed, 77}));
  const auto to = [&](std::uint64_t n) { return static_cast<std::uint32_t>(random.below(n)); };
  Scenario s;
  s.dataset = random.below(10);
  s.epochs = 1 + random.below(3);
  s.batch = 1 + to(4);
  s.workers = 1 + to(4);
  s.max_queue_size = 1 + to(4);
  s.max_leases = 1 + to(2);
  s.drop_last = random.below(4) == 0;
  s.rows_ahead = 1 + random.below(6);
  s.slab_bytes = 1 + random.below(200);
  s.spare_bytes = random.below(3) == 0 ? 0 : random.below(600);
  if (random.below(4) == 0) s.encoded_cap = random.below(40);
  s.on_fault = static_cast<OnFault>(random.below(3));
  s.fail_one_in = random.below(3) == 0 ? 2 + random.below(6) : 0;
  if (random.below(4) == 0) s.tolerate = random.below(4);
  if (random.below(4) == 0) s.cancel_from = random.below(150);
  if (random.below(4) == 0) s.neighbour_moves = 1 + to(20);
  if (random.below(3) == 0) {
    s.sizes_differ = true;
    if (random.below(2) == 0) s.max_queue_bytes = 1 + random.below(3 * s.slab_bytes);
    if (random.below(2) == 0) s.max_staging_bytes = random.below(4 * s.slab_bytes);
  }
  if (random.below(3) == 0) {
    s.cache_moves = 1 + to(30);
    s.cache_pieces = 1 + to(4);
    s.piece_bytes = 1 + random.below(200);
  }
  if (random.below(3) == 0) {
    s.world = 2 + to(3);
    s.rank = to(s.world);
  }
  if (random.below(4) == 0) {
    s.dataset = std::max<std::uint64_t>(1, s.dataset);
    s.asks = random.below(10);
    s.most_outstanding = 1 + to(5);
  }
  if (random.below(6) == 0) s.no_sample_one_in = 2 + random.below(20);
  choose_order(s, random.below(7));
  if (random.below(3) == 0) s.partners = 1 + to(3);
  if (random.below(3) == 0) {
    s.read_ahead = 1 + to(4);
    s.pace_changes = to(6);
  }
  if (random.below(3) == 0) s.tunings = 1 + to(6);
  if (random.below(3) == 0) s.copied_one_in = 1 + random.below(3);
  return s;
}

bool can_draw(const Scenario& s, std::uint64_t index) {
  switch (s.order.kind) {
    case Order::Kind::every: return index < s.samples && index % s.order.nth == s.order.offset;
    case Order::Kind::weighted: return index < s.samples && weights[index] > 0;
    default: return index < s.samples;
  }
}

bool draws_once(const Scenario& s) noexcept {
  using enum Order::Kind;
  return s.order.kind == sequential || s.order.kind == shuffle || s.order.kind == blocks ||
         s.order.kind == every;
}

std::optional<std::uint64_t> expected_index(const Scenario& s, std::uint64_t epoch,
                                            std::uint64_t position) {
  switch (s.order.kind) {
    case Order::Kind::sequential: return position;
    case Order::Kind::every: return s.order.offset + position * s.order.nth;
    case Order::Kind::own: return own_index(epoch, position);
    default: return std::nullopt;
  }
}

std::vector<std::uint64_t> request(const Scenario& s, std::uint64_t sequence) {
  std::vector<std::uint64_t> indices(1 + mix_key({sequence, 6}) % s.batch);
  for (std::size_t row = 0; row < indices.size(); ++row)
    indices[row] = mix_key({sequence, row, 7}) % s.dataset;
  return indices;
}

std::uint64_t encoded_bytes(const Scenario& s, std::uint64_t sequence, std::uint32_t row,
                            std::uint32_t attempt, std::uint32_t samples) noexcept {
  const auto most_each = s.sample_bytes / 2 / (1 + s.partners);
  std::uint64_t sum = 0;
  for (std::uint64_t sample = 0; sample < samples; ++sample)
    sum += 1 + mix_key({sequence, row, attempt, 1 + 100 * sample}) % most_each;
  return sum;
}

std::uint64_t scratch_bytes(const Scenario& s, std::uint64_t sequence, std::uint32_t row,
                            std::uint32_t attempt) noexcept {
  return 1 + mix_key({sequence, row, attempt, 2}) % (s.sample_bytes - s.sample_bytes / 2);
}

std::uint64_t batch_bytes(const Scenario& s, std::uint64_t sequence) noexcept {
  if (!s.sizes_differ) return s.slab_bytes;
  return 1 + mix_key({sequence, 4}) % s.slab_bytes;
}

bool fails(const Scenario& s, std::uint64_t sequence, std::uint32_t row,
           std::uint32_t attempt) noexcept {
  if (attempt == 0 && is_copied(s, {sequence, row})) return false;
  return s.fail_one_in > 0 && mix_key({sequence, row, attempt, 3}) % s.fail_one_in == 0;
}

bool is_copied(const Scenario& s, books::RowKey row) noexcept {
  return s.copied_one_in > 0 && mix_key({row.sequence, row.row, 8}) % s.copied_one_in == 0;
}

bool has_no_sample(const Scenario& s, std::uint64_t sequence, std::uint32_t row) noexcept {
  return s.no_sample_one_in > 0 && mix_key({sequence, row, 5}) % s.no_sample_one_in == 0;
}

std::uint64_t batches_expected(const Scenario& s) noexcept {
  const auto schedule = s.schedule();
  const auto end = s.asks > 0 ? s.asks : schedule.end();
  std::uint64_t faults = 0;
  for (std::uint64_t sequence = 0; sequence < end; ++sequence) {
    const auto rows = s.asks > 0 ? request(s, sequence).size() : schedule.at(sequence).rows;
    for (std::uint32_t row = 0; row < rows; ++row) {
      if (has_no_sample(s, sequence, row)) return sequence;
      std::uint32_t attempt = 0;
      while (fails(s, sequence, row, attempt)) {
        ++faults, ++attempt;
        if (s.on_fault == OnFault::stop) return sequence;
        if (s.on_fault == OnFault::blank) break;
        if (attempt == most_attempts) return sequence;
      }
    }
    // A share of 1 cannot be exceeded: no more samples fail than are drawn.
    if (faults > s.tolerate) return sequence;
  }
  return end;
}

}  // namespace weir::test
