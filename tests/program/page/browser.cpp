#include "browser.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>
#include <utility>
#include <vector>

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

/// Chromium's windows are never as narrow as a phone, but a frame can be.
std::string framed(std::string html, int width) {
  replace_all(html, "&", "&amp;");
  replace_all(html, "\"", "&quot;");
  return "<!DOCTYPE html><meta charset=\"utf-8\"><body><iframe "
         "style=\"border:0;height:900px;width:" +
         std::to_string(width) + "px\" srcdoc=\"" + html +
         "\"></iframe><pre id=\"found\"></pre><script>addEventListener('load', () => {"
         "document.getElementById('found').textContent = document.querySelector('iframe')"
         ".contentDocument.getElementById('harness')?.textContent ?? ''; });</script>";
}

/// The output of the browser: the final document on `out`, its log on `err`.
Outcome shown(const std::string& program, const std::string& html) {
  const TemporaryFolder folder;
  const auto page = folder.write("page.html", html);
  return run_program({program, "--headless", "--no-sandbox", "--disable-gpu",
                      "--disable-dev-shm-usage", "--no-first-run",
                      "--user-data-dir=" + (folder.path() / "profile").string(),
                      "--enable-logging=stderr", "--v=0", "--window-size=1600,1000", "--dump-dom",
                      "file://" + page});
}

std::string console_lines(const std::string& log) {
  std::istringstream lines(log);
  std::string kept;
  for (std::string line; std::getline(lines, line);)
    if (line.find("CONSOLE") != std::string::npos) kept += line + '\n';
  return kept;
}

constexpr std::string_view opening = "<pre id=\"found\">";

/// The harness writes percent-encoded JSON, which has no characters with a meaning in HTML.
nlohmann::json found_in(const std::string& dom) {
  const auto from = dom.find(opening);
  if (from == std::string::npos) return nullptr;
  std::string text;
  for (auto i = from + opening.size(); i < dom.size() && dom[i] != '<'; ++i) {
    if (dom[i] != '%') {
      text += dom[i];
      continue;
    }
    text += static_cast<char>(std::stoi(dom.substr(i + 1, 2), nullptr, 16));
    i += 2;
  }
  if (text.empty()) return nullptr;
  return nlohmann::json::parse(text);
}

}  // namespace

std::optional<Opened> open_page(const std::string& html, int width) {
  static std::map<std::pair<std::string, int>, Opened> known;
  const std::pair page(html, width);
  if (const auto found = known.find(page); found != known.end()) return found->second;
  const auto program = chromium();
  const auto seen = program ? shown(*program, framed(with_harness(html), width)) : Outcome{};
  // An installed browser may still fail to start, for example in a container.
  const auto runs = [&] {
    return seen.out.find(opening) != std::string::npos ||
           shown(*program, "<p>it runs</p>").out.find("it runs") != std::string::npos;
  };
  if (!program || !runs()) {
    skip("no chromium that runs: the page was not opened");
    return std::nullopt;
  }
  return known.emplace(page, Opened{found_in(seen.out), console_lines(seen.err)}).first->second;
}

}  // namespace weir::test
