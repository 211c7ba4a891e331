// The cloth as patches: what lies around each bone of a chain, seen from it. A patch turns with its bone's neighbours, so
// that what is learnt of a fold holds wherever the cloth swings; and it sees bones nearby only, so that what the rest of the
// cloth does cannot mislead it. Vertices between bones belong to several patches, each with a share.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decode/patch_frame.h"
#include "garment/garment.h"
#include "learn/mirror.h"

namespace billow::learn {

inline constexpr int32_t kNoBone = -1;

struct Patch {
  uint32_t bone = 0;
  uint32_t above = 0, below = 0, left = 0, right = 0;  // its neighbours, or itself where there is none
  std::vector<int32_t> input_bones;                    // bones around it, kNoBone beyond the cloth's edge
  std::vector<uint32_t> vertices;
  std::vector<float> shares;  // of each vertex; they add up to 1 over the patches
  // Patches on both sides of a garment are each other's mirror images, and what one learns, the other knows: they have one network. The
  // flipped one sees what the other would in a mirror: its left and right are swapped, and so is the order of the bones it sees.
  uint32_t network = 0;
  bool flipped = false;
};

struct PatchOptions {
  int chains = 2;     // seen on either side
  int bones = 4;      // seen up and down its own chain and those next to it
  int far_bones = 2;  // and chains further out, if that is fewer
  int sharing = 5;    // patches a vertex belongs to, at most
  // What a chain weighs against the one before it on the way out: what chains far apart do together in some clips is not to be
  // relied on in others.
  float far = 0.35f;
};

// Throws std::invalid_argument for what makes no sense.
void check(const PatchOptions& options);

// Without a mirror, each has a network of its own.
std::vector<Patch> lay_patches(const garment::Garment& garment, const PatchOptions& options = {},
                               const Mirror* mirror = nullptr);

// Where a patch is and how it is turned.
using billow::PatchFrame;
PatchFrame frame_of(const Patch& patch, std::span<const V3> bones);

// What each of its features weighs.
std::vector<float> feature_weights(const PatchOptions& options);

// What a patch goes by: the bones it sees, from it and in its own directions, and which way is up.
size_t feature_count(const Patch& patch);
void features(const Patch& patch, const PatchFrame& frame, std::span<const V3> bones, V3 up,
              std::span<float> out);

}  // namespace billow::learn
