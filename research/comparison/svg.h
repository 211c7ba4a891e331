// Bar and line plots as SVG elements for an HTML page.
#pragma once

#include <string>
#include <vector>

namespace billow::research {

struct Bar {
  std::string name;
  double value = 0;
  size_t colour = 0;  // index into a cyclic palette
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
  bool log_y = false;              // skips values that are not positive
  std::vector<double> marks = {};  // vertical lines at these x
};
std::string lines(const std::string& title, const Axes& axes, const std::vector<Line>& values);

}  // namespace billow::research
