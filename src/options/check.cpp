#include "options/check.hpp"

#include "options/option_row.hpp"
#include "options/refuse.hpp"

namespace weir::options {

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
