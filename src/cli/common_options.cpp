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
  group.value("--max-sample-bytes", "BYTES|measured", o.memory.max_sample_bytes, parse_sample_bytes,
              "Encoded bytes and scratch memory of one sample. measured: reads all samples first, "
              "and takes what the largest one needs. [by the plan]");
}

void add_order(const OptionGroup& group, Settings& settings) {
  auto& o = settings.options;
  group.number("--seed", o.seed, "Seed of the order, of random crops and of replacements. [0]");
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
  auto& limits = settings.options.limits;
  group.bytes("--max-encoded-bytes", limits.max_encoded_bytes, "Bytes of a file. [64MiB]");
  group.number("--max-pixels", limits.max_pixels, "Width times height. [100000000]");
  group.number("--max-side", limits.max_side, "Width or height. [65500]");
  group.number("--max-scans", limits.max_scans, "JPEG: scans after the first. [100]");
  group.bytes("--max-header-bytes", limits.max_header_bytes,
              "JPEG: tables and frame before the first scan. [1MiB]");
  group.number("--max-markers", limits.max_markers, "JPEG: markers before the first scan. [1000]");
  group.bytes("--max-ancillary-bytes", limits.max_ancillary_bytes,
              "PNG: bytes of one ancillary chunk. [1MiB]");
}

}  // namespace weir::cli
