// Gather, infer and expand where the cloth was learnt by patches.
#include <algorithm>

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

void put(V3 v, float* to) { to[0] = v.x, to[1] = v.y, to[2] = v.z; }

// What all patches say of their vertices, and where from.
void say(Instance& i, float scale) {
  const Garment& g = *i.garment;
  const asset::PatchesView& v = g.view.patches;
  const TiledBasis basis = v.tiled();
  const Transform& key = i.moved[g.view.record->key_joint];
  for (size_t p = 0; p < v.patches.size(); ++p) {
    PatchSaid& said = i.said[p];
    said.step = find_factors(
        v.basis, find_entries(i.coefficients + p * g.coefficients_stride(), v.record->components + 1),
        said.factors);
    const PatchFrame& f = i.frames[p];
    const auto turned = [&](V3 x) { return rotate(key.rotation, x) * scale; };
    const float step = basis.in_steps() ? said.step : 1.0f;
    put(turned(f.along) * step, said.along), put(turned(f.across) * step, said.across);
    put(turned(f.off) * step, said.off), put(turned(f.origin), said.origin);
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

// A few tiles of everybody, and so on: their rows of the basis are then still at hand.
void expand(std::span<Instance* const> instances, const FrameInput* inputs) {
  constexpr size_t kAtOnce = 8;
  const Garment& g = *instances[0]->garment;
  const size_t tiles = g.view.patches.tiles.size();
  for (size_t k = 0; k < instances.size(); ++k) say(*instances[k], inputs[k].scale);
  const TiledBasis basis = g.view.patches.tiled();
  const ExpandTiles expand_tiles = best_expand_tiles(basis);
  for (size_t first = 0; first < tiles; first += kAtOnce)
    for (const Instance* i : instances)
      expand_tiles(basis, first, std::min(kAtOnce, tiles - first), i->said,
                   i->moved[g.view.record->key_joint].position, i->positions);
}

}  // namespace billow::by_patches
