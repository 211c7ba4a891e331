// Splits the cloth into patches, one around each bone of a chain, each with a local frame and local inputs. The frame follows
// the bone's neighbours, so that a learnt fold is invariant to how the cloth swings. Inputs are nearby bones only, so that
// distant parts of the cloth cannot cause errors. Patches overlap: the shares of a vertex in its patches are a partition of unity.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "decode/patch_frame.h"
#include "garment/garment.h"

namespace billow::learn {

// Left-right symmetry of a garment in x: a mirrored frame is another training sample.
struct Mirror {
  std::vector<uint32_t> vertices, bones;  // index of each one's mirror image
};

inline V3 mirrored(V3 v) { return {-v.x, v.y, v.z}; }

// None where the garment as modelled is asymmetric by more than a millimetre anywhere.
std::optional<Mirror> find_mirror(const garment::Garment& garment);

inline constexpr int32_t kNoBone = -1;

struct Patch {
  uint32_t bone = 0;
  uint32_t above = 0, below = 0, left = 0, right = 0;  // neighbours; the bone itself where there is none
  std::vector<int32_t> input_bones;                    // bones around it; kNoBone beyond the cloth's border
  std::vector<uint32_t> vertices;
  std::vector<float> shares;  // weight of each vertex; the weights of a vertex over all patches add up to 1
  // A patch and its mirror image have one network. The flipped one evaluates it on mirrored inputs: its left and right
  // neighbours are swapped, and its input bones are in mirrored order.
  uint32_t network = 0;
  bool flipped = false;
};

struct PatchOptions {
  int chains = 2;              // input chains on either side
  int bones = 4;               // input bones up and down the patch's own chain and the adjacent ones
  int far_bones = 2;           // the same for chains further out, if that is fewer
  int patches_per_vertex = 5;  // at most
  // Feature weight of a chain relative to the next nearer one. Correlations between distant chains do not generalise to
  // other clips.
  float far_weight = 0.35f;
};

// Throws std::invalid_argument for options out of range.
void check(const PatchOptions& options);

// Without a mirror, each patch has a network of its own.
std::vector<Patch> make_patches(const garment::Garment& garment, const PatchOptions& options = {},
                                const Mirror* mirror = nullptr);

using billow::PatchFrame;
PatchFrame frame_of(const Patch& patch, std::span<const V3> bones);

// Prior weight of each feature for ridge regression.
std::vector<float> feature_weights(const PatchOptions& options);

// Network inputs of a patch: positions of its input bones and the up direction, in the patch's frame.
size_t feature_count(const Patch& patch);
void features(const Patch& patch, const PatchFrame& frame, std::span<const V3> bones, V3 up,
              std::span<float> out);

}  // namespace billow::learn
