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
#include "base/directory.hpp"
#include "base/numbers.hpp"
#include "base/sanitize.hpp"
#include "base/text.hpp"
#include "base/text_file.hpp"
#include "base/threads.hpp"
#include "engine/failure.hpp"
#include "engine/fault_log.hpp"
#include "options/option_row.hpp"
#include "pack/done_shards.hpp"
#include "pack/in_order.hpp"
#include "pack/shard_writer.hpp"
#include "source/checked_path.hpp"
#include "source/fingerprint.hpp"
#include "source/folder_walk.hpp"
#include "source/order.hpp"
#include "source/weights.hpp"
#include "weir/version.hpp"

namespace weir::pack {

using source::Position;

namespace {

namespace fs = std::filesystem;

/// The file that says what a folder was packed from, and how.
constexpr auto note_name = "pack.txt";
constexpr std::uint64_t most_note_bytes = 1 << 20;
constexpr auto way_out = "name a new folder, or use the same data and options";

/// What decides the bytes and the labels of the shards. The records have what the source decides.
std::string note_of(const AnySource& source, const Job& job) {
  std::string text;
  const auto add = [&text](std::string_view name, const auto& value) {
    text += concat(name, ' ', value, '\n');
  };
  const auto& recipe = job.recipe;
  add("weir-pack", 3);
  add("weir", library_version());
  add("source", source::fingerprint(source));
  add("samples", source.size());
  for (const auto& [plane, decoder, offered, whole] : recipe.planes)
    add("plane",
        concat(plane.name, ' ', to_string(plane.pixels), plane.optional ? " optional" : ""));
  if (!recipe.annotation.empty()) add("annotation", recipe.annotation);
  if (recipe.short_side == 0) {
    add("keep", "yes");
  } else {
    add("short-side", recipe.short_side);
    add("quality", recipe.quality);
  }
  if (recipe.tiles != 0) add("tiles", recipe.tiles);
  if (job.files) add("files", "yes");
  add("order", to_string(job.order));
  add("positions", source::positions_of(job.order, source.size()));
  add("seed", job.seed);
  add("shard-bytes", job.shard_bytes);
  Options all;
  all.limits = recipe.decoder.limits;
  const auto add_limits = [&](bool encoded) {
    for (const auto& row : options::rows()) {
      if (row.part != options::Part::limit || (row.name == "limits.max_encoded_bytes") != encoded)
        continue;
      options::Spec plain = row;
      plain.bytes = false;  // a number
      add(row.option.substr(2), row.text(plain, all));
    }
  };
  add_limits(true);  // the first one in earlier notes
  add_limits(false);
  return text;
}

/// Whether a file has the name `whole`, or gets it when it is complete.
bool is_or_becomes(std::string_view name, const std::string& whole) {
  return name == whole || (name.starts_with(whole + '.') && name.ends_with(".part"));
}

/// Memory for the order, the records and the index, and for one shard that is written. Too little
/// if `stop` was requested.
std::uint64_t fixed_bytes(const AnySource& source, const Order& order,
                          const std::stop_token& stop) {
  std::uint64_t names = 0, longest = 0;
  for (std::uint64_t i = 0; i < source.size() && !stop.stop_requested(); ++i) {
    const auto bytes = std::uint64_t{source.name(i).size()} + 1;
    names += bytes;
    longest = std::max(longest, bytes);
  }
  const auto positions = source::positions_of(order, source.size());
  if (source::repeats(order.kind)) names = mul_sat(positions, longest);
  // Twice: the records of all shards, and those of the shard under way, whose vectors grow, or the
  // index.
  const auto records = mul_sat(positions, sizeof(shards::Sample) + most_origin_text + 1);
  const auto weights = order.weights ? order.weights->bytes() : 0;
  return add_sat(add_sat(source.index_bytes() + shards::TarWriter::held_bytes, weights),
                 add_sat(mul_sat(2, records), names));
}

class Packer {
 public:
  Packer(const AnySource& source, const Job& job, Counts& counts)
      : source_(source),
        job_(job),
        counts_(counts),
        threads_(threads_for(job.workers)),
        memory_(job.budget_bytes, fixed_bytes(source, job.order, job.stop), job.max_sample_bytes),
        sampler_(source.size(), job.order, job.seed),
        making_{source, sampler_, job.recipe, memory_, threads_, job.stop},
        writer_(job.out, job.shard_bytes) {}

