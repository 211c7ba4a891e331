#include <algorithm>

#include "runtime/instance.h"

namespace billow {

void build(Instance& i, Arena& arena) {
  const Garment& g = *i.garment;
  const asset::GarmentRecord& r = *g.view.record;
  // Kernels work on whole groups of lanes and panels.
  const size_t values = 3 * (size_t{r.vertices} + kPanelRows);
  i.positions = arena.take<float>(values);
  i.normals = arena.take<float>(values);
  const bool by_patches = g.view.patches.record != nullptr;
  const size_t patches = g.view.patches.patches.size();
  const size_t coefficients =
      by_patches ? patches * g.coefficients_stride() : in_panels(g.view.basis.columns);
  const size_t inputs = by_patches ? patches * g.inputs_stride() : 3 * size_t{r.bones};
  i.coefficients = arena.take<float>(coefficients);
  i.moved = arena.take<Transform>(r.joints);
  i.pins = arena.take<V3>(r.attachments);
  i.roots = arena.take<Transform>(r.chains);
  i.bones = arena.take<V3>(r.bones);
  i.bone_values = arena.take<float>(g.correction.inputs);
  i.bone_correction = arena.take<float>(g.correction.outputs);
  i.places = arena.take<V3>(by_patches || g.has_blend() ? r.bones : 0);
  i.bone_motions = arena.take<Transform>(g.has_blend() ? r.bones : 0);
  i.blend_matrices = arena.take<BlendMatrix>(g.has_blend() ? r.bones : 0);
  i.frames = arena.take<PatchFrame>(patches);
  const size_t directions = by_patches ? patches * g.directions_stride() : 0;
  i.directions = arena.take<float>(directions);

  i.inputs = arena.take<float>(inputs);
  const size_t widest = g.widest_layer + kPanelRows;
  const auto take_factors = [&](size_t count) {
    Factors f;
    f.scaled = arena.take<float>(count);
    f.steps = arena.take<int16_t>(count);
    f.bytes = arena.take<int8_t>(2 * count);
    return f;
  };
  for (InferRoom& room : i.infer) {
    room.inputs = arena.take<float>(widest);
    room.values = arena.take<float>(widest);
    room.linear = arena.take<float>(widest);
    room.factors = take_factors(g.most_stored);
  }
  i.said = take_factors(3 * patches * g.view.patches.basis.stored_count());

  i.cloth = arena.take<float>(values);
  i.posed = arena.take<PosedCollider>(kMaxColliders);
  i.push.distances = arena.take<float>(r.vertices);
  i.push.gradients = arena.take<float>(3 * size_t{r.vertices});
  i.push.points = arena.take<float>(3 * size_t{r.vertices});
  i.push.vertices = arena.take<uint32_t>(r.vertices);
  if (!i.positions) return;

  // Before the first frame it is as at rest.
  std::copy_n(g.view.rest.data(), g.view.rest.size(), i.positions);
  std::fill_n(i.positions + g.view.rest.size(), values - g.view.rest.size(), 0.0f);
  std::fill_n(i.coefficients, coefficients, 0.0f);
  std::fill_n(i.inputs, inputs, 0.0f);
  std::fill_n(i.directions, directions, 0.0f);
  for (const InferRoom& room : i.infer)
    for (float* numbers : {room.inputs, room.values, room.linear}) std::fill_n(numbers, widest, 0.0f);
  find_normals(g.normals, i.positions, i.normals);
}

}  // namespace billow
