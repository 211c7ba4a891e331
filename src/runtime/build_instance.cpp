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
  i.coefficients = arena.take<float>(g.coefficients());
  i.moved = arena.take<Transform>(r.joints);
  i.pins = arena.take<V3>(r.attachments);
  i.roots = arena.take<Transform>(r.chains);
  i.bones = arena.take<V3>(r.bones);
  i.displacements = arena.take<float>(3 * size_t{r.bones});

  const size_t widest = std::max(g.skinning.widest(), g.shape.widest()) + kPanelRows;
  const size_t stored =
      std::max({g.skinning.most_stored(), g.shape.most_stored(), g.view.basis.stored_count()}) +
      Factors::kSpare;
  i.infer.inputs = arena.take<float>(widest);
  i.infer.before = arena.take<float>(widest);
  i.infer.after = arena.take<float>(widest);
  i.infer.factors.scaled = arena.take<float>(stored);
  i.infer.factors.steps = arena.take<int16_t>(stored);
  i.infer.factors.high = arena.take<int8_t>(stored);
  i.infer.factors.low = arena.take<int8_t>(stored);

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
  std::fill_n(i.coefficients, g.coefficients(), 0.0f);
  std::fill_n(i.infer.factors.high, stored, int8_t{0});
  std::fill_n(i.infer.factors.low, stored, int8_t{0});
  find_normals(g.normals, i.positions, i.normals);
}

}  // namespace billow
