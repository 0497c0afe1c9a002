#include "tools/architecture/rules.hpp"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <ostream>
#include <sstream>
#include <stdexcept>

namespace weir::architecture {
namespace {

namespace fs = std::filesystem;

std::string read_text(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + path.string());
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);) {
    if (!part.empty()) parts.push_back(part);
  }
  return parts;
}

std::string without_comments(const std::string& text) {
  std::istringstream in(text);
  std::string left;
  for (std::string line; std::getline(in, line);) left += line.substr(0, line.find('#')) + '\n';
  return left;
}

std::vector<std::string> cmake_list(std::string text) {
  text.erase(std::remove(text.begin(), text.end(), '"'), text.end());
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == ';'; }, ' ');
  return split(text, ' ');
}

void add_layers(Rules& rules, const std::vector<std::string>& places) {
  for (std::size_t place = 0; place < places.size(); ++place) {
    for (const auto& layer : split(places[place], '|'))
      rules.ranks[layer] = static_cast<int>(place);
  }
}

void add_fences(Rules& rules, const std::vector<std::string>& entries) {
  for (const auto& entry : entries) {
    const auto equals = entry.find('=');
    rules.fences.push_back({entry.substr(0, equals), split(entry.substr(equals + 1), ',')});
  }
}

}  // namespace

bool Rules::may_include(const std::string& from, const std::string& to) const {
  const auto place = [&](const std::string& layer) { return ranks.at(layer); };
  return from == to || place(to) < place(from);
}

std::optional<Rules::Fence> Rules::fence_around(const std::string& path) const {
  const auto around = [&](const Fence& fence) { return path.rfind(fence.prefix, 0) == 0; };
  const auto found = std::find_if(fences.begin(), fences.end(), around);
  if (found == fences.end()) return std::nullopt;
  return *found;
}

Rules read_rules(const fs::path& layers_cmake) {
  const std::string text = without_comments(read_text(layers_cmake)), command = "set(WEIR_",
                    headers_of = "PUBLIC_";
  Rules rules;
  for (auto at = text.find(command); at != text.npos; at = text.find(command, at)) {
    at += command.size();
    const auto inside = text.substr(at, text.find(')', at) - at);
    const auto name = inside.substr(0, inside.find_first_of(" \n"));
    const auto values = cmake_list(inside.substr(name.size()));
    if (name == "LAYERS") {
      add_layers(rules, values);
    } else if (name == "FENCE") {
      add_fences(rules, values);
    } else if (name.rfind(headers_of, 0) == 0) {
      for (const auto& header : values) rules.headers[header] = name.substr(headers_of.size());
    }
  }
  if (rules.ranks.empty()) throw std::runtime_error("no layers in " + layers_cmake.string());
  return rules;
}

std::ostream& operator<<(std::ostream& out, const Breach& breach) {
  return out << breach.file << ':' << breach.line << ": " << breach.rule;
}

std::vector<fs::path> source_files(const fs::path& folder) {
  std::vector<fs::path> files;
  if (!fs::exists(folder)) return files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const auto extension = entry.path().extension();
    if (entry.is_regular_file() && (extension == ".hpp" || extension == ".cpp")) {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::vector<Breach> check_code(const std::filesystem::path& root,
                               const std::function<std::string(std::string_view)>& find,
                               const std::string& why) {
  std::vector<Breach> breaches;
  for (const auto* folder : {"include", "src"}) {
    for (const auto& file : source_files(root / folder)) {
      std::ifstream in(file);
      int number = 0;
      for (std::string line; std::getline(in, line);) {
        ++number;
        const auto found = find(std::string_view(line).substr(0, line.find("//")));
        if (!found.empty())
          breaches.push_back({file.lexically_relative(root).generic_string(), number, found + why});
      }
    }
  }
  return breaches;
}

}  // namespace weir::architecture
