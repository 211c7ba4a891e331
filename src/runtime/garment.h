// A garment as instances use it: the file, and what follows from it once and for all.
#pragma once

#include "asset/garment_view.h"
#include "core/arena.h"
#include "core/vec.h"
#include "decode/bone_motion.h"
#include "decode/normals.h"
#include "decode/tangents.h"

namespace billow {

// A bone lies on attachments, with a share of each.
struct AttachmentShare {
  uint32_t attachment;
  float share;
};

struct Garment {
  asset::GarmentView view;
  Mlp skinning,
      shape;  // of the whole cloth, shape without outputs where there is none; or skinning of all patches
  Mlp correction;                   // of bones; without outputs where there is none
  TiledBasis patches;               // no tiles for the whole cloth
  uint32_t* patch_order = nullptr;  // by their networks
  Transform* joint_rest_inverse = nullptr;
  V3* bone_rest = nullptr;
  uint32_t* attachment_first = nullptr;  // one more than bones
  AttachmentShare* attachment_shares = nullptr;
  V3* attachment_offset =
      nullptr;  // of bones that lie on attachments: from the mean of these to the bone, at rest
  uint32_t* chainless = nullptr;  // bones that are in no chain
  size_t chainless_count = 0;
  // Where there are weights for linear blend skinning: how bones turn, one each of the chains' bones, and the others.
  uint32_t* chained_bones = nullptr;
  BoneAxes* bone_axes = nullptr;
  BoneFollower* bone_followers = nullptr;
  size_t bone_follower_count = 0;
  NormalPolygons normals;
  TangentRows tangents;          // no neighbours where the garment has no pattern
  uint32_t* clusters = nullptr;  // find_clusters
  // The largest of all networks and bases.
  uint32_t widest_layer = 0, most_stored = 0;

  uint32_t vertices() const { return view.record->vertices; }
  uint32_t bones() const { return view.record->bones; }
  bool has_blend() const { return !view.blend.weights.empty(); }
  // The whole cloth: of the vector that the basis is multiplied by.
  uint32_t shape_at() const { return skinning.outputs + 1; }
  // Patches: from the numbers of one to those of the next.
  size_t inputs_stride() const { return round_up_to_panels(view.patches.inputs() + 1); }
  // Whole groups of lanes are read from anywhere in them.
  size_t coefficients_stride() const {
    return round_up_to_panels(view.patches.record->coefficients() + kLanes);
  }
  size_t world_coefficients_stride() const {
    return 3 * size_t{round_up_to_panels(view.patches.record->basis_columns())};
  }
};

// Two passes over one function: measure with a null arena, then build in memory. `view`, `normals.more_count` and
// `tangents.count` have to be there.
void build(Garment& garment, const NormalScratch& scratch, Arena& arena);

// A chain whose root lies on no attachment, or -1.
int chain_without_attachment(const Garment& garment);

}  // namespace billow
