#include <algorithm>
#include <numeric>
#include <utility>

#include "decode/push_out_mesh.h"
#include "runtime/find_bounds.h"
#include "runtime/garment.h"

namespace billow {
namespace {

void find_joints(const Garment& g) {
  // In model space first; parents precede their children.
  for (size_t j = 0; j < g.view.joints.size(); ++j) {
    const asset::JointRecord& r = g.view.joints[j];
    const Transform rest{{r.position[0], r.position[1], r.position[2]},
                         normalized(Quat{r.rotation[0], r.rotation[1], r.rotation[2], r.rotation[3]})};
    g.joint_rest_inverse[j] = r.parent < 0 ? rest : g.joint_rest_inverse[r.parent] * rest;
  }
  for (size_t j = 0; j < g.view.joints.size(); ++j)
    g.joint_rest_inverse[j] = inverse(g.joint_rest_inverse[j]);
}

// `attached` is scratch, one entry per vertex.
void find_bones(const Garment& g, uint32_t* attached) {
  constexpr uint32_t kNone = ~0u;
  std::fill_n(attached, g.vertices(), kNone);
  for (uint32_t a = 0; a < g.view.record->attachments; ++a) attached[g.view.attachments[a].vertex] = a;
  uint32_t next = 0;
  for (size_t b = 0; b < g.view.bones.size(); ++b) {
    const asset::BoneRecord& r = g.view.bones[b];
    g.attachment_first[b] = next;
    g.bone_rest[b] = {0, 0, 0};
    V3 mean{0, 0, 0};
    float sum = 0;
    for (size_t k = 0; k < 3; ++k) {
      const float* p = &g.view.rest[3 * size_t{r.vertices[k]}];
      g.bone_rest[b] += V3{p[0], p[1], p[2]} * r.weights[k];
      const uint32_t a = attached[r.vertices[k]];
      if (!(r.weights[k] > 0) || a == kNone) continue;
      g.attachment_shares[next++] = {a, r.weights[k]};
      const float* pin = g.view.attachments[a].rest;
      mean += V3{pin[0], pin[1], pin[2]} * r.weights[k];
      sum += r.weights[k];
    }
    g.attachment_offset[b] = sum > 0 ? g.bone_rest[b] - mean * (1 / sum) : V3{0, 0, 0};
  }
  g.attachment_first[g.view.bones.size()] = next;
}

void find_chainless(Garment& g) {
  // Mark the bones of chains, then list the others over the marks.
  uint32_t* const chained = g.chainless;
  std::fill_n(chained, g.bones(), 0u);
  for (const asset::ChainBoneRecord& b : g.view.chain_bones) chained[b.bone] = 1;
  g.chainless_count = 0;
  for (uint32_t b = 0; b < g.bones(); ++b)
    if (!chained[b]) g.chainless[g.chainless_count++] = b;
}

void find_turns(Garment& g) {
  if (!g.has_blend()) return;
  for (size_t k = 0; k < g.view.chain_bones.size(); ++k) g.chained_bones[k] = g.view.chain_bones[k].bone;
  const BoneChains chains{
      g.view.chain_sizes, {g.chained_bones, g.view.chain_bones.size()}, g.view.record->closed != 0};
  find_bone_axes(chains, g.bone_axes);
  g.bone_follower_count = find_bone_followers(chains, {g.bone_rest, g.bones()}, g.bone_followers);
}

void order_patches(const Garment& g) {
  const std::span<const asset::PatchRecord> patches = g.view.patches.patches;
  std::iota(g.patch_order, g.patch_order + patches.size(), 0u);
  std::sort(g.patch_order, g.patch_order + patches.size(), [&](uint32_t a, uint32_t b) {
    return std::pair(patches[a].network, a) < std::pair(patches[b].network, b);
  });
}

// Networks of all patches have the same layer sizes.
void find_networks(Garment& g) {
  const auto measure = [&](const Mlp& m, const PackedMatrix& basis) {
    g.widest_layer = std::max(g.widest_layer, m.widest());
    g.max_stored_columns = std::max({g.max_stored_columns, m.max_stored_columns(), basis.stored_count()});
  };
  if (g.view.correction.record) {
    g.correction = g.view.correction.mlp();
    measure(g.correction, {});
  }
  if (g.view.force.record) {
    g.force = g.view.force.mlp();
    measure(g.force, {});
  }
  if (g.view.patches.record) {
    g.skinning = g.view.patches.mlp();
    g.patches = g.view.patches.tiled();
    measure(g.skinning, g.view.patches.basis);
    order_patches(g);
    return;
  }
  g.skinning = g.view.skinning.mlp();
  measure(g.skinning, g.view.basis);
  if (!g.view.shape.record) return;
  g.shape = g.view.shape.mlp();
  measure(g.shape, g.view.basis);
}

}  // namespace

void build(Garment& g, const NormalScratch& scratch, Arena& arena) {
  const asset::GarmentRecord& r = *g.view.record;
  g.joint_rest_inverse = arena.take<Transform>(r.joints);
  g.patch_order = arena.take<uint32_t>(g.view.patches.patches.size());
  g.bone_rest = arena.take<V3>(r.bones);
  g.attachment_first = arena.take<uint32_t>(r.bones + 1);
  g.attachment_shares = arena.take<AttachmentShare>(3 * size_t{r.bones});
  g.attachment_offset = arena.take<V3>(r.bones);
  g.chainless = arena.take<uint32_t>(r.bones);
  g.chained_bones = arena.take<uint32_t>(g.has_blend() ? r.chain_bones : 0);
  g.bone_axes = arena.take<BoneAxes>(g.has_blend() ? r.chain_bones : 0);
  g.bone_followers = arena.take<BoneFollower>(g.has_blend() ? r.bones : 0);
  g.normals.corners = arena.take<uint32_t>((size_t{r.vertices} + kLanes) * kPolygon);
  g.normals.in_rows = arena.take<uint8_t>(size_t{r.vertices} / kLanes + 1);
  g.normals.more = arena.take<NormalPolygons::More>(g.normals.more_count);
  const bool has_pattern = !g.view.pattern_uvs.empty();
  g.tangents.first = arena.take<uint32_t>(has_pattern ? r.vertices + 1 : 0);
  g.tangents.side = arena.take<float>(has_pattern ? r.vertices : 0);
  g.tangents.neighbours = arena.take<uint32_t>(g.tangents.count);
  g.tangents.coefficients = arena.take<float>(g.tangents.count);
  g.clusters = arena.take<uint32_t>(size_t{r.vertices} + kCluster);
  g.attached = arena.take<uint32_t>(r.attachments);
  const LengthLevels lengths = copy_of(g.lengths, arena);
  if (!g.bone_rest) return;
  g.lengths = lengths;
  for (size_t k = 0; k < g.view.attachments.size(); ++k) g.attached[k] = g.view.attachments[k].vertex;
  find_networks(g);
  find_joints(g);
  find_bones(g, scratch.first);
  find_chainless(g);
  find_turns(g);
  find_normal_polygons(g.view.triangles.data(), r.triangles, r.vertices, scratch, g.normals);
  if (has_pattern)
    find_tangent_rows(scratch, g.view.pattern_uvs.data(), g.view.rest.data(), r.vertices, g.tangents);
  find_clusters(g.view.rest.data(), r.vertices, g.clusters);
  g.bone_reach = find_bone_reach(g);
}

int chain_without_attachment(const Garment& g) {
  size_t root = 0;
  for (size_t c = 0; c < g.view.chain_sizes.size(); root += g.view.chain_sizes[c++]) {
    const uint32_t bone = g.view.chain_bones[root].bone;
    if (g.attachment_first[bone] == g.attachment_first[bone + 1]) return static_cast<int>(c);
  }
  return -1;
}

}  // namespace billow
