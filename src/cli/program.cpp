#include <cstdint>
#include <cstdio>
#include <exception>
#include <new>
#include <nlohmann/json.hpp>
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

int dispatch(const std::vector<std::string>& arguments) {
  auto settings = parse(arguments);
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

int complain(int code, const std::exception& error,
             const std::vector<std::string>& arguments) noexcept {
  const char* what = error.what();
  std::string fit;
  try {
    fit = sanitize(message_of(error, arguments), SIZE_MAX);  // it may contain a raw path
    what = fit.c_str();
  } catch (const std::bad_alloc&) {
    // `what` stays the original message.
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
  std::exception_ptr failed;
  const auto put = [&failed](const std::string& path, const auto& content) {
    try {
      write_file(path, content());
    } catch (...) {
      failed = std::current_exception();
    }
  };
  // If one report cannot be written, the others are still written.
  if (!settings.json.empty() && !settings.json_on_stdout())
    put(settings.json, [&] { return report::write(json); });
  if (!settings.html.empty()) put(settings.html, [&] { return report::page(json); });
  write_stdout(settings.json_on_stdout() ? report::write(json) : text);
  if (failed) std::rethrow_exception(failed);
}

int exit_code(const report::Run& run) {
  if (run.interrupted) return interrupted_exit;
  return run.error.empty() ? done_exit : failed_exit;
}

int program(const std::vector<std::string>& arguments) {
  try {
    try {
      return dispatch(arguments);
    } catch (const Refusal& refusal) {
      return refuse(refusal);
    }
  } catch (const std::invalid_argument& e) {
    return complain(usage_exit, e, arguments);
  } catch (const Error& e) {
    const bool usage = e.code() == Errc::bad_options || e.code() == Errc::budget_too_small;
    return complain(usage ? usage_exit : failed_exit, e, arguments);
  } catch (const std::exception& e) {
    return complain(failed_exit, e, arguments);
  }
}

}  // namespace weir::cli
