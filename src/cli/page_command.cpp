#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "report/page/page.hpp"

namespace weir::cli {

int page_command(const Settings& settings) {
  const auto& path = settings.data;
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file) throw std::runtime_error("cannot read " + path);
  const auto report = report::Json::parse(text, nullptr, false);
  if (!report.is_object() || !report.contains("schema") || !report.contains("command"))
    throw std::invalid_argument(
        path + " is no report of weir's: those of --json and of MemoryProfile::write_json are");
  write_file(settings.html, report::page(report));
  return done_exit;
}

}  // namespace weir::cli
