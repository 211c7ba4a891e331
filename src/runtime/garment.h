// A garment as instances use it: a view of the file, and what is precomputed from it.
#pragma once

#include "asset/garment_view.h"
#include "core/arena.h"
#include "core/vec.h"
#include "decode/bone_motion.h"
#include "decode/length_levels.h"
#include "decode/normals.h"
#include "decode/tangents.h"

namespace billow {

// A bone is embedded in the mesh by barycentric weights: the attached one of its vertices, and its weight.
struct AttachmentShare {
  uint32_t attachment;
  float share;
};

struct Garment {
  asset::GarmentView view;
  // The networks of all patches, or skinning and shape of the whole cloth. A network without outputs is absent.
  Mlp skinning, shape;
  Mlp correction, force;
  TiledBasis patches;               // empty for the whole cloth
  uint32_t* patch_order = nullptr;  // sorted by network
  Transform* joint_rest_inverse = nullptr;
  V3* bone_rest = nullptr;
  uint32_t* attachment_first = nullptr;  // into attachment_shares, per bone; one entry more than bones
  AttachmentShare* attachment_shares = nullptr;
  V3* attachment_offset = nullptr;  // at rest, from the mean of a bone's attachments to the bone
  uint32_t* chainless = nullptr;    // bones that are in no chain
  size_t chainless_count = 0;
  // For linear blend skinning: how rotations of bones follow from their positions.
  uint32_t* chained_bones = nullptr;
  BoneAxes* bone_axes = nullptr;
  BoneFollower* bone_followers = nullptr;
  size_t bone_follower_count = 0;
  NormalPolygons normals;
  TangentRows tangents;          // empty for a garment without a pattern
  uint32_t* clusters = nullptr;  // find_clusters
  LengthLevels lengths;
  uint32_t* attached = nullptr;  // vertices
  float bone_reach = 0;          // find_bone_reach
  // Maxima over all networks and bases, for scratch memory.
  uint32_t widest_layer = 0, max_stored_columns = 0;

  uint32_t vertices() const { return view.record->vertices; }
  uint32_t bones() const { return view.record->bones; }
  bool has_blend() const { return !view.blend.weights.empty(); }
  // Whole cloth: index of the first shape coefficient; the factor of the skinning mean is before it.
  uint32_t shape_at() const { return skinning.outputs + 1; }
  // Patches: stride between the inputs of two patches.
  size_t inputs_stride() const { return round_up_to_panels(view.patches.inputs() + 1); }
  // Padded: SIMD loads start at any coefficient.
  size_t coefficients_stride() const {
    return round_up_to_panels(view.patches.record->coefficients() + kLanes);
  }
  size_t world_coefficients_stride() const {
    return 3 * size_t{round_up_to_panels(view.patches.record->basis_columns())};
  }
};

// Two passes over one function: measure with a null arena, then build in memory. `view`, `normals.more_count`,
// `tangents.count` and `lengths`, in memory of its own, have to be set.
void build(Garment& garment, const NormalScratch& scratch, Arena& arena);

// The first chain whose root lies on no attachment, or -1.
int chain_without_attachment(const Garment& garment);

}  // namespace billow
