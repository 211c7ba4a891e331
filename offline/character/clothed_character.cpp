#include "character/clothed_character.h"

#include <algorithm>
#include <cmath>

#include "motion/clip.h"
#include "motion/human.h"

namespace billow::character {
namespace {

std::vector<uint32_t> attached_vertices(const garment::Garment& g) {
  std::vector<uint32_t> out;
  for (const garment::Attachment& a : g.attachments) out.push_back(a.vertex);
  return out;
}

// The rest pose with upper arms raised to just above the horizontal, by no more than a shoulder allows. Arms that the
// skeleton does not have, or that are as high at rest, stay.
body::Pose with_arms_raised(const body::Skeleton& skeleton) {
  constexpr float kHeight = 0.12f, kMost = 0.9f;  // radians
  const std::vector<Transform> rest = body::rest_transforms(skeleton);
  const motion::Human human = motion::find_human(skeleton);
  body::Pose pose = body::rest_pose(skeleton);
  for (const size_t side : {motion::kLeft, motion::kRight}) {
    const int upper = human.of(motion::Part::upper_arm, side), fore = human.of(motion::Part::forearm, side);
    if (upper == body::kNoJoint || fore == body::kNoJoint) continue;
    const auto joint = static_cast<size_t>(upper);
    const V3 arm = rest[static_cast<size_t>(fore)].position - rest[joint].position;
    const V3 level{arm.x, 0, arm.z};
    const float angle = std::min(kMost, kHeight - std::atan2(arm.y, length(level)));
    if (angle <= 0 || length(level) == 0) continue;
    const V3 axis = cross(level, V3{0, 1, 0}) * (std::sin(0.5f * angle) / length(level));
    const Quat parent = skeleton.joints[joint].parent == body::kNoJoint
                            ? Quat{0, 0, 0, 1}
                            : rest[static_cast<size_t>(skeleton.joints[joint].parent)].rotation;
    pose.rotations[joint] = normalized(
        conjugate(parent) * Quat{axis.x, axis.y, axis.z, std::cos(0.5f * angle)} * rest[joint].rotation);
  }
  return pose;
}

}  // namespace

cloth::Sheet sheet_of(const garment::Garment& g) {
  std::vector<V3> unstretched = g.shape;
  for (size_t v = 0; v < g.pattern_uvs.size(); ++v)
    unstretched[v] = {g.pattern_uvs[v][0], g.pattern_uvs[v][1], 0};
  return cloth::make_sheet(unstretched, g.triangles, cloth::material_named(g.material));
}

std::vector<Transform> inverses(std::span<const Transform> joints) {
  std::vector<Transform> out;
  for (const Transform& t : joints) out.push_back(inverse(t));
  return out;
}

ClothedCharacter::ClothedCharacter(const garment::Garment& g, const CharacterBody& character_body,
                                   std::span<const V3> vertices, std::span<const Transform> joints,
                                   const cloth::Settings& settings, int threads)
    : garment_(g),
      rest_inverse_(inverses(body::rest_transforms(character_body.skeleton))),
      skinning_(rest_inverse_.size()),
      surface_(character_body.skeleton, character_body.colliders, g.contacts.rigid_groups()),
      attachment_points_(g.attachments.size()),
      cloth_(sheet_of(g), vertices, attached_vertices(g), settings, threads) {
  cloth_.settings.contacts = g.contacts;
  surface_.pose(joints);
}

void ClothedCharacter::step(float dt, std::span<const Transform> joints) { step(dt, joints, 1); }

void ClothedCharacter::step(float dt, std::span<const Transform> joints, float attachment_share) {
  for (size_t j = 0; j < skinning_.size(); ++j) skinning_[j] = joints[j] * rest_inverse_[j];
  garment::follow_body(garment_, skinning_, attachment_points_);
  for (size_t i = 0; i < attachment_points_.size(); ++i) {
    const V3 now = cloth_.positions()[garment_.attachments[i].vertex];
    attachment_points_[i] = now + (attachment_points_[i] - now) * attachment_share;
  }
  cloth_.step(dt, &surface_, joints, attachment_points_);
}

Drape drape(garment::Garment& g, const CharacterBody& character_body, int threads,
            const std::function<void(float)>& report) {
  constexpr float kFrame = 1.0f / 60, kAttachTime = 0.5f, kFallTime = 1.5f, kLowerTime = 2.5f, kMaxTime = 12;
  constexpr float kMaxMeanSpeed = 0.0005f;  // m/s
  const body::Skeleton& skeleton = character_body.skeleton;
  const body::Pose rest = body::rest_pose(skeleton), raised = with_arms_raised(skeleton);
  const auto pose_at = [&](float t) {
    return body::joint_transforms(
        skeleton,
        motion::blend(raised, rest, std::clamp((t - kFallTime) / (kLowerTime - kFallTime), 0.0f, 1.0f)));
  };
  // Threads meet at barriers thousands of times a frame, which costs more than it gains where each has few vertices.
  constexpr size_t kVerticesPerThread = 3000;
  const int most = 1 + static_cast<int>(g.size() / kVerticesPerThread);
  ClothedCharacter clothed(g, character_body, g.shape, pose_at(0), {}, std::min(threads, most));
  Drape result{};
  while (result.seconds < kMaxTime) {
    result.seconds += kFrame;
    // Attached vertices reach the body at constant speed.
    const float frames_left = std::max(0.0f, kAttachTime - result.seconds) / kFrame;
    clothed.step(kFrame, pose_at(result.seconds), 1 / (1 + frames_left));
    // Damp the swing once the cloth has fallen.
    clothed.cloth().settings.damping = result.seconds > kFallTime ? 4.0f : 0.0f;
    result.mean = result.fastest = 0;
    for (const V3& v : clothed.cloth().velocities()) {
      result.fastest = std::max(result.fastest, length(v));
      result.mean += length(v) / static_cast<float>(g.size());
    }
    if (report) report(result.seconds / kMaxTime);
    if (result.seconds > kLowerTime + 1 && result.mean < kMaxMeanSpeed) break;
  }
  g.rest.assign(clothed.vertices().begin(), clothed.vertices().end());
  return result;
}

}  // namespace billow::character
