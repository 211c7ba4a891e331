#include "learn/patches.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <stdexcept>
#include <string>

namespace billow::learn {
namespace {

constexpr float kSymmetryTolerance = 1e-3f;  // m

// For each position, the index of the one nearest to its mirror image. Empty unless they pair up within the tolerance.
std::vector<uint32_t> find_images(const std::vector<V3>& positions) {
  std::vector<uint32_t> by_height(positions.size());
  std::iota(by_height.begin(), by_height.end(), 0u);
  const auto lower = [&](uint32_t a, float y) { return positions[a].y < y; };
  std::sort(by_height.begin(), by_height.end(),
            [&](uint32_t a, uint32_t b) { return positions[a].y < positions[b].y; });
  std::vector<uint32_t> out;
  for (const V3& p : positions) {
    const V3 image = mirrored(p);
    float nearest = kSymmetryTolerance;
    uint32_t found = 0;
    for (auto it = std::lower_bound(by_height.begin(), by_height.end(), p.y - kSymmetryTolerance, lower);
         it != by_height.end() && positions[*it].y <= p.y + kSymmetryTolerance; ++it) {
      const float d = length(positions[*it] - image);
      if (d < nearest) nearest = d, found = *it;
    }
    if (nearest == kSymmetryTolerance) return {};
    out.push_back(found);
  }
  for (uint32_t i = 0; i < out.size(); ++i)
    if (out[out[i]] != i) return {};
  return out;
}

// Bones as a grid of chains and levels.
class BoneGrid {
 public:
  explicit BoneGrid(const garment::Garment& g) : garment_(g) {}

  int32_t at(int chain, int k) const {
    const int chains = static_cast<int>(garment_.chains.size());
    if (garment_.closed) chain = (chain % chains + chains) % chains;
    if (chain < 0 || chain >= chains || k < 0) return kNoBone;
    const auto& bones = garment_.chains[static_cast<size_t>(chain)];
    return k < static_cast<int>(bones.size()) ? static_cast<int32_t>(bones[static_cast<size_t>(k)]) : kNoBone;
  }
  uint32_t at_or(int chain, int k, uint32_t fallback) const {
    const int32_t bone = at(chain, k);
    return bone == kNoBone ? fallback : static_cast<uint32_t>(bone);
  }

