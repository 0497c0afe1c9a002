#include "api/identity.hpp"

#include "base/internals.hpp"
#include "base/text.hpp"
#include "options/option_row.hpp"
#include "source/fingerprint.hpp"
#include "source/order.hpp"
#include "weir/version.hpp"

namespace weir::api {
namespace {

using options::Affects;

/// Adds what decides the rows: `affects`. Values that the plan has decided are those of the plan.
void put_options(std::vector<Property>& all, Affects affects, Options options, const Plan& plan) {
  options.short_side = options.fit == Fit::center ? plan.short_side : 0;
  options.flip.horizontal = options.flip.horizontal.value_or(options.fit == Fit::random ? 0.5 : 0);
  options.filter = plan.filter;
  options.annotation_bytes = plan.annotation_bytes;
  options.planes = plan.planes;
  options.ranks = plan.ranks;
  if (source::repeats(options.order.kind)) options.order.draws = plan.epoch.positions;
  for (const auto& row : options::rows())
    if (row.affects == affects) all.push_back({std::string(row.name), row.text(row, options)});
}

}  // namespace

buffer::ShelfKey shelf_key(const AnySource& source, const Options& options, const Plan& plan) {
  buffer::ShelfKey key{Internals::self(source), std::string(to_string(plan.cache.keep))};
  if (plan.cache.keep != Cache::decoded) {
    // Planes and annotations that nobody wants are not read.
    for (const auto& plane : options.planes)
      if (!plane.made) key.row += ' ' + plane.name;
    if (plan.annotation_bytes > 0) key.row += " annotations=";
    if (plan.cache.tiles != 0) key.row += concat(" tiles=", plan.cache.tiles);
    return key;
  }
  std::vector<Property> all;
  put_options(all, Affects::pixels, options, plan);
  // What an order draws does not decide a row, but a window may.
  if (options.window.choose) all.push_back({"seed", std::to_string(options.seed)});
  for (const auto& [name, value] : all) key.row += concat(' ', name, '=', value);
  key.codecs.assign(options.codecs.begin(), options.codecs.end());
  return key;
}

std::vector<Property> identity_of(const LoaderState& loader, const StreamOptions& stream) {
  const auto& options = loader.options;
  const auto& plan = loader.plan;
  std::vector<Property> all{{"version", std::string(library_version())},
                            {"samples", std::to_string(loader.source.size())},
                            {"positions", std::to_string(plan.epoch.positions)},
                            {"fingerprint", loader.fingerprint()}};
  put_options(all, Affects::batches, options, plan);
  put_options(all, Affects::pixels, options, plan);
  all.push_back({"memory.max_sample_bytes", std::to_string(plan.max_sample_bytes)});
  all.push_back({"first_epoch", std::to_string(stream.first_epoch)});
  all.push_back({"epochs", stream.epochs ? std::to_string(*stream.epochs) : "no end"});
  all.push_back({"resume", stream.resume ? source::fingerprint_of_text(stream.resume->to_json())
                                         : "nothing"});
  return all;
}

}  // namespace weir::api
