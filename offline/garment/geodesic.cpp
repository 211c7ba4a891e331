#include "garment/geodesic.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <queue>
#include <stdexcept>
#include <string>
#include <utility>

namespace billow::garment {
namespace {

constexpr double kFar = std::numeric_limits<double>::infinity();

struct Front {
  double distance = kFar;
  double straight = 0;  // 1: a straight front, 0: a circle about a point
};

// The third corner of a triangle laid flat: the edge from A to B is on the x axis, C is above it.
struct Laid {
  double ab, x, y;
};

// Where the front goes through AB on the way to C: the place on AB, 0..1, and the distance at C.
struct Crossing {
  double at, distance;
};

// A straight front: the gradient of unit length that has the distances of A and B.
Crossing straight_front(const Laid& t, double a, double b) {
  const double slope = (b - a) / t.ab;
  if (!(std::fabs(slope) < 1)) return {-1, kFar};
  const double rise = std::sqrt(1 - slope * slope);
  return {(t.x - t.y * slope / rise) / t.ab, a + slope * t.x + rise * t.y};
}

// A circle: its centre, below AB, is as far from A and B as they say.
Crossing round_front(const Laid& t, double a, double b) {
  const double x = (a * a - b * b + t.ab * t.ab) / (2 * t.ab);
  const double square = a * a - x * x;
  if (square < 0) return straight_front(t, a, b);
  const double y = -std::sqrt(square);
  return {(x + (t.x - x) * -y / (t.y - y)) / t.ab, std::hypot(t.x - x, t.y - y)};
}

// The front at C when it is known at A and B.
Front pass(const Laid& t, const Front& a, const Front& b) {
  // Along the edges.
  const double via_a = a.distance + std::hypot(t.x, t.y), via_b = b.distance + std::hypot(t.x - t.ab, t.y);
  Front best = via_a < via_b ? Front{via_a, a.straight} : Front{via_b, b.straight};
  const double straight = 0.5 * (a.straight + b.straight);
  // Or through the face, if the way crosses AB.
  const Crossing circle = round_front(t, a.distance, b.distance),
                 line = straight_front(t, a.distance, b.distance);
  if (straight > 0 && !(line.distance < kFar)) return best;
  const double at = straight > 0 ? (1 - straight) * circle.at + straight * line.at : circle.at;
  if (at < 0 || at > 1) return best;
  const double distance =
      straight > 0 ? (1 - straight) * circle.distance + straight * line.distance : circle.distance;
  return distance < best.distance ? Front{distance, straight} : best;
}

struct CornerTriangles {
  std::vector<uint32_t> start, triangles;
};

CornerTriangles triangles_at_corners(size_t vertices, std::span<const Triangle> triangles) {
  CornerTriangles out;
  out.start.assign(vertices + 1, 0);
  for (const Triangle& t : triangles)
    for (const uint32_t v : t) ++out.start[v + 1];
  for (size_t v = 0; v < vertices; ++v) out.start[v + 1] += out.start[v];
  out.triangles.resize(3 * triangles.size());
  std::vector<uint32_t> next(out.start.begin(), out.start.end() - 1);
  for (uint32_t t = 0; t < triangles.size(); ++t)
    for (const uint32_t v : triangles[t]) out.triangles[next[v]++] = t;
  return out;
}

Laid lay_flat(V3 a, V3 b, V3 c) {
  const V3 ab = b - a, ac = c - a;
  const double length_ab = static_cast<double>(length(ab));
  if (!(length_ab > 0)) return {0, 0, 0};
  return {length_ab, static_cast<double>(dot(ac, ab)) / length_ab,
          static_cast<double>(length(cross(ab, ac))) / length_ab};
}

// Sources start at 0; those with another source beside them are part of a row.
std::vector<Front> start_fronts(size_t vertices, std::span<const Triangle> triangles,
                                std::span<const uint32_t> sources) {
  if (sources.empty()) throw std::invalid_argument("distances: expected vertices to start from, found none");
  std::vector<Front> fronts(vertices);
  for (const uint32_t s : sources) {
    if (s >= vertices)
      throw std::invalid_argument("distances: expected vertices below " + std::to_string(vertices) +
                                  ", found " + std::to_string(s));
    fronts[s] = {0, 0};
  }
  for (const Triangle& t : triangles)
    for (size_t k = 0; k < 3; ++k) {
      Front &a = fronts[t[k]], &b = fronts[t[(k + 1) % 3]];
      if (a.distance == 0 && b.distance == 0) a.straight = b.straight = 1;
    }
  return fronts;
}

}  // namespace

std::vector<float> geodesic_distances(std::span<const V3> positions, std::span<const Triangle> triangles,
                                      std::span<const uint32_t> sources, float reach) {
  std::vector<Front> fronts = start_fronts(positions.size(), triangles, sources);
  const CornerTriangles corners = triangles_at_corners(positions.size(), triangles);
  using Entry = std::pair<double, uint32_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
  for (const uint32_t s : sources) open.push({0, s});
  std::vector<uint32_t> visits(positions.size(), 0);
  constexpr uint32_t kMaxVisits = 200;  // a bound against rounding that goes in circles
  while (!open.empty()) {
    const auto [distance, v] = open.top();
    open.pop();
    if (distance > fronts[v].distance || ++visits[v] > kMaxVisits) continue;
    // Pass the front on through the triangles round the vertex.
    for (uint32_t i = corners.start[v]; i < corners.start[v + 1]; ++i) {
      const Triangle& t = triangles[corners.triangles[i]];
      for (size_t k = 0; k < 3; ++k) {
        if (t[k] == v) continue;
        const uint32_t c = t[k], a = t[(k + 1) % 3], b = t[(k + 2) % 3];
        const Laid laid = lay_flat(positions[a], positions[b], positions[c]);
        if (!(laid.ab > 0)) continue;
        const Front reached = pass(laid, fronts[a], fronts[b]);
        if (!(reached.distance < fronts[c].distance * (1 - 1e-9)) ||
            reached.distance > static_cast<double>(reach))
          continue;
        fronts[c] = reached;
        open.push({reached.distance, c});
      }
    }
  }
  std::vector<float> out;
  out.reserve(fronts.size());
  for (const Front& f : fronts) out.push_back(static_cast<float>(f.distance));
  return out;
}

}  // namespace billow::garment
