// The decoder of patches. A patch lies round one bone, in a frame that the bones beside it span; its network maps its input bones in that
// frame to coefficients of its basis; a vertex is the weighted sum of the patches that it belongs to.
#include <algorithm>
#include <cmath>

#include "runtime/frame.h"

namespace billow {
namespace {

// The direction against gravity; +y where there is none.
V3 up_of(const Instance& i) { return unit_or(-i.chains->settings.rope.gravity, {0, 1, 0}); }

// Inputs of a patch's network: its input bones and the up direction, in its frame. Each store writes a fourth lane, which the next
// store overwrites; behind the last there is padding.
void gather_inputs(const PatchFrame& f, std::span<const int32_t> input_bones, const V3* bones, V3 up,
                   float* out) {
  const float columns[3][kLanes] = {{f.along.x, f.across.x, f.normal.x, 0},
                                    {f.along.y, f.across.y, f.normal.y, 0},
                                    {f.along.z, f.across.z, f.normal.z, 0}};
  const F4 x = load(columns[0]), y = load(columns[1]), z = load(columns[2]);
  const auto to_local = [&](V3 d) { return x * d.x + y * d.y + z * d.z; };
  for (const int32_t b : input_bones) {
    store(out, b < 0 ? zero() : to_local(bones[b] - f.origin));
    out += 3;
  }
  store(out, to_local(up) * kUpWeight);
}

void gather(Instance& i, const FrameInput& in) {
  const Garment& g = *i.garment;
  to_key_joint(i, in.scale, i.local_bones);
  const V3 up = rotate(inverse(i.joint_motions[g.view.record->key_joint]).rotation, up_of(i));
  const asset::PatchesView& v = g.view.patches;
  const V3* const bones = i.local_bones;
  for (size_t p = 0; p < v.patches.size(); ++p) {
    const asset::PatchRecord& r = v.patches[p];
    i.patch_frames[p] = patch_frame(bones[r.bone], bones[r.above], bones[r.below], bones[r.left],
                                    bones[r.right], r.flipped != 0);
    gather_inputs(i.patch_frames[p], v.input_bones.subspan(p * v.record->input_bones, v.record->input_bones),
                  bones, up, i.inputs + p * g.inputs_stride());
  }
}

// The networks of all patches, kInferBatch at a time, ordered by network: mirrored patches share one.
void infer(const Batch& batch) {
  const Garment& g = *batch.instances[0]->garment;
  InferItem items[kInferBatch];
  size_t count = 0;
  const auto flush = [&] {
    billow::infer(g.skinning, items, count, batch.instances[0]->infer);
    count = 0;
  };
  const std::span<const asset::PatchRecord> patches = g.view.patches.patches;
  for (const uint32_t p : std::span(g.patch_order, patches.size()))
    for (const Instance* i : batch.instances) {
      items[count++] = {patches[p].network, i->inputs + p * g.inputs_stride(),
                        i->coefficients + p * g.coefficients_stride(), i->options.shape};
      if (count == kInferBatch) flush();
    }
  if (count > 0) flush();
}

// How fast a patch moves its vertices beside its bones, at most: the largest of each basis column, as if uncorrelated.
constexpr float kPace = 0.5f;  // m/s at scale 1
// m: less is made at once, even where no time passes, as in the frame in which chains fall asleep.
constexpr float kSmallStep = 2e-4f;

// One world coordinate of a patch's coefficients, scaled by columns: components, then origin and axes of its frame. The last group of
// components writes past its end, where the rigid columns follow.
void rotate_coefficients(const float* coefficients, uint32_t components, const float* scales, float along,
                         float across, float normal, float origin, float* out) {
  for (uint32_t k = 0; k < components; k += kLanes) {
    const float* c = coefficients + k;
    const F4 rotated = load(c) * along + load(c + components) * across + load(c + 2 * components) * normal;
    store(out + k, rotated * load(scales + k));
  }
  const float rigid[] = {origin, along, across, normal};
  for (uint32_t k = 0; k < kRigidColumns; ++k) out[components + k] = rigid[k] * scales[components + k];
}

V3 middle_of(std::span<const PatchFrame> frames) {
  V3 low = frames[0].origin, high = low;
  for (const PatchFrame& f : frames) {
    low = {std::min(low.x, f.origin.x), std::min(low.y, f.origin.y), std::min(low.z, f.origin.z)};
    high = {std::max(high.x, f.origin.x), std::max(high.y, f.origin.y), std::max(high.z, f.origin.z)};
  }
  return (low + high) * 0.5f;
}

// Coefficients of all patches in world space, quantised with one scale. Origins are relative to the patches' middle: a smaller range
// quantises more finely.
QuantisedCoefficients world_coefficients(Instance& i, float scale) {
  const Garment& g = *i.garment;
  const asset::PatchesView& v = g.view.patches;
  const size_t count = v.patches.size();
  const Transform& key = i.joint_motions[g.view.record->key_joint];
  const auto to_world = [&](V3 x) { return rotate(key.rotation, x) * scale; };
  const V3 middle = middle_of({i.patch_frames, count});
  const uint32_t columns = round_up_to_panels(v.record->basis_columns()), components = v.record->components;
  for (size_t p = 0; p < count; ++p) {
    const PatchFrame& f = i.patch_frames[p];
    const V3 along = to_world(f.along), across = to_world(f.across), normal = to_world(f.normal),
             origin = to_world(f.origin - middle);
    const float* c = i.coefficients + p * g.coefficients_stride();
    const float* s = v.basis_scales_of(0) + p * v.basis_stride();
    float* out = i.world_coefficients + p * g.world_coefficients_stride();
    rotate_coefficients(c, components, s, along.x, across.x, normal.x, origin.x, out);
    rotate_coefficients(c, components, s, along.y, across.y, normal.y, origin.y, out + columns);
    rotate_coefficients(c, components, s, along.z, across.z, normal.z, origin.z, out + 2 * columns);
  }
  const float q_scale = quantise_coefficients(
      g.patches, {i.world_coefficients, count * g.world_coefficients_stride()}, i.quantised);
  return {i.quantised, q_scale, to_world(middle), key.position};
}

// A few tiles of every character in turn, so that their rows of the basis are still in cache.
void expand(const Batch& batch) {
  constexpr size_t kTiles = 8;
  const Garment& g = *batch.instances[0]->garment;
  const size_t tiles = g.view.patches.tiles.size();
  QuantisedCoefficients coefficients[kCrowd];
  for (size_t k = 0; k < batch.size(); ++k)
    coefficients[k] = world_coefficients(*batch.instances[k], batch.inputs[k].scale);
  const ExpandTiles expand_tiles = best_expand_tiles(g.patches);
  for (size_t first = 0; first < tiles; first += kTiles)
    for (size_t k = 0; k < batch.size(); ++k)
      expand_tiles(g.patches, first, std::min(kTiles, tiles - first), coefficients[k],
                   batch.instances[k]->positions);
}

}  // namespace

void keep_pace(Instance& i, float dt) {
  const asset::PatchesView& v = i.garment->view.patches;
  const uint32_t components = v.record->components, count = v.record->coefficients();
  const float most = kPace * dt;
  for (size_t p = 0; p < v.patches.size(); ++p) {
    float *wanted = i.coefficients + p * i.garment->coefficients_stride(), *shown = i.pace.shown + p * count;
    const float* largest = v.basis_scales_of(p);
    V3 squares{0, 0, 0};
    for (uint32_t k = 0; k < components; ++k) {
      const auto change = [&](uint32_t c) { return (wanted[c] - shown[c]) * largest[k]; };
      const V3 by{change(k), change(k + components), change(k + 2 * components)};
      squares = squares + V3{by.x * by.x, by.y * by.y, by.z * by.z};
    }
    const float change = std::sqrt(squares.x + squares.y + squares.z);
    if (change > std::max(most, kSmallStep) && !i.pace.fresh) {
      const float share = most / change;
      for (uint32_t c = 0; c < count; ++c) wanted[c] = shown[c] + (wanted[c] - shown[c]) * share;
    }
    std::copy_n(wanted, count, shown);
  }
  i.pace.fresh = 0;
}

const Decoder patch_decoder{gather, infer, expand};

}  // namespace billow
