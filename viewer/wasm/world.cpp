// The exports for what a character meets besides its own body, and for crowds: layers, obstacles, the bodies of
// others, levels of detail. Conventions as in module.cpp.
#include <cmath>

#include "page.h"

using billow::viewer::Character;

namespace {

billow_body* one_collider(billow_collider collider) {
  collider.group = BILLOW_COLLIDER_GROUP_WORLD;
  billow_body_desc desc = billow_body_desc_default();
  desc.colliders = &collider, desc.collider_count = 1;
  desc.joint_count = 1;
  billow_body* body = nullptr;
  return billow_body_create(&desc, &body) == BILLOW_OK ? body : nullptr;
}

}  // namespace

// The outside of the character's garment. To be destroyed before the garment is closed.
BILLOW_PAGE(layer_create) billow_body* layer_create(const Character* inner) {
  billow_body* layer = nullptr;
  return billow_body_create_layer(inner->instance, nullptr, &layer) == BILLOW_OK ? layer : nullptr;
}
BILLOW_PAGE(layer_pose) int layer_pose(billow_body* layer, const Character* inner) {
  return billow_body_pose_layer(layer, inner->instance);
}

// A box that stands still, turned by `heading` radians about y.
BILLOW_PAGE(box_create)
billow_body* box_create(float x, float y, float z, float heading, float half_x, float half_y, float half_z) {
  billow_collider box = billow_collider_default();
  box.shape = BILLOW_SHAPE_BOX;
  box.position[0] = x, box.position[1] = y, box.position[2] = z;
  box.rotation[0] = box.rotation[2] = 0;
  box.rotation[1] = std::sin(heading / 2), box.rotation[3] = std::cos(heading / 2);
  box.half_extents[0] = half_x, box.half_extents[1] = half_y, box.half_extents[2] = half_z;
  box.radius = 0.01f;
  return one_collider(box);
}
// An upright capsule that stands still, with its axis from the ground up to `height`.
BILLOW_PAGE(post_create) billow_body* post_create(float x, float z, float radius, float height) {
  billow_collider post = billow_collider_default();
  post.shape = BILLOW_SHAPE_CAPSULE;
  post.position[0] = post.end[0] = x, post.position[2] = post.end[2] = z;
  post.position[1] = 0, post.end[1] = height;
  post.radius = radius;
  return one_collider(post);
}
BILLOW_PAGE(body_destroy) void body_destroy(billow_body* body) { billow_body_destroy(body); }

// The character's own body, for others to meet. It lives as long as the character.
BILLOW_PAGE(character_body) const billow_body* character_body(const Character* c) {
  return billow_instance_body(c->instance);
}
// What the character meets from now on besides its own body, in place of what it met before. The bodies are not
// copied: they live until the character is destroyed or meets others.
BILLOW_PAGE(character_meet)
int character_meet(Character* c, const billow_body* const* bodies, uint32_t count) {
  c->meets.assign(bodies, bodies + count);
  return billow_chains_wake(c->chains());
}
// The signed distance of each vertex to a body in metres, negative inside, up to 0.02.
BILLOW_PAGE(character_distances_to)
const float* character_distances_to(Character* c, const billow_body* body) {
  const billow_status bad =
      billow_body_query(body, BILLOW_ALL_GROUPS, billow_instance_position_data(c->instance), c->vertices(),
                        0.02f, c->distances.data(), nullptr, nullptr);
  return bad ? nullptr : c->distances.data();
}

// Chooses the levels of detail of characters in the same garment. `seen`: for each its distance from the camera in
// metres, negative if it is not visible. Writes for each the number of frames from one that is computed to the
// next, 0 if it is not visible.
BILLOW_PAGE(characters_choose_levels)
int characters_choose_levels(Character* const* characters, const float* seen, uint32_t count,
                             uint32_t* intervals) {
  std::vector<billow_instance*> instances;
  std::vector<billow_view> views;
  std::vector<billow_frame> frames(count);
  for (uint32_t k = 0; k < count; ++k) {
    instances.push_back(characters[k]->instance);
    views.push_back({std::fmax(seen[k], 0.0f), seen[k] >= 0});
  }
  if (billow_status bad =
          billow_crowd_choose_levels(instances.data(), frames.data(), views.data(), count, nullptr))
    return bad;
  for (uint32_t k = 0; k < count; ++k) {
    billow_instance_options options;
    if (billow_status bad = billow_instance_get_options(instances[k], &options)) return bad;
    intervals[k] = frames[k].skip_mesh ? 0 : options.interval;
  }
  return BILLOW_OK;
}
