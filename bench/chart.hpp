#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace weir::bench {

struct Point {
  double x = 0, y = 0;
};

/// Every measurement is a faint dot. `line` connects the values that represent them.
struct Series {
  std::string name{}, colour{};
  std::vector<Point> dots{}, line{};
  bool dashed = false;
  bool thin = false;
  int label_decimals = -1;  ///< of the figures at the points of the line; negative: no figures
};

/// One diagram: x and y start at 0, with the given ticks. Series are named at their right ends, or
/// in a legend at the top left. Names that would overlap are stacked. A figure that would overlap
/// the one before it is left out.
struct Panel {
  std::string title{}, x_title{};
  double left = 0, top = 0, width = 0, height = 0;  ///< of the plane, in pixels
  double x_end = 1, y_end = 1;
  std::vector<double> x_ticks{}, y_ticks{};
  std::vector<Series> series{};
  bool legend = false;
};

/// Parts of a whole side by side. Each shows its percentage if there is room.
struct Bar {
  struct Part {
    std::string colour{};
    double share = 0;
  };
  double left = 0, top = 0, width = 0, height = 0;  ///< in pixels
  std::vector<Part> parts{};
};

/// An SVG document with its own background, so it is readable on light and dark pages.
class Chart {
 public:
  Chart(int width, int height, std::string_view title, const std::vector<std::string>& subtitle);

  void draw(const Panel& panel);
  void draw(const Bar& bar);
  void text(double x, double y, std::string_view content, std::string_view attributes);
  std::string svg() const { return body_ + "</svg>\n"; }

 private:
  void name_series(const Panel& panel);
  void list_series(const Panel& panel);
  void line(Point from, Point to, std::string_view attributes);

  std::string body_;
};

/// About `count` ticks from 0 to at most `end`, at multiples of 1, 2 or 5 times a power of ten.
std::vector<double> ticks(double end, int count);

}  // namespace weir::bench
