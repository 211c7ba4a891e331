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

}  // namespace

// Where bones are without the key joint's motion; how patches lie among them, and what they see.
void gather(Instance& i, float scale) {
  const Garment& g = *i.garment;
  const Transform& key = i.moved[g.view.record->key_joint];
  const Transform back = inverse(key);
  const float shrink = 1.0f / scale;
  for (uint32_t b = 0; b < g.bones(); ++b) i.places[b] = apply(back, i.bones[b]) * shrink;
  const V3 up = rotate(back.rotation, up_of(i));
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
void infer(Instance& i) {
  const Garment& g = *i.garment;
  const asset::PatchesView& v = g.view.patches;
  const float* scale = v.numbers_of(0).basis_scale;
  for (size_t p = 0; p < v.patches.size(); ++p, scale += g.skinning.numbers) {
    float* c = i.coefficients + p * g.coefficients_stride();
    billow::infer(g.skinning, p, i.inputs + p * g.inputs_stride(), i.infer, c, i.options.shape);
    c[v.record->components] = 1;
    for (size_t k = 0; k < g.coefficients_stride(); k += kLanes) store(c + k, load(c + k) * load(scale + k));
  }
}

// Patches one after another, so that every vertex has the sum of its patches in the same order.
void expand(Instance& i, float scale) {
  const Garment& g = *i.garment;
  const asset::PatchesView& v = g.view.patches;
  const Transform& key = i.moved[g.view.record->key_joint];
  const auto turned = [&](V3 x) { return rotate(key.rotation, x) * scale; };
  clear_places(i.cloth, g.vertices());
  for (size_t p = 0; p < v.patches.size(); ++p) {
    const asset::PatchRecord& r = v.patches[p];
    if (r.vertices == 0) continue;
    const Entries c = find_entries(i.coefficients + p * g.coefficients_stride(), v.record->components + 1);
    multiply(v.basis_of(p), c, i.infer.factors, i.local);
    const PatchFrame& f = i.frames[p];
    const PatchFrame in_world{turned(f.origin), turned(f.along), turned(f.across), turned(f.off)};
    const size_t first = size_t{kPanelRows} * r.first_group;
    add_patch(i.local, v.vertices.data() + first, v.shares.data() + first, in_panels(r.vertices) / kPanelRows,
              in_world, i.cloth);
  }
  finish_places(i.cloth, g.vertices(), key.position, i.positions);
}

}  // namespace billow::by_patches
