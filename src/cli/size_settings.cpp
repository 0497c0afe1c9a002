#include "cli/size_settings.hpp"

#include "report/bytes.hpp"

namespace weir::cli {

void add_sizes(OptionGroup& group, SizeOptions& sizes) {
  group.choice("--sizes", sizes.mode,
               {{"fixed", Sizes::fixed}, {"padded", Sizes::padded}, {"ragged", Sizes::ragged}},
               "padded, ragged: images keep their own sizes, in blocks as large as the largest, or "
               "one behind the other [fixed: HxW]");
  group.text(
      "--max-size", "HxW",
      [&sizes](const std::string& t) {
        const auto bound = parse_size(t);
        sizes.max_height = bound.height;
        sizes.max_width = bound.width;
      },
      "padded, ragged: larger images are scaled down, aspect kept [none is]");
  group.positive("--bucket", sizes.bucket_batches,
                 "padded: sorted by size within N batches, for less padding [off]");
}

void add_queue_bytes(OptionGroup& group, QueueOptions& queue) {
  group.text(
      "--max-queue-bytes", "BYTES",
      [&queue](const std::string& t) {
        queue.max_bytes = report::parse_bytes(t);
        if (queue.max_bytes == 0) throw std::invalid_argument("must be 1 or more, not 0");
      },
      "of the batches ahead of the consumer; one may always be there [no bound]");
}

void check_sizes(const CLI::App& command, Settings& settings) {
  const auto& sizes = settings.options.sizes;
  const auto name = command.get_name();
  const auto refuse = [&](const char* option, const std::string& why) {
    const auto* const given = command.get_option_no_throw(option);
    if (given != nullptr && given->count() > 0)
      throw Refusal{2, std::string("weir: ") + option + ": " + why + "\n"};
  };
  if (sizes.mode == Sizes::fixed) {
    refuse("--max-size", "for --sizes padded and ragged; with fixed, --size says it");
    refuse("--bucket", "for --sizes padded");
    return;
  }
  if (name == "tune" || name == "probe")
    refuse("--sizes", name +
                          " takes images of one shape; padded and ragged are for plan, run, sweep "
                          "and verify");
  for (const auto* option : {"--size", "--fit", "--short-side"})
    refuse(option, "for --sizes fixed; with padded and ragged, --max-size bounds the images");
  if (sizes.mode == Sizes::ragged)
    refuse("--bucket", "for --sizes padded; a ragged batch has no padding to lessen");
  refuse("--model", "takes images of one shape, --sizes fixed");
  refuse("--grid", "takes images of one shape, --sizes fixed");
  if (settings.options.tuning.mode == Tuning::automatic)
    refuse("--tuning", "automatic takes images of one shape, --sizes fixed");
  if (settings.data.empty())
    throw Refusal{2, "weir: --sizes: images of their own sizes are measured, so DATA is needed\n"};
  // A prediction takes all images for alike.
  settings.foretell = false;
}

}  // namespace weir::cli
