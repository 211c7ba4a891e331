// Colliders of the runtime as tensors.
#include <algorithm>
#include <stdexcept>
#include <string>

#include "train/differentiable/body_field.h"

namespace billow::train::differentiable {
namespace {

FieldShape shape_of(const Body& body, uint32_t groups) {
  std::vector<int64_t> of_shape[3], indices, order, place(static_cast<size_t>(body.collider_count), -1);
  for (int i = 0; i < body.collider_count; ++i) {
    const Collider& c = body.colliders[i];
    if (!(groups >> c.group & 1)) continue;
    const int kind = c.is_capsule() ? 0 : c.shape == Shape::kEllipsoid ? 1 : 2;
    place[static_cast<size_t>(i)] = static_cast<int64_t>(indices.size());
    indices.push_back(i);
    of_shape[kind].push_back(i);
  }
  std::vector<int64_t> row;
  for (const auto& some : of_shape) row.insert(row.end(), some.begin(), some.end());
  for (const int64_t i : indices) order.push_back(std::find(row.begin(), row.end(), i) - row.begin());
  std::vector<int64_t> one, other;
  std::vector<float> radius;
  for (const int64_t i : indices) {
    const int with = body.colliders[i].blend_with;
    if (with < 0 || place[static_cast<size_t>(with)] < 0) continue;
    one.push_back(place[static_cast<size_t>(i)]), other.push_back(place[static_cast<size_t>(with)]);
    radius.push_back(body.colliders[i].blend_radius * body.scale);
  }
  const auto longs = [](const std::vector<int64_t>& v) { return torch::tensor(v, torch::kInt64); };
  return {longs(of_shape[0]),
          longs(of_shape[1]),
          longs(of_shape[2]),
          longs(order),
          longs(indices),
          longs(one),
          longs(other),
          torch::tensor(radius, torch::kFloat32),
          std::vector<uint8_t>(indices.begin(), indices.end())};
}

Tensor of_transforms(const Transform* t, int count) {
  const Tensor out = torch::empty({count, 7}, torch::kFloat32);
  float* p = out.data_ptr<float>();
  for (int i = 0; i < count; ++i)
    for (const float value : {t[i].position.x, t[i].position.y, t[i].position.z, t[i].rotation.x,
                              t[i].rotation.y, t[i].rotation.z, t[i].rotation.w})
      *p++ = value;
  return out;
}

Tensor elsewhere(const Tensor& t, const torch::TensorOptions& options) {
  return !t.defined() ? t : t.is_floating_point() ? t.to(options) : t.to(options.device());
}

}  // namespace

BodyShape BodyShape::to(const torch::TensorOptions& options) const {
  BodyShape out = *this;
  for (Tensor* t : {&out.length, &out.radius, &out.taper, &out.slope, &out.half, &out.bound_radius,
                    &out.bound_height, &out.half_thickness, &out.push})
    *t = elsewhere(*t, options);
  for (FieldShape* f : {&out.rigid, &out.yielding, &out.soft})
    for (Tensor* t : {&f->capsules, &f->ellipsoids, &f->half_spaces, &f->order, &f->indices, &f->blend_one,
                      &f->blend_other, &f->blend_radius})
      *t = elsewhere(*t, options);
  return out;
}

BodyShape read_body(const Body& body, const RopeSettings& settings) {
  BodyShape out;
  const int n = body.collider_count;
  if (n == 0) return out;
  const auto column = [&](int width) { return torch::zeros({n, width}, torch::kFloat32); };
  out.length = column(1), out.radius = column(1), out.taper = column(1), out.slope = column(1),
  out.half = column(3);
  out.bound_radius = column(1), out.bound_height = column(1), out.half_thickness = column(1),
  out.push = column(1);
  out.scale = static_cast<double>(body.scale);
  out.colliders = std::make_shared<const std::vector<Collider>>(body.colliders, body.colliders + n);
  for (int i = 0; i < n; ++i) {
    const Collider& c = body.colliders[i];
    if (!c.is_capsule() && c.shape != Shape::kEllipsoid && c.shape != Shape::kHalfSpace)
      throw std::invalid_argument(
          "collider " + std::to_string(i) +
          ": expected a sphere, capsule, ellipsoid or half-space, found a shape that is not in tensors");
    const PosedCollider posed = pose_collider(c, body.scale, Transform{}, Transform{});
    const auto set = [&](Tensor& t, int k, float value) { t.index_put_({i, k}, value); };
    set(out.length, 0, c.length * body.scale), set(out.radius, 0, c.radius * body.scale);
    set(out.taper, 0, c.taper), set(out.slope, 0, c.slope);
    set(out.half, 0, c.half.x * body.scale), set(out.half, 1, c.half.y * body.scale);
    set(out.half, 2, c.half.z * body.scale);
    set(out.bound_radius, 0, posed.bound_radius), set(out.bound_height, 0, posed.bound_centre.y);
    set(out.half_thickness, 0, posed.half_thickness);
    set(out.push, 0, 1 - settings.softness[c.group]);
  }
  out.rigid = shape_of(body, settings.rigid_groups);
  out.yielding = shape_of(body, settings.yielding_groups);
  out.soft = shape_of(body, settings.soft_groups);
  return out;
}

Tensor read_colliders(const Body& body, bool at_end) {
  return of_transforms(at_end ? body.now : body.before, body.collider_count);
}

}  // namespace billow::train::differentiable
