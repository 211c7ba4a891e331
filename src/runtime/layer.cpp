#include "runtime/layer.h"

#include <algorithm>
#include <cmath>

#include "runtime/find_bounds.h"
#include "sdf/bounds.h"

namespace billow {
namespace {

constexpr float kUnit = 1e-4f;         // m at scale 1, of the grid's values
constexpr int16_t kUnknown = 1 << 14;  // a value farther than any
constexpr size_t kMargin = 3;          // cells around the mesh
constexpr float kRoom = 0.25f;         // m: a mesh may be so much wider than at rest, on every side
constexpr float kStep = 0.75f;         // of the spacing: a step between points, as ways are along the axes
constexpr uint32_t kEvery = 4;         // of how many vertices one counts
constexpr float kDeviations = 2;       // see the header
constexpr float kAside = 1.2f;         // cells along their plane: points are past the vertices nearby
constexpr float kPast = 0.02f;         // m: the surface goes on so far past the edges of the cloth

V3 to_v3(size_t x, size_t y, size_t z) {
  return {static_cast<float>(x), static_cast<float>(y), static_cast<float>(z)};
}

// The grid's points and where they are. A cell has the index of its corner with the lowest coordinates.
struct Lattice {
  size_t size[3];
  V3 low{0, 0, 0};
  float spacing = kLayerSpacing;

  Lattice(V3 from, V3 to, size_t capacity) {
    const V3 wide = to - from;
    for (;; spacing *= 1.1f) {
      const float lengths[] = {wide.x, wide.y, wide.z};
      for (int k = 0; k < 3; ++k)
        size[k] = static_cast<size_t>(std::min(lengths[k] / spacing, 1000.0f)) + 2 * kMargin + 3;
      if (count() <= capacity) break;
    }
    // The points stay where they are while the mesh moves.
    const auto snapped = [&](float x) { return (std::floor(x / spacing) - kMargin) * spacing; };
    low = {snapped(from.x), snapped(from.y), snapped(from.z)};
  }
  size_t row() const { return size[0]; }
  size_t plane() const { return row() * size[1]; }
  size_t count() const { return plane() * size[2]; }
  // Calls f(index, place) for all points.
  template <class Function> BILLOW_ALWAYS_INLINE void for_each(Function f) const {
    size_t at = 0;
    for (size_t z = 0; z < size[2]; ++z)
      for (size_t y = 0; y < size[1]; ++y)
        for (size_t x = 0; x < size[0]; ++x) f(at++, low + to_v3(x, y, z) * spacing);
  }
  // Calls f(index, weight) for the corners of the cell around p, with the weights of interpolation.
  template <class Function> BILLOW_ALWAYS_INLINE void for_each_corner(V3 p, Function f) const {
    const V3 at = (p - low) * (1 / spacing);
    const auto i = static_cast<size_t>(at.x), j = static_cast<size_t>(at.y), k = static_cast<size_t>(at.z);
    const V3 in = at - to_v3(i, j, k);
    const size_t cell = i + j * row() + k * plane();
    for (size_t z = 0; z < 2; ++z)
      for (size_t y = 0; y < 2; ++y) {
        const float w = (z ? in.z : 1 - in.z) * (y ? in.y : 1 - in.y);
        f(cell + y * row() + z * plane(), w * (1 - in.x));
        f(cell + y * row() + z * plane() + 1, w * in.x);
      }
  }
};

// Less than kUnknown, however large the mesh.
int16_t in_units(float distance) {
  constexpr float kMost = kUnknown / 2;
  return static_cast<int16_t>(std::clamp(std::floor(distance * (1 / kUnit)), -kMost, kMost));
}

V3 point(const float* points, uint32_t v) {
  const float* p = points + 3 * size_t{v};
  return {p[0], p[1], p[2]};
}

LayerSums sum_of(const LayerSums& a, const LayerSums& b, const LayerSums& c) {
  LayerSums sum;
  store(sum.directions, load8(a.directions) + load8(b.directions) + load8(c.directions));
  return sum;
}
float sum_of(float a, float b, float c) { return a + b + c; }

// Spreads sums over the points within two steps along each axis, with weights 1 2 3 2 1. There are none near the outermost points.
// `before` has room for a plane.
template <class Sums> void blur(Sums* sums, const Lattice& l, Sums* before) {
  for (const size_t stride : {size_t{1}, l.row(), l.plane()})
    for (int pass = 0; pass < 2; ++pass) {
      std::copy_n(sums, stride, before);
      for (size_t at = stride; at + stride < l.count(); at += stride)
        for (size_t k = at; k < std::min(at + stride, l.count() - stride); ++k) {
          const Sums here = sums[k];
          sums[k] = sum_of(before[k - at], here, sums[k + stride]);
          before[k - at] = here;
        }
    }
}

void add(const Lattice& l, V3 place, V3 direction, LayerSums* sums) {
  const LayerSums one{{direction.x, direction.y, direction.z}, {place.x, place.y, place.z}, 1, 0};
  const F8 added = load8(one.directions);
  l.for_each_corner(place, [&](size_t at, float weight) {
    store(sums[at].directions, load8(sums[at].directions) + added * splat8(weight));
  });
}

// Where a grid point is over the plane that its sums say; their directions are those before `turn`.
struct OverPlane {
  float height, aside;

