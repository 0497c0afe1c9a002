#include "buffer/sample_cache.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <new>
#include <thread>
#include <utility>

#include "base/checked.hpp"
#include "base/inline_list.hpp"
#include "base/terms.hpp"
#include "buffer/block.hpp"
#include "buffer/page_memory.hpp"

namespace weir::buffer {
namespace {

constexpr std::uint64_t kib = 1024;
// Segments are large enough to waste little space at their ends and to be allocated rarely.
constexpr std::uint64_t least_segment = 64 * kib, most_segment = 4096 * kib, segments_in_all = 64;
constexpr std::uint64_t page = 4 * kib;
constexpr int segments_tried = 4;
// Of a segment, before its first entry.
constexpr std::uint64_t segment_head = Block::alignment;
constexpr std::size_t most_parts = 2 + EncodedPlanes::most;

std::uint64_t aligned(std::uint64_t bytes) noexcept { return round_up(bytes, Block::alignment); }

/// The parts of a sample, in the order in which an entry has them.
using Parts = InlineList<std::span<const std::byte>, most_parts>;

Parts parts_of(const Encoded& data) noexcept {
  Parts parts;
  parts.push_back(data.bytes);
  parts.push_back(data.annotation);
  for (const auto& plane : data.planes) parts.push_back(plane);
  return parts;
}

}  // namespace

/// The header of one allocation, which is freed as a whole. Its entries follow without gaps.
struct SampleCache::Segment {
  std::uint64_t bytes;  ///< bytes allocated and charged
  std::uint64_t used;
  Segment* older;
  Entry* last = nullptr;
  std::uint32_t writes = 0;  ///< entries that are being written; guarded by the cache's mutex
};

/// The header of a sample. The sizes of its parts follow, then the window of a decoded one, then the
/// parts, aligned as those of a source.
struct SampleCache::Entry {
  Segment* segment;
  Entry* before;  ///< previous entry in the segment
  std::uint64_t index;
  std::int64_t label;
  std::uint64_t charged;
  ImageSize size;
  RowStatus status;
  std::array<PlaneStatus, EncodedPlanes::most> plane_statuses;
  std::uint32_t parts;
  bool decoded;

