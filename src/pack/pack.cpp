#include "pack/pack.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <filesystem>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "base/checked.hpp"
#include "base/sanitize.hpp"
#include "base/threads.hpp"
#include "engine/failure.hpp"
#include "engine/faults.hpp"
#include "pack/done_shards.hpp"
#include "pack/in_order.hpp"
#include "pack/shard_writer.hpp"
#include "shards/folder_names.hpp"
#include "source/fingerprint.hpp"
#include "source/text_file.hpp"

namespace weir::pack {
namespace {

namespace fs = std::filesystem;

/// The file that says what a folder was packed from, and how.
constexpr auto note_name = "pack.txt";
constexpr std::uint64_t most_note_bytes = 1 << 20;

std::string note_of(const AnySource& source, const Job& job) {
  const auto line = [](const char* name, const std::string& value) {
    return std::string(name) + ' ' + value + '\n';
  };
  const auto& recipe = job.recipe;
  auto text = line("weir-pack", "1") + line("source", source::fingerprint(source)) +
              line("samples", std::to_string(source.size()));
  if (recipe.short_side == 0)
    text += line("keep", "yes");
  else
    text += line("short-side", std::to_string(recipe.short_side)) +
            line("quality", std::to_string(recipe.quality));
  return text + line("order", to_string(job.order)) + line("seed", std::to_string(job.seed)) +
         line("shard-bytes", std::to_string(job.shard_bytes));
}

/// Memory for the records and the index, and for one shard that is written.
std::uint64_t fixed_bytes(const AnySource& source) {
  std::uint64_t names = 0;
  for (std::uint64_t i = 0; i < source.size(); ++i) names += source.name(i).size() + 1;
  // Twice: the records of all shards, and those of the shard under way, whose vectors grow.
  return add_sat(source.index_bytes() + shards::TarWriter::held_bytes,
                 2 * add_sat(mul_sat(source.size(), sizeof(shards::Sample)), names));
}

class Packer {
 public:
  Packer(const AnySource& source, const Job& job, Counts& counts)
      : source_(source),
        job_(job),
        counts_(counts),
        sampler_(source.size(), job.order, job.seed),
        threads_(threads_for(job.workers)),
        memory_(job.budget_bytes, fixed_bytes(source), job.max_sample_bytes),
        in_order_(source, sampler_, job.recipe, memory_, threads_, job.stop),
        writer_(job.out, job.shard_bytes) {}

  Packed run() {
    open_folder();
    try {
      auto done = find_done(job_.out, source_, sampler_, threads_, job_.stop);
      if (job_.stop.stop_requested()) throw Stopped{};
      go_on(std::move(done));
      finish();
    } catch (const Stopped&) {
      packed_.stopped = true;
    }
    const auto faults = faults_.read();
    packed_.fault_count = faults.count();
    packed_.faults = faults.first;
    std::ranges::sort(packed_.faults, {}, &Fault::index);
    packed_.memory = memory_.snapshot();
    return packed_;
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw Error(Errc::bad_options, Stage::read, sanitize(job_.out) + ": " + why);
  }
  [[noreturn]] static void fail(const char* what, const std::string& path, int error) {
    throw Error(
        Errc::source_failed, Stage::read,
        std::string("cannot ") + what + ' ' + sanitize(path) + ": " + source::errno_text(error));
  }
  std::string path_of(const std::string& name) const { return job_.out + '/' + name; }

  void open_folder() {
    std::error_code failed;
    fs::create_directories(job_.out, failed);
    folder_ = source::open_at(AT_FDCWD, job_.out.c_str(), O_RDONLY | O_DIRECTORY);
    if (!folder_) fail("open", job_.out, failed ? failed.value() : errno);
    if (source::retried([&] { return ::flock(folder_.value(), LOCK_EX | LOCK_NB); }) != 0) {
      if (errno == EWOULDBLOCK) refuse("another weir pack writes into it");
      fail("lock", job_.out, errno);
    }
    const auto wanted = note_of(source_, job_);
    const auto note_path = path_of(note_name);
    if (fs::exists(note_path))
      return compare(source::read_text_file(note_path, most_note_bytes), wanted);
    for (const auto& name : shards::names_in(job_.out))
      if (name != note_name + std::string(".part"))
        refuse("the folder is not empty and not of weir pack; name a new one");
    source::NewFile note(note_path);
    note.write(std::as_bytes(std::span(wanted)));
    note.commit();
  }

  /// Throws for the first line that differs.
  void compare(const std::string& had, const std::string& wanted) const {
    if (had == wanted) return;
    const auto at = static_cast<std::size_t>(std::ranges::mismatch(had, wanted).in1 - had.begin());
    const auto line = [at](const std::string& text) {
      const auto begin = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
      return begin >= text.size() ? "" : text.substr(begin, text.find('\n', begin) - begin);
    };
    refuse("it has shards of another pack, with '" + sanitize(line(had), 80) +
           "', and now it is '" + sanitize(line(wanted), 80) +
           "'; name a new folder, or use the same data and options");
  }