  OverPlane(const LayerSums& s, V3 place, const RigidMatrix& turn) {
    const V3 way = place - V3{s.places[0], s.places[1], s.places[2]} * (1 / s.weight);
    const V3 direction = unit_or(V3{s.directions[0], s.directions[1], s.directions[2]}, V3{0, 1, 0});
    height = dot(direction, V3{dot(turn.rx, way), dot(turn.ry, way), dot(turn.rz, way)});
    aside = std::sqrt(std::max(dot(way, way) - height * height, 0.0f));
  }
};

// How far grid points are past the edges of the cloth.
void find_past(const Layer& layer, const Lattice& l) {
  std::fill_n(layer.sums, l.count(), LayerSums{});
  for (size_t e = 0; e < layer.edge_count; ++e) {
    const V3 p = point(layer.points, layer.edges[e].vertex);
    add(l, p, unit_or(p - point(layer.points, layer.edges[e].inner), V3{0, 0, 0}), layer.sums);
  }
  blur(layer.sums, l, layer.before);
  const RigidMatrix as_is = to_matrix(Transform{});
  l.for_each([&](size_t at, V3 place) {
    layer.past[at] = layer.sums[at].weight > 0 ? OverPlane(layer.sums[at], place, as_is).height : -1;
  });
}

// Heights over the vertices nearby, and sums of the squares of the vertices' own.
void find_heights(const Layer& layer, const float* normals, const Transform& key, const Lattice& l) {
  const uint32_t vertices = layer.garment->vertices();
  const RigidMatrix turn = to_matrix(key);
  std::fill_n(layer.sums, l.count(), LayerSums{});
  std::fill_n(layer.squares, l.count(), 0.0f);
  // Clusters list neighbours one after the other.
  const uint32_t* const order = layer.garment->clusters;
  for (uint32_t k = 0; k < vertices; k += kEvery)
    add(l, point(layer.points, order[k]), point(normals, order[k]), layer.sums);
  blur(layer.sums, l, layer.before);
  l.for_each([&](size_t at, V3 place) {
    layer.fixed[at] = layer.sums[at].weight > 0;
    if (!layer.fixed[at]) return;
    const OverPlane over(layer.sums[at], place, turn);
    layer.heights[at] = over.height + std::max(over.aside - kAside * l.spacing, 0.0f);
  });
  for (uint32_t k = 0; k < vertices; k += kEvery) {
    const V3 p = point(layer.points, order[k]);
    float height = 0;
    l.for_each_corner(p, [&](size_t at, float weight) { height += layer.heights[at] * weight; });
    l.for_each_corner(p, [&](size_t at, float weight) { layer.squares[at] += height * height * weight; });
  }
  blur(layer.squares, l, layer.before[0].directions);
}

// The values of points with vertices nearby.
void set_values(const Layer& layer, const Lattice& l) {
  for (size_t at = 0; at < l.count(); ++at) {
    layer.values[at] = kUnknown;
    if (!layer.fixed[at]) continue;
    const float over = layer.heights[at] - kDeviations * std::sqrt(layer.squares[at] / layer.sums[at].weight);
    layer.values[at] = in_units(std::max(over, layer.past[at] - kPast));
  }
}

// A point that is not fixed, and nearer by way of a neighbour, takes its side, and its distance with a step.
int16_t by_way_of(int16_t there, int16_t here, int16_t step, int16_t fixed) {
  const auto by_way = static_cast<int16_t>(there < 0 ? there - step : there + step);
  const auto far = static_cast<int16_t>(here < 0 ? -here : here),
             farther = static_cast<int16_t>(by_way < 0 ? -by_way : by_way);
  return farther < far && !fixed ? by_way : here;
}

// Fills the points that are unknown, along each axis to and fro.
void spread(const Layer& layer, const Lattice& l) {
  const int16_t step = in_units(kStep * l.spacing);
  const size_t row = l.row(), plane = l.plane(), all = l.count();
  const auto go = [&](size_t from, size_t to, size_t count) {
    const int16_t *there = layer.values + from, *fixed = layer.fixed + to;
    int16_t* here = layer.values + to;
    for (size_t k = 0; k < count; ++k) here[k] = by_way_of(there[k], here[k], step, fixed[k]);
  };
  for (size_t start = 0; start < all; start += row) {
    for (size_t at = start + 1; at < start + row; ++at) go(at - 1, at, 1);
    for (size_t at = start + row - 1; at > start; --at) go(at, at - 1, 1);
  }
  for (size_t start = 0; start < all; start += plane) {
    for (size_t at = start + row; at < start + plane; at += row) go(at - row, at, row);
    for (size_t at = start + plane - row; at > start; at -= row) go(at, at - row, row);
  }
  for (size_t at = plane; at < all; at += plane) go(at - plane, at, plane);
  for (size_t at = all - plane; at > 0; at -= plane) go(at, at - plane, plane);
}

// Far behind the cloth the way out leads away from it, and the outermost points are outside.
void end_inside(int16_t* values, const Lattice& l) {
  constexpr int16_t kDepth = static_cast<int16_t>(kLayerDepth / kUnit);
  for (size_t k = 0; k < l.count(); ++k)
    values[k] = static_cast<int16_t>(std::max<int>(values[k], -2 * kDepth - values[k]));
  const auto out = [&](size_t at) { values[at] = std::max<int16_t>(values[at], 1); };
  const size_t row = l.row(), plane = l.plane(), all = l.count();
  for (size_t k = 0; k < plane; ++k) out(k), out(all - plane + k);
  for (size_t start = 0; start < all; start += plane)
    for (size_t k = 0; k < row; ++k) out(start + k), out(start + plane - row + k);
  for (size_t at = 0; at < all; at += row) out(at), out(at + row - 1);
}

void describe(const Lattice& l, const int16_t* values, Collider& c) {
  c.grid.values = values;
  for (size_t k = 0; k < 3; ++k) c.grid.size[k] = static_cast<int>(l.size[k]);
  c.grid.spacing = l.spacing;
  c.grid.unit = kUnit;
  c.grid.half = to_v3(l.size[0] - 1, l.size[1] - 1, l.size[2] - 1) * (0.5f * l.spacing);
  c.half = c.grid.half - V3{1, 1, 1} * l.spacing;
  c.radius = length(c.half);
  c.thickness = kLayerDepth;
  c.max_axis_distance = find_max_axis_distance(c);
}

// Summed over triangles, 0 for a vertex that they go all around: each neighbour follows once and precedes once.
constexpr uint64_t kListed = 1;
uint64_t mark_of(uint32_t vertex) { return (vertex + 1) * 0x9e3779b97f4a7c15u; }

}  // namespace

void build(Layer& layer, Arena& arena) {
  const Garment& g = *layer.garment;
  const Bounds rest = find_bounds(g.view.rest.data(), g.vertices());
  const V3 room{kRoom, kRoom, kRoom};
  const Lattice widest(rest.low - room, rest.high + room, ~size_t{0});
  layer.capacity = widest.count();
  layer.values = arena.take<int16_t>(layer.capacity);
  layer.fixed = arena.take<int16_t>(layer.capacity);
  layer.sums = arena.take<LayerSums>(layer.capacity);
  layer.before = arena.take<LayerSums>(layer.capacity / (2 * kMargin + 3));  // no side has fewer points
  layer.heights = arena.take<float>(layer.capacity);
  layer.squares = arena.take<float>(layer.capacity);
  layer.past = arena.take<float>(layer.capacity);
  layer.points = arena.take<float>(3 * (size_t{g.vertices()} + kLanes));
  layer.edges = arena.take<LayerEdge>(g.vertices());
  uint64_t* const marks = arena.take<uint64_t>(g.vertices());
  if (!marks) return;

  std::fill_n(marks, g.vertices(), uint64_t{0});
  const auto for_each_in_triangle = [&](auto f) {
    for (size_t t = 0; t < g.view.triangles.size(); t += 3)
      for (size_t k = 0; k < 3; ++k)
        f(g.view.triangles[t + k], g.view.triangles[t + (k + 1) % 3], g.view.triangles[t + (k + 2) % 3]);
  };
  for_each_in_triangle(
      [&](uint32_t v, uint32_t next, uint32_t before) { marks[v] += mark_of(next) - mark_of(before); });
  for_each_in_triangle([&](uint32_t v, uint32_t next, uint32_t before) {
    if (marks[v] <= kListed) return;
    const uint32_t inner = marks[next] == 0 ? next : before;
    if (marks[inner] != 0) return;
    marks[v] = kListed;
    layer.edges[layer.edge_count++] = {v, inner};
  });
}

void pose_layer(Layer& layer, const Instance& inner, Body& body) {
  const Transform key = inner.between.key;
  const float scale = inner.between.scale;
  body.collider_count = inner.between.shows ? 1 : 0;
  if (!inner.between.shows) return;
  const uint32_t vertices = layer.garment->vertices();
  const RigidMatrix turn = to_matrix(key);
  for (size_t v = 0; v < vertices; v += kLanes) {
    V3x4 p;
    load_points(inner.positions + 3 * v, p.x, p.y, p.z);
    p = apply_transposed(turn, p - splat(key.position)) * (1 / scale);
    store_points(layer.points + 3 * v, p.x, p.y, p.z);
  }
  const Bounds box = find_bounds(layer.points, vertices);
  const Lattice lattice(box.low, box.high, layer.capacity);
  find_past(layer, lattice);
  find_heights(layer, inner.normals, key, lattice);
  set_values(layer, lattice);
  spread(layer, lattice);
  end_inside(layer.values, lattice);
  describe(lattice, layer.values, body.colliders[0]);

  // Where the last pose would have had the same grid.
  const V3 middle = (lattice.low + body.colliders[0].grid.half) * scale;
  const Transform last = inner.between.before;
  body.before[0] = {apply(last, middle), last.rotation};
  body.now[0] = {apply(key, middle), key.rotation};
  body.scale = scale;
  body.posed = true;
  body.changes = !inner.report.asleep;
}

}  // namespace billow
