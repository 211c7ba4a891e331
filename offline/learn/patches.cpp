#include "learn/patches.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <string>

namespace billow::learn {
namespace {

// Chains side by side as a grid.
class Lattice {
 public:
  explicit Lattice(const garment::Garment& g) : garment_(g) {}

  int32_t at(int chain, int k) const {
    const int chains = static_cast<int>(garment_.chains.size());
    if (garment_.closed) chain = (chain % chains + chains) % chains;
    if (chain < 0 || chain >= chains || k < 0) return kNoBone;
    const auto& bones = garment_.chains[static_cast<size_t>(chain)];
    return k < static_cast<int>(bones.size()) ? static_cast<int32_t>(bones[static_cast<size_t>(k)]) : kNoBone;
  }
  uint32_t at_or(int chain, int k, uint32_t otherwise) const {
    const int32_t bone = at(chain, k);
    return bone == kNoBone ? otherwise : static_cast<uint32_t>(bone);
  }

 private:
  const garment::Garment& garment_;
};

// Which bones are seen: so many chains over, so many bones down.
template <class F> void for_each_seen(const PatchOptions& options, F f) {
  for (int i = -options.chains; i <= options.chains; ++i) {
    const int reach = std::abs(i) > 1 ? std::min(options.far_bones, options.bones) : options.bones;
    for (int j = -reach; j <= reach; ++j)
      if (i != 0 || j != 0) f(i, j);
  }
}

Patch patch_at(const Lattice& lattice, int chain, int k, const PatchOptions& options) {
  Patch patch;
  patch.bone = static_cast<uint32_t>(lattice.at(chain, k));
  patch.above = lattice.at_or(chain, k - 1, patch.bone);
  patch.below = lattice.at_or(chain, k + 1, patch.bone);
  patch.left = lattice.at_or(chain - 1, k, patch.bone);
  patch.right = lattice.at_or(chain + 1, k, patch.bone);
  for_each_seen(options, [&](int i, int j) { patch.input_bones.push_back(lattice.at(chain + i, k + j)); });
  return patch;
}

constexpr float kMinShare = 0.02f;
constexpr uint32_t kNoPatch = ~0u;

// Shares fall from 1 at the bone to 0 at the nearest patch that has none: smooth over the cloth. What is left of those that
// are hardly any is none.
void share_out(const garment::Garment& g, size_t sharing, std::vector<Patch>& patches) {
  std::vector<V3> places;
  for (const Patch& p : patches) places.push_back(garment::place_of(g.bones[p.bone], g.shape));
  const size_t near = std::min(sharing + 1, patches.size());
  std::vector<std::pair<float, size_t>> order(patches.size());
  for (uint32_t v = 0; v < g.size(); ++v) {
    for (size_t p = 0; p < patches.size(); ++p) order[p] = {length(g.shape[v] - places[p]), p};
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(near), order.end());
    const bool all = near == patches.size();
    const float reach = all ? order[near - 1].first * 1.5f + 1e-6f : order[near - 1].first;
    float sum = 0;
    std::vector<float> shares;
    for (size_t k = 0; k < (all ? near : near - 1); ++k) {
      const float t = std::min(1.0f, order[k].first / std::max(reach, 1e-12f));
      shares.push_back((1 - t) * (1 - t) * (1 + 2 * t));
      sum += shares.back();
    }
    if (!(sum > 0)) shares[0] = sum = 1;
    const float none = kMinShare * sum;
    sum = 0;
    for (float& s : shares) sum += s = std::max(0.0f, s - none);
    for (size_t k = 0; k < shares.size(); ++k)
      if (shares[k] > 0) {
        patches[order[k].second].vertices.push_back(v);
        patches[order[k].second].shares.push_back(shares[k] / sum);
      }
  }
}

// The patch that each is seen as in a mirror; empty if one is none.
std::vector<uint32_t> mirror_images(const std::vector<Patch>& patches, const Mirror& mirror) {
  std::vector<uint32_t> of_bone(mirror.bones.size(), kNoPatch), images;
  for (uint32_t p = 0; p < patches.size(); ++p) of_bone[patches[p].bone] = p;
  for (const Patch& p : patches) images.push_back(of_bone[mirror.bones[p.bone]]);
  return std::ranges::count(images, kNoPatch) == 0 ? images : std::vector<uint32_t>();
}

// Vertices on one side have the shares that those on the other have; in the middle, the mean of both.
void share_alike(const std::vector<uint32_t>& images, const Mirror& mirror, std::vector<Patch>& patches) {
  std::vector<std::map<uint32_t, float>> of_vertex(mirror.vertices.size());
  for (uint32_t p = 0; p < patches.size(); ++p) {
    for (size_t i = 0; i < patches[p].vertices.size(); ++i) {
      const uint32_t v = patches[p].vertices[i], other = mirror.vertices[v];
      const float share = v == other ? 0.5f * patches[p].shares[i] : patches[p].shares[i];
      if (v <= other) of_vertex[v][p] += share, of_vertex[other][images[p]] += share;
    }
    patches[p].vertices.clear(), patches[p].shares.clear();
  }
  for (uint32_t v = 0; v < of_vertex.size(); ++v)
    for (const auto& [p, share] : of_vertex[v])
      patches[p].vertices.push_back(v), patches[p].shares.push_back(share);
}

// Of two that are each other's images the second is flipped. A patch without sides is none: its frame has to make one up.
void flip(const std::vector<uint32_t>& images, const Mirror& mirror, std::vector<Patch>& patches) {
  for (uint32_t p = 0; p < patches.size(); ++p) {
    const Patch& one = patches[p];
    if (images[p] <= p || one.left == one.right) continue;
    Patch& other = patches[images[p]];
    other.flipped = true;
    other.above = mirror.bones[one.above], other.below = mirror.bones[one.below];
    other.left = mirror.bones[one.left], other.right = mirror.bones[one.right];
    for (size_t i = 0; i < one.input_bones.size(); ++i)
      other.input_bones[i] =
          one.input_bones[i] == kNoBone
              ? kNoBone
              : static_cast<int32_t>(mirror.bones[static_cast<size_t>(one.input_bones[i])]);
  }
}

}  // namespace

