// Plots as SVG to put into a page: bars, and lines.
#pragma once

#include <string>
#include <vector>

namespace billow::evaluate {

// Text as it may stand in HTML.
std::string escaped(const std::string& text);
// With so many digits after the point.
std::string number(double value, int digits);

struct Bar {
  std::string name;
  double value = 0;
  size_t colour = 0;  // any number; the same is the same colour
};
std::string bars(const std::string& title, const std::string& unit, const std::vector<Bar>& values,
                 int digits);

struct Line {
  std::string name;
  std::vector<double> x, y;
  size_t colour = 0;
};
struct Axes {
  std::string x, y;
  bool log_y = false;              // values that are not positive are left out
  std::vector<double> marks = {};  // upright lines at these x
};
std::string lines(const std::string& title, const Axes& axes, const std::vector<Line>& values);

}  // namespace billow::evaluate