  /// Makes the shards that do not hold, and then those that are missing.
  void go_on(std::vector<DoneShard> done) {
    drop_changed(done);
    const bool whole = !done.empty() && done.back().end == source_.size() &&
                       std::ranges::all_of(done, &DoneShard::holds);
    if (!whole) forget_after(done);
    std::uint64_t from = 0;
    for (std::size_t i = 0; i < done.size(); ++i) {
      auto& shard = done[i];
      if (!shard.holds) {
        produce(shard.begin, shard.end, i);
        if (records_.size() != i + 1)
          refuse("the data has changed since the earlier run; name a new folder");
      } else {
        for (const auto position : shard.left_out) leave_out(position, still_bad_.at(position));
        counts_.done += shard.record.samples.size();
        ++packed_.kept_shards;
        records_.push_back(std::move(shard.record));
      }
      from = shard.end;
    }
    produce(from, source_.size(), records_.size());
  }

  /// Drops the shards that would be others now: a sample that was left out is sound now, so it
  /// belongs into a shard, perhaps into the one before, and all after it may move.
  void drop_changed(std::vector<DoneShard>& done) {
    const std::atomic<bool> never{false};
    Maker maker(source_, job_.recipe, memory_, never);
    for (std::size_t i = 0; i < done.size(); ++i) {
      for (const auto position : done[i].left_out) {
        if (job_.stop.stop_requested()) throw Stopped{};
        memory_.set_oldest(position);
        const auto made = maker.make(position, sampler_.index(0, position));
        if (made) return done.resize(i == 0 ? 0 : i - 1);
        still_bad_.emplace(position, made.defect());
      }
    }
  }

  /// Removes the index, which comes last, and the shards that are not in `done` or do not hold.
  void forget_after(const std::vector<DoneShard>& done) const {
    std::set<std::string> kept;
    for (std::size_t i = 0; i < done.size(); ++i) {
      kept.insert(record_name(i));
      if (done[i].holds) kept.insert(shard_name(i));
    }
    remove(path_of(std::string(shards::index_name)));
    for (const auto& name : shards::names_in(job_.out))
      if (is_own(name) && !kept.contains(name)) remove(path_of(name));
  }

  static void remove(const std::string& path) {
    if (::unlink(path.c_str()) != 0 && errno != ENOENT) fail("remove", path, errno);
  }

  /// Whether a pack gives files such a name.
  static bool is_own(const std::string& name) {
    const auto is_like = [&](std::string like) {
      const auto first = like.find('0');
      return name.starts_with(like.substr(0, first)) &&
             (name.ends_with(like.substr(like.find('.', first))) || name.ends_with(".part"));
    };
    return is_like(shard_name(0)) || is_like(record_name(0));
  }

  void produce(std::uint64_t first, std::uint64_t end, std::uint64_t number) {
    in_order_.run(first, end, [&](std::uint64_t position, const Result<Member>& made) {
      if (!made) return leave_out(position, made.defect());
      if (writer_.is_full_for(*made)) close_shard(number);
      writer_.add(number, position, *made, source_.name(sampler_.index(0, position)));
      packed_.source_bytes += made->source_bytes;
      packed_.stored_bytes += made->bytes.size();
      ++counts_.done;
      counts_.live = memory_.snapshot().live;
    });
    if (writer_.is_open()) close_shard(number);
  }

  void close_shard(std::uint64_t& number) {
    records_.push_back(writer_.finish());
    ++number;
  }

  void leave_out(std::uint64_t position, const Defect& defect) {
    auto fault = engine::fault_of(defect, source_, sampler_.index(0, position), 0);
    if (!job_.skip_faults)
      throw Error(Errc::sample_failed, fault.stage,
                  fault.name + ": " + std::string(to_string(fault.kind)) + ": " + fault.reason);
    if (job_.on_fault) job_.on_fault(fault);
    faults_.add(std::move(fault));
    ++counts_.done;
  }

  /// Joins the records to the index.
  void finish() {
    if (records_.empty())
      throw Error(Errc::source_failed, Stage::read, "no sample could be packed");
    shards::Index index;
    std::size_t samples = 0, text = index.text.size();
    for (const auto& record : records_) {
      samples += record.samples.size();
      text += record.text.size();
    }
    index.samples.reserve(samples);
    index.text.reserve(text);
    for (auto& record : records_) {
      auto& shard = index.shards.emplace_back(std::move(record.shards[0]));
      shard.first = index.samples.size();
      packed_.shard_bytes += shard.bytes;
      for (auto sample : record.samples) {
        sample.name = index.add_name(record.name(sample));
        sample.shard = static_cast<std::uint32_t>(index.shards.size() - 1);
        index.samples.push_back(sample);
      }
      record = {};
    }
    packed_.shards = index.shards.size();
    packed_.samples = index.samples.size();
    shards::write_index(path_of(std::string(shards::index_name)), index);
  }

  const AnySource& source_;
  const Job& job_;
  Counts& counts_;
  const source::Sampler sampler_;
  const unsigned threads_;
  Memory memory_;
  InOrder in_order_;
  ShardWriter writer_;
  source::FileDescriptor folder_;  ///< locked
  engine::FaultLog faults_;
  std::map<std::uint64_t, Defect> still_bad_;  ///< by position: samples that kept shards lack
  std::vector<shards::Index> records_;
  Packed packed_;
};

}  // namespace

Packed pack(const AnySource& source, const Job& job, Counts& counts) {
  return Packer(source, job, counts).run();
}

}  // namespace weir::pack
