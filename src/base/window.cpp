#include "weir/image.hpp"

#include <algorithm>

namespace weir {
namespace {

/// An interval of one axis.
struct Side {
  double from, span;
  double end() const noexcept { return from + span; }
};

/// Maps a coordinate of `in` to `out`, from the other end if mirrored.
double mapped(double at, Side in, Side out, bool mirrored) noexcept {
  const double share = (at - in.from) * out.span / in.span;
  return mirrored ? out.end() - share : out.from + share;
}

Side mapped(Side side, Side in, Side out, bool mirrored) noexcept {
  const double a = mapped(side.from, in, out, mirrored), b = mapped(side.end(), in, out, mirrored);
  return {std::min(a, b), std::max(a, b) - std::min(a, b)};
}

Side across(const Rect& r) noexcept { return {r.x, r.width}; }
Side down(const Rect& r) noexcept { return {r.y, r.height}; }

Point mapped(Point p, const Rect& in, const Rect& out, Flip flip) noexcept {
  return {mapped(p.x, across(in), across(out), flip.horizontal),
          mapped(p.y, down(in), down(out), flip.vertical)};
}

Rect mapped(const Rect& r, const Rect& in, const Rect& out, Flip flip) noexcept {
  const auto x = mapped(across(r), across(in), across(out), flip.horizontal);
  const auto y = mapped(down(r), down(in), down(out), flip.vertical);
  return {x.from, y.from, x.span, y.span};
}

Side common(Side a, Side b) noexcept {
  const double from = std::clamp(a.from, b.from, b.end());
  return {from, std::clamp(a.end(), from, b.end()) - from};
}

}  // namespace

Point Window::to_row(Point p) const noexcept {
  return empty() ? p : mapped(p, source, target, flip);
}
Point Window::to_image(Point p) const noexcept {
  return empty() ? p : mapped(p, target, source, flip);
}
Rect Window::to_row(const Rect& r) const noexcept {
  return empty() ? r : mapped(r, source, target, flip);
}
Rect Window::to_image(const Rect& r) const noexcept {
  return empty() ? r : mapped(r, target, source, flip);
}

Rect Window::clipped(const Rect& r) const noexcept {
  const auto x = common(across(r), across(target)), y = common(down(r), down(target));
  if (x.span <= 0 || y.span <= 0) return {x.from, y.from, 0, 0};
  return {x.from, y.from, x.span, y.span};
}

double Window::visible(const Rect& r) const noexcept {
  const double area = r.width * r.height;
  if (!(area > 0)) return 0;
  const auto part = clipped(r);
  return std::min(1.0, part.width * part.height / area);
}

}  // namespace weir
