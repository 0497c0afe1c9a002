#include "cli/common_options.hpp"
#include "cli/plane_option.hpp"

namespace weir::cli {

void add_pack(CLI::App& sub, Settings& settings) {
  const auto group = [&](const char* heading) { return OptionGroup(sub, Command::pack, heading); };
  auto& o = settings.options;
  auto& p = settings.pack;
  // parse() takes OUT from the words of DATA: CLI11 gives them all to DATA.
  sub.add_option("OUT", p.out,
                 "Folder of the shards. The same command again goes on where a run ended.")
      ->type_name("")
      ->group("Arguments");
  const auto stored = group(pack_heading);
  stored.positive("--short-side", p.short_side,
                  "Larger images are reduced so that their shorter side has N pixels, and become "
                  "JPEGs. A JPEG that is not larger stays as it is.");
  stored.value(
      "--quality", "N", p.quality,
      [](const std::string& t) {
        return static_cast<std::uint32_t>(options::read_whole(t, 1, 100));
      },
      "Quality of these JPEGs, 1 to 100; 4:2:0. [90]");
  stored.flag("--keep", p.keep,
              "Copies the bytes of each image as they are. It is decoded only to find damage.");
  stored.positive(
      "--tiles", p.tiles,
      "Each JPEG gets about N restart intervals in each row of its blocks, and no pixel "
      "changes. Random crops and patches then decode fewer bytes. 16 is a good start. "
      "[no change]");
  stored.word("--jpegs-to", "DIR", p.files_to,
              "Writes images as files of the same names instead of shards. Write it without OUT. "
              "Files that DIR already has of an earlier run stay.");
  stored.texts(
      "--plane", "NAME[=SOURCE][,key=value...]",
      [&settings](const std::string& t) { add_plane(t, settings, Command::pack); },
      "A mask, depth or another image that is stored beside each image; several times for several "
      "planes. SOURCE: a folder with files of the same names; a list of files, one on each line; "
      "with tar shards, an extension as .mask.png; without SOURCE, DATA has the plane. Reduced "
      "planes become PNGs. Keys: format [stored8], missing=error|skip|absent. The word optional: a "
      "sample may be without it. [--keep: all planes of DATA]");
  stored.text(
      "--annotation", "SOURCE[,key=value...]",
      [&settings](const std::string& t) { add_annotation(t, settings); },
      "Boxes, captions or other bytes that are stored beside each image. SOURCE and keys: as of "
      "weir run. [the annotations of DATA, if a manifest has a column of them]");
  stored.value(
      "--shard-bytes", "BYTES", p.shard_bytes,
      [](const std::string& t) { return parse_bytes_within(t, {.low = 1}); },
      "Most bytes of a shard; one sample is always allowed. [256MiB]");
  add_order(group("Order"), settings);
  add_files(group("Files"), settings);
  const auto bad = group("Bad samples");
  bad.choice("--on-fault", o.faults.policy, {{"stop", OnFault::stop}, {"skip", OnFault::skip}},
             "stop: the first bad sample ends the pack. skip: it is left out and listed. [stop]");
  add_exclude(bad, settings);
  const auto resources = group("Threads and memory");
  resources.rows({"workers"}, o);
  add_budget(resources, settings);
  add_limits(group(limits_heading), settings);
}

}  // namespace weir::cli
