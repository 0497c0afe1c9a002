#include "chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace weir::bench {
namespace {

constexpr std::string_view ink = "#1f2328", faint = "#59636e", grid = "#d8dee4";
/// A white outline keeps text readable on top of lines.
constexpr auto halo = " stroke=\"#ffffff\" stroke-width=\"3\" paint-order=\"stroke\"";
constexpr double legend_line = 19;
constexpr double digit_width = 7.2;  // of the widest font, at the size of the figures
constexpr double name_height = 14, percentage_width = 36;

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      default: out += c;
    }
  }
  return out;
}

Point on_paper(const Panel& panel, Point point) {
  return {panel.left + panel.width * point.x / panel.x_end,
          panel.top + panel.height * (1 - point.y / panel.y_end)};
}

}  // namespace

Chart::Chart(int width, int height, std::string_view title,
             const std::vector<std::string>& subtitle) {
  body_ = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
      "height=\"{1}\" role=\"img\" "
      "font-family=\"system-ui, -apple-system, 'Segoe UI', 'Noto Sans', 'DejaVu Sans', Helvetica, "
      "Arial, sans-serif\">\n"
      "<title>{2}</title>\n"
      "<rect x=\"0.5\" y=\"0.5\" width=\"{3}\" height=\"{4}\" rx=\"8\" fill=\"#ffffff\" "
      "stroke=\"{5}\"/>\n",
      width, height, escaped(title), width - 1, height - 1, grid);
  text(28, 40, title, fmt::format("font-size=\"21\" font-weight=\"600\" fill=\"{}\"", ink));
  double y = 64;
  for (const auto& words : subtitle) {
    text(28, y, words, fmt::format("font-size=\"13.5\" fill=\"{}\"", faint));
    y += 19;
  }
}

void Chart::text(double x, double y, std::string_view content, std::string_view attributes) {
  fmt::format_to(std::back_inserter(body_), "<text x=\"{:.1f}\" y=\"{:.1f}\" {}>{}</text>\n", x, y,
                 attributes, escaped(content));
}

void Chart::line(Point from, Point to, std::string_view attributes) {
  fmt::format_to(std::back_inserter(body_),
                 "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", from.x,
                 from.y, to.x, to.y, attributes);
}

void Chart::draw(const Panel& panel) {
  const auto small = fmt::format("font-size=\"12\" fill=\"{}\"", faint);
  text(panel.left - 40, panel.top - 16, panel.title,
       fmt::format("font-size=\"14\" font-weight=\"600\" fill=\"{}\"", ink));
  for (const auto y : panel.y_ticks) {
    const auto from = on_paper(panel, {0, y});
    line(from, {from.x + panel.width, from.y}, fmt::format("stroke=\"{}\"", y > 0 ? grid : faint));
    text(from.x - 8, from.y + 4, fmt::format("{}", y), small + " text-anchor=\"end\"");
  }
  for (const auto x : panel.x_ticks) {
    const auto at = on_paper(panel, {x, 0});
    line(at, {at.x, at.y + 5}, fmt::format("stroke=\"{}\"", faint));
    text(at.x, at.y + 19, fmt::format("{}", x), small + " text-anchor=\"middle\"");
  }
  text(panel.left + panel.width / 2, panel.top + panel.height + 38, panel.x_title,
       small + " text-anchor=\"middle\"");

  for (const auto& series : panel.series) {
    for (const auto dot : series.dots) {
      const auto at = on_paper(panel, dot);
      fmt::format_to(
          std::back_inserter(body_),
          "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.2\" fill=\"{}\" fill-opacity=\"0.35\"/>\n",
          at.x, at.y, series.colour);
    }
    if (series.line.empty()) continue;
    std::string points;
    for (const auto point : series.line) {
      const auto at = on_paper(panel, point);
      fmt::format_to(std::back_inserter(points), "{}{:.1f},{:.1f}", points.empty() ? "" : " ", at.x,
                     at.y);
    }
    fmt::format_to(std::back_inserter(body_),
                   "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" "
                   "stroke-linejoin=\"round\"{}/>\n",
                   points, series.colour, series.thin ? "1.4" : "2.4",
                   series.dashed ? " stroke-dasharray=\"7 5\"" : "");
    double free_from = 0;
    for (const auto point : series.line) {
      if (series.label_decimals < 0) break;
      const auto at = on_paper(panel, point);
      fmt::format_to(std::back_inserter(body_),
                     "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.6\" fill=\"{}\"/>\n", at.x, at.y,
                     series.colour);
      const auto figure = fmt::format("{:.{}f}", point.y, series.label_decimals);
      const auto half = digit_width / 2 * static_cast<double>(figure.size());
      if (at.x - half < free_from) continue;
      free_from = at.x + half + digit_width / 2;
      text(at.x, at.y - 10, figure,
           fmt::format("font-size=\"11.5\" text-anchor=\"middle\" fill=\"{}\"{}", ink, halo));
    }
  }
  if (panel.legend)
    list_series(panel);
  else
    name_series(panel);
}

void Chart::list_series(const Panel& panel) {
  double y = panel.top + 16;
  for (const auto& series : panel.series) {
    line({panel.left + 16, y}, {panel.left + 42, y},
         fmt::format("stroke=\"{}\" stroke-width=\"2.4\"", series.colour));
    text(panel.left + 50, y + 4, series.name,
         fmt::format("font-size=\"13\" font-weight=\"600\" fill=\"{}\"{}", series.colour, halo));
    y += legend_line;
  }
}

void Chart::name_series(const Panel& panel) {
  struct Name {
    Point at;
    const Series* series;
  };
  std::vector<Name> names;
  for (const auto& series : panel.series) {
    if (!series.line.empty() && !series.name.empty())
      names.push_back({on_paper(panel, series.line.back()), &series});
  }
  std::stable_sort(names.begin(), names.end(),
                   [](const Name& a, const Name& b) { return a.at.y > b.at.y; });
  double free_above = panel.top + panel.height + name_height;
  for (const auto& [at, series] : names) {
    const double y = std::min(at.y + 4, free_above);
    free_above = y - name_height;
    text(at.x + 10, y, series->name,
         fmt::format("font-size=\"13\" font-weight=\"600\" fill=\"{}\"", series->colour));
  }
}

void Chart::draw(const Bar& bar) {
  double x = bar.left;
  for (const auto& part : bar.parts) {
    const double width = bar.width * part.share;
    fmt::format_to(std::back_inserter(body_),
                   "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
                   "fill=\"{}\"/>\n",
                   x, bar.top, width, bar.height, part.colour);
    if (width > percentage_width) {
      text(x + width / 2, bar.top + bar.height / 2 + 4, fmt::format("{:.0f} %", 100 * part.share),
           "font-size=\"11.5\" font-weight=\"600\" text-anchor=\"middle\" fill=\"#ffffff\"");
    }
    x += width;
  }
}

std::vector<double> ticks(double end, int count) {
  const auto rough = end / count;
  const auto decade = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * decade;
  for (const auto factor : {5, 2, 1}) {
    if (factor * decade >= rough) step = factor * decade;
  }
  std::vector<double> at;
  for (int i = 0; i * step <= end; ++i) at.push_back(i * step);
  return at;
}

}  // namespace weir::bench
