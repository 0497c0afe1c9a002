#include "cli/common_options.hpp"

#include <string>

#include "report/bytes.hpp"

namespace weir::cli {
namespace {

void set_budget(const std::string& text, Settings& settings) {
  settings.budget_share = parse_auto_share(text);
  auto& budget = settings.options.memory.budget_bytes;
  budget.reset();
  if (!settings.budget_share) budget = report::parse_bytes(text);
}

}  // namespace

void add_files(const OptionGroup& group, Settings& settings) {
  group.value("--ext", ".E[,.E...]", settings.extensions, parse_extensions,
              "Only files with these extensions; '*': every file. [all but extensions that are "
              "never an image's]");
  group.enumerators("--follow-symlinks", settings.follow_symlinks, {"no", "inside-root", "yes"},
                    "Links in a folder. inside-root: to files in it. yes: also to folders and "
                    "out of it. [inside-root]");
}

void add_budget(const OptionGroup& group, Settings& settings) {
  auto& o = settings.options;
  group.text(
      "--memory-budget", "BYTES|auto[:P%]",
      [&s = settings](const std::string& t) { set_budget(t, s); },
      "Maximum of live bytes, as in 64MiB or 2GiB. auto: half of the free memory. auto:P%: that "
      "percentage of it. [no limit]");
  group.rows({"memory.max_sample_bytes"}, o);
}

void add_order(const OptionGroup& group, Settings& settings) {
  auto& o = settings.options;
  group.rows({"seed"}, o);
  group.value(
      "--order", "ORDER", o.order, parse_order,
      "sequential. shuffle: a new order each epoch. blocks[:B[:K]]: a new order that reads runs "
      "of B samples and mixes those of K runs. every:N[:OFFSET]: each N-th sample. "
      "with_replacement[:DRAWS]: each draw takes any sample. weighted:FILE: the same by weight; "
      "FILE has one number on each line, for each sample. [sequential; blocks: 64, 64]");
  group.flag("--shuffle", settings.shuffle, "The same as --order shuffle.");
}

void add_exclude(const OptionGroup& group, Settings& settings) {
  group.word(
      "--exclude", "FILE", settings.exclude,
      "Leaves out the samples that FILE names, one per line, as probe --list-bad writes them.");
}

void add_limits(const OptionGroup& group, Settings& settings) {
  for (const auto& row : options::rows())
    if (row.part == options::Part::limit) group.rows({row.name}, settings.options);
}

}  // namespace weir::cli
