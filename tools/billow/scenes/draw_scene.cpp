#include "draw_scene.h"

#include <algorithm>
#include <cmath>

#include "draw/paint.h"

namespace billow::tool {
namespace {

using draw::Vec3;

constexpr float kMaxDrawnLength = 5;  // m
constexpr float kLift =
    0.015f;  // m, depth offset towards the camera: the smooth sheet bulges over straight ropes and springs

Vec3 rotate(const float q[4], Vec3 v) {
  const Vec3 axis{q[0], q[1], q[2]}, t = 2.0f * draw::cross(axis, v);
  return v + q[3] * t + draw::cross(axis, t);
}

// A point of a collider, skinned by the collider's joints.
Vec3 skinned(const Collider& collider, const std::vector<Transform>& joints, Vec3 p) {
  Vec3 sum;
  float weights = 0;
  for (size_t k = 0; k < BILLOW_JOINTS_PER_COLLIDER; ++k) {
    if (collider.weight[k] <= 0 || collider.joint[k] >= joints.size()) continue;
    const Transform& joint = joints[collider.joint[k]];
    sum = sum + collider.weight[k] * (load(joint.position) + rotate(joint.rotation, p));
    weights += collider.weight[k];
  }
  return weights > 0 ? (1 / weights) * sum : p;
}

void add_collider(draw::Canvas& canvas, const Collider& c, const std::vector<Transform>& joints,
                  const draw::Material& material) {
  const Vec3 at = skinned(c, joints, load(c.position));
  // Rotated axes of boxes and ellipsoids.
  Vec3 axes[3];
  for (size_t k = 0; k < 3; ++k) {
    const Vec3 unit{k == 0 ? 1.0f : 0.0f, k == 1 ? 1.0f : 0.0f, k == 2 ? 1.0f : 0.0f};
    axes[k] = draw::normalised(skinned(c, joints, load(c.position) + rotate(c.rotation, unit)) - at);
  }
  switch (c.shape) {
    case BILLOW_SHAPE_SPHERE:
      canvas.sphere(at, c.radius, material, 64);
      break;
    case BILLOW_SHAPE_CAPSULE:
    case BILLOW_SHAPE_TAPERED_CAPSULE: {
      const float end_radius = c.shape == BILLOW_SHAPE_CAPSULE ? c.radius : c.radius_end;
      canvas.capsule(at, skinned(c, joints, load(c.end)), c.radius, end_radius, material);
      break;
    }
    case BILLOW_SHAPE_ELLIPSOID:
      canvas.mesh(draw::ellipsoid_mesh(at, axes, load(c.half_extents)), material);
      break;
    case BILLOW_SHAPE_BOX:
      canvas.mesh(draw::box_mesh(at, axes, load(c.half_extents)), material);
      break;
    case BILLOW_SHAPE_HALF_SPACE:
    case BILLOW_SHAPE_CUSTOM:
    case BILLOW_SHAPE_GRID:
    case BILLOW_SHAPE_NEURAL:
      break;  // unbounded, or without a known surface
  }
}

// Calls visit(bone, parent or -1) for each drawn bone. Free particles have no parent, and their roots are skipped.
template <class Visit> void each_bone(const scenes::Scene& scene, Visit visit) {
  for (size_t bone = 0; bone < scene.max_lengths.size(); ++bone) {
    const bool root = scene.max_lengths[bone] <= 0, free = scene.max_lengths[bone] > kMaxDrawnLength;
    if (root && bone + 1 < scene.max_lengths.size() && scene.max_lengths[bone + 1] > kMaxDrawnLength)
      continue;
    visit(bone, root || free ? -1 : static_cast<std::ptrdiff_t>(bone) - 1);
  }
}

void add_lateral_springs(draw::Canvas& canvas, const scenes::Scene& scene,
                         const std::vector<float>& positions, const SceneStyle& style) {
  const size_t chains = scene.bone_counts.size();
  if (!scene.neighbours) return;
  std::vector<size_t> first(chains, 0);
  for (size_t c = 1; c < chains; ++c) first[c] = first[c - 1] + scene.bone_counts[c - 1];
  for (size_t c = 0; c < (scene.closed ? chains : chains - 1); ++c) {
    const size_t next = (c + 1) % chains;
    for (size_t i = 1; i < std::min(scene.bone_counts[c], scene.bone_counts[next]); ++i)
      canvas.line(load(positions.data() + 3 * (first[c] + i)), load(positions.data() + 3 * (first[next] + i)),
                  style.lateral_pixels, style.palette.lateral, 1, kLift);
  }
}

}  // namespace

void draw_scene(draw::Canvas& canvas, const scenes::Scene& scene, const Snapshot& moment,
                const SceneStyle& style) {
  for (const Collider& collider : scene.colliders)
    add_collider(canvas, collider, moment.joints, {.colour = style.palette.body, .alpha = style.body_alpha});
  if (style.sheet_alpha > 0) {
    const draw::Mesh sheet = sheet_mesh(scene, moment);
    const draw::Material cloth{.colour = style.palette.sheet,
                               .back = style.palette.lining,
                               .alpha = style.sheet_alpha,
                               .layer = 1,
                               .gloss = 0.08f};
    canvas.mesh(sheet, cloth);
  }
  add_lateral_springs(canvas, scene, moment.positions, style);
  each_bone(scene, [&](size_t bone, std::ptrdiff_t parent) {
    const Vec3 p = load(moment.positions.data() + 3 * bone);
    if (parent >= 0)
      canvas.line(load(moment.positions.data() + 3 * parent), p, style.rope_pixels, style.palette.rope);
    canvas.sphere(p, style.bone_radius, {.colour = style.palette.bone, .casts_shadow = false, .lift = kLift},
                  16);
  });
}

bool has_person(const scenes::Scene& scene) { return scene.joints.size() > 1; }

draw::Camera person_camera(const Snapshot& moment, Vec3 from, Vec3 aside) {
  const float* pelvis = moment.joints[0].position;
  const Vec3 target = Vec3{pelvis[0], 0.95f, pelvis[2]} + aside;
  return {.eye = target + from, .target = target, .field_of_view = 0.5f};
}

Box box_of_all(const scenes::Scene& scene, const std::vector<Snapshot>& moments) {
  Box box{{1e30f, 1e30f, 1e30f}, {-1e30f, -1e30f, -1e30f}};
  const auto include = [&](Vec3 p, float r) {
    box.low = {std::min(box.low.x, p.x - r), std::min(box.low.y, p.y - r), std::min(box.low.z, p.z - r)};
    box.high = {std::max(box.high.x, p.x + r), std::max(box.high.y, p.y + r), std::max(box.high.z, p.z + r)};
  };
  for (const Snapshot& moment : moments) {
    each_bone(scene,
              [&](size_t bone, std::ptrdiff_t) { include(load(moment.positions.data() + 3 * bone), 0.02f); });
    for (const Collider& c : scene.colliders) include(skinned(c, moment.joints, load(c.position)), c.radius);
  }
  return box;
}

draw::Camera camera_on(const Box& box, float aspect) {
  // Place the camera so that the larger side fits with a margin of 20 %.
  draw::Camera camera{.target = 0.5f * (box.low + box.high), .field_of_view = 0.5f};
  const Vec3 size = box.high - box.low;
  const float side = 1.2f * std::max({size.y, size.x / aspect, 0.1f});
  camera.eye = camera.target + Vec3{0, 0, 0.5f * side / std::tan(0.25f) + 0.5f * size.z};
  return camera;
}

void label(draw::Image& image, const std::string& text) {
  draw::paint_text(image, 14, 30, text, {15, Palette{}.ink});
}

draw::Image scene_strip(const scenes::Scene& scene, const std::vector<Snapshot>& moments) {
  constexpr int kWidth = 480;
  int height = 520;
  SceneStyle style;
  draw::Camera camera;
  if (!has_person(scene)) {
    // Fit the aspect ratio and the sizes of bones and ropes to the extent of the motion.
    const Box box = box_of_all(scene, moments);
    const Vec3 size = box.high - box.low;
    height = static_cast<int>(kWidth * std::clamp(size.y / std::max(size.x, 0.01f), 0.5f, 1.1f));
    camera = camera_on(box, static_cast<float>(kWidth) / static_cast<float>(height));
    style.bone_radius = 0.011f * std::max(size.x, size.y);
    style.rope_pixels = 3;
  }
  std::vector<draw::Image> panels;
  for (const Snapshot& moment : moments) {
    draw::Canvas canvas(kWidth, height);
    draw_scene(canvas, scene, moment, style);
    if (has_person(scene)) {
      // View skirts (closed) from the front, capes (open) from behind.
      const float side = scene.closed ? 1.0f : -1.0f;
      camera = person_camera(moment, {2.9f, 0.55f, 2.7f * side}, {0, -0.05f, 0.1f * (side - 1)});
      canvas.light.toward = {0.7f, 1.3f, 0.5f * side};
      canvas.ground({.centre = {camera.target.x, 0, camera.target.z}});
    }
    panels.push_back(canvas.render(camera));
    label(panels.back(), rounded(moment.time, 2) + " s");
  }
  return draw::strip(panels, 4, 6);
}

}  // namespace billow::tool
