#include <cstdint>
#include <cstdio>
#include <exception>
#include <new>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>

#include "base/sanitize.hpp"
#include "cli/commands.hpp"
#include "cli/messages.hpp"
#include "cli/metrics_server.hpp"
#include "cli/output.hpp"
#include "report/json.hpp"
#include "report/page/page.hpp"
#include "weir/error.hpp"

namespace weir::cli {
namespace {

/// Starts the metrics server before the data are opened, so that a port in use is reported at once.
void listen(Settings& settings) {
  const bool children_do = settings.command == Command::sweep && !settings.only_depth;
  if (!settings.metrics_port || children_do) return;
  settings.metrics =
      std::make_shared<MetricsServer>(settings.metrics_address, *settings.metrics_port);
  say("metrics: {}\n", settings.metrics->url());
}

/// Before the first sample, so that no run ends without its report.
void check_outputs(const Settings& settings) {
  for (const auto& path : {settings.json_on_stdout() ? std::string() : settings.json, settings.html,
                           settings.trace, settings.list_bad})
    if (!path.empty() && !settings.only_depth) check_output(path);
}

int dispatch(Settings& settings, const std::vector<std::string>& arguments) {
  check_outputs(settings);
  refuse_beyond_memory(settings);
  switch (settings.command) {
    case Command::plan: return plan_command(settings);
    case Command::footprint: return footprint_command(settings);
    case Command::page: return page_command(settings);
    default: break;
  }
  const Interrupt interrupt;
  listen(settings);
  switch (settings.command) {
    case Command::probe: return probe_command(settings, interrupt);
    case Command::run: return run_command(settings, interrupt);
    case Command::sweep:
      return sweep_command(settings, {arguments.begin() + 1, arguments.end()}, interrupt);
    case Command::tune: return tune_command(settings, interrupt);
    case Command::verify: return verify_command(settings, interrupt);
    case Command::demo: return demo_command(settings, interrupt);
    default: return usage_exit;
  }
}

int complain(int code, const std::exception& error, const Settings* settings,
             const std::vector<std::string>& arguments) noexcept {
  const bool no_memory = dynamic_cast<const std::bad_alloc*>(&error) != nullptr;
  const char* what = no_memory ? "out of memory" : error.what();
  std::string fit;
  try {
    // It may contain a raw path.
    fit = sanitize(message_of(error, settings, arguments), SIZE_MAX);
    what = fit.c_str();
  } catch (const std::exception&) {
    // No memory for a better message.
  }
  std::fprintf(stderr, "weir: %s\n", what);
  return code;
}

int refuse(const Refusal& refusal) {
  if (refusal.exit_code == done_exit) {
    write_stdout(refusal.text);
  } else {
    std::fputs(refusal.text.c_str(), stderr);
  }
  return refusal.exit_code;
}

}  // namespace

void emit(const Settings& settings, const report::Json& json, const std::string& text) {
  write_all({[&] {
               if (!settings.json.empty() && !settings.json_on_stdout())
                 write_file(settings.json, report::write(json));
             },
             [&] {
               if (!settings.html.empty()) write_file(settings.html, report::page(json));
             },
             [&] { write_stdout(settings.json_on_stdout() ? report::write(json) : text); }});
}

int exit_code(const report::Run& run) {
  if (run.interrupted) return interrupted_exit;
  return run.error.empty() ? done_exit : failed_exit;
}

int program(const std::vector<std::string>& arguments) {
  std::optional<Settings> settings;
  const auto complained = [&](int code, const std::exception& error) {
    return complain(code, error, settings ? &*settings : nullptr, arguments);
  };
  try {
    try {
      settings = parse(arguments);
      return dispatch(*settings, arguments);
    } catch (const Refusal& refusal) {
      return refuse(refusal);
    }
  } catch (const std::invalid_argument& e) {
    return complained(usage_exit, e);
  } catch (const Error& e) {
    const bool usage = e.code() == Errc::bad_options || e.code() == Errc::budget_too_small;
    return complained(usage ? usage_exit : failed_exit, e);
  } catch (const std::exception& e) {
    return complained(failed_exit, e);
  }
}

}  // namespace weir::cli
