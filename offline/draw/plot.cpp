#include "draw/plot.h"

#include <cmath>
#include <cstdio>
#include <limits>

#include "draw/paint.h"

namespace billow::draw {
namespace {

const Colour kInk = srgb(0x30343c), kGrid = srgb(0xe4e7ec);
constexpr float kTextHeight = 11, kTitleHeight = 13;

// Maps values to pixels.
struct Axis {
  double low = 0, high = 1;
  float from = 0, to = 1;
  bool log = false;

  double transform(double v) const { return log ? std::log10(v) : v; }
  float at(double v) const {
    const double a = transform(low), b = transform(high);
    return from + (to - from) * static_cast<float>((transform(v) - a) / (b - a));
  }
  bool shows(double v) const { return std::isfinite(v) && (!log || v > 0); }
};

std::pair<double, double> range_of(const Plot& plot, std::vector<double> Series::*values, bool log) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const Series& s : plot.series)
    for (double v : s.*values)
      if (std::isfinite(v) && (!log || v > 0)) low = std::min(low, v), high = std::max(high, v);
  if (!(low <= high)) return log ? std::pair{0.1, 1.0} : std::pair{0.0, 1.0};
  if (low == high) return log ? std::pair{low / 2, high * 2} : std::pair{low - 0.5, high + 0.5};
  return {low, high};
}

// Widens a range by a margin.
std::pair<double, double> with_margin(std::pair<double, double> range, bool log) {
  const auto [low, high] = range;
  if (log) return {low / 1.3, high * 1.3};
  const double margin = 0.06 * (high - low);
  return {low == 0 ? 0 : low - margin, high + margin};
}

std::vector<double> ticks_of(const Axis& axis, int count) {
  if (!axis.log) return ticks(axis.low, axis.high, count);
  std::vector<double> powers;
  for (double e = std::ceil(std::log10(axis.low)); e <= std::log10(axis.high); ++e)
    powers.push_back(std::pow(10, e));
  return powers;
}

std::string tick_label(double v) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", std::fabs(v) < 1e-12 ? 0 : v);
  return text;
}

void draw_axes(Image& image, const Plot& plot, const Axis& x, const Axis& y) {
  // Draw grid lines and tick labels.
  for (double v : ticks_of(x, 8)) {
    paint_line(image, x.at(v), y.from, x.at(v), y.to, 1, kGrid);
    paint_text(image, x.at(v), y.from + kTextHeight + 8, tick_label(v), {kTextHeight, kInk, Align::kCentre});
  }
  for (double v : ticks_of(y, 6)) {
    paint_line(image, x.from, y.at(v), x.to, y.at(v), 1, kGrid);
    paint_text(image, x.from - 8, y.at(v) + 0.5f * kTextHeight, tick_label(v),
               {kTextHeight, kInk, Align::kRight});
  }
  // Draw the axes, their labels and the title.
  paint_line(image, x.from, y.from, x.to, y.from, 1.5f, kInk);
  paint_line(image, x.from, y.from, x.from, y.to, 1.5f, kInk);
  paint_text(image, 0.5f * (x.from + x.to), static_cast<float>(image.height()) - 10, plot.x_label,
             {kTextHeight, kInk, Align::kCentre});
  paint_text(image, kTextHeight + 8, 0.5f * (y.from + y.to), plot.y_label,
             {kTextHeight, kInk, Align::kCentre, true});
  paint_text(image, x.from, 12 + kTitleHeight, plot.title, {kTitleHeight, kInk});
}

void draw_series(Image& image, const Series& s, const Axis& x, const Axis& y) {
  const size_t count = std::min(s.x.size(), s.y.size());
  const auto inside = [&](double v) { return std::clamp(v, y.low, y.high); };
  for (size_t i = 0; i < count; ++i) {
    if (!x.shows(s.x[i]) || !y.shows(s.y[i])) continue;
    const float px = x.at(s.x[i]), py = y.at(inside(s.y[i]));
    if (s.dot > 0) paint_disc(image, px, py, s.dot, s.colour);
    if (s.width <= 0 || i == 0 || !x.shows(s.x[i - 1]) || !y.shows(s.y[i - 1])) continue;
    paint_line(image, x.at(s.x[i - 1]), y.at(inside(s.y[i - 1])), px, py, s.width, s.colour);
  }
}

void draw_legend(Image& image, const Plot& plot, const Axis& x, const Axis& y) {
  // Place entries above the plot area, from its right edge to the left.
  float right = x.to;
  for (auto s = plot.series.rbegin(); s != plot.series.rend(); ++s) {
    if (s->name.empty()) continue;
    const float baseline = y.to - 10, middle = baseline - 0.5f * kTextHeight;
    paint_text(image, right, baseline, s->name, {kTextHeight, kInk, Align::kRight});
    right -= text_width(s->name, kTextHeight) + 8;
    if (s->width > 0)
      paint_line(image, right - 26, middle, right, middle, std::max(2.0f, s->width), s->colour);
    if (s->dot > 0) paint_disc(image, right - 13, middle, std::max(2.5f, s->dot), s->colour);
    right -= 26 + 22;
  }
}

}  // namespace

std::vector<double> ticks(double low, double high, int count) {
  std::vector<double> values;
  if (!(high > low) || count < 1) return values;
  // Round the step up to 1, 2 or 5 times a power of ten.
  const double rough = (high - low) / count, power = std::pow(10, std::floor(std::log10(rough)));
  const double step = power * (rough <= 1.0 * power ? 1
                               : rough <= 2 * power ? 2
                               : rough <= 5 * power ? 5
                                                    : 10);
  for (double i = std::ceil(low / step - 1e-9); i <= high / step + 1e-9; ++i) values.push_back(i * step);
  return values;
}

Image draw_plot(const Plot& plot) {
  Image image(plot.width, plot.height);
  const auto [x_low, x_high] = plot.x_range.value_or(range_of(plot, &Series::x, false));
  const auto [y_low, y_high] =
      plot.y_range.value_or(with_margin(range_of(plot, &Series::y, plot.log_y), plot.log_y));
  const auto w = static_cast<float>(plot.width), h = static_cast<float>(plot.height);
  const Axis x{x_low, x_high, 84, w - 24, false}, y{y_low, y_high, h - 56, 62, plot.log_y};
  draw_axes(image, plot, x, y);
  for (const Series& s : plot.series) draw_series(image, s, x, y);
  draw_legend(image, plot, x, y);
  return image;
}

}  // namespace billow::draw