 private:
  const garment::Garment& garment_;
};

// Calls f(chain offset, bone offset) for each input bone of a patch.
template <class F> void for_each_input(const PatchOptions& options, F f) {
  for (int i = -options.chains; i <= options.chains; ++i) {
    const int reach = std::abs(i) > 1 ? std::min(options.far_bones, options.bones) : options.bones;
    for (int j = -reach; j <= reach; ++j)
      if (i != 0 || j != 0) f(i, j);
  }
}

Patch patch_at(const BoneGrid& grid, int chain, int k, const PatchOptions& options) {
  Patch patch;
  patch.bone = static_cast<uint32_t>(grid.at(chain, k));
  patch.above = grid.at_or(chain, k - 1, patch.bone);
  patch.below = grid.at_or(chain, k + 1, patch.bone);
  patch.left = grid.at_or(chain - 1, k, patch.bone);
  patch.right = grid.at_or(chain + 1, k, patch.bone);
  for_each_input(options, [&](int i, int j) { patch.input_bones.push_back(grid.at(chain + i, k + j)); });
  return patch;
}

constexpr float kMinShare = 0.02f;  // of the sum of a vertex' shares
constexpr uint32_t kNoPatch = ~0u;

// Shares fall smoothly with distance, from 1 at the bone to 0 at the first patch that does not contain the vertex. Small
// shares are cut off.
void assign_shares(const garment::Garment& g, size_t patches_per_vertex, std::vector<Patch>& patches) {
  std::vector<V3> positions;
  for (const Patch& p : patches) positions.push_back(garment::position_of(g.bones[p.bone], g.shape));
  const size_t nearest = std::min(patches_per_vertex + 1, patches.size());
  std::vector<std::pair<float, size_t>> order(patches.size());
  for (uint32_t v = 0; v < g.size(); ++v) {
    for (size_t p = 0; p < patches.size(); ++p) order[p] = {length(g.shape[v] - positions[p]), p};
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(nearest), order.end());
    const bool all = nearest == patches.size();
    const float reach = all ? order[nearest - 1].first * 1.5f + 1e-6f : order[nearest - 1].first;
    float sum = 0;
    std::vector<float> shares;
    for (size_t k = 0; k < (all ? nearest : nearest - 1); ++k) {
      const float t = std::min(1.0f, order[k].first / std::max(reach, 1e-12f));
      shares.push_back((1 - t) * (1 - t) * (1 + 2 * t));
      sum += shares.back();
    }
    if (!(sum > 0)) shares[0] = sum = 1;
    const float cutoff = kMinShare * sum;
    sum = 0;
    for (float& s : shares) sum += s = std::max(0.0f, s - cutoff);
    for (size_t k = 0; k < shares.size(); ++k)
      if (shares[k] > 0) {
        patches[order[k].second].vertices.push_back(v);
        patches[order[k].second].shares.push_back(shares[k] / sum);
      }
  }
}

// The mirror image of each patch; empty if one has none.
std::vector<uint32_t> mirror_images(const std::vector<Patch>& patches, const Mirror& mirror) {
  std::vector<uint32_t> patch_of_bone(mirror.bones.size(), kNoPatch), images;
  for (uint32_t p = 0; p < patches.size(); ++p) patch_of_bone[patches[p].bone] = p;
  for (const Patch& p : patches) images.push_back(patch_of_bone[mirror.bones[p.bone]]);
  return std::ranges::count(images, kNoPatch) == 0 ? images : std::vector<uint32_t>();
}

// Copies shares from one side to the other; vertices on the symmetry plane get the mean of both.
void symmetrise_shares(const std::vector<uint32_t>& images, const Mirror& mirror,
                       std::vector<Patch>& patches) {
  std::vector<std::map<uint32_t, float>> shares_of_vertex(mirror.vertices.size());
  for (uint32_t p = 0; p < patches.size(); ++p) {
    for (size_t i = 0; i < patches[p].vertices.size(); ++i) {
      const uint32_t v = patches[p].vertices[i], other = mirror.vertices[v];
      const float share = v == other ? 0.5f * patches[p].shares[i] : patches[p].shares[i];
      if (v <= other) shares_of_vertex[v][p] += share, shares_of_vertex[other][images[p]] += share;
    }
    patches[p].vertices.clear(), patches[p].shares.clear();
  }
  for (uint32_t v = 0; v < shares_of_vertex.size(); ++v)
    for (const auto& [p, share] : shares_of_vertex[v])
      patches[p].vertices.push_back(v), patches[p].shares.push_back(share);
}

// Flips the second patch of each mirrored pair. Skips patches without lateral neighbours: their frame falls back to a fixed
// axis, which does not mirror.
void flip_images(const std::vector<uint32_t>& images, const Mirror& mirror, std::vector<Patch>& patches) {
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

std::optional<Mirror> find_mirror(const garment::Garment& g) {
  std::vector<V3> bones(g.bones.size());
  garment::bone_positions(g, g.shape, bones);
  Mirror mirror{find_images(g.shape), find_images(bones)};
  if (mirror.vertices.size() != g.size() || mirror.bones.size() != bones.size()) return std::nullopt;
  return mirror;
}

void check(const PatchOptions& options) {
  if (options.chains < 0 || options.bones < 1 || options.far_bones < 0 || options.patches_per_vertex < 1 ||
      !(options.far_weight > 0))
    throw std::invalid_argument(
        "patches: expected input chains >= 0, input bones >= 1, far bones >= 0, patches a vertex >= 1 and a "
        "weight of far chains > 0");
}

std::vector<Patch> make_patches(const garment::Garment& g, const PatchOptions& options,
                                const Mirror* mirror) {
  if (g.chains.empty()) throw std::invalid_argument("patches: expected a garment with chains, found none");
  check(options);
  const BoneGrid grid(g);
  std::vector<Patch> patches;
  for (size_t c = 0; c < g.chains.size(); ++c)
    for (size_t k = 0; k < g.chains[c].size(); ++k)
      patches.push_back(patch_at(grid, static_cast<int>(c), static_cast<int>(k), options));
  assign_shares(g, static_cast<size_t>(options.patches_per_vertex), patches);
  const std::vector<uint32_t> images = mirror ? mirror_images(patches, *mirror) : std::vector<uint32_t>();
  if (!images.empty()) symmetrise_shares(images, *mirror, patches), flip_images(images, *mirror, patches);
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
  for_each_input(options, [&](int i, int) {
    weights.insert(weights.end(), 3,
                   std::pow(options.far_weight, static_cast<float>(std::max(std::abs(i), 1) - 1)));
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
