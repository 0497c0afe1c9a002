#include <sched.h>

#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "proof/injection/scenario_parts.hpp"
#include "shards/dali_index.hpp"
#include "shards/make_index.hpp"
#include "support/tar.hpp"
#include "support/text.hpp"
#include "unit/pack/fixture.hpp"
#include "unit/source/fixture.hpp"
#include "weir/shards.hpp"

namespace weir::test {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t each = 3;  ///< samples of a shard

/// Two shards of small JPEGs with labels and texts, alone and with both kinds of index.
class Shards {
 public:
  Shards() {
    const auto jpegs = image_folder(image_data("jpeg"));
    for (std::uint64_t shard = 0; shard < 2; ++shard) {
      std::string content = tar_member("none.txt", "no image");
      for (std::uint64_t i = 0; i < each; ++i) {
        const auto key = "some/folder/of/the/archive/" + std::to_string(i);
        MemorySink sink;
        content += tar_member(key + ".cls", "5") + tar_member(key + ".txt", "text") +
                   tar_member(key + ".jpg", text_of(jpegs.read(i, sink)));
      }
      for (const auto& to : {plain(), indexed()})
        folder_.write(to + "/s" + std::to_string(shard) + ".tar", content + tar_end());
    }
    const auto opened = shards::open_shards({plain()}, {});
    const auto index = shards::complete_index(opened, {});
    shards::write_index(indexed() + "/index.weir", index);
    for (const auto& file : opened.files()) shards::write_dali_index(indexed(), file, {});
  }
  std::string plain() const { return folder_.string() + "/plain"; }
  std::string indexed() const { return folder_.string() + "/indexed"; }
  /// Two places to write to.
  std::string out() const { return folder_.string() + "/out"; }
  std::string finished() const { return folder_.string() + "/finished"; }

 private:
  TemporaryFolder folder_;
};

const Shards& shards_made() {
  static const Shards made;
  return made;
}

void expect_samples(const AnySource& source) {
  const Pause pause;
  if (source.size() != 2 * each) wrong("half the shards: " + std::to_string(source.size()));
}

/// Makes the folder new: empty, or a copy of another one.
std::string new_folder(const std::string& path, const std::string& copy_of = {}) {
  const Pause pause;
  fs::remove_all(path);
  fs::create_directories(path);
  if (!copy_of.empty()) fs::copy(copy_of, path);
  return path;
}

/// Four sound images and two others.
const AnySource& to_pack() {
  static const auto made = [] {
    std::vector<std::string> paths;
    for (const char* const name : {"jpeg/0", "broken/0", "jpeg/1", "jpeg/2", "broken/1", "jpeg/3"})
      paths.push_back(image_data(name));
    return image_files(paths);
  }();
  return made;
}

pack::Job pack_job(const std::string& out) {
  auto job = job_for(out);
  job.recipe.short_side = 20;
  job.shard_bytes = 5000;
  job.workers = 1;
  return job;
}

/// The folder of a pack that nothing has disturbed.
const std::string& finished_pack() {
  static const std::string made = [] {
    const auto path = new_folder(shards_made().finished());
    const auto packed = run_pack(to_pack(), pack_job(path));
    if (packed.shards < 3 || packed.fault_count != 2) wrong("not the shards that were wanted");
    return path;
  }();
  return made;
}

void flip_a_bit(const std::string& path) {
  auto content = files_in(fs::path(path).parent_path()).at(fs::path(path).filename());
  content[100] = static_cast<char>(content[100] ^ 4);
  std::ofstream(path, std::ios::binary) << content;
}

/// What an index in the folder lists must be there, whole.
void check_index(const std::string& folder) {
  if (!fs::exists(folder + "/index.weir")) return;
  if (!shards::wrong_checksums(shards::open_shards({folder}, {}), {}).empty())
    wrong("an index of shards that are not whole");
}

/// Packs into a folder. After a failure, the same pack goes on and completes it.
void pack_into(const std::string& folder, bool all_whole) {
  std::exception_ptr failed;
  pack::Packed packed;
  try {
    packed = run_pack(to_pack(), pack_job(folder));
  } catch (...) {
    failed = std::current_exception();
  }
  const Pause pause;
  for (const auto& [name, content] : files_in(folder))
    if (name.ends_with(".part")) wrong("a temporary file is left: " + name);
  check_index(folder);
  const auto expected = files_in(finished_pack());
  const bool whole = !failed && packed.fault_count == 2;
  if (all_whole && !whole) wrong("harm done");
  if (whole && files_in(folder) != expected) wrong("not the files of an undisturbed pack");
  if (!failed && packed.fault_count + packed.samples != to_pack().size()) wrong("samples are lost");
  run_pack(to_pack(), pack_job(folder));
  if (files_in(folder) != expected) wrong("the next pack did not complete it");
  if (failed) std::rethrow_exception(failed);
}

}  // namespace

