// Progress as JSON text and file.
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "base/new_file.hpp"
#include "base/sanitize.hpp"
#include "base/terms.hpp"
#include "base/text.hpp"
#include "base/text_file.hpp"
#include "conductor/progress.hpp"

namespace weir {
namespace {

constexpr std::uint64_t this_version = 1, most_bytes = 64u << 20;

template <class... Parts>
[[noreturn]] void refuse(const Parts&... why) {
  weir::refuse(Stage::wait, "progress: ", why...);
}

/// Takes the values as the parser meets them, so that nothing but the state is held. It leaves out
/// unknown keys.
class ProgressReader final : public nlohmann::json_sax<nlohmann::json> {
 public:
  Progress take() && {
    conductor::check(progress_, "progress");
    return std::move(progress_);
  }

  bool null() override { return other(); }
  bool boolean(bool) override { return other(); }
  bool number_integer(number_integer_t) override { return other(); }
  bool number_float(number_float_t, const string_t&) override { return other(); }
  bool binary(binary_t&) override { return other(); }

  bool number_unsigned(number_unsigned_t value) override {
    if (level_ == Level::run && skipped_ == 0) {
      if (parts_ < run_.size()) run_[parts_] = value;
      ++parts_;
      return true;
    }
    if (number_ == nullptr) return other();
    *number_ = value;
    if (number_ == &version_ && value > this_version)
      refuse("version is ", value, ", written by a newer weir; this one reads ", this_version);
    if (number_ == &version_ && value < this_version)
      refuse("version is ", value, "; versions begin with 1");
    return true;
  }

  bool string(string_t& value) override {
    if (text_ == nullptr) return other();
    *text_ = std::move(value);
    return true;
  }

  bool key(string_t& name) override {
    if (skipped_ > 0) return true;
    enter(level_);
    const bool in_state = level_ == Level::state;
    const auto keys = in_state ? Keys(state_keys) : Keys(epoch_keys);
    const auto found = std::ranges::find(keys, name);
    if (found == keys.end()) return true;
    const auto bit = 1u << (found - keys.begin());
    auto& seen = in_state ? seen_ : seen_in_epoch_;
    if ((seen & bit) != 0) refuse("the text has ", *found, " twice in one object");
    seen |= bit;
    key_ = *found;
    aim(name);
    return true;
  }

  bool start_object(std::size_t) override {
    if (skips()) return true;
    if (level_ == Level::start) {
      enter(Level::state);
    } else if (level_ == Level::epochs) {
      progress_.epochs.emplace_back();
      seen_in_epoch_ = 0;
      enter(Level::epoch);
    } else {
      refuse_value();
    }
    return true;
  }
  bool end_object() override {
    if (skipped_ > 0) {
      --skipped_;
    } else if (level_ == Level::epoch) {
      require(epoch_keys, seen_in_epoch_, 3);
      enter(Level::epochs);
    } else {
      require(state_keys, seen_, 6);
    }
    return true;
  }

  bool start_array(std::size_t) override {
    if (skips()) return true;
    const bool list = !key_.empty() && number_ == nullptr && text_ == nullptr;
    if (level_ == Level::state && list)
      enter(Level::epochs);
    else if (level_ == Level::epoch && list)
      enter(Level::done);
    else if (level_ == Level::done)
      enter(Level::run);
    else
      refuse_value();
    parts_ = 0;
    return true;
  }
  bool end_array() override {
    if (skipped_ > 0) {
      --skipped_;
    } else if (level_ == Level::run) {
      add_run();
      enter(Level::done);
    } else {
      enter(level_ == Level::done ? Level::epoch : Level::state);
    }
    return true;
  }

  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }

 private:
  /// Where the next value is: in an object or a list of this kind.
  enum class Level : std::uint8_t { start, state, epochs, epoch, done, run };
  using Keys = std::span<const std::string_view>;
  static constexpr std::string_view state_keys[] = {"version", "fingerprint", "samples",
                                                    "seed",    "order",       "epochs"},
                                    epoch_keys[] = {"epoch",       "end",         "done",
                                                    "epochs",      "bucket_rows", "bucket_batches",
                                                    "bucket_sizes"};

