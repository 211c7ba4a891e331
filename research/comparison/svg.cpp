#include "research/comparison/svg.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "evaluate/page.h"

namespace billow::research {
namespace {

using evaluate::escaped;
using evaluate::number;

constexpr std::array<const char*, 8> kColours{"#2f6db5", "#d1662b", "#3c9a68", "#8a5fb0",
                                              "#8c8c8c", "#c23b57", "#b59a1f", "#3aa6b9"};

std::string colour(size_t i) { return kColours[i % kColours.size()]; }
std::string coordinate(double v) { return number(v, 1); }

std::string text(double x, double y, const std::string& what, const char* anchor, const char* kind = "") {
  return "<text x=\"" + coordinate(x) + "\" y=\"" + coordinate(y) + "\" text-anchor=\"" + anchor +
         "\" class=\"" + kind + "\">" + escaped(what) + "</text>";
}

std::string open(double width, double height, const std::string& title) {
  return "<svg viewBox=\"0 0 " + coordinate(width) + " " + coordinate(height) +
         "\" role=\"img\" aria-label=\"" + escaped(title) + "\">" + text(0, 14, title, "start", "title");
}

// A round step size that divides a range into about five.
double round_step(double range) {
  const double rough = range / 5, ten = std::pow(10, std::floor(std::log10(rough)));
  for (const double times : {1.0, 2.0, 5.0})
    if (times * ten >= rough) return times * ten;
  return 10 * ten;
}

int digits_for(double step) { return std::max(0, static_cast<int>(-std::floor(std::log10(step)))); }

// Maps values to coordinates of the plot.
struct Scale {
  double low = 0, high = 1, from = 0, to = 1;
  bool log = false;

  double operator()(double v) const {
    const double t = log ? std::log10(v / low) / std::log10(high / low) : (v - low) / (high - low);
    return from + t * (to - from);
  }
  std::vector<double> ticks() const {
    std::vector<double> out;
    if (log) {
      for (double v = low; v <= high * 1.001; v *= 10) out.push_back(v);
      return out;
    }
    const double step = round_step(high - low);
    for (double k = std::ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; ++k)
      out.push_back(k * step);
    return out;
  }
  std::string label(double v) const {
    if (!log) return number(v, digits_for(round_step(high - low)));
    return number(v, std::max(0, static_cast<int>(std::ceil(-std::log10(v) - 1e-6))));
  }
};

Scale scale_for(double low, double high, double from, double to, bool log) {
  if (log) {
    low = std::pow(10, std::floor(std::log10(low)));
    high = std::pow(10, std::ceil(std::log10(high)));
  }
  if (!(high > low)) high = log ? 10 * low : low + 1;
  return {low, high, from, to, log};
}

}  // namespace

std::string bars(const std::string& title, const std::string& unit, const std::vector<Bar>& values,
                 int digits) {
  constexpr double kWidth = 460, kLeft = 150, kRow = 20, kTop = 26;
  double max_value = 0;
  for (const Bar& b : values) max_value = std::max(max_value, b.value);
  const Scale scale = scale_for(0, max_value, kLeft, kWidth - 70, false);
  std::string out = open(kWidth, kTop + kRow * static_cast<double>(values.size()) + 4, title);
  double y = kTop;
  for (const Bar& b : values) {
    out += text(kLeft - 6, y + 13, b.name, "end");
    out += "<rect x=\"" + coordinate(kLeft) + "\" y=\"" + coordinate(y + 2) + "\" height=\"14\" width=\"" +
           coordinate(std::max(0.5, scale(b.value) - kLeft)) + "\" fill=\"" + colour(b.colour) + "\"/>";
    out += text(scale(b.value) + 5, y + 13, number(b.value, digits) + " " + unit, "start");
    y += kRow;
  }
  return out + "</svg>\n";
}

std::string lines(const std::string& title, const Axes& axes, const std::vector<Line>& values) {
  constexpr double kWidth = 460, kHeight = 280, kLeft = 52, kRight = 450, kTop = 44, kBottom = 240;
  double low_x = INFINITY, high_x = -INFINITY, low_y = axes.log_y ? INFINITY : 0, high_y = 0;
  for (const Line& l : values)
    for (size_t i = 0; i < l.x.size(); ++i) {
      if (axes.log_y && !(l.y[i] > 0)) continue;
      low_x = std::min(low_x, l.x[i]), high_x = std::max(high_x, l.x[i]);
      low_y = std::min(low_y, l.y[i]), high_y = std::max(high_y, l.y[i]);
    }
  std::string out = open(kWidth, kHeight, title);
  if (!(high_x >= low_x)) return out + text(kLeft, kTop + 40, "nothing to show", "start") + "</svg>\n";
  const Scale x = scale_for(low_x, high_x, kLeft, kRight, false),
              y = scale_for(low_y, high_y, kBottom, kTop, axes.log_y);

  // Draw the grid and tick labels.
  const auto rule = [&](double x0, double y0, double x1, double y1, const char* kind) {
    out += "<path class=\"" + std::string(kind) + "\" d=\"M" + coordinate(x0) + " " + coordinate(y0) + "L" +
           coordinate(x1) + " " + coordinate(y1) + "\"/>";
  };
  for (const double v : x.ticks()) {
    rule(x(v), kBottom, x(v), kTop, "grid");
    out += text(x(v), kBottom + 14, x.label(v), "middle");
  }
  for (const double v : y.ticks()) {
    rule(kLeft, y(v), kRight, y(v), "grid");
    out += text(kLeft - 5, y(v) + 4, y.label(v), "end");
  }
  for (const double v : axes.marks) rule(x(v), kBottom, x(v), kTop, "mark");
  out += text((kLeft + kRight) / 2, kBottom + 32, axes.x, "middle") + text(0, kTop - 12, axes.y, "start");

  // Draw the lines and the legend.
  double name_x = kRight;
  for (auto l = values.rbegin(); l != values.rend(); ++l) {
    out += "<path class=\"line\" stroke=\"" + colour(l->colour) + "\" d=\"";
    bool first = true;
    for (size_t i = 0; i < l->x.size(); ++i) {
      if (axes.log_y && !(l->y[i] > 0)) continue;
      out += (first ? "M" : "L") + coordinate(x(l->x[i])) + " " + coordinate(y(l->y[i]));
      first = false;
    }
    out += "\"/>";
    out += "<text x=\"" + coordinate(name_x) + "\" y=\"" + coordinate(kTop - 12) +
           "\" text-anchor=\"end\" fill=\"" + colour(l->colour) + "\">" + escaped(l->name) + "</text>";
    name_x -= 6.2 * static_cast<double>(l->name.size()) + 14;
  }
  return out + "</svg>\n";
}

}  // namespace billow::research
