// Stage "follow": attachments, chain roots and bones without a chain go with the joints.
#include <cstring>

#include "runtime/frame.h"

namespace billow {
namespace {

// The seam under a bone: the mean of the attachments that the bone lies on, moved by where the bone was beside it at rest, with their
// mean rotation. A bone near the seam may lie on fewer than three attachments, whose shares add up to less than 1.
Transform attachment_frame(const Instance& i, uint32_t bone, float scale) {
  const Garment& g = *i.garment;
  V3 mean{0, 0, 0};
  float sum = 0;
  Quat turn{0, 0, 0, 0};
  for (uint32_t s = g.attachment_first[bone]; s < g.attachment_first[bone + 1]; ++s) {
    const AttachmentShare& on = g.attachment_shares[s];
    mean += i.attachment_points[on.attachment] * on.share;
    sum += on.share;
    const asset::AttachmentRecord& a = g.view.attachments[on.attachment];
    for (size_t k = 0; k < 4; ++k) {
      const Quat q = i.joint_motions[a.joints[k]].rotation;
      const float w = a.weights[k] * on.share * (dot(q, turn) < 0 ? -1.0f : 1.0f);
      turn = {turn.x + q.x * w, turn.y + q.y * w, turn.z + q.z * w, turn.w + q.w * w};
    }
  }
  turn = normalized(turn);
  return {mean * (1 / sum) + rotate(turn, g.attachment_offset[bone] * scale), turn};
}

// Where an attachment is: linear blend skinning of its rest position.
V3 attachment_point(const Instance& i, const asset::AttachmentRecord& r, float scale) {
  const V3 rest = V3{r.rest[0], r.rest[1], r.rest[2]} * scale;
  V3 sum{0, 0, 0};
  float weights = 0;
  for (size_t k = 0; k < 4; ++k) {
    if (!(r.weights[k] > 0)) continue;
    sum += apply(i.joint_motions[r.joints[k]], rest) * r.weights[k];
    weights += r.weights[k];
  }
  return sum * (1 / weights);
}

}  // namespace

bool follow_body(Instance& i, const Transform* joints, float scale) {
  const Garment& g = *i.garment;
  const size_t bytes = g.view.joints.size() * sizeof(Transform);
  if (i.followed_scale == scale && std::memcmp(i.followed, joints, bytes) == 0) return false;
  std::memcpy(i.followed, joints, bytes);
  i.followed_scale = scale;
  for (size_t j = 0; j < g.view.joints.size(); ++j) {
    Transform local = g.joint_rest_inverse[j];
    local.position = local.position * scale;
    i.joint_motions[j] = joints[j] * local;
  }
  for (size_t a = 0; a < g.view.attachments.size(); ++a)
    i.attachment_points[a] = attachment_point(i, g.view.attachments[a], scale);
  size_t root = 0;
  for (size_t c = 0; c < g.view.chain_sizes.size(); root += g.view.chain_sizes[c++])
    i.roots[c] = attachment_frame(i, g.view.chain_bones[root].bone, scale);
  return true;
}

void place_chainless_bones(Instance& i, float scale) {
  const Garment& g = *i.garment;
  // A bone without a chain and without an attachment goes with the key joint.
  for (size_t k = 0; k < g.chainless_count; ++k) {
    const uint32_t b = g.chainless[k];
    i.bones[b] = g.attachment_first[b] < g.attachment_first[b + 1]
                     ? attachment_frame(i, b, scale).position
                     : apply(i.joint_motions[g.view.record->key_joint], g.bone_rest[b] * scale);
  }
}

}  // namespace billow
