// What a body is made of and where it is, and its way to another origin.
#include "api/handles.h"
#include "runtime/shift_origin.h"

namespace billow::api {
namespace {

void write(V3 v, float* to) { to[0] = v.x, to[1] = v.y, to[2] = v.z; }

billow_status check_collider_index(const billow_body* body, uint32_t index, const billow_collider* out) {
  if (!valid(body)) return fail(BILLOW_ERROR_INVALID_ARGUMENT, kNotBody);
  if (!out) return fail(BILLOW_ERROR_INVALID_ARGUMENT, "out: expected a pointer, found NULL");
  if (index >= static_cast<uint32_t>(body->body.collider_count))
    return fail(BILLOW_ERROR_INVALID_ARGUMENT, "index: expected less than %d, found %u",
                body->body.collider_count, index);
  return BILLOW_OK;
}

billow_collider described(const billow_body* body, uint32_t index) {
  const billow_described_collider& d = body->described[index];
  billow_collider c = d.collider;
  c.grid = c.shape == BILLOW_SHAPE_GRID ? &d.grid : nullptr;
  c.neural = c.shape == BILLOW_SHAPE_NEURAL ? &d.neural : nullptr;
  return c;
}

}  // namespace
}  // namespace billow::api

using namespace billow;
using namespace billow::api;

extern "C" {

uint32_t billow_body_collider_count(const billow_body* body) {
  return valid(body) ? static_cast<uint32_t>(body->body.collider_count) : 0;
}

float billow_body_scale(const billow_body* body) { return valid(body) ? body->body.scale : 0; }

billow_status billow_body_get_collider(const billow_body* body, uint32_t index, billow_collider* out) {
  if (billow_status bad = check_collider_index(body, index, out)) return bad;
  *out = described(body, index);
  return BILLOW_OK;
}

billow_status billow_body_get_posed_collider(const billow_body* body, uint32_t index, billow_collider* out) {
  if (billow_status bad = check_collider_index(body, index, out)) return bad;
  const Collider& c = body->body.colliders[index];
  const Transform& t = body->body.now[index];
  const float scale = body->body.scale;
  *out = described(body, index);
  out->shape = static_cast<billow_shape>(c.shape);
  write(t.position, out->position);
  write(apply(t, V3{0, c.length * scale, 0}), out->end);
  const float rotation[4] = {t.rotation.x, t.rotation.y, t.rotation.z, t.rotation.w};
  for (int k = 0; k < 4; ++k) out->rotation[k] = rotation[k];
  if (c.is_capsule()) {
    out->radius = c.radius * scale;
    out->radius_end = (c.radius - c.taper * c.length) * scale;
  } else {
    out->radius *= scale, out->radius_end *= scale;
  }
  for (float& h : out->half_extents) h *= scale;
  out->blend_radius *= scale;
  return BILLOW_OK;
}

billow_status billow_body_shift_origin(billow_body* body, const float* offset) {
  if (!valid(body)) return fail(BILLOW_ERROR_INVALID_ARGUMENT, kNotBody);
  V3 by;
  if (billow_status bad = read_offset(offset, by)) return bad;
  shift_origin(body->body, by);
  return BILLOW_OK;
}

}  // extern "C"