  std::uint64_t* sizes() noexcept { return reinterpret_cast<std::uint64_t*>(this + 1); }
  const std::uint64_t* sizes() const noexcept {
    return reinterpret_cast<const std::uint64_t*>(this + 1);
  }
  Window* window() noexcept { return reinterpret_cast<Window*>(sizes() + parts); }
  const Window* window() const noexcept { return reinterpret_cast<const Window*>(sizes() + parts); }
  static std::uint64_t head_bytes(std::size_t parts, bool decoded) noexcept {
    return sizeof(Entry) + parts * sizeof(std::uint64_t) + (decoded ? sizeof(Window) : 0);
  }
};

std::uint64_t SampleCache::entry_bytes(std::span<const std::uint64_t> parts,
                                       bool decoded) noexcept {
  auto bytes = aligned(Entry::head_bytes(parts.size(), decoded));
  for (const auto part : parts) bytes = add_sat(bytes, aligned(part));
  return bytes;
}

std::uint64_t SampleCache::entry_bytes(const RowForm& form, ImageSize size) noexcept {
  InlineList<std::uint64_t, most_parts> parts;
  for (const auto& image : form.images) {
    parts.push_back(image.bytes_in(size));
    if (parts.size() == 1) parts.push_back(form.annotation_bytes);
  }
  return entry_bytes({parts.begin(), parts.size()}, true);
}

std::uint64_t SampleCache::entry_bytes(const KeptSample& sample) const noexcept {
  InlineList<std::uint64_t, most_parts> parts;
  for (const auto& part : parts_of(sample.data)) parts.push_back(part.size());
  return entry_bytes({parts.begin(), parts.size()}, kind() == Cache::decoded);
}

std::uint64_t SampleCache::usual_segment(std::uint64_t bytes, std::uint64_t entry) noexcept {
  auto room = std::clamp(bytes / segments_in_all, least_segment, most_segment);
  if (entry > 0) {
    // As many entries as fit.
    const auto entries = std::max<std::uint64_t>(1, (room - segment_head) / entry);
    room = add_sat(segment_head, mul_sat(entries, entry));
  }
  return round_up(room, page);
}

std::uint64_t SampleCache::whole_bytes(std::uint64_t samples, std::uint64_t kept,
                                       std::uint64_t entry, bool alike) noexcept {
  const auto entries = mul_sat(kept, entry);
  const auto table = mul_sat(samples, sizeof(Slot));
  const auto room = usual_segment(entries, alike ? entry : 0) - segment_head;
  // A sample that is larger than a segment has one of its own.
  if (entry > room)
    return add_sat(table, mul_sat(kept, round_up(add_sat(segment_head, entry), page)));
  // What is left at the end of a segment. If entries differ, half of one in the mean.
  const auto rest = alike ? room % entry : entry / 2;
  const auto segments = round_up(entries, room - rest) / (room - rest);
  return add_sat(table, add_sat(entries, mul_sat(segments, segment_head + rest)));
}

SampleCache::SampleCache(std::shared_ptr<books::Budget> budget, const CachePlan& plan,
                         std::uint64_t samples, std::uint64_t entry,
                         std::shared_ptr<std::pmr::memory_resource> upstream)
    : Evictable(*budget),
      budget_(std::move(budget)),
      plan_(plan),
      samples_(samples),
      segment_bytes_(usual_segment(plan.bytes, entry)),
      upstream_(std::move(upstream)) {
  static_assert(segment_head >= sizeof(Segment));
  attach();
}

SampleCache::~SampleCache() {
  detach();
  while (evict()) {
  }
}

// ---- finding ---------------------------------------------------------------------------------

SampleCache::Hold::~Hold() {
  if (!cache_) return;
  release();
  Lock lock(cache_->mutex_);
  (before_ ? before_->next_ : cache_->holds_) = next_;
  if (next_) next_->before_ = before_;
}

void SampleCache::Hold::release() noexcept {
  if (!*this) return;
  entry_.store(nullptr);
  cache_->offer();
}

void SampleCache::add_hold(Hold& hold) noexcept {
  Lock lock(mutex_);
  hold.cache_ = this;
  hold.next_ = std::exchange(holds_, &hold);
  if (hold.next_) hold.next_->before_ = &hold;
}

const SampleCache::Entry* SampleCache::entry(std::uint64_t index) const noexcept {
  const auto* const table = table_.load();
  return table ? table[index].load() : nullptr;
}

bool SampleCache::find(std::uint64_t index, Hold& hold) noexcept {
  if (!hold.cache_) add_hold(hold);
  // Sequentially consistent: either this thread sees the eviction, or the eviction sees the search.
  hold.searching_.store(true);
  const bool evicting = evicting_.load();
  if (!evicting) hold.entry_.store(entry(index), std::memory_order_relaxed);
  hold.searching_.store(false, std::memory_order_release);
  if (evicting) {
    Lock lock(mutex_);  // no eviction
    hold.entry_.store(entry(index));
  }
  return static_cast<bool>(hold);
}

KeptSample SampleCache::view(const Entry& entry) noexcept {
  // Segments are aligned, so this is the offset that store() computed.
  const auto begin = reinterpret_cast<std::uintptr_t>(&entry);
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  const auto* at = reinterpret_cast<const std::byte*>(
      aligned(begin + Entry::head_bytes(entry.parts, entry.decoded)));
  auto part = [&at, size = entry.sizes()]() mutable {
    const std::span span(at, static_cast<std::size_t>(*size++));
    at += aligned(span.size());
    return span;
  };
  Encoded data{.bytes = part(), .label = entry.label};
  data.annotation = part();
  for (auto planes = entry.parts - 2; planes > 0; --planes) (void)data.planes.add(part());
  return {.index = entry.index,
          .data = data,
          .charged = entry.charged,
          .status = entry.status,
          .size = entry.size,
          .plane_statuses = entry.plane_statuses,
          .window = entry.decoded ? *entry.window() : Window{}};
}

// ---- keeping ---------------------------------------------------------------------------------

bool SampleCache::keep(const KeptSample& sample, std::span<const ImageView> images) noexcept {
  Entry* const entry = reserve(sample);
  if (!entry) {
    Lock lock(mutex_);
    return this->entry(sample.index);
  }
  const auto kept = parts_of(view(*entry).data), given = parts_of(sample.data);
  const auto fill = [](std::span<const std::byte> to, const void* from, std::size_t bytes) {
    if (bytes > 0) std::memcpy(const_cast<std::byte*>(to.data()), from, bytes);
  };
  constexpr std::size_t annotation = 1;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (images.empty() || i == annotation) {
      fill(kept[i], given[i].data(), kept[i].size());
      continue;
    }
    const auto& image = images[i > annotation ? i - 1 : i];
    const auto line = image.line_bytes();
    for (std::size_t y = 0; y < image.shape.height; ++y)
      fill(kept[i].subspan(y * line), image.data + y * image.row_stride, line);
  }
  {
    Lock lock(mutex_);
    --entry->segment->writes;
    // Two workers may have read the same sample.
    if (!this->entry(sample.index)) {
      table_[sample.index] = entry;
      ++held_.samples;
    }
  }
  offer();
  return true;
}

SampleCache::Entry* SampleCache::reserve(const KeptSample& sample) noexcept {
  {
    Lock lock(mutex_);
    if (table_) {
      if (entry(sample.index)) return nullptr;
      if (auto* const entry = store(sample)) return entry;
    }
  }
  Lock one_at_a_time(growing_);
  {
    Lock lock(mutex_);
    if (auto* const entry = table_ ? store(sample) : nullptr) return entry;
  }
  if (!make_table()) return nullptr;
  Segment* const segment = make_segment(segment_head + entry_bytes(sample));
  if (!segment) return nullptr;
  {
    Lock lock(mutex_);
    if (table_) {
      segment->older = std::exchange(youngest_, segment);
      return store(sample);
    }
  }
  free(segment, segment->bytes);  // everything was evicted meanwhile, also the table
  return nullptr;
}

