#include <cmath>
#include <cstring>

#include "api/handles.h"
#include "runtime/frame_entry.h"

namespace billow::api {
namespace {

billow_status check_grid(const billow_sdf_grid* g, uint32_t i) {
  if (!g || !g->values)
    return fail(BILLOW_ERROR_INVALID_ARGUMENT, "colliders[%u].grid: expected a grid with values, found NULL",
                i);
  for (const uint32_t n : g->size)
    if (n < 2 || n > 1024)
      return fail(BILLOW_ERROR_INVALID_ARGUMENT, "colliders[%u].grid.size: expected 2 to 1024, found %u", i,
                  n);
  const struct {
    const char* name;
    float value;
  } lengths[] = {{"spacing", g->spacing}, {"unit", g->unit}};
  for (const auto& l : lengths)
    if (!(l.value >= 1e-9f && l.value <= 1e3f))
      return fail(BILLOW_ERROR_INVALID_ARGUMENT, "colliders[%u].grid.%s: expected 1e-9 to 1000, found %g", i,
                  l.name, static_cast<double>(l.value));
  const int16_t* value = g->values;
  bool inside = false;
  for (uint32_t z = 0; z < g->size[2]; ++z)
    for (uint32_t y = 0; y < g->size[1]; ++y)
      for (uint32_t x = 0; x < g->size[0]; ++x, ++value) {
        const bool outermost =
            x == 0 || y == 0 || z == 0 || x + 1 == g->size[0] || y + 1 == g->size[1] || z + 1 == g->size[2];
        if (outermost && *value <= 0)
          return fail(
              BILLOW_ERROR_INVALID_ARGUMENT,
              "colliders[%u].grid.values: expected more than 0 at the outermost points, found %d at %u %u %u",
              i, *value, x, y, z);
        inside |= *value < 0;
      }
  if (!inside)
    return fail(BILLOW_ERROR_INVALID_ARGUMENT, "colliders[%u].grid.values: expected some under 0, found none",
                i);
  return BILLOW_OK;
}

billow_status check_network(const billow_neural_sdf* n, uint32_t i) {
  if (!n || !n->weights)
    return fail(BILLOW_ERROR_INVALID_ARGUMENT,
                "colliders[%u].neural: expected a network with weights, found NULL", i);
  if (n->width < 4 || n->width > kMaxUnits || n->width % 4 != 0)
    return fail(BILLOW_ERROR_INVALID_ARGUMENT,
                "colliders[%u].neural.width: expected a multiple of 4 up to %d, found %u", i, kMaxUnits,
                n->width);
  for (const float h : n->half_extents) {
    if (!(h > 0 && h <= 1e3f))
      return fail(BILLOW_ERROR_INVALID_ARGUMENT,
                  "colliders[%u].neural.half_extents: expected more than 0 up to 1000, found %g", i,
                  static_cast<double>(h));
    if (!(n->margin >= 0 && n->margin < h))
      return fail(BILLOW_ERROR_INVALID_ARGUMENT,
                  "colliders[%u].neural.margin: expected 0 to less than the half extents, found %g", i,
                  static_cast<double>(n->margin));
  }
  for (uint32_t k = 0; k < BILLOW_NEURAL_SDF_WEIGHTS(n->width); ++k)
    if (!(std::fabs(n->weights[k]) <= 1e6f))
      return fail(BILLOW_ERROR_INVALID_ARGUMENT,
                  "colliders[%u].neural.weights: expected numbers within 1e6, found %g at %u", i,
                  static_cast<double>(n->weights[k]), k);
  return BILLOW_OK;
}

billow_status check_collider(const billow_collider& c, uint32_t i, uint32_t joint_count) {
  auto bad = [&](const char* field, const char* expected, double found) {
    return fail(BILLOW_ERROR_INVALID_ARGUMENT, "colliders[%u].%s: expected %s, found %g", i, field, expected,
                found);
  };
  // Read as an integer: a C program may store any value in an enum, and loading it as one is undefined in C++.
  int32_t shape;
  std::memcpy(&shape, &c.shape, sizeof shape);
  if (shape < 0 || shape > BILLOW_SHAPE_NEURAL) return bad("shape", "a billow_shape", shape);
  const struct {
    const char* name;
    const float* values;
    size_t count;
  } fields[] = {{"position", c.position, 3},
                {"rotation", c.rotation, 4},
                {"end", c.end, 3},
                {"radius", &c.radius, 1},
                {"radius_end", &c.radius_end, 1},
                {"half_extents", c.half_extents, 3},
                {"weight", c.weight, BILLOW_JOINTS_PER_COLLIDER},
                {"blend_radius", &c.blend_radius, 1}};
  for (const auto& f : fields)
    for (size_t k = 0; k < f.count; ++k)
      if (!std::isfinite(f.values[k]) || std::fabs(f.values[k]) > 1e9f)
        return bad(f.name, "a finite number within 1e9", static_cast<double>(f.values[k]));

  const bool round = c.shape == BILLOW_SHAPE_SPHERE || c.shape == BILLOW_SHAPE_CAPSULE ||
                     c.shape == BILLOW_SHAPE_TAPERED_CAPSULE;
  if ((round || c.shape == BILLOW_SHAPE_CUSTOM) && !(c.radius > 0))
    return bad("radius", "more than 0", static_cast<double>(c.radius));
  if (c.shape == BILLOW_SHAPE_TAPERED_CAPSULE && !(c.radius_end > 0))
    return bad("radius_end", "more than 0", static_cast<double>(c.radius_end));
  if (c.shape == BILLOW_SHAPE_ELLIPSOID || c.shape == BILLOW_SHAPE_BOX)
    for (float h : c.half_extents)
      if (!(h > 0)) return bad("half_extents", "more than 0", static_cast<double>(h));
  if (c.shape == BILLOW_SHAPE_BOX)
    for (float h : c.half_extents)
      if (!(c.radius >= 0 && c.radius <= h))
        return bad("radius", "0 to the smallest half extent", static_cast<double>(c.radius));
  if (c.shape == BILLOW_SHAPE_CUSTOM && !c.sdf) return bad("sdf", "a function", 0);
  if (c.shape == BILLOW_SHAPE_GRID)
    if (billow_status wrong = check_grid(c.grid, i)) return wrong;
  if (c.shape == BILLOW_SHAPE_NEURAL)
    if (billow_status wrong = check_network(c.neural, i)) return wrong;
  float sum = 0;
  for (int k = 0; k < BILLOW_JOINTS_PER_COLLIDER; ++k) {
    if (c.weight[k] < 0) return bad("weight", "0 or more", static_cast<double>(c.weight[k]));
    if (c.weight[k] > 0 && c.joint[k] >= joint_count)
      return bad("joint", "less than joint_count", static_cast<double>(c.joint[k]));
    sum += c.weight[k];
  }
  if (!(sum > 0)) return bad("weight", "a positive sum", static_cast<double>(sum));
  if (c.blend_with != BILLOW_NO_BLEND) {
    if (c.blend_with < 0 || c.blend_with >= static_cast<int32_t>(i))
      return bad("blend_with", "an earlier collider", c.blend_with);
    if (!(c.blend_radius > 0)) return bad("blend_radius", "more than 0", static_cast<double>(c.blend_radius));
  }
  if (c.group >= BILLOW_COLLIDER_GROUPS) return bad("group", "0 to 7", c.group);
  return BILLOW_OK;
}

// The rotation that takes +y to a unit direction.
Quat from_y_to(V3 d) {
  if (d.y < -0.999999f) return {1, 0, 0, 0};
  return normalized(Quat{d.z, 0, -d.x, 1.0f + d.y});
}

// The shape has to be set.
void read_grid(const billow_sdf_grid& in, Collider& c) {
  c.grid.values = in.values;
  for (int k = 0; k < 3; ++k) c.grid.size[k] = static_cast<int>(in.size[k]);
  c.grid.spacing = in.spacing;
  c.grid.unit = in.unit;
  c.grid.half = V3{static_cast<float>(in.size[0] - 1), static_cast<float>(in.size[1] - 1),
                   static_cast<float>(in.size[2] - 1)} *
                (0.5f * in.spacing);
  c.half = extent_of(c.grid);
  c.radius = length(c.half);
  c.max_axis_distance = find_max_axis_distance(c);
}

void read_network(const billow_neural_sdf& in, Collider& c) {
  c.network.weights = in.weights;
  c.network.width = static_cast<int>(in.width);
  c.network.half = {in.half_extents[0], in.half_extents[1], in.half_extents[2]};
  c.half = c.network.half - V3{in.margin, in.margin, in.margin};
  c.radius = length(c.half);
  c.max_axis_distance = find_max_axis_distance(c);
}

Collider read_collider(const billow_collider& in) {
  Collider c;
  c.shape = static_cast<Shape>(in.shape);
  c.radius = in.radius;
  c.half = {in.half_extents[0], in.half_extents[1], in.half_extents[2]};
  c.blend_with = in.blend_with;
  c.blend_radius = in.blend_with >= 0 ? in.blend_radius : 0;
  c.group = in.group;
  c.sdf = in.sdf;
  c.user = in.user;
  float sum = 0;
  for (float w : in.weight) sum += w;
  for (int k = 0; k < kJointsPerCollider; ++k) {
    c.joint[k] = in.weight[k] > 0 ? static_cast<int>(in.joint[k]) : 0;
    c.weight[k] = in.weight[k] / sum;
  }
  const Quat q{in.rotation[0], in.rotation[1], in.rotation[2], in.rotation[3]};
  c.rest = {{in.position[0], in.position[1], in.position[2]}, normalized(q)};
  if (c.shape == Shape::kGrid) read_grid(*in.grid, c);
  if (c.shape == Shape::kNeural) read_network(*in.neural, c);
  if (c.shape != Shape::kCapsule && c.shape != Shape::kTaperedCapsule) return c;

  V3 axis = V3{in.end[0], in.end[1], in.end[2]} - c.rest.position;
  float l = length(axis);
  float end_radius = c.shape == Shape::kCapsule ? c.radius : in.radius_end;
  if (l <= 1e-9f || std::fabs(c.radius - end_radius) >= l) {
    // One end contains the other: the shape is the larger sphere.
    c.shape = Shape::kSphere;
    if (end_radius > c.radius) {
      c.rest.position = {in.end[0], in.end[1], in.end[2]};
      c.radius = end_radius;
    }
    return c;
  }
  c.length = l;
  c.taper = (c.radius - end_radius) / l;
  c.slope = c.taper / std::sqrt(1.0f - c.taper * c.taper);
  c.rest.rotation = from_y_to(axis * (1.0f / l));
  return c;
}

billow_described_collider describe(const billow_collider& c) {
  billow_described_collider out{c, {}, {}};
  if (c.shape == BILLOW_SHAPE_GRID) out.grid = *c.grid;
  if (c.shape == BILLOW_SHAPE_NEURAL) out.neural = *c.neural;
  return out;
}

billow_status pose(billow_body* body, const billow_transform* joints, uint32_t joint_count, float scale,
                   bool jump) {
  if (!valid(body)) return fail(BILLOW_ERROR_INVALID_ARGUMENT, kNotBody);
  if (body->layer.garment)
    return fail(BILLOW_ERROR_INVALID_ARGUMENT, "body: a layer goes with a garment: billow_body_pose_layer");
  if (!joints) return fail(BILLOW_ERROR_INVALID_ARGUMENT, "joints: expected an array, found NULL");
  if (joint_count != static_cast<uint32_t>(body->body.joint_count))
    return fail(BILLOW_ERROR_INVALID_ARGUMENT, "joint_count: expected %d, found %u", body->body.joint_count,
                joint_count);
  if (!(scale >= 1e-3f && scale <= 1e3f))
    return fail(BILLOW_ERROR_INVALID_ARGUMENT, "scale: expected 0.001 to 1000, found %g",
                static_cast<double>(scale));
  if (billow_status bad = read_transforms("joints", joints, joint_count, body->joints)) return bad;
  pose_body(body->body, body->joints, scale, jump);
  return BILLOW_OK;
}

}  // namespace
}  // namespace billow::api

