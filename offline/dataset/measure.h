// How good a frame of cloth is: strain, depth in the body, places where it passes through itself.
#pragma once

#include <span>
#include <vector>

#include "cloth/sheet.h"

namespace billow::dataset {

struct ClothFigures {
  double strain_mean = 0, strain_p99 = 0, strain_most = 0;  // shares, of |l / L - 1| over the edges
  double penetrating = 0;                                   // share of vertices deeper than 1 mm
  double deepest = 0;                                       // m, positive inside
  double crossings = 0;                                     // edges that pass through a triangle of the cloth
};

// `distances`: of the vertices to the body.
ClothFigures measure(const cloth::Sheet& sheet, std::span<const V3> x, std::span<const float> distances,
                     bool count_crossings);

// Edges that pass through triangles that they do not touch.
size_t count_crossings(const cloth::Sheet& sheet, std::span<const V3> x);

// Averages of shares and counts, the most of maxima.
class FigureSum {
 public:
  void add(const ClothFigures& f, bool with_crossings);
  ClothFigures mean() const;
  double worst_p99() const { return worst_p99_; }

 private:
  ClothFigures sum_;
  double frames_ = 0, crossing_frames_ = 0, worst_p99_ = 0;
};

}  // namespace billow::dataset
