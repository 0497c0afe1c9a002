#include "api/identity.hpp"

#include <concepts>

#include "base/internals.hpp"
#include "base/terms.hpp"
#include "base/text.hpp"
#include "report/fields.hpp"
#include "source/fingerprint.hpp"
#include "weir/version.hpp"

namespace weir::api {
namespace {

std::string hash_of(const SizeIndex& sizes) {
  std::string all;
  all.reserve(sizes.size() * 12);
  for (std::uint64_t i = 0; i < sizes.size(); ++i)
    all += concat(sizes[i].height, 'x', sizes[i].width, ' ');
  return source::fingerprint_of_text(all);
}

/// Adds a property, as text.
void put(std::vector<Property>& all, const char* name, const auto& value) {
  if constexpr (std::same_as<decltype(value), const bool&>)
    all.push_back({name, value ? "true" : "false"});
  else
    all.push_back({name, concat(value)});
}

constexpr std::string_view filters[] = {"automatic", "bilinear", "antialiased", "nearest"};

std::string text_of(const Fill& fill) {
  return concat(fill[0], ',', fill[1], ',', fill[2], ',', fill[3]);
}

/// What decides the rows of the planes.
std::string text_of(const std::vector<PlaneOptions>& planes) {
  std::string all;
  for (const auto& plane : planes)
    all += concat(all.empty() ? "" : "; ", plane.name, ' ', to_string(plane.pixels), ' ',
                  name_of(plane.filter, filters), " fill ", text_of(plane.fill), " scale ",
                  plane.scale.numerator, '/', plane.scale.denominator, ' ',
                  name_of(plane.match, {"ratio", "stretch"}), plane.optional ? " optional" : "",
                  plane.made ? " made" : "");
  return all.empty() ? "none" : all;
}

/// What decides the row of a sample of Cache::decoded, or whether it is a fault.
std::vector<Property> row_properties(const Options& options, const Plan& plan) {
  std::vector<Property> all;
  const auto add = [&](const char* name, const auto& value) { put(all, name, value); };
  add("shape", concat(options.shape.height, 'x', options.shape.width));
  add("fit", name_of(options.fit, {"center", "random", "stretch", "letterbox", "patch"}));
  add("short_side", plan.short_side);
  add("flip",
      format("%.17g %.17g", options.flip.horizontal.value_or(options.fit == Fit::random ? 0.5 : 0),
             options.flip.vertical));
  const auto& [area, aspect] = options.random;
  add("random", format("%.17g %.17g %.17g %.17g", area[0], area[1], aspect[0], aspect[1]));
  add("patch", concat(options.patch.padding, options.patch.pad_small ? " pad_small" : ""));
  add("letterbox", concat(name_of(options.letterbox.align, {"center", "top_left"}),
                          options.letterbox.enlarge ? " enlarge" : ""));
  add("window",
      options.window.choose
          ? concat(options.window.name, options.window.same_each_epoch ? " same_each_epoch" : "")
          : "of fit");
  add("pixels", to_string(options.pixels));
  add("filter", name_of(plan.filter, filters));
  add("fill", text_of(options.fill));
  add("planes", text_of(plan.planes));
  add("decode", name_of(options.decode, {"exact", "fast", "none"}));
  add("exif", name_of(options.exif, {"apply", "ignore"}));
  add("annotation_bytes", plan.annotation_bytes);
  add("codecs", options.codecs.size());
  add("sizes.mode", report::size_modes[static_cast<std::size_t>(options.sizes.mode)]);
  if (options.sizes.mode != Sizes::fixed) {
    add("sizes.max_height", options.sizes.bound().height);
    add("sizes.max_width", options.sizes.bound().width);
  }
  add("limits.max_pixels", options.limits.max_pixels);
  add("limits.max_side", options.limits.max_side);
  add("limits.max_scans", options.limits.max_scans);
  add("limits.max_encoded_bytes", options.limits.max_encoded_bytes);
  add("limits.max_header_bytes", options.limits.max_header_bytes);
  add("limits.max_markers", options.limits.max_markers);
  add("limits.max_ancillary_bytes", options.limits.max_ancillary_bytes);
  add("faults.strict", options.faults.strict);
  return all;
}

}  // namespace

buffer::ShelfKey shelf_key(const AnySource& source, const Options& options, const Plan& plan) {
  buffer::ShelfKey key{Internals::self(source), std::string(to_string(plan.cache.keep))};
  if (plan.cache.keep != Cache::decoded) {
    // Planes that nobody wants are not read.
    for (const auto& plane : options.planes)
      if (!plane.made) key.row += ' ' + plane.name;
    return key;
  }
  for (const auto& [name, value] : row_properties(options, plan))
    key.row += ' ' + name + '=' + value;
  key.codecs.assign(options.codecs.begin(), options.codecs.end());
  return key;
}

std::vector<Property> identity_of(const LoaderState& loader, const StreamOptions& stream) {
  const auto& options = loader.options;
  const auto& plan = loader.core->plan;
  std::vector<Property> all;
  const auto add = [&](const char* name, const auto& value) { put(all, name, value); };
  add("version", library_version());
  add("samples", loader.core->source.size());
  add("positions", plan.epoch.positions);
  add("fingerprint", loader.fingerprint());
  add("seed", options.seed);
  add("order", to_string(options.order));
  add("batch", plan.batch);
  add("ranks.world", plan.ranks.world);
  add("drop_last", options.drop_last);
  add("first_epoch", stream.first_epoch);
  add("epochs", stream.epochs ? std::to_string(*stream.epochs) : "no end");
  add("resume", stream.resume ? source::fingerprint_of_text(stream.resume->to_json()) : "nothing");

  for (auto& property : row_properties(options, plan)) all.push_back(std::move(property));
  add("transform", bool(options.transform.apply));
  add("transform.input", name_of(options.transform.input, {"decoded", "fitted"}));
  std::string whole;
  for (const auto& name : options.transform.whole) whole += ' ' + name;
  add("transform.whole", whole.empty() ? "all" : whole.substr(1));
  if (options.sizes.mode != Sizes::fixed) {
    add("sizes.bucket_batches", options.sizes.bucket_batches);
    add("sizes.multiple_of", options.sizes.multiple_of);
    add("sizes.index", hash_of(*options.sizes.index));
  }
  add("max_sample_bytes", plan.max_sample_bytes);
  add("faults.policy", name_of(options.faults.policy, {"stop", "skip", "blank"}));
  return all;
}

}  // namespace weir::api
