// Quality measures of a frame of cloth: strain, penetration of the body, self-intersections.
#pragma once

#include <span>
#include <vector>

#include "cloth/sheet.h"
#include "dataset/quality.h"

namespace billow::dataset {

struct ClothMeasures {
  double strain_mean = 0, strain_p99 = 0, strain_max = 0;  // |l / L - 1| over the edges
  double penetrating = 0;                                  // fraction of vertices deeper than 1 mm
  double deepest = 0;                                      // m, largest penetration depth
  double crossings = 0;                                    // edges that intersect a triangle of the cloth
  double tangled = 0;                                      // those of Crossings::tangled
};

// `distances`: signed distances of the vertices to the body.
ClothMeasures measure(const cloth::Sheet& sheet, std::span<const V3> x, std::span<const float> distances,
                      bool count_crossings);

// Intersections of edges with triangles that do not share a vertex with them. Cloth that is close on the pattern does not collide
// (cloth::kMinRestDistance), so that a fold only a few edges wide may intersect itself, the more so the coarser the mesh. Only
// intersections of cloth that is farther apart count as tangled.
struct Crossings {
  size_t all = 0, tangled = 0;
};
Crossings count_crossings(const cloth::Sheet& sheet, std::span<const V3> x);

// Accumulates frames: means of means and counts, maxima of maxima and their frames.
class MeasureSum {
 public:
  void add(const ClothMeasures& f, bool with_crossings);
  ClothMeasures mean() const;
  ClipQuality quality() const;

 private:
  ClothMeasures sum_;
  size_t frames_ = 0, crossing_frames_ = 0;
  double most_tangled_ = 0;
  ClipQuality worst_;
};

}  // namespace billow::dataset
