#include "runtime/write_vertices.h"

#include <cstring>

#include "decode/to_half.h"

namespace billow {
namespace {

// `find(v)` returns the components of a vertex.
template <size_t kNumbers, class Find> void write_each(const VertexOutput& o, Find find) {
  std::byte* to = o.out;
  for (uint32_t k = 0; k < o.count; ++k, to += o.stride) {
    const F4 components = find(o.vertices ? o.vertices[k] : k);
    uint16_t halves[kLanes];
    float floats[kLanes];
    if (o.halves) {
      store_half(halves, components);
      std::memcpy(to, halves, kNumbers * sizeof halves[0]);
    } else {
      store(floats, components);
      std::memcpy(to, floats, kNumbers * sizeof floats[0]);
    }
  }
}

F4 lanes_of(V3 v, float last) {
  const float components[kLanes] = {v.x, v.y, v.z, last};
  return load(components);
}

}  // namespace

void write_vertices(const Instance& i, const VertexOutput& o) {
  constexpr size_t kVertex = 3 * sizeof(float);
  if (o.attribute == Attribute::kTangent) {
    const TangentRows& rows = i.garment->tangents;
    write_each<4>(
        o, [&](uint32_t v) { return lanes_of(find_tangent(rows, i.positions, i.normals, v), rows.side[v]); });
    return;
  }
  // The fourth lane overwrites the next vertex, or padding after the last.
  const float* from = o.attribute == Attribute::kNormal ? i.normals : i.positions;
  const V3 origin = o.attribute == Attribute::kNormal ? V3{0, 0, 0} : o.origin;
  const bool as_it_is = origin.x == 0 && origin.y == 0 && origin.z == 0;
  if (as_it_is && !o.halves && !o.vertices && o.stride == kVertex)
    std::memcpy(o.out, from, o.count * kVertex);
  else
    write_each<3>(
        o, [from, less = lanes_of(origin, 0)](uint32_t v) { return load(from + 3 * size_t{v}) - less; });
}

}  // namespace billow
