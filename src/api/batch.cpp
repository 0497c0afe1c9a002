#include "weir/batch.hpp"

#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>

#include "api/offer.hpp"
#include "base/sanitize.hpp"
#include "base/text.hpp"
#include "buffer/slab_pool.hpp"
#include "source/plane_names.hpp"

namespace weir {
namespace {

/// `call` ends without its closing parenthesis.
[[noreturn]] void refuse_rows(const std::string& call, std::uint32_t rows) {
  refuse(Stage::lease, call, "): the batch has ", rows, " rows");
}

[[noreturn]] void refuse_encoded(const char* call) {
  refuse(Stage::lease, "Batch::", call,
         ": the loader has `decode` = none, so a batch has no pixels; use Batch::encoded(), or "
         "leave the option out");
}

/// Rows of an image of the form: 0 is the image of a Batch, the others are BatchPlanes.
PixelBlock rows_of(const buffer::Slab& slab, std::size_t i, std::uint32_t first,
                   std::uint32_t count) {
  const auto& layout = slab.layout();
  const char* const type = i == 0 ? "Batch" : "BatchPlane";
  if (layout.mode == Sizes::ragged)
    refuse(Stage::lease, type, "::pixels and slice: the loader has `sizes.mode` = ragged, so the ",
           i == 0 ? "images" : "planes", " of a batch have no shape in common; use ", type,
           "::image(i), or pixel_bytes() with offsets()", i == 0 ? " and sizes()" : "",
           ", or Sizes::fixed or padded for one block");
  if (first > slab.rows || count > slab.rows - first)
    refuse_rows(concat(type, "::slice(first = ", first, ", count = ", count), slab.rows);
  const auto& form = layout.form.images[i];
  return {slab.pixels(first, count, i), count, form.size_in(layout.shape), form.pixels};
}

ImageView image_of(const buffer::Slab& slab, std::size_t i, std::uint32_t row) {
  if (row >= slab.rows)
    refuse_rows(concat(i == 0 ? "Batch" : "BatchPlane", "::image(i = ", row), slab.rows);
  return slab.image(row, i);
}

}  // namespace

static_assert(std::is_nothrow_move_constructible_v<Batch> && !std::is_copy_constructible_v<Batch>);

Batch::Batch(std::shared_ptr<buffer::SlabPool> pool, buffer::Slab& slab, Receipt receipt) noexcept
    : pool_(std::move(pool)), slab_(&slab), receipt_(std::move(receipt)) {}

Batch::Batch(Batch&& other) noexcept
    : pool_(std::move(other.pool_)),
      slab_(std::exchange(other.slab_, nullptr)),
      receipt_(std::move(other.receipt_)) {}

Batch& Batch::operator=(Batch&& other) noexcept {
  Batch gone(std::move(other));
  pool_.swap(gone.pool_);
  std::swap(slab_, gone.slab_);
  std::swap(receipt_, gone.receipt_);
  return *this;
}

Batch::~Batch() {
  if (slab_ && !pool_->fork_guard().in_child())
    pool_->release(*slab_, api::Offer::parting_of(*slab_));
}

void Batch::finish() noexcept { receipt_.finish(); }

Receipt Batch::receipt() noexcept { return receipt_.take(); }

void Batch::discard() && noexcept {
  receipt_.finish();
  if (slab_ && !pool_->fork_guard().in_child())
    pool_->release(*std::exchange(slab_, nullptr), books::Parting::discarded);
}

Receipt Batch::release_when(std::unique_ptr<LeaseEnd> end) && noexcept {
  if (!slab_ || pool_->fork_guard().in_child()) return {};
  auto pool = std::move(pool_);
  if (!pool->release_when(*std::exchange(slab_, nullptr), std::move(end)))
    buffer::SlabPool::drain(std::move(pool));
  return receipt();
}

std::unique_ptr<LeaseEnd> Batch::take_last_end() noexcept { return std::move(slab_->lease_end); }

std::uint32_t Batch::size() const noexcept { return slab_->rows; }
std::uint64_t Batch::global_rows() const noexcept { return slab_->global_rows; }
std::uint64_t Batch::epoch() const noexcept { return slab_->epoch; }
bool Batch::last_of_epoch() const noexcept { return slab_->last; }
std::uint64_t Batch::sequence() const noexcept { return slab_->sequence; }

bool Batch::ragged() const noexcept { return slab_->layout().mode == Sizes::ragged; }

PixelBlock Batch::pixels() const { return slice(0, slab_->rows); }

std::span<const EncodedImage> Batch::encoded() const noexcept { return slab_->encoded(); }
std::span<const ImageSize> Batch::sizes() const noexcept {
  return slab_->layout().form.encoded ? std::span<const ImageSize>() : slab_->sizes();
}
std::span<const std::uint64_t> Batch::offsets() const noexcept { return slab_->offsets(); }
std::span<const std::uint8_t> Batch::pixel_bytes() const noexcept {
  return slab_->pixels(0, slab_->rows);
}

double Batch::padding() const noexcept {
  const auto all = pixel_bytes().size();
  if (!slab_->layout().sizes_differ() || all == 0) return 0;
  std::uint64_t images = 0;
  for (const auto& size : slab_->sizes()) images += slab_->layout().form.images[0].bytes_in(size);
  return 1 - static_cast<double>(images) / static_cast<double>(all);
}

std::span<const std::byte> Batch::annotation(std::uint32_t i) const {
  if (i >= size()) refuse_rows(concat("Batch::annotation(i = ", i), size());
  const auto lengths = slab_->annotation_lengths();
  return slab_->annotations(i, 1).first(lengths.empty() ? 0 : lengths[i]);
}

std::string_view Batch::annotation_text(std::uint32_t i) const {
  const auto bytes = annotation(i);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::size_t Batch::annotation_room() const noexcept {
  return static_cast<std::size_t>(slab_->layout().form.annotation_bytes);
}

std::span<const std::byte> Batch::annotation_block() const {
  const auto room = annotation_room();
  const auto lengths = slab_->annotation_lengths();
  for (std::size_t i = 0; i < lengths.size(); ++i)
    if (lengths[i] != 0 && lengths[i] != room)
      refuse(Stage::lease, "Batch::annotation_block(): row ", i, " has ", lengths[i],
             " bytes, annotation_bytes is ", room, "; use annotation()");
  return slab_->annotations(0, slab_->rows);
}

std::span<const std::uint32_t> Batch::annotation_lengths() const noexcept {
  return slab_->annotation_lengths();
}

PixelBlock Batch::slice(std::uint32_t first, std::uint32_t count) const {
  if (slab_->layout().form.encoded) refuse_encoded("pixels and slice");
  return rows_of(*slab_, 0, first, count);
}

const std::vector<std::string>& Batch::planes() const noexcept { return pool_->plane_names(); }

BatchPlane Batch::plane(std::string_view name) const {
  const auto& names = pool_->plane_names();
  const auto found = std::ranges::find(names, name);
  if (found != names.end()) return {*slab_, static_cast<std::size_t>(1 + (found - names.begin()))};
  refuse(Stage::lease, "Batch::plane(", sanitize(name), "): the planes of Options::planes are ",
         source::list_of(names), "; name it there, and the loader decodes it");
}

PixelBlock BatchPlane::pixels() const { return slice(0, slab_->rows); }

PixelBlock BatchPlane::slice(std::uint32_t first, std::uint32_t count) const {
  return rows_of(*slab_, image_, first, count);
}

ImageView BatchPlane::image(std::uint32_t i) const { return image_of(*slab_, image_, i); }
std::span<const PlaneStatus> BatchPlane::statuses() const noexcept {
  return slab_->plane_statuses(image_);
}
std::span<const std::uint64_t> BatchPlane::offsets() const noexcept {
  return slab_->offsets(image_);
}
std::span<const std::uint8_t> BatchPlane::pixel_bytes() const noexcept {
  return slab_->pixels(0, slab_->rows, image_);
}
PixelFormat BatchPlane::format() const noexcept {
  return slab_->layout().form.images[image_].pixels;
}

ImageView Batch::image(std::uint32_t i) const {
  if (slab_->layout().form.encoded) refuse_encoded("image");
  return image_of(*slab_, 0, i);
}

const Window& Batch::window(std::uint32_t i) const {
  if (slab_->layout().form.encoded) refuse_encoded("window");
  if (i >= size()) refuse_rows(concat("Batch::window(i = ", i), size());
  return slab_->windows()[i];
}

std::span<const std::int64_t> Batch::labels() const noexcept { return slab_->labels(); }
std::span<const std::uint64_t> Batch::indices() const noexcept { return slab_->indices(); }
std::span<const RowStatus> Batch::statuses() const noexcept { return slab_->statuses(); }
void Batch::held_by(const char* holder) const noexcept {
  if (!pool_->fork_guard().in_child()) pool_->book().name_holder(slab_->id, holder);
}
std::uint64_t Batch::bytes_held() const noexcept { return slab_->bytes(); }

}  // namespace weir
