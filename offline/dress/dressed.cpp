#include "dress/dressed.h"

#include <algorithm>
#include <cmath>

#include "body/postures.h"
#include "motion/clip.h"

namespace billow::dress {
namespace {

std::vector<uint32_t> pinned_of(const garment::Garment& g) {
  std::vector<uint32_t> out;
  for (const garment::Attachment& a : g.attachments) out.push_back(a.vertex);
  return out;
}

}  // namespace

cloth::Sheet sheet_of(const garment::Garment& g) {
  std::vector<V3> unstretched = g.shape;
  for (size_t v = 0; v < g.flat.size(); ++v) unstretched[v] = {g.flat[v][0], g.flat[v][1], 0};
  return cloth::make_sheet(unstretched, g.triangles, cloth::material_named(g.material));
}

std::vector<Transform> inverses(std::span<const Transform> joints) {
  std::vector<Transform> out;
  for (const Transform& t : joints) out.push_back(inverse(t));
  return out;
}

Dressed::Dressed(const garment::Garment& g, const Wearer& wearer, std::span<const V3> vertices,
                 std::span<const Transform> joints, const cloth::Settings& settings, int threads)
    : garment_(g),
      rest_inverse_(inverses(body::rest_transforms(wearer.skeleton))),
      moved_(rest_inverse_.size()),
      surface_(wearer.skeleton, wearer.colliders),
      pins_(g.attachments.size()),
      cloth_(sheet_of(g), vertices, pinned_of(g), settings, threads) {
  surface_.pose(joints);
}

void Dressed::step(float dt, std::span<const Transform> joints) { step(dt, joints, 1); }

void Dressed::step(float dt, std::span<const Transform> joints, float seam_share) {
  for (size_t j = 0; j < moved_.size(); ++j) moved_[j] = joints[j] * rest_inverse_[j];
  garment::follow_body(garment_, moved_, pins_);
  for (size_t i = 0; i < pins_.size(); ++i) {
    const V3 now = cloth_.positions()[garment_.attachments[i].vertex];
    pins_[i] = now + (pins_[i] - now) * seam_share;
  }
  cloth_.step(dt, &surface_, joints, pins_);
}

Drape drape(garment::Garment& g, const body::Person& person, int threads,
            const std::function<void(float)>& report) {
  constexpr float kFrame = 1.0f / 60, kSew = 0.5f, kFall = 1.5f, kLower = 2.5f, kLongest = 12;
  constexpr float kStill = 0.0005f;  // m/s, on average
  const body::Pose rest = body::rest_pose(person.skeleton);
  const body::Pose raised =
      body::posture(person.skeleton, {{"left_upper_arm", "raise", 0.9f}, {"right_upper_arm", "raise", 0.9f}});
  const auto pose_at = [&](float t) {
    return body::joint_transforms(
        person.skeleton, motion::blend(raised, rest, std::clamp((t - kFall) / (kLower - kFall), 0.0f, 1.0f)));
  };
  Dressed dressed(g, wearer(person), g.shape, pose_at(0), {}, threads);
  Drape done{};
  while (done.seconds < kLongest) {
    done.seconds += kFrame;
    // Seams reach the body in even steps.
    const float left = std::max(0.0f, kSew - done.seconds) / kFrame;
    dressed.step(kFrame, pose_at(done.seconds), 1 / (1 + left));
    // Take out the swing once the cloth has fallen; what is left is the drape.
    dressed.cloth().settings.damping = done.seconds > kFall ? 4.0f : 0.0f;
    done.mean = done.fastest = 0;
    for (const V3& v : dressed.cloth().velocities()) {
      done.fastest = std::max(done.fastest, length(v));
      done.mean += length(v) / static_cast<float>(g.size());
    }
    if (report) report(done.seconds / kLongest);
    if (done.seconds > kLower + 1 && done.mean < kStill) break;
  }
  g.rest.assign(dressed.vertices().begin(), dressed.vertices().end());
  return done;
}

}  // namespace billow::dress
