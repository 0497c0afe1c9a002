#include "plan/pixel_plan.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "base/sanitize.hpp"
#include "base/text.hpp"
#include "options/bounds.hpp"
#include "options/option_row.hpp"
#include "options/refuse.hpp"
#include "source/plane_names.hpp"

namespace weir::plan {
namespace {

using options::most_side;

/// `of`: the beginning of the names of options: "", or "planes[0].".
void check_format(const std::string& of, PixelFormat pixels, Filter filter, const Fill& fill) {
  if (filter != Filter::automatic && is_stored(pixels) != (filter == Filter::nearest))
    throw Error(
        Errc::bad_options, Stage::wait,
        OptionProblem{
            of + "filter",
            std::string(options::find("filter")->enumerators[static_cast<std::size_t>(filter)]),
            is_stored(pixels)
                ? "stored values take nearest alone"
                : concat("nearest is for stored values, and not for ", to_string(pixels)),
            "leave it at automatic"});
  const auto channels = channels_of(pixels);
  const std::uint16_t most = value_bytes(pixels) == 1 ? 255 : 65'535;
  for (std::size_t i = 0; i < fill.size(); ++i) {
    const auto option = concat(of, "fill[", i, "]");
    if (i >= channels && fill[i] != 0)
      refuse_value(option, fill[i], "must be 0, because ", to_string(pixels),
                   " has no such channel");
    within(option, fill[i], std::uint16_t{0}, most);
  }
}

/// Pixels of the image between two edges of a patch that are whole pixels of every plane.
std::uint32_t patch_grid(const Options& o) {
  std::uint32_t grid = 1;
  for (const auto& plane : o.planes) {
    const auto [up, down] = plane.scale;
    if (up == 0 || down == 0) continue;  // check_planes() refuses it
    grid = std::min(std::lcm(grid, down / std::gcd(up, down)), most_side);
  }
  return grid;
}

void check_plane(const Options& o, std::size_t i) {
  const auto& plane = o.planes[i];
  const auto of = concat("planes[", i, "].");
  std::vector<std::string> before;
  for (std::size_t other = 0; other < i; ++other) before.push_back(o.planes[other].name);
  if (const auto why = source::not_a_plane(plane.name, before); !why.empty())
    refuse('`', of, "name` = ", why);
  for (const auto& row : options::plane_rows())
    if (const auto bound = row.bound(row, plane); !bound.empty())
      refuse_value(of + std::string(row.name), row.text(row, plane), bound);
  check_format(of, plane.pixels, plane.filter, plane.fill);
  if (o.sizes.mode == Sizes::fixed) {
    const auto size = scaled_by(o.shape, plane.scale);
    const auto whole = [&](std::uint32_t side) {
      return std::uint64_t{side} * plane.scale.numerator % plane.scale.denominator == 0;
    };
    if (!whole(o.shape.height) || !whole(o.shape.width) ||
        std::max(size.height, size.width) > most_side)
      refuse_value(of + "scale", concat(plane.scale.numerator, "/", plane.scale.denominator),
                   "the sides of `shape` = ", sides(o.shape),
                   " times it must be whole numbers, at most ", most_side);
  }
  if (!plane.made) return;
  if (plane.optional)
    refuse('`', of, "optional` with `", of, "made`: a made plane has no file to miss");
  if (!o.transform.apply)
    refuse('`', of, "made` without `transform.apply`: the transform draws such a plane");
}

}  // namespace

void check_name(std::string_view option, const std::string& name) {
  constexpr std::size_t most = 64;
  if (name.empty() || name.size() > most ||
      !std::ranges::all_of(name, [](char c) { return c >= ' ' && c <= '~'; }))
    refuse_value(
        option, concat('\'', sanitize(name, most), '\''), "must be 1 to ", most,
        " printable ASCII characters: ranks compare it, because functions cannot be compared");
}

void check_pixels(const Options& o) { check_format("", o.pixels, o.filter, o.fill); }

void check_planes(const Options& o) {
  if (o.planes.size() > EncodedPlanes::most)
    refuse_value("planes.size()", o.planes.size(), "must be 0 to ", EncodedPlanes::most);
  for (std::size_t i = 0; i < o.planes.size(); ++i) check_plane(o, i);
  const auto& whole = o.transform.whole;
  for (std::size_t i = 0; i < whole.size(); ++i)
    if (whole[i] != "image" &&
        std::ranges::find(o.planes, whole[i], &PlaneOptions::name) == o.planes.end())
      refuse_value(concat("transform.whole[", i, "]"), whole[i],
                   "must be image, or the name of one of planes");
  if (!o.transform.apply && o.transform.input != TransformInput::decoded)
    refuse("`transform.input` without `transform.apply`: remove it");
  if (!whole.empty() && (!o.transform.apply || o.transform.input != TransformInput::decoded))
    refuse(
        "`transform.whole` without a `transform.apply` of `transform.input` = decoded: remove it");
}

namespace {

void check_window(const Options& o) {
  const auto& [choose, name, same_each_epoch] = o.window;
  if (!choose) {
    if (!name.empty() || same_each_epoch)
      refuse("`window.name` and `window.same_each_epoch` without `window.choose`: remove them");
    return;
  }
  check_name("window.name", name);
  const char* const other = o.fit != Fit::center                       ? "fit"
                            : o.short_side != 0                        ? "short_side"
                            : o.flip.horizontal || o.flip.vertical > 0 ? "flip"
                                                                       : nullptr;
  if (other) refuse('`', other, "`: `window.choose` decides it; leave it at its default");
}

}  // namespace

void check_fit(const Options& o) {
  check_window(o);
  const auto least = std::min(o.shape.height, o.shape.width), grid = patch_grid(o);
  if (o.patch.padding >= least)
    refuse_value("patch.padding", o.patch.padding, "must be below ", least,
                 ", the shorter side of `shape`");
  if (o.patch.padding % grid != 0)
    refuse_value("patch.padding", o.patch.padding, "must be a multiple of ", grid,
                 ", the grid of the planes' scales");
}

std::uint32_t short_side(const Options& options, ImageSize row) {
  if (options.short_side != 0) return options.short_side;
  return static_cast<std::uint32_t>(std::lround(std::max(row.height, row.width) * 256.0 / 224.0));
}

source::SizeRule size_rule(const Options& options) {
  const auto& sizes = options.sizes;
  if (!sizes.size.of) return {};
  if (sizes.mode != Sizes::fixed)
    return {sizes.size, sizes.bound(), "`sizes.max_height` and `sizes.max_width`"};
  return {sizes.size, options.shape, "shape", options.patch.padding + 1, patch_grid(options)};
}

codec::FitSpec fit_of(const Options& options, ImageSize row) {
  return {.out = row,
          .fit = options.fit,
          .short_side = short_side(options, row),
          .flip = options.flip,
          .random = options.random,
          .patch = options.patch,
          .grid = patch_grid(options),
          .letterbox = options.letterbox};
}

codec::DecoderOptions decoder_options(const Options& options) {
  return {.fit = fit_of(options, options.shape),
          .pixels = options.pixels,
          .fill = options.fill,
          .exif = options.exif,
          .strict = options.faults.strict,
          .filter = resolved(options.filter, options.pixels),
          .decode = options.decode,
          .limits = options.limits,
          .codecs = options.codecs};
}

codec::DecoderOptions decoder_options(const Options& options, const PlaneOptions& plane) {
  auto decoder = decoder_options(options);
  decoder.pixels = plane.pixels;
  decoder.fill = plane.fill;
  decoder.filter = resolved(plane.filter, plane.pixels);
  return decoder;
}

namespace {

/// `Either`: Options or Plan.
template <class Either>
buffer::RowForm form_of(const Either& either, std::uint64_t annotation_bytes) {
  const bool encoded = either.decode == Decode::none;
  buffer::RowForm form{.images = {{.pixels = encoded ? PixelFormat::stored8 : either.pixels,
                                   .fill = encoded ? Fill{} : either.fill}},
                       .encoded = encoded,
                       .annotation_bytes = annotation_bytes};
  for (const auto& plane : either.planes)
    form.images.push_back({.pixels = plane.pixels, .fill = plane.fill, .scale = plane.scale});
  return form;
}

}  // namespace

buffer::RowForm row_form(const Options& options) {
  return form_of(options, options.annotation_bytes.bytes().value_or(0));
}
buffer::RowForm row_form(const Plan& plan) { return form_of(plan, plan.annotation_bytes); }

}  // namespace weir::plan