SampleCache::Entry* SampleCache::store(const KeptSample& sample) noexcept {
  const auto parts = parts_of(sample.data);
  const auto bytes = entry_bytes(sample);
  auto* segment = youngest_;
  for (int i = 0; segment && i < segments_tried; ++i, segment = segment->older) {
    const auto end = segment->used + bytes;
    if (end > segment->bytes) continue;
    auto* const entry = ::new (reinterpret_cast<std::byte*>(segment) + segment->used)
        Entry{.segment = segment,
              .before = segment->last,
              .index = sample.index,
              .label = sample.data.label,
              .charged = sample.charged,
              .size = sample.size,
              .status = sample.status,
              .plane_statuses = sample.plane_statuses,
              .parts = static_cast<std::uint32_t>(parts.size()),
              .decoded = kind() == Cache::decoded};
    std::ranges::transform(parts, entry->sizes(), [](const auto& part) { return part.size(); });
    if (entry->decoded) ::new (entry->window()) Window(sample.window);
    segment->last = entry;
    segment->used = end;
    ++segment->writes;
    return entry;
  }
  return nullptr;
}

SampleCache::Segment* SampleCache::make_segment(std::uint64_t least) noexcept {
  std::uint64_t held = 0;
  {
    Lock lock(mutex_);
    held = held_.bytes;
  }
  const auto usual = std::min(segment_bytes_, sub_floor(plan_.bytes, held));
  auto bytes = std::max(usual, least);
  void* data = allocate(bytes);
  // If a segment of the usual size is refused, try one for this sample alone.
  if (!data && bytes > least) data = allocate(bytes = least);
  return data ? ::new (data) Segment{.bytes = bytes, .used = segment_head, .older = nullptr}
              : nullptr;
}

bool SampleCache::make_table() noexcept {
  {
    Lock lock(mutex_);
    if (table_) return true;
  }
  auto* const table = static_cast<Slot*>(allocate(mul_sat(samples_, sizeof(Slot))));
  if (!table) return false;
  std::uninitialized_value_construct_n(table, samples_);
  Lock lock(mutex_);
  table_ = table;
  return true;
}

void* SampleCache::allocate(std::uint64_t bytes) noexcept {
  if (!budget_->try_charge_cache(bytes, plan_.bytes)) return nullptr;
  try {
    auto& from = upstream_ ? *upstream_ : page_memory();
    void* const data = allocate_from(from, bytes, Block::alignment);
    Lock lock(mutex_);
    held_.bytes += bytes;
    return data;
  } catch (...) {
    // The allocation failed, so this sample is not kept.
    budget_->discharge_cache(bytes);
    return nullptr;
  }
}

void SampleCache::free(void* data, std::uint64_t bytes) noexcept {
  auto& from = upstream_ ? *upstream_ : page_memory();
  from.deallocate(data, static_cast<std::size_t>(bytes), Block::alignment);
  {
    Lock lock(mutex_);
    held_.bytes -= bytes;
  }
  budget_->discharge_cache(bytes);
}

// ---- evicting --------------------------------------------------------------------------------

bool SampleCache::is_held(const Segment& segment) const noexcept {
  for (const Hold* hold = holds_; hold; hold = hold->next_)
    if (const auto* const entry = hold->entry_.load(); entry && entry->segment == &segment)
      return true;
  return segment.writes > 0;
}

bool SampleCache::evict() noexcept {
  Segment* segment = nullptr;
  Slot* table = nullptr;
  {
    Lock lock(mutex_);
    evicting_ = true;
    // A search takes some nanoseconds. Later ones wait for the mutex.
    for (const Hold* hold = holds_; hold; hold = hold->next_)
      while (hold->searching_.load()) std::this_thread::sleep_for(std::chrono::microseconds(1));
    Segment** link = &youngest_;
    while (*link && is_held(**link)) link = &(*link)->older;
    segment = *link;
    if (segment) {
      *link = segment->older;
      unlink(*segment);
    } else if (!youngest_) {
      table = table_.exchange(nullptr);
    }
    evicting_ = false;
  }
  if (segment) free(segment, segment->bytes);
  if (table) free(table, samples_ * sizeof(*table));
  return segment || table;
}

void SampleCache::unlink(Segment& segment) noexcept {
  for (auto* entry = segment.last; entry; entry = entry->before) {
    if (table_[entry->index] != entry) continue;
    table_[entry->index] = nullptr;
    --held_.samples;
    ++held_.evicted;
  }
}

CacheStats SampleCache::figures() const noexcept {
  Lock lock(mutex_);
  return held_;
}

}  // namespace weir::buffer

namespace weir {

std::string_view to_string(Cache cache) noexcept {
  return name_of(cache, {"nothing", "encoded", "decoded"});
}

}  // namespace weir
