#include <algorithm>

#include "runtime/instance.h"

namespace billow {

void build(Instance& i, Arena& arena) {
  const Garment& g = *i.garment;
  const asset::GarmentRecord& r = *g.view.record;
  // Padded to groups of lanes and row panels.
  const size_t values = 3 * (size_t{r.vertices} + kPanelRows);
  i.positions = arena.take<float>(values);
  i.normals = arena.take<float>(values);
  const bool by_patches = g.view.patches.record != nullptr;
  const size_t patches = g.view.patches.patches.size();
  const size_t coefficients =
      by_patches ? patches * g.coefficients_stride() : round_up_to_panels(g.view.basis.columns);
  const size_t inputs = by_patches ? patches * g.inputs_stride() : 3 * size_t{r.bones};
  i.coefficients = arena.take<float>(coefficients);
  i.pace.count = by_patches ? patches * g.view.patches.record->coefficients() : 0;
  i.pace.shown = arena.take<float>(i.pace.count);
  i.followed = arena.take<Transform>(r.joints);
  i.joint_motions = arena.take<Transform>(r.joints);
  i.attachment_points = arena.take<V3>(r.attachments);
  i.roots = arena.take<Transform>(r.chains);
  i.bones = arena.take<V3>(r.bones);
  i.correction_inputs = arena.take<float>(g.correction.inputs);
  i.bone_correction = arena.take<float>(g.correction.outputs);
  const size_t simulated = g.force.outputs > 0 ? g.view.chain_bones.size() - g.view.chain_sizes.size() : 0;
  i.force_inputs = arena.take<float>(simulated * asset::kForceInputs);
  i.learnt_accelerations = arena.take<float>(simulated * kForceOutputs);
  i.local_bones = arena.take<V3>(r.bones);
  i.bone_motions = arena.take<Transform>(g.has_blend() ? r.bones : 0);
  i.blend_matrices = arena.take<BlendMatrix>(g.has_blend() ? r.bones : 0);
  i.patch_frames = arena.take<PatchFrame>(patches);
  const size_t world_coefficients = by_patches ? patches * g.world_coefficients_stride() : 0;
  i.world_coefficients = arena.take<float>(world_coefficients);

  i.inputs = arena.take<float>(inputs);
  const size_t widest = g.widest_layer + kPanelRows;
  const auto take_quantised = [&](size_t count) {
    QuantisedVector f;
    f.scaled = arena.take<float>(count);
    f.q16 = arena.take<int16_t>(count);
    f.bytes = arena.take<int8_t>(2 * count);
    return f;
  };
  for (InferScratch& scratch : i.infer) {
    scratch.inputs = arena.take<float>(widest);
    scratch.values = arena.take<float>(widest);
    scratch.linear = arena.take<float>(widest);
    scratch.quantised = take_quantised(g.max_stored_columns);
  }
  i.quantised = take_quantised(3 * patches * g.view.patches.basis.stored_count());

  i.displacements = arena.take<float>(values);
  i.near = arena.take<NearCollider>(kMaxColliders);
  i.posed = arena.take<PosedCollider>(kMaxColliders);
  take_length_state(g.lengths, arena, i.lengths);
  take_in_between(r.vertices, arena, i.between);
  i.push.distances = arena.take<float>(r.vertices);
  i.push.gradients = arena.take<float>(3 * size_t{r.vertices});
  i.push.points = arena.take<float>(3 * size_t{r.vertices});
  i.push.vertices = arena.take<uint32_t>(r.vertices);
  if (!i.positions) return;

  // Before the first frame mesh and bones are at rest.
  std::copy_n(g.view.rest.data(), g.view.rest.size(), i.positions);
  std::fill_n(i.positions + g.view.rest.size(), values - g.view.rest.size(), 0.0f);
  std::copy_n(g.bone_rest, g.bones(), i.bones);
  std::fill_n(i.coefficients, coefficients, 0.0f);
  std::fill_n(i.pace.shown, i.pace.count, 0.0f);
  std::fill_n(i.inputs, inputs, 0.0f);
  std::fill_n(i.world_coefficients, world_coefficients, 0.0f);
  for (const InferScratch& scratch : i.infer)
    for (float* numbers : {scratch.inputs, scratch.values, scratch.linear})
      std::fill_n(numbers, widest, 0.0f);
  find_normals(g.normals, i.positions, i.normals);
}

}  // namespace billow
