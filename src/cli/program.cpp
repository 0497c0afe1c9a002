#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <exception>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <system_error>

#include "cli/commands.hpp"
#include "cli/metrics_server.hpp"
#include "report/json.hpp"
#include "report/page/page.hpp"
#include "weir/error.hpp"

namespace weir::cli {
namespace {

void write_stdout(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    throw std::system_error(errno, std::generic_category(), "cannot write to stdout");
}

/// Before data are looked at: a port that is taken is a mistake to be told at once.
void listen(Settings& settings) {
  const bool children_do = settings.command == Command::sweep && !settings.only_depth;
  if (!settings.metrics_port || children_do) return;
  settings.metrics =
      std::make_shared<MetricsServer>(settings.metrics_address, *settings.metrics_port);
  fmt::print(stderr, "metrics: {}\n", settings.metrics->url());
}

int dispatch(const std::vector<std::string>& arguments) {
  auto settings = parse(arguments);
  if (settings.command == Command::plan) return plan_command(settings);
  const Interrupt interrupt;
  listen(settings);
  switch (settings.command) {
    case Command::plan: break;
    case Command::probe: return probe_command(settings, interrupt);
    case Command::run: return run_command(settings, interrupt);
    case Command::sweep:
      return sweep_command(settings, {arguments.begin() + 1, arguments.end()}, interrupt);
    case Command::tune: return tune_command(settings, interrupt);
    case Command::verify: return verify_command(settings, interrupt);
    case Command::demo: return demo_command(settings, interrupt);
  }
  return usage_exit;
}

int complain(int code, const char* what) {
  fmt::print(stderr, "weir: {}\n", what);
  return code;
}

}  // namespace

void write_file(const std::string& path, const std::string& content) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << content << std::flush;
  if (!file) throw std::runtime_error("cannot write " + path);
}

void emit(const Settings& settings, const report::Json& json, const std::string& text) {
  if (!settings.json.empty() && !settings.json_on_stdout())
    write_file(settings.json, report::write(json));
  if (!settings.html.empty()) write_file(settings.html, report::page(json));
  write_stdout(settings.json_on_stdout() ? report::write(json) : text);
}

int exit_code(const report::Run& run) {
  if (run.interrupted) return interrupted_exit;
  return run.error.empty() ? done_exit : failed_exit;
}

int program(const std::vector<std::string>& arguments) {
  try {
    return dispatch(arguments);
  } catch (const Refusal& refusal) {
    fmt::print(refusal.exit_code == done_exit ? stdout : stderr, "{}", refusal.text);
    return refusal.exit_code;
  } catch (const std::invalid_argument& e) {
    return complain(usage_exit, e.what());
  } catch (const Error& e) {
    const bool usage = e.code() == Errc::bad_options || e.code() == Errc::budget_too_small;
    return complain(usage ? usage_exit : failed_exit, e.what());
  } catch (const std::exception& e) {
    return complain(failed_exit, e.what());
  }
}

}  // namespace weir::cli
