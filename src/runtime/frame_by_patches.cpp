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

// One coordinate of what a patch says: of its components, then where it is, then how it is turned.
void say(const float* coefficients, uint32_t components, const float* scales, float along, float across,
         float off, float origin, float* out) {
  // What a group writes too much is written over by the next, and in the end by these.
  for (uint32_t k = 0; k < components; k += kLanes) {
    const float* c = coefficients + k;
    const F4 turned = load(c) * along + load(c + components) * across + load(c + 2 * components) * off;
    store(out + k, turned * load(scales + k));
  }
  const float rigid[] = {origin, along, across, off};
  for (uint32_t k = 0; k < kRigidColumns; ++k) out[components + k] = rigid[k] * scales[components + k];
}

// What all patches say, from the middle of where they are: so the largest of it is small, and so is its rounding.
PatchesSaid say(Instance& i, float scale) {
  const Garment& g = *i.garment;
  const asset::PatchesView& v = g.view.patches;
  const size_t count = v.patches.size();
  const Transform& key = i.moved[g.view.record->key_joint];
  const auto turned = [&](V3 x) { return rotate(key.rotation, x) * scale; };
  V3 least = i.frames[0].origin, most = least;
  for (size_t p = 1; p < count; ++p) {
    const V3 o = i.frames[p].origin;
    least = {std::min(least.x, o.x), std::min(least.y, o.y), std::min(least.z, o.z)};
    most = {std::max(most.x, o.x), std::max(most.y, o.y), std::max(most.z, o.z)};
  }
  const V3 middle = (least + most) * 0.5f;
  const float* scales = v.basis_scales_of(0);
  const size_t scales_stride = v.numbers_per_basis();
  const uint32_t columns = in_panels(v.record->basis_columns());
  for (size_t p = 0; p < count; ++p) {
    const PatchFrame& f = i.frames[p];
    const V3 along = turned(f.along), across = turned(f.across), off = turned(f.off),
             origin = turned(f.origin - middle);
    const float* c = i.coefficients + p * g.coefficients_stride();
    const float* s = scales + p * scales_stride;
    float* out = i.directions + p * g.directions_stride();
    say(c, v.record->components, s, along.x, across.x, off.x, origin.x, out);
    say(c, v.record->components, s, along.y, across.y, off.y, origin.y, out + columns);
    say(c, v.record->components, s, along.z, across.z, off.z, origin.z, out + 2 * columns);
  }
  const float step = find_said(g.patches, {i.directions, count * g.directions_stride()}, i.said);
  return {i.said, step, turned(middle), key.position};
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
                              i.places[r.right], r.flipped != 0);
    see(i.frames[p], v.seen.subspan(p * v.record->seen, v.record->seen), i.places, up,
        i.inputs + p * g.inputs_stride());
  }
}

// All patches' networks, one after another: two patches may have the same.
void infer(std::span<Instance* const> instances) {
  const Garment& g = *instances[0]->garment;
  InferItem items[kTogether];
  size_t count = 0;
  const auto ask = [&] {
    billow::infer(g.skinning, items, count, instances[0]->infer);
    count = 0;
  };
  const std::span<const asset::PatchRecord> patches = g.view.patches.patches;
  for (const uint32_t p : std::span(g.patch_order, patches.size()))
    for (const Instance* i : instances) {
      items[count++] = {patches[p].network, i->inputs + p * g.inputs_stride(),
                        i->coefficients + p * g.coefficients_stride(), i->options.shape};
      if (count == kTogether) ask();
    }
  if (count > 0) ask();
}

// A few tiles of everybody, and so on: their rows of the basis are then still at hand.
void expand(std::span<Instance* const> instances, const FrameInput* inputs) {
  constexpr size_t kAtOnce = 8;
  const Garment& g = *instances[0]->garment;
  const size_t tiles = g.view.patches.tiles.size();
  PatchesSaid said[kCrowd];
  for (size_t k = 0; k < instances.size(); ++k) said[k] = say(*instances[k], inputs[k].scale);
  const ExpandTiles expand_tiles = best_expand_tiles(g.patches);
  for (size_t first = 0; first < tiles; first += kAtOnce)
    for (size_t k = 0; k < instances.size(); ++k)
      expand_tiles(g.patches, first, std::min(kAtOnce, tiles - first), said[k], instances[k]->positions);
}

}  // namespace billow::by_patches
