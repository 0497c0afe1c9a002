// Progress as JSON text and file.
#include <algorithm>
#include <array>
#include <functional>
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

/// Takes the values as the parser meets them and lets it keep none of them, so that nothing but the
/// state is held. It leaves out unknown keys.
class ProgressReader {
  using Json = nlohmann::json;
  using Event = Json::parse_event_t;

 public:
  Progress take() && {
    conductor::check(progress_, "progress");
    return std::move(progress_);
  }

  /// The callback of the parser. False: it forgets the value.
  bool operator()(int depth, Event event, const Json& value) {
    if (depth > most_depth) refuse("the text is nested more than ", most_depth, " levels deep");
    if (depth > unknown_ || (depth == unknown_ && event != Event::key)) return false;
    switch (event) {
      case Event::key: return is_list_after(depth, value.get_ref<const std::string&>());
      case Event::value: set(depth, value); return false;
      case Event::object_start:
        if (depth != state && depth != epoch) refuse_value(depth);
        if (depth == epoch) progress_.epochs.emplace_back();
        begin(depth);
        return true;
      case Event::object_end:
        for (const auto& field : fields_[depth / 2])
          if (field.required && !field.seen) refuse(field.name, " is missing");
        return depth == state;
      case Event::array_start:
        if (depth != run && !(has_key(depth) && field_->is_list())) refuse_value(depth);
        parts_ = 0;
        return true;
      case Event::array_end:
        if (depth == run) add_run();
        return depth != run;
    }
    return false;
  }

 private:
  /// What is at each depth.
  enum : int { state, of_state, epoch, of_epoch, run, of_run };
  static bool has_key(int depth) noexcept { return depth == of_state || depth == of_epoch; }

  /// A key, and where its value goes.
  struct Field {
    std::string_view name;
    bool required = true;
    std::uint64_t* number = nullptr;
    std::string* text = nullptr;
    bool seen = false;
    bool is_list() const noexcept { return number == nullptr && text == nullptr; }
  };

  /// Begins the state or an epoch.
  void begin(int depth) {
    if (depth == state) {
      fields_[0] = {{"version", true, &version_},
                    {"fingerprint", true, nullptr, &progress_.fingerprint},
                    {"samples", true, &progress_.samples},
                    {"seed", true, &progress_.seed},
                    {"order", true, nullptr, &progress_.order},
                    {"epochs"}};
      return;
    }
    auto& epochs = progress_.epochs.back();
    fields_[1] = {{"epoch", true, &epochs.first},
                  {"end", true, &epochs.end},
                  {"done"},
                  {"epochs", false, &epochs.count},
                  {"bucket_rows", false, &epochs.buckets.rows},
                  {"bucket_batches", false, &epochs.buckets.batches},
                  {"bucket_sizes", false, &epochs.buckets.sizes}};
  }
  bool is_list_after(int depth, const std::string& key) {
    auto& fields = fields_[depth / 2];
    const auto found = std::ranges::find(fields, key, &Field::name);
    const bool known = found != fields.end();
    unknown_ = known ? most_depth : depth;
    if (!known) return false;
    field_ = &*found;
    if (std::exchange(field_->seen, true)) refuse("the text has ", key, " twice in one object");
    return field_->is_list();
  }
  void set(int depth, const Json& value) {
    if (depth == of_run && value.is_number_unsigned()) {
      if (parts_ < run_.size()) run_[parts_] = value;
      ++parts_;
    } else if (has_key(depth) && field_->number && value.is_number_unsigned()) {
      *field_->number = value;
      if (field_->number != &version_ || version_ == this_version) return;
      if (version_ > this_version)
        refuse("version is ", version_, ", written by a newer weir; this one reads ", this_version);
      refuse("version is ", version_, "; versions begin with 1");
    } else if (has_key(depth) && field_->text && value.is_string()) {
      *field_->text = value;
    } else {
      refuse_value(depth);
    }
  }
  [[noreturn]] void refuse_value(int depth) const {
    if (depth == state) refuse("the text must be a JSON object");
    if (depth == epoch) refuse("epochs must have objects");
    if (depth == run) refuse("done must have lists of 2 or 4 numbers");
    if (depth == of_run) refuse("done must have whole numbers");
    refuse(field_->name, " must be a ",
           field_->number ? "whole number"
           : field_->text ? "text"
                          : "list");
  }
  void add_run() {
    if (parts_ != 2 && parts_ != 4) refuse_value(run);
    auto& done = progress_.epochs.back().done;
    // check() says it too, but then a text that repeats one run is in memory.
    if (!done.empty() && run_[0] < done.back().end) refuse("done must be ascending");
    done.push_back({run_[0], run_[1]});
    if (parts_ == 2) return;
    done.back().distance = run_[2];
    done.back().times = run_[3];
  }

  static constexpr int most_depth = 100;  // the parser keeps a little of each
  Progress progress_;
  std::uint64_t version_ = 0;
  std::vector<Field> fields_[2];  ///< of the state, and of the epoch
  Field* field_ = nullptr;        ///< of the last known key
  int unknown_ = most_depth;      ///< the depth of the unknown key whose value this is
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
  if (nlohmann::json::parse(json, std::ref(reader), false).is_discarded())
    refuse("the text is not complete JSON");
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