Scenario searching_shards_scenario() {
  shards_made();
  return {"search shards", [] {
            const auto& made = shards_made();
            expect_samples(tar_shards(made.plain(), {.annotation = "txt"}));
            expect_samples(tar_shards(made.indexed(), {.image = "jpg", .verify = true}));
          }};
}

Scenario on_one_cpu(const Scenario& scenario) {
  return {scenario.name, [run = scenario.run] {
            cpu_set_t one;
            CPU_ZERO(&one);
            CPU_SET(static_cast<std::size_t>(::sched_getcpu()), &one);
            ::sched_setaffinity(0, sizeof one, &one);
            run();
          }};
}

Scenario reading_shards_scenario(bool all_whole) {
  shards_made();
  return {"read shards", [all_whole] {
            const auto& made = shards_made();
            const auto in_order = tar_shards(made.indexed(), {.verify = true});
            const auto source =
                tar_shards(made.indexed(), {.annotation = "txt", .dali_index = made.indexed()});
            expect_samples(in_order);
            auto options = small(OnFault::blank);
            options.annotation_bytes = 8;
            Loader loader(source, options);
            const auto rows = drain(loader);
            check(loader, {FaultKind::memory, FaultKind::io});
            const Pause pause;
            if (rows != 2 * each) wrong("rows are missing");
            if (all_whole && loader.report().fault_count > 0) wrong("harm done");
          }};
}

Scenario epochs_of_shards(std::uint64_t epochs) {
  shards_made();
  return {"epochs of shards", [epochs] {
            Loader loader(tar_shards(shards_made().indexed()), small(OnFault::stop));
            if (drain(loader, {.epochs = epochs}) != epochs * 2 * each) wrong("rows are missing");
          }};
}

namespace {

void index_shards() {
  const auto& made = shards_made();
  const auto path = new_folder(made.out()) + "/index.weir";
  std::exception_ptr failed;
  try {
    const auto opened = shards::open_shards({made.indexed()}, {.dali_index = made.indexed()}, {},
                                            shards::OldIndex::ignore);
    shards::write_index(path, shards::complete_index(opened, {}));
    const auto indexed = shards::open_shards({made.indexed()}, {});
    if (!shards::wrong_checksums(indexed, {}).empty()) wrong("a checksum differs");
  } catch (...) {
    failed = std::current_exception();
  }
  const Pause pause;
  const auto files = files_in(made.out());
  if (files.size() > 1 || (files.empty() && !failed)) wrong("no index, or half of one");
  if (files.size() == 1 && files.at("index.weir") != files_in(made.indexed()).at("index.weir"))
    wrong("another index");
  if (failed) std::rethrow_exception(failed);
}

}  // namespace

Scenario indexing_shards_scenario() {
  shards_made();
  return {"index shards", index_shards};
}

Scenario packing_scenario(bool all_whole) {
  finished_pack();
  return {"pack", [all_whole] { pack_into(new_folder(shards_made().out()), all_whole); }};
}

Scenario going_on_scenario(bool all_whole) {
  finished_pack();
  return {"go on with a pack", [all_whole] {
            const auto folder = new_folder(shards_made().out(), finished_pack());
            {
              const Pause pause;
              flip_a_bit(folder + "/index.weir");
              flip_a_bit(folder + "/shard-000001.tar");
            }
            pack_into(folder, all_whole);
          }};
}

}  // namespace weir::test
