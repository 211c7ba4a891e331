// Line plots: numbers over numbers, with axes, ticks and a legend.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "draw/image.h"

namespace billow::draw {

struct Series {
  std::string name;  // in the legend; empty: not there
  std::vector<double> x, y;
  Colour colour = {};
  float width = 2;  // pixels; 0: dots only
  float dot = 0;    // pixels, radius of a dot at each point
};

struct Plot {
  std::string title, x_label, y_label;
  std::vector<Series> series;
  int width = 900, height = 520;
  // Smallest and largest shown. None: what the series need.
  std::optional<std::pair<double, double>> x_range = {}, y_range = {};
  bool log_y = false;  // values of 0 and below are left out
};

// Values that are not finite leave a gap in their line.
Image draw_plot(const Plot& plot);

// Round numbers from `low` to `high`, about `wanted` of them.
std::vector<double> ticks(double low, double high, int wanted);

}  // namespace billow::draw