namespace weir {

std::vector<RowColumn> Plan::columns() const {
  const auto form = plan::row_form(*this);
  const auto layout = sizes.mode == Sizes::fixed ? buffer::SlabLayout::fixed(form, shape, 1, 1)
                                                 : buffer::SlabLayout::padded(form, shape, 1, 1);
  std::vector<RowColumn> all;
  for (std::size_t i = 0; i < form.images.size(); ++i) {
    const auto& image = form.images[i];
    all.push_back({.name = i == 0 ? "image" : planes[i - 1].name,
                   .pixels = image.pixels,
                   .size = image.size_in(shape),
                   .bytes = layout.of_image(i, buffer::ImageColumnId::pixels).bytes});
  }
  if (form.encoded) all[0].pixels.reset();
  if (annotation_bytes > 0)
    all.push_back({.name = "annotation", .pixels = {}, .bytes = annotation_bytes});
  if (!form.encoded)
    all.push_back(
        {.name = "window", .pixels = {}, .bytes = layout[buffer::ColumnId::windows].bytes});
  auto rest = layout.bytes;
  for (const auto& column : all) rest -= std::min(rest, column.bytes);
  all.push_back({.name = "labels, indices and statuses", .pixels = {}, .bytes = rest});
  return all;
}

}  // namespace weir
