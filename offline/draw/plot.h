// Line plots with axes, ticks and a legend.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "draw/image.h"

namespace billow::draw {

struct Series {
  std::string name;  // legend entry; empty: none
  std::vector<double> x, y;
  Colour colour = {};
  float width = 2;  // line width, pixels; 0: dots only
  float dot = 0;    // radius of a dot at each point, pixels
};

struct Plot {
  std::string title, x_label, y_label;
  std::vector<Series> series;
  int width = 900, height = 520;
  // Smallest and largest value shown. None: the range of the series.
  std::optional<std::pair<double, double>> x_range = {}, y_range = {};
  bool log_y = false;  // skips values of 0 and below
};

// Non-finite values leave a gap in the line.
Image draw_plot(const Plot& plot);

// About `count` round values from `low` to `high`.
std::vector<double> ticks(double low, double high, int count);

}  // namespace billow::draw
