// Finds cloth inside the body: vertices, edges and faces, and how deep they are. Vertices alone miss cloth that
// is drawn through a limb between them.
#pragma once

#include <span>
#include <vector>

#include "body/surface.h"
#include "evaluate/sted.h"
#include "garment/garment.h"

namespace billow::evaluate {

// Counts and depths, over one frame or many.
struct InsideSums {
  double vertices = 0, edges = 0, faces = 0;  // inside; an edge or face if any of its points is
  double deepest_vertex = 0, deepest_edge = 0, deepest_face = 0;  // m, positive inside; 0: none is inside

  void add(const InsideSums& other);
};

class BodyProbe {
 public:
  // Keeps references to edges and triangles.
  BodyProbe(std::span<const Edge> edges, std::span<const garment::Triangle> triangles)
      : edges_(edges), triangles_(triangles) {}

  // Samples vertices, three points between the ends of each edge, and four of each face: its centre and the
  // middles between centre and corners.
  InsideSums measure(const body::Surface& body, std::span<const V3> world);

 private:
  // A point of an edge or face, by the element's index.
  struct Sample {
    uint32_t element;
    V3 point;
  };
  // Queries all samples. Counts elements with a sample inside or marked in `inside_`.
  void count(const body::Surface& body, double& inside, double& deepest);

  std::span<const Edge> edges_;
  std::span<const garment::Triangle> triangles_;
  std::vector<Sample> samples_;
  std::vector<V3> points_;
  std::vector<float> vertex_distances_, distances_;
  std::vector<char> inside_;
};

}  // namespace billow::evaluate
