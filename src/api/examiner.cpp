#include "api/examiner.hpp"

#include <algorithm>
#include <new>

#include "base/checked.hpp"
#include "base/internals.hpp"
#include "codec/format.hpp"
#include "codec/jpeg_part.hpp"
#include "engine/failure.hpp"
#include "engine/row_window.hpp"
#include "plan/pixel_plan.hpp"

namespace weir::api {
namespace {

std::uint64_t bytes_of(const codec::MemoryNeed& need) noexcept {
  return add_sat(need.scratch, need.reserved);
}

ProbedFile file_of(const codec::ImageInfo& info, PixelFormat pixels) {
  return {.format = info.format->name,
          .width = info.width,
          .height = info.height,
          .bits = info.bit_depth,
          .colour = info.channels > 2,
          .alpha = info.alpha,
          .palette = info.palette,
          .tiles = codec::tiles_across(info),
          .drops = codec::dropped(info, pixels)};
}

/// Resizes the whole image to `size`, in a canvas that is wider, so that no decoder writes to it
/// directly.
codec::FitSpec resized_to(ImageSize size) {
  return {.out = {size.height + 1, size.width + 1}, .into = {0, 0, size.width, size.height}};
}

/// The number of pixels that `antialiased` weighs for one is rounded up, so a smaller row may need more
/// than a larger one: for each column two weights, and a value of one more line, each of 4 bytes at
/// most; and what aligns them.
std::uint64_t rounding_bytes(const engine::RowPlan& planned) {
  std::uint64_t columns = 0;
  for (const auto& image : planned.images) {
    const auto& placement = image.decode.placement;
    if (!image.filled && placement.filter == Filter::antialiased)
      columns = std::max<std::uint64_t>(columns, placement.patch_width());
  }
  return columns > 0 ? columns * (2 + 4) * 4 + 1024 : 0;
}

}  // namespace

Examiner::Examiner(const AnySource& source, const Options& options, MemoryLedger& ledger,
                   std::uint64_t max_sample_bytes, const RowBounds& rows)
    : source_(source),
      options_(options),
      ledger_(ledger),
      max_sample_bytes_(max_sample_bytes),
      rows_(rows),
      rules_(engine::plane_rules(options, source.planes())),
      decoder_(rules_.decoder),
      budget_(Internals::books(ledger)) {}

bool Examiner::fits_vary(const Options& options) noexcept {
  return options.fit == Fit::random || options.window.choose || options.sizes.size.of ||
         joins_other_sizes(options);
}

bool Examiner::joins_other_sizes(const Options& options) noexcept {
  const auto& sizes = options.sizes;
  return options.partners.count > 0 && sizes.mode != Sizes::fixed && !sizes.size.of;
}

// ---- what a stream needs ---------------------------------------------------------------------

Examiner::Need Examiner::measure(std::uint64_t index) const {
  SampleReader reader(ledger_, max_sample_bytes_, rules_.planes, annotation_bytes() > 0);
  const auto sample = reader.read(source_, index);
  if (reader.refused() > 0) return {.refused = reader.refused()};
  if (!sample && reader.ran_out()) throw std::bad_alloc();
  // Also a sample without a sound header must be read to be refused for what it is.
  Need need{.encoded = reader.block_bytes(), .both = reader.charged()};
  const bool partners = options_.partners.count > 0;
  // They are read into one block, which is made for twice as much when it grows.
  if (partners) {
    need.both = round_up(need.both, buffer::Block::alignment);
    need.encoded = mul_sat(need.both, 2);
  }
  if (!sample) return need;
  const bool encoded_row = options_.decode == Decode::none;
  if (encoded_row) need.size = encoded_size(sample->bytes.size(), options_.limits);
  const auto info = decoder_.probe(sample->bytes);
  // A row of a sample that is replaced has the size of its replacement.
  if (encoded_row && options_.faults.policy == OnFault::skip &&
      (!info || engine::too_long(sample->annotation, annotation_bytes())))
    need.size = {};
  if (!info) return need;
  if (!encoded_row) need.size = decoder_.upright(*info);
  if (const auto scratch = most_scratch(*sample, *info)) {
    need.scratch = partners ? scratch->images : scratch->both;
    need.shared = partners ? scratch->work : 0;
    need.both = add_sat(need.both, need.scratch);
  }
  return need;
}

std::vector<codec::FitSpec> Examiner::extreme_fits(ImageSize upright) const {
  const auto& sizes = options_.sizes;
  const auto rule = plan::size_rule(options_);
  const bool own_size = sizes.mode != Sizes::fixed;
  const bool joins = rows_.most.height > 0, shrinks = rows_vary();
  if (!shrinks && !own_size && options_.fit != Fit::random && options_.fit != Fit::patch)
    return {decoder_.options().fit};
  const auto [height, width] = rule       ? rule.ceiling()
                               : joins    ? rows_.most
                               : own_size ? scaled_within(upright, sizes.bound())
                                          : options_.shape;
  // At most one of these sizes is that of the image, so that it is resized.
  std::vector<codec::FitSpec> fits{resized_to({height, width}), resized_to({height + 1, width + 1}),
                                   resized_to({std::max(2u, height) - 1, std::max(2u, width) - 1})};
  if (!shrinks) return fits;
  // The lower a row is, the more lines of the file each of its lines is made of. EXIF may turn them.
  const auto least = joins && !options_.window.choose ? rows_.least : ImageSize{1, 1};
  ImageSize low{least.height, width}, narrow{height, least.width};
  // Larger than any row, and not as the image or a plane, so that all are resized.
  low.width += low.width + 1 == upright.width ? 2 : 1;
  narrow.height += narrow.height + 1 == upright.height ? 2 : 1;
  fits.insert(fits.end(), {resized_to(low), resized_to(narrow)});
  // On the grid, each plane has a pixel of its own.
  const auto grid = decoder_.options().fit.grid;
  if (low.height < grid) fits.push_back(resized_to({grid, low.width}));
  if (narrow.width < grid) fits.push_back(resized_to({narrow.height, grid}));
  return fits;
}

std::optional<Examiner::Scratch> Examiner::most_scratch(const Encoded& sample,
                                                        const codec::ImageInfo& info) const {
  if (options_.decode == Decode::none) return Scratch{};
  const auto upright = decoder_.upright(info);
  const auto part = options_.partners.count > 0 ? engine::Part::partner : engine::Part::own;
  Scratch most;
  for (const auto& fit : extreme_fits(upright)) {
    const auto planned = engine::plan_planes(
        rules_, sample, info, codec::choose_window(upright, fit, 0), fit.out, {}, part);
    if (!planned) return std::nullopt;
    const auto rounding = rows_vary() ? rounding_bytes(*planned) : 0;
    most = {std::max(most.images, planned->image_bytes),
            std::max(most.work, add_sat(bytes_of(planned->work), rounding)),
            std::max(most.both, add_sat(bytes_of(planned->need()), rounding))};
  }
  return most;
}

// ---- whether it delivers ---------------------------------------------------------------------

ProbedImage Examiner::probe(std::uint64_t index) {
  ProbedImage image;
  std::optional<Defect> defect;
  try {
    defect = judge(index, image);
  } catch (const std::bad_alloc&) {
    scratch_.trim();
    defect = {FaultKind::memory, Stage::decode, {}};
  }
  if (defect) {
    image = {};
    image.fault = engine::fault_of(*defect, source_, index, 0);
  }
  image.index = index;
  image.name = engine::name_of(source_, index);
  return image;
}

std::optional<Defect> Examiner::judge(std::uint64_t index, ProbedImage& image) {
  SampleReader reader(ledger_, max_sample_bytes_, rules_.planes, annotation_bytes() > 0);
  const auto sample = reader.read(source_, index);
  if (!sample) return sample.defect();
  const auto first = decoder_.probe(sample->bytes);
  if (!first) return first.defect();
  const auto& options = decoder_.options();
  // As in epoch 0, with the index as the position.
  const auto window = engine::row_window(options_, options.fit,
                                         {.image = decoder_.upright(*first),
                                          .label = sample->label,
                                          .annotation = sample->annotation,
                                          .index = index,
                                          .position = index},
                                         0, 0);
  if (!window) return window.defect();
  const auto planned =
      engine::plan_planes(rules_, *sample, *first, *window, options.fit.out, reader.unread());
  if (!planned) return planned.defect();
  image.scratch_bytes = bytes_of(planned->need());
  const auto needs = add_sat(reader.charged(), image.scratch_bytes);
  if (auto defect = engine::too_large(needs, max_sample_bytes_, Stage::wait)) return defect;

  const auto broken = [&](std::size_t p, const Defect& why) {
    image.broken.push_back(engine::fault_of(why, source_, index, 0));
    image.broken.back().plane = rules_.planes[p].options.name;
  };
  for (const auto& [p, why] : planned->broken) broken(p, why);
  static_cast<ProbedFile&>(image) = file_of(*first, options.pixels);
  const auto status = decode(planned->images[0], options);
  if (!status) return status.defect();
  image.damaged = *status == RowStatus::damaged;
  for (std::size_t p = 0; p < rules_.planes.size(); ++p) {
    const auto& plane = planned->images[p + 1];
    image.planes.push_back({{}, plane.status});
    auto& found = image.planes.back();
    if (plane.filled) continue;
    static_cast<ProbedFile&>(found) = file_of(plane.decode.info, rules_.planes[p].options.pixels);
    const auto decoded = decode(plane, rules_.planes[p].decoder);
    if (decoded) {
      if (*decoded == RowStatus::damaged) found.status = PlaneStatus::damaged;
      continue;
    }
    const auto why = engine::of_plane(decoded.defect(), rules_.planes[p]);
    if (!rules_.planes[p].options.optional) return why;
    found.status = PlaneStatus::broken;
    broken(p, why);
  }
  image.encoded_bytes = sample->image_bytes();
  return engine::too_long(sample->annotation, annotation_bytes());
}

Result<RowStatus> Examiner::decode(const engine::PlannedPlane& image,
                                   const codec::DecoderOptions& options) {
  const auto plan = codec::plan_whole(image.decode.info, image.decode.out(), options);
  const auto bytes = plan.memory.scratch;
  if (!scratch_.ensure(bytes, 0, {}, nullptr)) throw std::bad_alloc();
  row_.resize(static_cast<std::size_t>(plan.out_bytes()));
  const auto decoded = decoder_.decode(image.encoded, plan, scratch_.first(bytes), never_, row_);
  if (!decoded) return decoded.defect();
  return decoded->status;
}

}  // namespace weir::api
