#include <cstdint>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "report/page/page.hpp"
#include "source/text_file.hpp"

namespace weir::cli {
namespace {

/// A report with a trainer's profile has tens of MiB at most. JSON takes ten times its size when it
/// is parsed.
constexpr std::uint64_t most_report_bytes = 256ull << 20;

}  // namespace

int page_command(const Settings& settings) {
  const auto& path = settings.data;
  const auto text = source::read_text_file(path, most_report_bytes);
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
