// Measures the surface of one frame of cloth, whatever its place: bend, curvature at three scales, how far it is
// crumpled, and the outline of the hem. SI units.
//
// Mean curvature at a scale s, at a vertex, with r the distance from it on the pattern:
//
//   k = 2 n . (mean of x over the ring - mean of x over the disc) / (mean of r^2 over the ring - over the disc)
//
// The ring has the vertices with r within a fifth of s, the disc those with r up to s / 2; n is the mean normal
// of the disc. The disc averages out all that is finer than s. On a sphere of radius R, k = 1 / R. At the scale
// of edges the ring is the neighbours and the disc the vertex itself.
//
// Weight draws cloth tight from its attachments to the hem: between sharp folds it is calm, and folds are straight along
// the hang. Crumpled cloth can have the bend and the curvature of such cloth, but not its calm quarter: the quartile of
// the angles by which normals turn over 3 cm, along the hang and across it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/vec.h"
#include "evaluate/histogram.h"
#include "evaluate/sted.h"
#include "garment/garment.h"

namespace billow::evaluate {

inline constexpr size_t kScales = 3;                                  // edges, 3 cm, 10 cm
inline constexpr std::array<float, kScales> kScale{0, 0.03f, 0.10f};  // m; 0: the mean edge

// The distribution of k s, which has no unit and is at most about 2 unless cloth is stretched.
class CurvatureHistogram {
 public:
  void add(double value);
  void add(const CurvatureHistogram& other);
  double mean_absolute() const { return count_ > 0 ? sum_ / count_ : 0; }
  // 1-Wasserstein distance to a reference, divided by the reference's mean of |k s|: the distance of flat cloth
  // is 1. 0 if either is empty.
  double distance(const CurvatureHistogram& reference) const;

 private:
  static constexpr size_t kBins = 4096;
  static constexpr double kMost = 4;
  std::vector<double> bins_ = std::vector<double>(kBins);
  double count_ = 0, sum_ = 0;
};

// Angles between normals 3 cm apart on the pattern, rad.
struct Turns {
  Histogram along, across;  // the hang
};

class ClothRuler {
 public:
  explicit ClothRuler(const garment::Garment& garment);

  const std::vector<Edge>& edges() const { return edges_; }
  double mean_edge() const { return mean_edge_; }
  // Number of edges between two triangles, and the sum over them of the squared angle between their normals.
  size_t hinges() const { return hinges_.size(); }
  double squared_bend(std::span<const V3> x) const;
  // Adds k s of all centres of a scale.
  void add_curvature(std::span<const V3> x, size_t scale, CurvatureHistogram& to) const;
  void add_turns(std::span<const V3> x, Turns& to) const;
  double scale_length(size_t scale) const {
    return scale == 0 ? mean_edge_ : static_cast<double>(kScale[scale]);
  }

  // Vertices of the border that are nearer to the tip of a chain than to any other bone, at rest.
  const std::vector<uint32_t>& hem() const { return hem_; }
  // Area of the convex hull of the hem on the ground plane.
  double hem_area(std::span<const V3> world) const;

 private:
  // Discs and rings of some vertices, as ranges of one list.
  struct Neighbourhoods {
    struct Centre {
      uint32_t vertex, disc, ring, end;  // the disc starts at `disc`, the ring at `ring`
      float factor;                      // 2 s / (mean r^2 of the ring - that of the disc)
    };
    std::vector<Centre> centres;
    std::vector<uint32_t> members;
  };
  void find_turns(const garment::Garment& garment);
  void find_hem(const garment::Garment& garment);
  Neighbourhoods neighbourhoods(const garment::Garment& garment, size_t scale) const;

  std::vector<Edge> edges_;
  std::vector<garment::Triangle> triangles_;
  std::vector<std::array<uint32_t, 2>> hinges_;  // triangles
  std::array<Neighbourhoods, kScales> scales_;
  std::vector<std::array<uint32_t, 2>> along_, across_;  // vertices
  std::vector<uint32_t> hem_;
  double mean_edge_ = 0;
};

// Area of the convex hull of points of a plane.
double hull_area(std::vector<std::array<double, 2>> points);

}  // namespace billow::evaluate
