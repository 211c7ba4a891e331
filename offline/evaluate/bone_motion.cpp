#include "evaluate/bone_motion.h"

#include <algorithm>
#include <cmath>

namespace billow::evaluate {
namespace {

struct Frame {
  V3 along{0, 0, 0}, across{0, 0, 0}, out{0, 0, 0};
  bool whole = false;  // false: only `along` is of use
};

V3 unit(V3 v) { return v * (1 / std::max(length(v), 1e-12f)); }

Frame frame_of(V3 along, V3 across) {
  Frame f;
  f.along = unit(along);
  const V3 side = across - f.along * dot(across, f.along);
  // Where chains beside each other lie in one line there is no telling how a bone is turned about it.
  f.whole = length(side) > 0.05f * length(across) && length(along) > 1e-6f;
  f.across = unit(side);
  f.out = cross(f.along, f.across);
  return f;
}

// The shortest turn from one direction to another.
Quat shortest(V3 from, V3 to) {
  const V3 axis = cross(from, to);
  const float cosine = dot(from, to);
  if (cosine < -0.9999f) {  // about anything across
    const V3 a = std::fabs(from.x) < 0.9f ? V3{1, 0, 0} : V3{0, 1, 0};
    const V3 n = unit(cross(from, a));
    return {n.x, n.y, n.z, 0};
  }
  return normalized({axis.x, axis.y, axis.z, 1 + cosine});
}

// The turn that takes one frame to another: first the ropes', then about them.
Quat turn(const Frame& from, const Frame& to) {
  const Quat first = shortest(from.along, to.along);
  if (!from.whole || !to.whole) return first;
  const V3 across = rotate(first, from.across);
  // cos and sin of the angle left about `along`; half of it as a quaternion.
  const float c = dot(across, to.across), s = -dot(across, to.out);
  const Quat half = c > -0.9999f ? normalized({to.along.x * s, to.along.y * s, to.along.z * s, 1 + c})
                                 : Quat{to.along.x, to.along.y, to.along.z, 0};
  return normalized(half * first);
}

}  // namespace

BoneMotion::BoneMotion(const garment::Garment& garment) : rest_(garment.bones.size()) {
  garment::places_of_bones(garment, garment.rest, rest_);
  find_axes(garment);
  std::vector<bool> in_chain(rest_.size());
  for (const auto& [bone, axes] : chained_) in_chain[bone] = true;
  find_followers(in_chain);
}

void BoneMotion::find_axes(const garment::Garment& garment) {
  const auto& chains = garment.chains;
  // The bone of a chain that is as far along it as bone k of one that has `of` bones.
  const auto level = [](const std::vector<uint32_t>& chain, size_t k, size_t of) {
    const double share = of > 1 ? static_cast<double>(k) / static_cast<double>(of - 1) : 0;
    return chain[static_cast<size_t>(std::lround(share * static_cast<double>(chain.size() - 1)))];
  };
  for (size_t c = 0; c < chains.size(); ++c) {
    const auto& chain = chains[c];
    roots_.push_back(chain.front());
    // At the ends differences are one-sided.
    const size_t before = c > 0 ? c - 1 : garment.ring ? chains.size() - 1 : c;
    const size_t after = c + 1 < chains.size() ? c + 1 : garment.ring ? 0 : c;
    for (size_t k = 0; k < chain.size(); ++k)
      chained_.push_back({chain[k],
                          {chain[k > 0 ? k - 1 : k], chain[std::min(k + 1, chain.size() - 1)],
                           level(chains[before], k, chain.size()), level(chains[after], k, chain.size())}});
  }
}

void BoneMotion::find_followers(const std::vector<bool>& in_chain) {
  for (uint32_t b = 0; b < rest_.size(); ++b) {
    if (in_chain[b]) continue;
    Follower f{b, b, b, 0};
    float first = INFINITY, second = INFINITY;
    for (const uint32_t r : roots_) {
      const float d = length(rest_[r] - rest_[b]);
      if (d < first)
        f.second = f.first, second = first, f.first = r, first = d;
      else if (d < second)
        f.second = r, second = d;
    }
    if (second < INFINITY) f.share = first / std::max(first + second, 1e-12f);
    followers_.push_back(f);
  }
}

std::vector<Transform> BoneMotion::from(std::span<const float> displacements) const {
  const auto place = [&](uint32_t b) {
    return rest_[b] + V3{displacements[3 * b], displacements[3 * b + 1], displacements[3 * b + 2]};
  };
  std::vector<Quat> turns(rest_.size(), Quat{0, 0, 0, 1});
  for (const auto& [bone, a] : chained_)
    turns[bone] = turn(frame_of(rest_[a.down] - rest_[a.up], rest_[a.right] - rest_[a.left]),
                       frame_of(place(a.down) - place(a.up), place(a.right) - place(a.left)));
  for (const Follower& f : followers_) turns[f.bone] = nlerp(turns[f.first], turns[f.second], f.share);
  std::vector<Transform> out(rest_.size());
  for (uint32_t b = 0; b < rest_.size(); ++b) out[b] = {place(b) - rotate(turns[b], rest_[b]), turns[b]};
  return out;
}

}  // namespace billow::evaluate
