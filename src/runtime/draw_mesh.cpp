// Frames of patches, and edges of the mesh coloured by their strain.
#include <algorithm>

#include "decode/point_pairs.h"
#include "runtime/debug_draw.h"

namespace billow {
namespace {

constexpr uint32_t kRed = 0xff4040ff, kGreen = 0x40ff40ff, kBlue = 0x4060ffff;
constexpr float kAxisLength = 0.03f;  // m at scale 1

void draw_patches(const Instance& i, const Pen& pen) {
  const float size = kAxisLength * i.chains->settings.scale;
  for (const asset::PatchRecord& r : i.garment->view.patches.patches) {
    const V3* const b = i.bones;
    const PatchFrame f =
        patch_frame(b[r.bone], b[r.above], b[r.below], b[r.left], b[r.right], r.flipped != 0);
    pen.line(f.origin, f.origin + f.along * size, kRed);
    pen.line(f.origin, f.origin + f.across * size, kGreen);
    pen.line(f.origin, f.origin + f.normal * size, kBlue);
  }
}

// Green at no strain, through to red where it is longer and to blue where it is shorter.
uint32_t colour_of(float strain) {
  constexpr float kFull = 0.1f;
  const float share = strain > -kFull ? std::min(strain / kFull, 1.0f) : -1.0f;
  const auto byte = [](float part) { return static_cast<uint32_t>(255 * part + 0.5f); };
  const float red = std::max(share, 0.0f), blue = std::max(-share, 0.0f);
  return byte(red) << 24 | byte(1 - red - blue) << 16 | byte(blue) << 8 | 0xffu;
}

// The edges that the stage "lengths" keeps, once each: all but those between attached vertices.
void draw_strain(const Instance& i, const Pen& pen) {
  const LengthLevels& levels = i.garment->lengths;
  if (levels.count == 0) return;
  const float scale = i.chains->settings.scale;
  const LengthPairs& pairs = levels.level[0].pairs;
  const auto vertex = [&](uint32_t v) {
    const float* p = i.positions + 3 * size_t{v};
    return V3{p[0], p[1], p[2]};
  };
  for (size_t k = 0; k < kPairGroup * size_t{pairs.groups}; ++k) {
    const size_t group = k / kPairGroup, lane = k % kPairGroup;
    const uint32_t* ends = pairs.ends + 2 * kPairGroup * group + lane;
    const float* bounds = pairs.bounds + 3 * kPairGroup * group + lane;
    const float longest = bounds[0], shortest = bounds[kPairGroup];
    // Padding has no length. Pairs that may become shorter are hinges.
    if (!(longest > 0) || shortest < longest) continue;
    const V3 a = vertex(ends[0] / kPointBytes), b = vertex(ends[kPairGroup] / kPointBytes);
    pen.line(a, b, colour_of(length(b - a) / (longest * scale) - 1));
  }
}

}  // namespace

void draw_mesh(const Instance& i, uint32_t what, const Pen& pen) {
  if (!i.chains->started) return;
  if (what & BILLOW_DEBUG_PATCHES) draw_patches(i, pen);
  if (what & BILLOW_DEBUG_STRAIN) draw_strain(i, pen);
}

}  // namespace billow