using namespace billow;
using namespace billow::api;

extern "C" {

billow_collider billow_collider_default(void) {
  billow_collider c{};
  c.shape = BILLOW_SHAPE_SPHERE;
  c.rotation[3] = 1;
  c.radius = c.radius_end = 0.1f;
  for (float& h : c.half_extents) h = 0.1f;
  c.weight[0] = 1;
  c.blend_with = BILLOW_NO_BLEND;
  return c;
}

billow_status billow_body_create(const billow_body_desc* desc, billow_body** out) {
  if (!desc || !out)
    return fail(BILLOW_ERROR_INVALID_ARGUMENT, "desc and out: expected pointers, found NULL");
  *out = nullptr;
  if (desc->joint_count < 1 || desc->joint_count > 65536)
    return fail(BILLOW_ERROR_INVALID_ARGUMENT, "joint_count: expected 1 to 65536, found %u",
                desc->joint_count);
  if (desc->collider_count > BILLOW_MAX_COLLIDERS)
    return fail(BILLOW_ERROR_INVALID_ARGUMENT, "collider_count: expected at most %d, found %u",
                BILLOW_MAX_COLLIDERS, desc->collider_count);
  if (desc->collider_count > 0 && !desc->colliders)
    return fail(BILLOW_ERROR_INVALID_ARGUMENT, "colliders: expected an array, found NULL");
  if (desc->allocator && (!desc->allocator->allocate || !desc->allocator->release))
    return fail(BILLOW_ERROR_INVALID_ARGUMENT, "allocator: expected both functions, found NULL");
  for (uint32_t i = 0; i < desc->collider_count; ++i)
    if (billow_status bad = check_collider(desc->colliders[i], i, desc->joint_count)) return bad;

  billow_body* body = create_in_one_block<billow_body>(
      allocator_or_malloc(desc->allocator), [&](billow_body& b, Arena& arena) {
        b.joints = arena.take<Transform>(desc->joint_count);
        b.described = arena.take<billow_described_collider>(desc->collider_count);
        b.body.joint_rest_inverse = arena.take<Transform>(desc->joint_count);
        b.body.colliders = arena.take<Collider>(desc->collider_count);
        b.body.before = arena.take<Transform>(desc->collider_count);
        b.body.now = arena.take<Transform>(desc->collider_count);
      });
  if (!body)
    return fail(BILLOW_ERROR_OUT_OF_MEMORY, "no memory for a body of %u colliders", desc->collider_count);
  Body& b = body->body;
  b.joint_count = static_cast<int>(desc->joint_count);
  b.collider_count = static_cast<int>(desc->collider_count);
  for (uint32_t i = 0; i < desc->joint_count; ++i) body->joints[i] = b.joint_rest_inverse[i] = Transform{};
  if (desc->joint_rest) {
    if (billow_status bad =
            read_transforms("joint_rest", desc->joint_rest, desc->joint_count, body->joints)) {
      billow_allocator allocator = body->allocator;
      allocator.release(allocator.user, body);
      return bad;
    }
    for (int i = 0; i < b.joint_count; ++i) b.joint_rest_inverse[i] = inverse(body->joints[i]);
  }
  for (uint32_t i = 0; i < desc->collider_count; ++i) {
    body->described[i] = describe(desc->colliders[i]);
    Collider& c = *new (&b.colliders[i]) Collider(read_collider(desc->colliders[i]));
    c.reach = c.blend_radius + 1e-5f;
    if (c.blend_with < 0) continue;
    Collider& partner = b.colliders[c.blend_with];
    partner.reach = c.reach > partner.reach ? c.reach : partner.reach;
  }
  // Until it is posed the body stands at rest.
  pose_body(b, body->joints, 1.0f, true);
  b.posed = false;
  body->magic = kBodyMagic;
  *out = body;
  return BILLOW_OK;
}

billow_status billow_body_create_ground(float height, const billow_allocator* allocator, billow_body** out) {
  billow_collider ground = billow_collider_default();
  ground.shape = BILLOW_SHAPE_HALF_SPACE;
  ground.position[1] = height;
  ground.group = BILLOW_COLLIDER_GROUP_WORLD;
  billow_body_desc desc = billow_body_desc_default();
  desc.colliders = &ground;
  desc.collider_count = 1;
  desc.allocator = allocator;
  return billow_body_create(&desc, out);
}

void billow_body_destroy(billow_body* body) {
  if (!valid(body)) return;
  body->magic = 0;
  billow_allocator allocator = body->allocator;
  allocator.release(allocator.user, body);
}

billow_status billow_body_pose(billow_body* body, const billow_transform* joints, uint32_t joint_count,
                               float scale) {
  return pose(body, joints, joint_count, scale, false);
}

billow_status billow_body_teleport(billow_body* body, const billow_transform* joints, uint32_t joint_count,
                                   float scale) {
  return pose(body, joints, joint_count, scale, true);
}

billow_status billow_body_query(const billow_body* body, uint32_t groups, const float* points, uint32_t count,
                                float limit, float* distances, float* gradients, int32_t* colliders) {
  if (!valid(body)) return fail(BILLOW_ERROR_INVALID_ARGUMENT, kNotBody);
  if (count > 0 && (!points || !distances))
    return fail(BILLOW_ERROR_INVALID_ARGUMENT, "points and distances: expected arrays, found NULL");
  if (!(limit >= -1e30f && limit <= BILLOW_NO_LIMIT))
    return fail(BILLOW_ERROR_INVALID_ARGUMENT, "limit: expected a distance up to 1e30, found %g",
                static_cast<double>(limit));
  if (billow_status bad = check_finite("points", points, 3 * static_cast<size_t>(count))) return bad;
  best_frame_entry().query_body(&body->body, groups, points, count, limit, distances, gradients, colliders);
  return BILLOW_OK;
}

}  // extern "C"