void check(const PatchOptions& options) {
  if (options.chains < 0 || options.bones < 1 || options.far_bones < 0 || options.sharing < 1 ||
      !(options.far > 0))
    throw std::invalid_argument(
        "patches: expected to see chains >= 0, bones >= 1, far bones >= 0, to share with >= 1, and far "
        "chains to weigh > 0");
}

std::vector<Patch> lay_patches(const garment::Garment& g, const PatchOptions& options, const Mirror* mirror) {
  if (g.chains.empty()) throw std::invalid_argument("patches: expected a garment with chains, found none");
  check(options);
  const Lattice lattice(g);
  std::vector<Patch> patches;
  for (size_t c = 0; c < g.chains.size(); ++c)
    for (size_t k = 0; k < g.chains[c].size(); ++k)
      patches.push_back(patch_at(lattice, static_cast<int>(c), static_cast<int>(k), options));
  share_out(g, static_cast<size_t>(options.sharing), patches);
  const std::vector<uint32_t> images = mirror ? mirror_images(patches, *mirror) : std::vector<uint32_t>();
  if (!images.empty()) share_alike(images, *mirror, patches), flip(images, *mirror, patches);
  uint32_t networks = 0;
  for (uint32_t p = 0; p < patches.size(); ++p)
    patches[p].network = patches[p].flipped ? patches[images[p]].network : networks++;
  return patches;
}

PatchFrame frame_of(const Patch& patch, std::span<const V3> bones) {
  return patch_frame(bones[patch.bone], bones[patch.above], bones[patch.below], bones[patch.left],
                     bones[patch.right], patch.flipped);
}

std::vector<float> feature_weights(const PatchOptions& options) {
  std::vector<float> weights;
  for_each_seen(options, [&](int i, int) {
    weights.insert(weights.end(), 3, std::pow(options.far, static_cast<float>(std::max(std::abs(i), 1) - 1)));
  });
  weights.insert(weights.end(), 3, 1.0f);
  return weights;
}

size_t feature_count(const Patch& patch) { return 3 * (patch.input_bones.size() + 1); }

void features(const Patch& patch, const PatchFrame& frame, std::span<const V3> bones, V3 up,
              std::span<float> out) {
  size_t next = 0;
  const auto put = [&](V3 v) { out[next++] = v.x, out[next++] = v.y, out[next++] = v.z; };
  for (const int32_t b : patch.input_bones)
    put(b == kNoBone ? V3{0, 0, 0} : frame.to_local(bones[static_cast<size_t>(b)] - frame.origin));
  put(frame.to_local(up) * kUpWeight);
}

}  // namespace billow::learn
