// The part of BatchSimulator that brings cloth and body into the form of cloth/batch/memory.h.
#include <algorithm>
#include <stdexcept>

#include "api/handles.h"
#include "cloth/batch/batch_simulator.h"

namespace billow::cloth {
namespace {

// Lists per vertex, entry by entry: number k of vertex v is at k * vertices + v.
template <class T> struct Columns {
  std::vector<uint8_t> count;
  std::vector<T> values;

  Columns(size_t vertices, size_t longest) : count(vertices), values(vertices * longest) {}
  void add(size_t v, T value) { values[count[v]++ * count.size() + v] = value; }
};

}  // namespace

BatchCollider batch_collider(const Collider& c) {
  BatchCollider out;
  out.shape = c.shape;
  out.radius = c.radius, out.length = c.length, out.taper = c.taper, out.slope = c.slope;
  out.half = c.half;
  out.blend_with = c.blend_with, out.blend_radius = c.blend_radius;
  out.group = c.group;
  out.reach = c.reach;
  out.bound_radius = pose_collider(c, 1, {}, {}).bound_radius;
  if (c.shape == Shape::kEllipsoid) out.ellipsoid = ellipsoid_shape(c.half);
  return out;
}

SetTables collider_set(const Body& body, uint32_t groups) {
  const auto has = [&](int i) { return (groups >> body.colliders[i].group & 1) != 0; };
  SetTables out;
  for (int i = 0; i < body.collider_count; ++i) {
    if (!has(i)) continue;
    out.indices.push_back(static_cast<uint8_t>(i));
    const int with = body.colliders[i].blend_with;
    if (with >= 0 && has(with)) out.blends.push_back(static_cast<uint8_t>(i));
  }
  return out;
}

std::string why_not_in_batch(const Sheet& sheet, const body::Surface& body) {
  const Body& b = body.get()->body;
  if (sheet.size() > kMaxBatchVertices)
    return "a batch simulates garments of at most " + std::to_string(kMaxBatchVertices) +
           " vertices, found " + std::to_string(sheet.size()) + "; use --device cpu";
  if (b.collider_count > static_cast<int>(kMaxBatchColliders))
    return "a batch simulates bodies of at most " + std::to_string(kMaxBatchColliders) +
           " colliders, found " + std::to_string(b.collider_count) + "; use --device cpu";
  for (int i = 0; i < b.collider_count; ++i)
    if (b.colliders[i].shape > Shape::kHalfSpace)
      return "collider " + std::to_string(i) +
             " is a grid, a network or a callback, which a batch does not simulate; use --device cpu";
  return "";
}

template <class T> T* BatchSimulator::allocate(size_t count) {
  return static_cast<T*>(backend_->allocate(count * sizeof(T)));
}
template float* BatchSimulator::allocate<float>(size_t);
template V3* BatchSimulator::allocate<V3>(size_t);
template uint8_t* BatchSimulator::allocate<uint8_t>(size_t);
template uint16_t* BatchSimulator::allocate<uint16_t>(size_t);
template uint32_t* BatchSimulator::allocate<uint32_t>(size_t);

template <class T> const T* BatchSimulator::upload(const std::vector<T>& values) {
  T* const out = allocate<T>(values.size());
  backend_->upload(out, values.data(), values.size() * sizeof(T));
  backend_->wait();
  return out;
}
template const ClipState* BatchSimulator::upload(const std::vector<ClipState>&);

void BatchSimulator::upload_sheet(const Sheet& sheet, std::span<const uint32_t> pinned) {
  BatchSheet& s = arguments_.sheet;
  const Material& m = sheet.material;
  s.vertices = static_cast<uint32_t>(sheet.size());
  s.triangles = static_cast<uint32_t>(sheet.triangles.size());
  s.pinned = static_cast<uint32_t>(pinned.size());
  s.damping = m.damping, s.thickness = m.thickness, s.friction = m.friction;
  s.self_friction = m.self_friction, s.drag = m.drag, s.lift = m.lift;
  s.self_distance = kSelfContactDistance * sheet.spacing;
  s.min_rest_distance = kMinRestDistance * sheet.spacing;
  std::vector<float> inverse_mass, rest;
  for (const float mass : sheet.mass) inverse_mass.push_back(1 / mass);
  std::vector<uint32_t> pin(sheet.size());
  for (uint32_t i = 0; i < pinned.size(); ++i) inverse_mass[pinned[i]] = 0, pin[pinned[i]] = i;
  s.inverse_mass = upload(inverse_mass);
  s.pin = upload(pin);
  s.pinned_vertex = upload(pinned_);
  for (const V3& p : sheet.rest_position) rest.push_back(p.x);
  for (const V3& p : sheet.rest_position) rest.push_back(p.y);
  for (const V3& p : sheet.rest_position) rest.push_back(p.z);
  s.rest_position = rows(sheet.size());
  backend_->upload(s.rest_position.at, rest.data(), rest.size() * sizeof(float));
  backend_->wait();
  upload_stretch(sheet, inverse_mass);
  upload_bending(sheet);
  upload_triangles(sheet);
}

void BatchSimulator::upload_stretch(const Sheet& sheet, std::span<const float> inverse_mass) {
  std::vector<uint32_t> ends;
  std::vector<EdgeTerms> terms;
  for (const StretchEdge& e : sheet.edges) {
    ends.push_back(e.a | e.b << 16);
    terms.push_back({e.length * e.length, inverse_mass[e.a], inverse_mass[e.b], e.compliance});
  }
  arguments_.sheet.groups = static_cast<uint32_t>(std::max<size_t>(1, sheet.group_start.size()) - 1);
  arguments_.sheet.group_start = upload(sheet.group_start);
  arguments_.sheet.edge_ends = upload(ends);
  arguments_.sheet.edge_terms = upload(terms);
}

void BatchSimulator::upload_bending(const Sheet& sheet) {
  size_t longest = 0;
  for (size_t v = 0; v < sheet.size(); ++v)
    longest = std::max<size_t>(longest, sheet.row_start[v + 1] - sheet.row_start[v]);
  if (longest > 255) throw std::invalid_argument("cloth: expected vertices with fewer than 255 neighbours");
  Columns<uint16_t> columns(sheet.size(), longest);
  Columns<float> values(sheet.size(), longest);
  for (size_t v = 0; v < sheet.size(); ++v)
    for (uint32_t k = sheet.row_start[v]; k < sheet.row_start[v + 1]; ++k) {
      columns.add(v, static_cast<uint16_t>(sheet.column[k]));
      values.add(v, sheet.value[k]);
    }
  arguments_.sheet.bend_count = upload(columns.count);
  arguments_.sheet.bend_column = upload(columns.values);
  arguments_.sheet.bend_value = upload(values.values);
}

void BatchSimulator::upload_triangles(const Sheet& sheet) {
  std::vector<uint32_t> corners;
  for (size_t k = 0; k < 3; ++k)
    for (const Triangle& t : sheet.triangles) corners.push_back(t[k]);
  std::vector<size_t> degree(sheet.size());
  for (const uint32_t v : corners) ++degree[v];
  const size_t most = degree.empty() ? 0 : *std::max_element(degree.begin(), degree.end());
  if (most > 255) throw std::invalid_argument("cloth: expected vertices with fewer than 255 triangles");
  Columns<uint32_t> around(sheet.size(), most);
  for (uint32_t t = 0; t < sheet.triangles.size(); ++t)
    for (const uint32_t v : sheet.triangles[t]) around.add(v, t);
  arguments_.sheet.corners = upload(corners);
  arguments_.sheet.around_count = upload(around.count);
  arguments_.sheet.around = upload(around.values);
}

void BatchSimulator::upload_body(const body::Surface& surface, const body::Contacts& contacts) {
  const Body& body = surface.get()->body;
  std::vector<BatchCollider> colliders;
  for (int i = 0; i < body.collider_count; ++i) colliders.push_back(batch_collider(body.colliders[i]));
  BatchBody& b = arguments_.body;
  b.count = static_cast<uint32_t>(colliders.size());
  b.colliders = upload(colliders);
  b.rigid = upload_set(body, contacts.rigid_groups());
  b.soft = upload_set(body, contacts.soft_groups());
  b.yielding = upload_set(body, contacts.yielding_groups());
  b.yielding_groups = contacts.yielding_groups();
  std::copy(contacts.softness.begin(), contacts.softness.end(), b.softness);
}

ColliderSet BatchSimulator::upload_set(const Body& body, uint32_t groups) {
  const SetTables set = collider_set(body, groups);
  return {static_cast<uint32_t>(set.indices.size()), static_cast<uint32_t>(set.blends.size()),
          upload(set.indices), upload(set.blends)};
}

}  // namespace billow::cloth
