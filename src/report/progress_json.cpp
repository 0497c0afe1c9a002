// Progress as JSON text and file.
#include <cerrno>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <span>
#include <system_error>

#include "base/checked.hpp"
#include "base/terms.hpp"
#include "conductor/progress.hpp"
#include "report/read_json.hpp"
#include "source/new_file.hpp"
#include "weir/error.hpp"

namespace weir {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t this_version = 1;
constexpr std::uintmax_t most_bytes = 64u << 20;

[[noreturn]] void refuse(const std::string& why) {
  throw Error(Errc::bad_options, Stage::wait, "progress: " + why);
}

std::uint64_t number(const Json& from, const char* key, std::uint64_t otherwise = unlimited) {
  const auto found = from.find(key);
  if (found == from.end() && otherwise != unlimited) return otherwise;
  if (found == from.end() || !found->is_number_unsigned())
    refuse(std::string(key) + " must be a whole number");
  return found->get<std::uint64_t>();
}

std::string text(const Json& from, const char* key) {
  const auto found = from.find(key);
  if (found == from.end() || !found->is_string()) refuse(std::string(key) + " must be a text");
  return found->get<std::string>();
}

const Json& list(const Json& from, const char* key) {
  const auto found = from.find(key);
  if (found == from.end() || !found->is_array()) refuse(std::string(key) + " must be a list");
  return *found;
}

Progress::Run run_of(const Json& json) {
  if (!json.is_array() || (json.size() != 2 && json.size() != 4))
    refuse("done must have lists of 2 or 4 numbers");
  for (const auto& value : json)
    if (!value.is_number_unsigned()) refuse("done must have whole numbers");
  Progress::Run run{.first = json[0], .end = json[1]};
  if (json.size() == 4) {
    run.distance = json[2];
    run.times = json[3];
  }
  return run;
}

Progress::Epochs epochs_of(const Json& json) {
  if (!json.is_object()) refuse("epochs must have objects");
  Progress::Epochs epochs{.first = number(json, "epoch"),
                          .count = number(json, "epochs", 1),
                          .end = number(json, "end"),
                          .bucket_rows = number(json, "bucket_rows", 0)};
  for (const auto& run : list(json, "done")) epochs.done.push_back(run_of(run));
  return epochs;
}

Progress progress_of(const Json& json) {
  if (!json.is_object()) refuse("the text must be a JSON object");
  if (const auto version = number(json, "version"); version > this_version)
    refuse("version is " + std::to_string(version) + ", written by a newer weir; this one reads " +
           std::to_string(this_version));
  Progress progress{.fingerprint = text(json, "fingerprint"),
                    .samples = number(json, "samples"),
                    .seed = number(json, "seed"),
                    .order = text(json, "order")};
  for (const auto& epochs : list(json, "epochs")) progress.epochs.push_back(epochs_of(epochs));
  conductor::check(progress, "progress");
  return progress;
}

[[noreturn]] void cannot_read(const std::string& path, int code) {
  throw std::system_error(code, std::generic_category(), "cannot read " + path);
}

}  // namespace

std::string Progress::to_json() const {
  Json json{{"version", this_version}, {"fingerprint", fingerprint},
            {"samples", samples},      {"seed", seed},
            {"order", order},          {"epochs", Json::array()}};
  for (const auto& each : epochs) {
    Json entry{{"epoch", each.first}};
    if (each.count > 1) entry["epochs"] = each.count;
    entry["end"] = each.end;
    if (each.bucket_rows > 0) entry["bucket_rows"] = each.bucket_rows;
    auto& done = entry["done"] = Json::array();
    for (const auto& run : each.done) {
      done.push_back(run.times == 1 ? Json::array({run.first, run.end})
                                    : Json::array({run.first, run.end, run.distance, run.times}));
    }
    json["epochs"].push_back(std::move(entry));
  }
  return json.dump() + '\n';
}

Progress Progress::parse(std::string_view json) {
  try {
    return progress_of(report::read_json<Json>(json, report::Keys::once));
  } catch (const Json::exception&) {
    refuse("the text is not complete JSON");
  } catch (const std::invalid_argument& e) {
    refuse(std::string("the text ") + e.what());
  }
}

void Progress::save(const std::string& path) const {
  source::NewFile file(path);
  const auto text = to_json();
  file.write(std::as_bytes(std::span(text)));
  file.commit();
}

Progress Progress::load(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) cannot_read(path, errno);
  std::string content;
  for (char part[1 << 16]; file.read(part, sizeof part) || file.gcount() > 0;) {
    content.append(part, static_cast<std::size_t>(file.gcount()));
    if (content.size() > most_bytes) refuse(path + " is longer than 64 MiB");
  }
  if (file.bad()) cannot_read(path, EIO);
  try {
    return parse(content);
  } catch (const Error& e) {
    throw Error(Errc::bad_options, Stage::wait, path + ": " + plain_text(e));
  }
}

}  // namespace weir
