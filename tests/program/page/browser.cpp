#include "browser.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <utility>
#include <vector>

#include "chromium.hpp"
#include "program.hpp"
#include "support/catch.hpp"
#include "support/skip.hpp"

namespace weir::test {
namespace {

namespace fs = std::filesystem;

std::optional<std::string> chromium() {
  // NOLINTBEGIN(concurrency-mt-unsafe): the tests do not change the environment
  if (const char* named = std::getenv("WEIR_CHROMIUM")) return named;
  const char* path = std::getenv("PATH");
  // NOLINTEND(concurrency-mt-unsafe)
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');)
    for (const auto* name : {"chromium", "chromium-browser", "google-chrome"})
      if (const auto file = fs::path(folder) / name; access(file.c_str(), X_OK) == 0) return file;
  return std::nullopt;
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

/// Adds the harness to the page: a listener for errors before its scripts, and the inspection after them.
std::string with_harness(std::string html) {
  constexpr std::string_view watch =
      "<script>window.harnessErrors = [];"
      "addEventListener('error', (e) => harnessErrors.push(String(e.message)));"
      "addEventListener('unhandledrejection', (e) => harnessErrors.push(String(e.reason)));"
      "addEventListener('securitypolicyviolation', (e) => harnessErrors.push(e.violatedDirective));"
      "</script>";
  html.insert(html.find("<head>") + 6, watch);
  html.insert(html.rfind("</body>"),
              "<script>" + read_file(fs::path(WEIR_PAGE_TESTS) / "harness.js") + "</script>");
  return html;
}

/// What the harness found in the frame.
constexpr auto found_in_frame =
    "document.querySelector('iframe').contentDocument.getElementById('harness')?.textContent ?? "
    "'null'";

/// Chromium's windows are never as narrow as a phone, but a frame can be.
std::string framed(std::string html, int width) {
  replace_all(html, "&", "&amp;");
  replace_all(html, "\"", "&quot;");
  return "<!DOCTYPE html><meta charset=\"utf-8\"><body><iframe "
         "style=\"border:0;height:900px;width:" +
         std::to_string(width) + "px\" srcdoc=\"" + html + "\"></iframe>";
}

}  // namespace

std::optional<Opened> open_page(const std::string& html, int width) {
  static std::unique_ptr<Chromium> browser;
  static std::map<std::pair<std::string, int>, Opened> known;
  const std::pair page(html, width);
  if (const auto found = known.find(page); found != known.end()) return found->second;
  try {
    const auto program = chromium();
    if (!program) throw std::runtime_error("none is installed");
    if (!browser) browser = std::make_unique<Chromium>(*program);
  } catch (const std::runtime_error& error) {
    // An installed browser may still fail to start, for example in a container.
    skip(std::string("no chromium that runs, so the page was not opened: ") + error.what());
    return std::nullopt;
  }
  const auto shown = browser->show(framed(with_harness(html), width), found_in_frame);
  return known.emplace(page, Opened{nlohmann::json::parse(shown.text), shown.console})
      .first->second;
}

}  // namespace weir::test
