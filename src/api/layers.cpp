// Garments over others.
#include "api/handles.h"
#include "runtime/frame_entry.h"

namespace billow::api {
namespace {

static_assert(kLayerGroups == 1u << BILLOW_COLLIDER_GROUP_CLOTH);

billow_status pose(billow_body* layer, const billow_instance* inner) {
  if (!inner->options.normals)
    return fail(BILLOW_ERROR_INVALID_ARGUMENT,
                "inner: expected an instance with the option normals, found it off");
  best_frame_entry().pose_layer(&layer->layer, &inner->instance, &layer->body);
  const Collider& c = layer->body.colliders[0];
  billow_described_collider& described = layer->described[0];
  for (int k = 0; k < 3; ++k) described.grid.size[k] = static_cast<uint32_t>(c.grid.size[k]);
  described.grid.values = c.grid.values, described.grid.spacing = c.grid.spacing,
  described.grid.unit = c.grid.unit;
  return BILLOW_OK;
}

}  // namespace
}  // namespace billow::api

using namespace billow;
using namespace billow::api;

extern "C" {

billow_status billow_body_create_layer(const billow_instance* inner, const billow_allocator* allocator,
                                       billow_body** out) {
  if (!out) return fail(BILLOW_ERROR_INVALID_ARGUMENT, "out: expected a pointer, found NULL");
  *out = nullptr;
  if (!valid(inner)) return fail(BILLOW_ERROR_INVALID_ARGUMENT, kNotInner);
  if (allocator && (!allocator->allocate || !allocator->release))
    return fail(BILLOW_ERROR_INVALID_ARGUMENT, "allocator: expected both functions, found NULL");
  billow_body* body =
      create_in_one_block<billow_body>(allocator_or_malloc(allocator), [&](billow_body& b, Arena& arena) {
        b.layer.garment = inner->instance.garment;
        build(b.layer, arena);
        b.described = arena.take<billow_described_collider>(1);
        b.body.colliders = arena.take<Collider>(1);
        b.body.before = arena.take<Transform>(1);
        b.body.now = arena.take<Transform>(1);
      });
  if (!body) return fail(BILLOW_ERROR_OUT_OF_MEMORY, "no memory for a layer");
  billow_collider& described =
      (new (&body->described[0]) billow_described_collider{billow_collider_default(), {}, {}})->collider;
  described.shape = BILLOW_SHAPE_GRID, described.group = BILLOW_COLLIDER_GROUP_CLOTH;
  Collider& c = *new (&body->body.colliders[0]) Collider;
  c.shape = Shape::kGrid, c.group = BILLOW_COLLIDER_GROUP_CLOTH;
  body->magic = kBodyMagic;
  if (billow_status bad = pose(body, inner)) {
    billow_body_destroy(body);
    return bad;
  }
  *out = body;
  return BILLOW_OK;
}

billow_status billow_body_pose_layer(billow_body* layer, const billow_instance* inner) {
  if (!valid(layer)) return fail(BILLOW_ERROR_INVALID_ARGUMENT, kNotBody);
  if (!valid(inner)) return fail(BILLOW_ERROR_INVALID_ARGUMENT, kNotInner);
  if (layer->layer.garment != inner->instance.garment)
    return fail(BILLOW_ERROR_INVALID_ARGUMENT,
                layer->layer.garment
                    ? "inner: expected an instance of the layer's garment, found one of another"
                    : "layer: expected a body of billow_body_create_layer, found another");
  return pose(layer, inner);
}

}  // extern "C"
