#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "report/page/page.hpp"

namespace weir::cli {
namespace {

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  try {
    if (file) return {std::istreambuf_iterator<char>(file), {}};
  } catch (const std::ios_base::failure&) {
    // A folder can be opened but not read.
  }
  throw std::runtime_error("cannot read " + path);
}

}  // namespace

int page_command(const Settings& settings) {
  const auto& path = settings.data;
  const auto text = read(path);
  report::Json report;
  try {
    report = report::read_report(text);
  } catch (const std::invalid_argument& e) {
    throw std::invalid_argument(path + " " + e.what());
  }
  write_file(settings.html, report::page(report));
  return done_exit;
}

}  // namespace weir::cli
