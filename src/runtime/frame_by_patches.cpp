// Gather, infer and expand where the cloth was learnt by patches.
#include "decode/expand_patches.h"
#include "runtime/frame_stages.h"

namespace billow::by_patches {
namespace {

// Against gravity, or where there is none, the world's.
V3 up_of(const Instance& i) { return unit_or(-i.chains->settings.rope.gravity, {0, 1, 0}); }

// What a patch goes by: the bones that it sees, from it and in its own directions, and which way is up. Each store writes a
// lane too many, which is the next one's first, or room behind the last.
void see(const PatchFrame& f, std::span<const int32_t> seen, const V3* places, V3 up, float* out) {
  const float columns[3][kLanes] = {{f.along.x, f.across.x, f.off.x, 0},
                                    {f.along.y, f.across.y, f.off.y, 0},
                                    {f.along.z, f.across.z, f.off.z, 0}};
  const F4 x = load(columns[0]), y = load(columns[1]), z = load(columns[2]);
  const auto turned = [&](V3 d) { return x * d.x + y * d.y + z * d.z; };
  for (const int32_t b : seen) {
    store(out, b < 0 ? zero() : turned(places[b] - f.origin));
    out += 3;
  }
  store(out, turned(up) * kUpWeight);
}

void expand_patch(Instance& i, size_t p, float scale) {
  const Garment& g = *i.garment;
  const asset::PatchesView& v = g.view.patches;
  const asset::PatchRecord& r = v.patches[p];
  if (r.vertices == 0) return;
  const Transform& key = i.moved[g.view.record->key_joint];
  const auto turned = [&](V3 x) { return rotate(key.rotation, x) * scale; };
  const PatchFrame& f = i.frames[p];
  PatchFrame in_world{turned(f.origin), turned(f.along), turned(f.across), turned(f.off)};
  const size_t first = size_t{kPanelRows} * r.first_group, groups = in_panels(r.vertices) / kPanelRows;
  const uint32_t* vertices = v.vertices.data() + first;
  const float* shares = v.shares.data() + first;
  const PackedMatrix basis = v.basis_of(p);
  const InferRoom& room = i.infer[0];
  const Entries c = find_entries(i.coefficients + p * g.coefficients_stride(), v.record->components + 1);
  if (basis.integers_only() && !basis.row_scales) {
    // Coordinates stay in steps, and the frame is by the step.
    const float step = find_factors(basis, c, room.factors);
    in_world.along = in_world.along * step, in_world.across = in_world.across * step;
    in_world.off = in_world.off * step;
    sum_integers(basis, room.factors, room.sums);
    add_patch(room.sums, vertices, shares, groups, in_world, i.cloth);
  } else {
    multiply(basis, c, room.factors, i.local);
    add_patch(i.local, vertices, shares, groups, in_world, i.cloth);
  }
}

}  // namespace

// Where bones are without the key joint's motion; how patches lie among them, and what they see.
void gather(Instance& i, float scale) {
  const Garment& g = *i.garment;
  place_bones(i, scale);
  const V3 up = rotate(inverse(i.moved[g.view.record->key_joint]).rotation, up_of(i));
  const asset::PatchesView& v = g.view.patches;
  for (size_t p = 0; p < v.patches.size(); ++p) {
    const asset::PatchRecord& r = v.patches[p];
    i.frames[p] = patch_frame(i.places[r.bone], i.places[r.above], i.places[r.below], i.places[r.left],
                              i.places[r.right]);
    see(i.frames[p], v.seen.subspan(p * v.record->seen, v.record->seen), i.places, up,
        i.inputs + p * g.inputs_stride());
  }
}

// All patches' networks. Coefficients are by the scales of the columns of the basis, the mean's for a 1 behind them.
void infer(std::span<Instance* const> instances) {
  const Garment& g = *instances[0]->garment;
  const asset::PatchesView& v = g.view.patches;
  const float* scales = v.numbers_of(0).basis_scale;
  InferItem items[kTogether];
  size_t count = 0;
  const auto ask = [&] {
    billow::infer(g.skinning, items, count, instances[0]->infer);
    for (size_t k = 0; k < count; ++k) {
      float* c = items[k].coefficients;
      const float* scale = scales + items[k].which * g.skinning.numbers;
      c[v.record->components] = 1;
      for (size_t j = 0; j < g.coefficients_stride(); j += kLanes)
        store(c + j, load(c + j) * load(scale + j));
    }
    count = 0;
  };
  for (size_t p = 0; p < v.patches.size(); ++p)
    for (const Instance* i : instances) {
      items[count++] = {p, i->inputs + p * g.inputs_stride(), i->coefficients + p * g.coefficients_stride(),
                        i->options.shape};
      if (count == kTogether) ask();
    }
  if (count > 0) ask();
}

// Patches one after another, so that every vertex has the sum of its patches in the same order.
void expand(std::span<Instance* const> instances, const FrameInput* inputs) {
  const Garment& g = *instances[0]->garment;
  for (const Instance* i : instances) clear_places(i->cloth, g.vertices());
  for (size_t p = 0; p < g.view.patches.patches.size(); ++p)
    for (size_t k = 0; k < instances.size(); ++k) expand_patch(*instances[k], p, inputs[k].scale);
  for (const Instance* i : instances)
    finish_places(i->cloth, g.vertices(), i->moved[g.view.record->key_joint].position, i->positions);
}

}  // namespace billow::by_patches
