#include "options/option_row.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "options/refuse.hpp"

namespace weir::options {
namespace {

constexpr struct {
  Need need;
  Fit fit;
  std::string_view why;
} needed_fits[] = {{Need::center, Fit::center, "is for `fit` = center"},
                   {Need::random, Fit::random, "is for `fit` = random"},
                   {Need::patch, Fit::patch, "is for `fit` = patch"},
                   {Need::letterbox, Fit::letterbox, "is for `fit` = letterbox"}};

}  // namespace

const Row* find(std::string_view name) noexcept {
  const Row* found = nullptr;
  for (const auto& row : rows()) {
    if (row.name == name) return &row;
    if (row.name.substr(row.name.rfind('.') + 1) != name) continue;
    if (found) return nullptr;
    found = &row;
  }
  return found;
}

std::string help_form(const Row& row) {
  auto form = concat(row.form, joined(row.enumerators, "|"));
  if (!row.absent.empty()) form += concat('|', row.absent);
  return form;
}

std::string form_of(const Spec& row) {
  if (row.name == "order")
    return "must be sequential, shuffle, blocks[:B[:K]], with_replacement[:DRAWS] or "
           "every:N[:OFFSET], as in blocks:64:64; all but OFFSET are 1 or more";
  return "must be one of " + joined(row.enumerators, "|");
}

std::string_view unmet(Need need, const Options& options) noexcept {
  const auto mode = options.sizes.mode;
  if (need == Need::nothing) return "";
  if (need == Need::tolerance)
    return options.faults.policy != OnFault::stop
               ? ""
               : "is for `faults.policy` = skip and blank; with stop, the first fault ends the run";
  if (options.decode == Decode::none)
    return "is for decoded images; `decode` = none delivers encoded samples";
  if (need == Need::decoded) return "";
  if (need == Need::own)
    return mode != Sizes::fixed ? ""
                                : "is for `sizes.mode` = padded and ragged; with `sizes.mode` = "
                                  "fixed, `shape` gives the size";
  if (need == Need::padded)
    return mode == Sizes::padded ? ""
           : mode == Sizes::fixed
               ? "is for `sizes.mode` = padded"
               : "is for `sizes.mode` = padded; a ragged batch has no height, width and padding";
  if (mode != Sizes::fixed)
    return "is for `sizes.mode` = fixed; with padded and ragged, `sizes.max_height` bounds the "
           "images";
  for (const auto& [of, fit, why] : needed_fits)
    if (of == need && fit != options.fit) return why;
  return "";
}

void check(const Options& options) {
  for (const auto& row : rows())
    if (const auto bound = row.bound(row, options); !bound.empty())
      refuse_value(row.name, row.text(row, options), bound);
  for (const auto& row : rows()) {
    const auto why = unmet(row.need, options);
    if (!why.empty() && is_set(row, options))
      throw Error(Errc::bad_options, Stage::wait,
                  OptionProblem{std::string(row.name), row.text(row, options), std::string(why),
                                "leave it at its default"});
  }
}

}  // namespace weir::options
