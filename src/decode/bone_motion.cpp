#include "decode/bone_motion.h"

#include <algorithm>
#include <cmath>

namespace billow {
namespace {

struct Frame {
  V3 along{0, 0, 0}, across{0, 0, 0}, out{0, 0, 0};
  bool complete = false;  // false: only `along` is valid
};

V3 unit(V3 v) { return v * (1 / std::max(length(v), 1e-12f)); }

Frame frame_of(V3 along, V3 across) {
  Frame f;
  f.along = unit(along);
  const V3 side = across - f.along * dot(across, f.along);
  // If the neighbours lie in line with the chain, the twist about it is undetermined.
  f.complete = length(side) > 0.05f * length(across) && length(along) > 1e-6f;
  f.across = unit(side);
  f.out = cross(f.along, f.across);
  return f;
}

// The shortest rotation from one unit vector to another.
Quat shortest_rotation(V3 from, V3 to) {
  const V3 axis = cross(from, to);
  const float cosine = dot(from, to);
  if (cosine < -0.9999f) {  // opposite: about any perpendicular axis
    const V3 a = std::fabs(from.x) < 0.9f ? V3{1, 0, 0} : V3{0, 1, 0};
    const V3 n = unit(cross(from, a));
    return {n.x, n.y, n.z, 0};
  }
  return normalized({axis.x, axis.y, axis.z, 1 + cosine});
}

// The rotation from one frame to another: first the swing of `along`, then the twist about it.
Quat rotation_between(const Frame& from, const Frame& to) {
  const Quat swing = shortest_rotation(from.along, to.along);
  if (!from.complete || !to.complete) return swing;
  const V3 across = rotate(swing, from.across);
  // cos and sin of the twist angle; the quaternion has half the angle.
  const float c = dot(across, to.across), s = -dot(across, to.out);
  const Quat twist = c > -0.9999f ? normalized({to.along.x * s, to.along.y * s, to.along.z * s, 1 + c})
                                  : Quat{to.along.x, to.along.y, to.along.z, 0};
  return normalized(twist * swing);
}

// The bone of `chain` at the same relative depth, to the nearest, as bone k of a chain of `bones` bones.
uint32_t same_depth(std::span<const uint32_t> chain, size_t k, size_t bones) {
  if (bones < 2) return chain[0];
  return chain[(2 * k * (chain.size() - 1) + (bones - 1)) / (2 * (bones - 1))];
}

}  // namespace

void find_bone_axes(const BoneChains& chains, BoneAxes* out) {
  const size_t count = chains.sizes.size(), all = chains.bones.size();
  const auto chain_at = [&](size_t c, size_t first) { return chains.bones.subspan(first, chains.sizes[c]); };
  // If closed, the last chain is a neighbour of the first; at open ends differences are one-sided.
  size_t first = 0;
  for (size_t c = 0; c < count; first += chains.sizes[c++]) {
    const auto chain = chain_at(c, first);
    const auto before = c > 0           ? chain_at(c - 1, first - chains.sizes[c - 1])
                        : chains.closed ? chain_at(count - 1, all - chains.sizes[count - 1])
                                        : chain;
    const auto after = c + 1 < count   ? chain_at(c + 1, first + chains.sizes[c])
                       : chains.closed ? chain_at(0, 0)
                                       : chain;
    for (size_t k = 0; k < chain.size(); ++k)
      *out++ = {chain[k], chain[k > 0 ? k - 1 : k], chain[std::min(k + 1, chain.size() - 1)],
                same_depth(before, k, chain.size()), same_depth(after, k, chain.size())};
  }
}

size_t find_bone_followers(const BoneChains& chains, std::span<const V3> rest, BoneFollower* out) {
  // Mark the bones of chains.
  for (uint32_t b = 0; b < rest.size(); ++b) out[b] = {b, b, b, 0};
  for (const uint32_t b : chains.bones) out[b].share = -1;
  size_t count = 0;
  for (uint32_t b = 0; b < rest.size(); ++b) {
    if (out[b].share < 0) continue;
    BoneFollower f{b, b, b, 0};
    float first = INFINITY, second = INFINITY;
    size_t root = 0;
    for (size_t c = 0; c < chains.sizes.size(); root += chains.sizes[c++]) {
      const uint32_t r = chains.bones[root];
      const float d = length(rest[r] - rest[b]);
      if (d < first)
        f.second = f.first, second = first, f.first = r, first = d;
      else if (d < second)
        f.second = r, second = d;
    }
    if (second < INFINITY) f.share = first / std::max(first + second, 1e-12f);
    out[count++] = f;
  }
  return count;
}

void find_bone_motions(std::span<const BoneAxes> axes, std::span<const BoneFollower> followers,
                       std::span<const V3> rest, const V3* positions, Transform* out) {
  for (const BoneAxes& a : axes)
    out[a.bone].rotation = rotation_between(
        frame_of(rest[a.down] - rest[a.up], rest[a.right] - rest[a.left]),
        frame_of(positions[a.down] - positions[a.up], positions[a.right] - positions[a.left]));
  for (const BoneFollower& f : followers)
    out[f.bone].rotation = nlerp(out[f.first].rotation, out[f.second].rotation, f.share);
  for (size_t b = 0; b < rest.size(); ++b) out[b].position = positions[b] - rotate(out[b].rotation, rest[b]);
}

}  // namespace billow