  void enter(Level level) noexcept {
    level_ = level;
    key_ = {};
    number_ = nullptr;
    text_ = nullptr;
  }
  /// Sets where the value of this key goes.
  void aim(std::string_view name) {
    if (level_ == Level::state) {
      if (name == "version") number_ = &version_;
      if (name == "fingerprint") text_ = &progress_.fingerprint;
      if (name == "samples") number_ = &progress_.samples;
      if (name == "seed") number_ = &progress_.seed;
      if (name == "order") text_ = &progress_.order;
    } else {
      auto& epochs = progress_.epochs.back();
      if (name == "epoch") number_ = &epochs.first;
      if (name == "epochs") number_ = &epochs.count;
      if (name == "end") number_ = &epochs.end;
      if (name == "bucket_rows") number_ = &epochs.buckets.rows;
      if (name == "bucket_batches") number_ = &epochs.buckets.batches;
      if (name == "bucket_sizes") number_ = &epochs.buckets.sizes;
    }
  }
  bool unknown() const noexcept {
    return skipped_ > 0 || ((level_ == Level::state || level_ == Level::epoch) && key_.empty());
  }
  /// Whether an object or a list that begins is to be left out.
  bool skips() noexcept {
    const bool all = unknown();
    if (all) ++skipped_;
    return all;
  }
  bool other() const {
    if (!unknown()) refuse_value();
    return true;
  }
  [[noreturn]] void refuse_value() const {
    switch (level_) {
      case Level::start: refuse("the text must be a JSON object");
      case Level::epochs: refuse("epochs must have objects");
      case Level::done: refuse("done must have lists of 2 or 4 numbers");
      case Level::run: refuse("done must have whole numbers");
      default: break;
    }
    refuse(key_, " must be a ", number_ ? "whole number" : text_ ? "text" : "list");
  }
  static void require(Keys keys, unsigned seen, std::size_t needed) {
    for (std::size_t i = 0; i < needed; ++i)
      if ((seen & 1u << i) == 0) refuse(keys[i], " is missing");
  }
  void add_run() {
    if (parts_ != 2 && parts_ != 4) refuse("done must have lists of 2 or 4 numbers");
    auto& done = progress_.epochs.back().done;
    // check() says it too, but then a text that repeats one run is in memory.
    if (!done.empty() && run_[0] < done.back().end) refuse("done must be ascending");
    done.push_back({run_[0], run_[1]});
    if (parts_ == 2) return;
    done.back().distance = run_[2];
    done.back().times = run_[3];
  }

  Progress progress_;
  std::uint64_t version_ = 0;
  Level level_ = Level::start;
  unsigned seen_ = 0, seen_in_epoch_ = 0;  ///< the keys, as bits
  std::uint64_t skipped_ = 0;              ///< open objects and lists of an unknown key
  // What the next value is for:
  std::string_view key_;             ///< empty: an unknown key, or no key
  std::uint64_t* number_ = nullptr;  ///< if it must be a number
  std::string* text_ = nullptr;      ///< if it must be a text
  std::array<std::uint64_t, 4> run_{};
  std::size_t parts_ = 0;  ///< of the run so far
};

}  // namespace

std::string Progress::to_json() const {
  auto text = concat(R"({"version":)", this_version, R"(,"fingerprint":)", json_text(fingerprint),
                     R"(,"samples":)", samples, R"(,"seed":)", seed, R"(,"order":)",
                     json_text(order), R"(,"epochs":[)");
  const char* comma = "";
  for (const auto& each : epochs) {
    text += concat(std::exchange(comma, ","), R"({"epoch":)", each.first);
    if (each.count > 1) text += concat(R"(,"epochs":)", each.count);
    text += concat(R"(,"end":)", each.end);
    if (const auto& [rows, batches, sizes] = each.buckets; rows > 0)
      text += concat(R"(,"bucket_rows":)", rows, R"(,"bucket_batches":)", batches,
                     R"(,"bucket_sizes":)", sizes);
    text += R"(,"done":[)";
    const char* next = "";
    for (const auto& run : each.done) {
      text += concat(std::exchange(next, ","), '[', run.first, ',', run.end);
      if (run.times > 1) text += concat(',', run.distance, ',', run.times);
      text += ']';
    }
    text += "]}";
  }
  return text + "]}\n";
}

Progress Progress::parse(std::string_view json) {
  ProgressReader reader;
  if (!nlohmann::json::sax_parse(json, &reader)) refuse("the text is not complete JSON");
  return std::move(reader).take();
}

void Progress::save(const std::string& path) const {
  NewFile file(file_to_replace(path));
  const auto text = to_json();
  file.write(std::as_bytes(std::span(text)));
  file.commit();
}

Progress Progress::load(const std::string& path) {
  const auto text = read_text_file(path, most_bytes);
  try {
    return parse(text);
  } catch (const Error& e) {
    weir::refuse(Stage::wait, sanitize(path), ": ", plain_text(e));
  }
}

}  // namespace weir