  Packed run() {
    try {
      heed_stop();
      if (job_.files) check_files();
      open_folder();
      job_.files ? write_files() : write_shards();
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
    weir::refuse(Stage::read, sanitize(job_.out), ": ", why);
  }
  [[noreturn]] static void fail(const char* what, const std::string& path, int error) {
    throw Error(Errc::source_failed, Stage::read,
                std::string("cannot ") + what + ' ' + sanitize(path) + ": " + errno_text(error));
  }
  std::string path_of(const std::string& name) const { return job_.out + '/' + name; }

  void heed_stop() const {
    if (job_.stop.stop_requested()) throw Stopped{};
  }

  void open_folder() {
    std::error_code failed;
    fs::create_directories(job_.out, failed);
    folder_ = open_at(AT_FDCWD, job_.out.c_str(), O_RDONLY | O_DIRECTORY);
    if (!folder_) fail("open", job_.out, failed ? failed.value() : errno);
    if (retried([&] { return ::flock(folder_.value(), LOCK_EX | LOCK_NB); }) != 0) {
      if (errno == EWOULDBLOCK) refuse("another weir pack writes into it");
      fail("lock", job_.out, errno);
    }
    const auto wanted = note_of(source_, job_);
    const auto note_path = path_of(note_name);
    const auto what = fs::status(note_path, failed).type();
    const bool has_note = what != fs::file_type::not_found;
    if (has_note && what != fs::file_type::regular)
      refuse("its pack.txt is no regular file; name a new folder");
    // An earlier run that failed at its first sample leaves only these.
    const bool is_empty = std::ranges::all_of(names_in(job_.out), [](const std::string& name) {
      return is_or_becomes(name, note_name) || is_or_becomes(name, source::unfinished_pack);
    });
    if (has_note && !is_empty) return compare(read_text_file(note_path, most_note_bytes), wanted);
    if (!is_empty) refuse("the folder is not empty and not of weir pack; name a new one");
    remove(path_of(source::unfinished_pack));
    write(note_path, as_bytes(wanted));
  }
  static std::span<const std::byte> as_bytes(std::string_view text) {
    return std::as_bytes(std::span(text));
  }
  static void write(const std::string& path, std::span<const std::byte> bytes) {
    NewFile file(path);
    file.write(bytes);
    file.commit();
  }

  /// Throws for the first line that differs.
  void compare(const std::string& had, const std::string& wanted) const {
    if (had == wanted) return;
    const auto at = static_cast<std::size_t>(std::ranges::mismatch(had, wanted).in1 - had.begin());
    const auto line = [at](const std::string& text) {
      const auto begin = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
      return begin >= text.size() ? "" : text.substr(begin, text.find('\n', begin) - begin);
    };
    refuse("it is of another pack, with '" + sanitize(line(had), 80) + "', and now it is '" +
           sanitize(line(wanted), 80) + "'; " + way_out);
  }

  void write_shards() {
    auto done = find_done(job_.out, sampler_, threads_, job_.stop);
    heed_stop();
    go_on(std::move(done));
    finish();
  }

  std::string name_at(Position position) const { return source_.name(sampler_.index(0, position)); }

  void write_files() {
    const auto is_there = [&](Position position) {
      heed_stop();
      return fs::exists(fs::symlink_status(job_.out / fs::path(name_at(position))));
    };
    bool is_marked = false;
    for (Position first, end; first < sampler_.end(); first = end) {
      const bool there = is_there(first);
      for (end = first; end < sampler_.end() && is_there(end) == there;) ++end;
      const auto count = end.value() - first.value();
      if (there) {
        packed_.kept_files += count;
        packed_.samples += count;
        counts_.done += count;
        continue;
      }
      if (!std::exchange(is_marked, true))
        write(path_of(source::unfinished_pack),
              as_bytes("weir pack has not written all files yet\n"));
      make_in_order(making_, first, end, &Maker::make,
                    [&](Position position, const Result<Member>& made) {
                      if (!made) return leave_out(position, made.defect());
                      const auto path = fs::path(job_.out) / name_at(position);
                      fs::create_directories(path.parent_path());
                      write(path.string(), made->bytes);
                      ++packed_.samples;
                      count_stored(*made);
                    });
    }
    if (packed_.samples == 0) fail_without_samples();
    make_class_folders();
    remove(path_of(source::unfinished_pack));
  }

  /// The labels of a folder are the ranks of its class folders, so those without a file are made,
  /// too.
  void make_class_folders() const {
    const auto classes = source_.class_names();
    // Classes of other sources are in no path.
    const auto is_path = [](const std::string& name) { return name.find('/') != name.npos; };
    if (classes.empty() || std::ranges::any_of(classes, is_path)) return;
    for (std::uint64_t i = 0; i < source_.size(); ++i) {
      heed_stop();
      const auto label = source_.label(i);
      if (label == -1) continue;
      const auto at = static_cast<std::size_t>(label.value_or(-1));
      if (at >= classes.size() || !source_.name(i).starts_with(classes[at] + '/')) return;
    }
    for (const auto& name : classes) fs::create_directories(fs::path(job_.out) / name);
  }

  [[noreturn]] static void refuse_file(const std::string& name, const char* why) {
    weir::refuse(Stage::read, "cannot write '", sanitize(name, 80), "' as a file: ", why);
  }

  /// Before the first file, because a file that is there counts as one of an earlier run.
  void check_files() const {
    if (source::repeats(job_.order.kind))
      weir::refuse(Stage::read, "`order` = ", to_string(job_.order),
                   ": must draw each sample at most once, because each is one file");
    std::vector<std::string> paths;  // fixed_bytes() has room for them
    paths.reserve(sampler_.end().value());
    for (Position position; position < sampler_.end(); ++position) {
      heed_stop();
      const auto name = name_at(position);
      const fs::path path(name);
      if (!path.has_filename() || !source::is_below(name))
        refuse_file(name, "it is no path within a folder");
      paths.push_back(path.lexically_normal().string());
      if (is_or_becomes(paths.back(), note_name) ||
          is_or_becomes(paths.back(), source::unfinished_pack))
        refuse_file(name, "weir pack writes its own file of this name");
    }
    std::ranges::sort(paths);
    const auto twice = std::ranges::adjacent_find(paths);
    if (twice != paths.end()) refuse_file(*twice, "another sample has this name");
  }

  [[noreturn]] static void fail_without_samples() {
    throw Error(Errc::source_failed, Stage::read, "no sample could be packed");
  }

  void count_stored(const Member& made) {
    packed_.source_bytes += made.source_bytes;
    packed_.stored_bytes += made.bytes.size();
    for (const auto& other : made.others) packed_.stored_bytes += other.bytes.size();
    if (made.narrowed) ++packed_.narrowed;
    if (made.unfit) ++packed_.unfit;
    if (job_.recipe.tiles != 0) {
      auto& tiled = packed_.tiled[made.tiles];
      ++tiled.images;
      tiled.bytes_before += made.untiled_bytes;
      tiled.bytes += made.bytes.size();
    }
    ++counts_.done;
    counts_.live = memory_.snapshot().live;
  }

  /// Makes the shards that do not hold, and then those that are missing.
  void go_on(std::vector<DoneShard> done) {
    const auto examined = drop_changed(done);
    // Before any file is replaced.
    for (const auto& shard : done) check_samples(shard);
    const bool whole =
        !done.empty() && examined == sampler_.end() && std::ranges::all_of(done, &DoneShard::holds);
    if (!whole) forget_after(done);
    Position from;
    for (std::size_t i = 0; i < done.size(); ++i) {
      auto& shard = done[i];
      if (!shard.holds) {
        produce(shard.begin, shard.end, i);
        if (records_.size() != i + 1)
          refuse("the data has changed since the earlier run; name a new folder");
      } else {
        for (const auto position : shard.left_out) leave_out(position, still_bad_.at(position));
        ++packed_.kept_shards;
        records_.push_back(std::move(shard.record));
      }
      from = shard.end;
    }
    for (; from < examined; ++from) leave_out(from, still_bad_.at(from));
    produce(from, sampler_.end(), records_.size());
  }

  /// Throws if a sample of the shard would become another one now.
  void check_samples(const DoneShard& shard) {
    auto sample = shard.record.samples.begin();
    make_in_order(making_, shard.begin, shard.end, &Maker::read,
                  [&](Position position, const Result<Member>& now) {
                    const auto origin = origin_of(shard.record, *sample);
                    if (origin.position != position) return;  // it was left out
                    if (const auto why = difference(*sample, origin, now); !why.empty())
                      refuse("'" + sanitize(name_at(position), 80) + "' is in " +
                             shard.record.shards[0].name + ", and now " + why + "; " + way_out);
                    ++sample;
                    if (shard.holds) ++counts_.done;
                  });
  }

  std::string difference(const shards::Sample& sample, const Origin& origin,
                         const Result<Member>& now) const {
    if (!now)
      return concat("it cannot be read: ", to_string(now.defect().kind), ": ", now.defect().reason);
    if (now->label != sample.label)
      return concat("its label is ", now->label, " instead of ", sample.label);
    if (now->source_checksum != origin.checksum) return "its bytes differ";
    const auto too_large = engine::too_large(origin.need, memory_.most_sample_bytes(), Stage::wait);
    return too_large ? "it " + too_large->reason : std::string();
  }

  /// Drops the shards that would be others now: a sample that was left out is sound now, so it
  /// belongs into a shard, perhaps into the one before, and all after it may move. Returns the first
  /// position behind the shards that is not known to be still bad.
  Position drop_changed(std::vector<DoneShard>& done) {
    const std::atomic<bool> never{false};
    Maker maker(source_, job_.recipe, memory_, never);
    const auto made_again = [&](Position position) {
      heed_stop();
      memory_.set_oldest(position);
      auto made = maker.make(position, sampler_.index(0, position));
      if (!made && !job_.skip_faults) leave_out(position, made.defect());
      if (!made) still_bad_.emplace(position, made.defect());
      return made;
    };
    const auto end_of_shards = [&] { return done.empty() ? Position() : done.back().end; };
    for (std::size_t i = 0; i < done.size(); ++i)
      for (const auto position : done[i].left_out) {
        if (!made_again(position)) continue;
        done.resize(i == 0 ? 0 : i - 1);
        return end_of_shards();
      }
    // An earlier run has left out what follows the last shard, or has not come so far.
    auto end = end_of_shards();
    for (; !done.empty() && end < sampler_.end(); ++end) {
      const auto made = made_again(end);
      if (!made) continue;
      if (writer_.is_full(done.back().record.shards[0].bytes, *made)) break;
      done.pop_back();
      return end_of_shards();
    }
    return end;
  }

  /// Removes the index, which comes last, and the shards that are not in `done` or do not hold.
  void forget_after(const std::vector<DoneShard>& done) const {
    std::set<std::string> kept;
    for (std::size_t i = 0; i < done.size(); ++i) {
      kept.insert(record_name(i));
      if (done[i].holds) kept.insert(shard_name(i));
    }
    remove(path_of(std::string(shards::index_name)));
    for (const auto& name : names_in(job_.out))
      if (is_own(name) && !kept.contains(name)) remove(path_of(name));
  }

  static void remove(const std::string& path) {
    if (::unlink(path.c_str()) != 0 && errno != ENOENT) fail("remove", path, errno);
  }

  /// Whether a pack gives files such a name.
  static bool is_own(std::string_view name) {
    auto text = name.substr(name.find('-') + 1);
    const auto number = take_number<std::uint64_t>(text).value_or(0);
    return is_or_becomes(name, shard_name(number)) || is_or_becomes(name, record_name(number));
  }

  void produce(Position first, Position end, std::uint64_t number) {
    make_in_order(making_, first, end, &Maker::make,
                  [&](Position position, const Result<Member>& made) {
                    if (!made) return leave_out(position, made.defect());
                    if (writer_.is_full_for(*made)) close_shard(number);
                    writer_.add(number, position, *made);
                    count_stored(*made);
                  });
    if (writer_.is_open()) close_shard(number);
  }

  void close_shard(std::uint64_t& number) {
    records_.push_back(writer_.finish());
    ++number;
  }

  void leave_out(Position position, const Defect& defect) {
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
    if (records_.empty()) fail_without_samples();
    shards::Index index;
    std::size_t samples = 0, text = index.text.size();
    for (const auto& record : records_) {
      samples += record.samples.size();
      for (const auto& sample : record.samples) text += name_of(record, sample).size() + 1;
    }
    index.samples.reserve(samples);
    index.text.reserve(text);
    for (auto& record : records_) {
      auto& shard = index.shards.emplace_back(std::move(record.shards[0]));
      shard.first = index.samples.size();
      packed_.shard_bytes += shard.bytes;
      for (auto sample : record.samples) {
        sample.name = index.add_name(name_of(record, sample));
        sample.shard = static_cast<std::uint32_t>(index.shards.size() - 1);
        index.samples.push_back(sample);
      }
      record = {};
    }
    packed_.shards = index.shards.size();
    packed_.samples = index.samples.size();
    shards::write_index(path_of(std::string(shards::index_name)), index);
  }

  std::string name_of(const shards::Index& record, const shards::Sample& sample) const {
    return name_at(origin_of(record, sample).position);
  }

  const AnySource& source_;
  const Job& job_;
  Counts& counts_;
  const unsigned threads_;
  Memory memory_;
  const source::Sampler sampler_;
  const Making making_;
  ShardWriter writer_;
  FileDescriptor folder_;  ///< locked
  engine::FaultLog faults_;
  std::map<Position, Defect> still_bad_;  ///< by position: samples that kept shards lack
  std::vector<shards::Index> records_;
  Packed packed_;
};

}  // namespace

Packed pack(const AnySource& source, const Job& job, Counts& counts) {
  return Packer(source, job, counts).run();
}

}  // namespace weir::pack
