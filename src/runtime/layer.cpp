#include "runtime/layer.h"

#include <algorithm>
#include <cmath>

#include "runtime/find_bounds.h"
#include "sdf/bounds.h"

namespace billow {
namespace {

constexpr float kUnit = 1e-4f;         // m at scale 1, of the grid's values
constexpr int16_t kUnknown = 1 << 14;  // a value farther than any
constexpr int kMargin = 2;             // cells around the mesh
constexpr float kRoom = 0.25f;         // m: a mesh may be so much wider than at rest, on every side
constexpr float kStep = 0.75f;         // what a step from point to point counts, of the spacing: ways are along the axes

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
        size[k] = static_cast<size_t>(std::min(lengths[k] / spacing, 1000.0f)) + 2 * (kMargin + 1);
      if (count() <= capacity) break;
    }
    low = from - V3{1, 1, 1} * (kMargin * spacing);
  }
  size_t row() const { return size[0]; }
  size_t plane() const { return row() * size[1]; }
  size_t count() const { return plane() * size[2]; }
  size_t cell_of(V3 p) const {
    const V3 f = (p - low) * (1 / spacing);
    return static_cast<size_t>(f.x) + static_cast<size_t>(f.y) * row() + static_cast<size_t>(f.z) * plane();
  }
  V3 place_of(size_t at) const { return low + to_v3(at % row(), at / row() % size[1], at / plane()) * spacing; }
  // Calls f(index, place) for the corners of a cell.
  template <class Function> void for_each_corner(size_t cell, Function f) const {
    const V3 at = place_of(cell);
    for (size_t z = 0; z < 2; ++z)
      for (size_t y = 0; y < 2; ++y)
        for (size_t x = 0; x < 2; ++x) f(cell + x + y * row() + z * plane(), at + to_v3(x, y, z) * spacing);
  }
};

int16_t in_units(float distance) { return static_cast<int16_t>(std::floor(distance * (1 / kUnit))); }

V3 point(const float* points, uint32_t v) {
  const float* p = points + 3 * size_t{v};
  return {p[0], p[1], p[2]};
}

// Adds to each entry both neighbours along an axis, which are `stride` apart. Those at the ends are zero.
void blur(V3* sums, size_t count, size_t stride, V3* copy) {
  std::copy_n(sums, count, copy);
  for (size_t k = stride; k + stride < count; ++k) sums[k] = copy[k - stride] + copy[k] + copy[k + stride];
}

// Which cells hold vertices, and on which side of those the outside is: where the normals around point.
void find_directions(Layer& layer, const float* normals, const Transform& key, const Lattice& l) {
  std::fill_n(layer.cells, l.count(), LayerCell{});
  std::fill_n(layer.directions, l.count(), V3{0, 0, 0});
  layer.occupied_count = 0;
  for (uint32_t v = 0; v < layer.garment->vertices(); ++v) {
    const size_t at = l.cell_of(point(layer.points, v));
    LayerCell& cell = layer.cells[at];
    if (!cell.occupied) layer.occupied[layer.occupied_count++] = static_cast<uint32_t>(at);
    cell.occupied = true;
    layer.directions[at] += point(normals, v);
    layer.cell_of_vertex[v] = static_cast<uint32_t>(at);
  }
  for (const size_t stride : {size_t{1}, l.row(), l.plane()})
    for (int k = 0; k < 2; ++k) blur(layer.directions, l.count(), stride, layer.copy);
  for (size_t at = 0; at < l.count(); ++at) {
    V3& direction = layer.directions[at];
    if (dot(direction, direction) > 0) direction = rotate(conjugate(key.rotation), unit_or(direction, V3{0, 1, 0}));
  }
}

// Heights of the corners of these cells over the planes on which their vertices lie from within.
void lower_to_planes(const Layer& layer, const Lattice& l) {
  for (uint32_t v = 0; v < layer.garment->vertices(); ++v) {
    LayerCell& cell = layer.cells[layer.cell_of_vertex[v]];
    cell.highest =
        std::max(cell.highest, dot(layer.directions[layer.cell_of_vertex[v]], point(layer.points, v)));
  }
  for (size_t k = 0; k < layer.occupied_count; ++k) {
    const size_t cell = layer.occupied[k];
    l.for_each_corner(cell, [&](size_t at, V3 place) {
      layer.values[at] =
          std::min(layer.values[at], in_units(dot(layer.directions[cell], place) - layer.cells[cell].highest));
    });
  }
}

// What is past the edges of the cloth is outside.
void open_at_edges(const Layer& layer, const Lattice& l) {
  for (size_t e = 0; e < layer.edge_count; ++e) {
    const V3 p = point(layer.points, layer.edges[e].vertex);
    const V3 past = unit_or(p - point(layer.points, layer.edges[e].inner), V3{0, 0, 0});
    for (const float cells : {0.9f, 1.8f})
      l.for_each_corner(l.cell_of(p + past * (cells * l.spacing)), [&](size_t at, V3 place) {
        if (layer.values[at] == kUnknown) layer.values[at] = std::max<int16_t>(in_units(dot(past, place - p)), 1);
      });
  }
}

// Points beside known ones: where the planes there go on.
void extend(const Layer& layer, const Lattice& l) {
  int16_t *const values = layer.values, *const fixed = layer.fixed;
  for (size_t at = 0; at < l.count(); ++at) fixed[at] = values[at] != kUnknown;
  const size_t strides[] = {1, l.row(), l.plane()};
  const V3 axes[] = {{l.spacing, 0, 0}, {0, l.spacing, 0}, {0, 0, l.spacing}};
  for (size_t at = l.plane(); at + l.plane() < l.count(); ++at) {
    if (fixed[at]) continue;
    float sum = 0, count = 0;
    for (size_t axis = 0; axis < 3; ++axis)
      for (const bool back : {false, true}) {
        const size_t from = back ? at + strides[axis] : at - strides[axis];
        if (!fixed[from]) continue;
        const float on = dot(layer.directions[from], axes[axis]) * (1 / kUnit);
        sum += static_cast<float>(values[from]) + (back ? -on : on);
        ++count;
      }
    if (count > 0) values[at] = static_cast<int16_t>(std::floor(sum / count));
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
  const auto step = static_cast<int16_t>(kStep * l.spacing / kUnit);
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
  layer.cells = arena.take<LayerCell>(layer.capacity);
  layer.directions = arena.take<V3>(layer.capacity);
  layer.copy = arena.take<V3>(layer.capacity);
  layer.occupied = arena.take<uint32_t>(std::min<size_t>(layer.capacity, g.vertices()));
  layer.cell_of_vertex = arena.take<uint32_t>(g.vertices());
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
  body.collider_count = scale > 0 ? 1 : 0;
  if (scale == 0) return;
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
  std::fill_n(layer.values, lattice.count(), kUnknown);
  find_directions(layer, inner.normals, key, lattice);
  lower_to_planes(layer, lattice);
  open_at_edges(layer, lattice);
  extend(layer, lattice);
  spread(layer, lattice);
  end_inside(layer.values, lattice);
  describe(lattice, layer.values, body.colliders[0]);

  // Where the last pose would have had the same grid.
  const V3 middle = (lattice.low + body.colliders[0].grid.half) * scale;
  const Transform last = inner.teleported || !body.posed ? key : layer.key;
  body.before[0] = {apply(last, middle), last.rotation};
  body.now[0] = {apply(key, middle), key.rotation};
  body.scale = scale;
  body.posed = true;
  body.changes = !inner.report.asleep;
  layer.key = key;
}

}  // namespace billow
