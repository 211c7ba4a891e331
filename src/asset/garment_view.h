// A garment file in memory, validated from the first byte to the last: users of a view need no checks.
#pragma once

#include <span>
#include <string_view>

#include "asset/format.h"
#include "decode/expand_tiles.h"

namespace billow::asset {

struct NetworkView {
  const NetworkRecord* record = nullptr;
  std::span<const float> mean, scale;  // of the inputs
  std::span<const float> deviation;    // standard, of the outputs
  std::span<const float> bias[kMaxLayers];
  PackedMatrix layer[kMaxLayers];
  PackedMatrix linear;  // no rows: no linear path

  Mlp mlp() const;
};

// Parameters of one network of patches beside its matrices. Each array is padded to whole panels.
struct PatchParameters {
  const float *mean, *scale;  // of the inputs
  const float* linear_bias;
  const float* bias[kMaxLayers];
};

struct PatchesView {
  const PatchesRecord* record = nullptr;
  std::span<const PatchRecord> patches;
  std::span<const int32_t> input_bones;  // PatchesRecord::input_bones per patch; -1: beyond the cloth's edge
  std::span<const TileRecord> tiles;
  std::span<const uint32_t> blocks;   // the patch of each block, tile by tile
  std::span<const float> parameters;  // of the networks: PatchParameters
  std::span<const float> bases;  // per patch: deviations of its coefficients, scales of its basis columns
  PackedMatrix layer[kMaxLayers], linear;  // rows network by network
  // Rows block by block, one for each vertex of the tile. Columns: components times the root of the vertex's
  // weight, the weight, and the mean times that root, along, across and normal to the patch.
  PackedMatrix basis;

  uint32_t inputs() const { return 3 * (record->input_bones + 1); }
  size_t network_stride() const;  // floats per network in `parameters`
  PatchParameters parameters_of(size_t network) const;
  // Floats per patch in `bases`: deviations and scales, each padded to whole panels.
  size_t basis_stride() const {
    return size_t{round_up_to_panels(record->coefficients())} + round_up_to_panels(record->basis_columns());
  }
  const float* deviations_of(size_t patch) const { return bases.data() + patch * basis_stride(); }
  const float* basis_scales_of(size_t patch) const {
    return deviations_of(patch) + round_up_to_panels(record->coefficients());
  }
  // The networks of all patches, and their bases.
  Mlp mlp() const;
  TiledBasis tiled() const;
};

// Linear blend skinning, kBonesPerVertex entries per vertex. Bone indices are in bytes if a byte can hold all
// of them, else in 16-bit words. No weights: the garment has no skinning weights.
struct BlendView {
  std::span<const uint8_t> weights;
  std::span<const uint8_t> bones_in_bytes;
  std::span<const uint16_t> bones_in_words;
};

struct GarmentView {
  const GarmentRecord* record = nullptr;
  std::string_view text;
  std::span<const JointRecord> joints;
  std::span<const uint32_t> triangles;  // three vertices each
  std::span<const float> pattern_uvs;   // u v of each vertex, m; empty: no pattern
  std::span<const float> rest;          // x y z of each vertex
  std::span<const AttachmentRecord> attachments;
  std::span<const BoneRecord> bones;
  std::span<const uint32_t> chain_sizes;
  std::span<const ChainBoneRecord> chain_bones;
  std::span<const ChainClothRecord> chain_cloth;  // one per chain bone, or empty
  BlendView blend;
  std::span<const uint32_t> settings;  // words, in the order of api/settings_words.h; may be fewer
  std::span<const ColliderRecord> colliders;
  // The trained decoder: by patches, or of the whole cloth. The records of the other are null.
  PatchesView patches;
  NetworkView skinning, shape;  // shape may be missing: then its record is null
  // Vertex coordinates x (skinning coefficients, 1, shape coefficients, 1): the ones multiply the means.
  // Without a shape network its columns are missing.
  PackedMatrix basis;
  // Network from the displacements of all bones to what is added to the bones before they are used. Null
  // record: none.
  NetworkView correction;
  NetworkView force;          // of the chains (runtime/learnt_force.h). Null record: none
  std::string_view training;  // JSON
  std::span<const Section> sections;

  std::string_view text_of(Text t) const { return text.substr(t.offset, t.length); }
  std::string_view bytes_of(const Section& s) const {
    return file.substr(static_cast<size_t>(s.offset), static_cast<size_t>(s.size));
  }
  std::string_view file;
};

// Error message: where, what was expected and what was found.
struct Problem {
  char text[256] = "";
};

// Validates the file at `bytes`, aligned to kAlignment, and fills `view` with pointers into it. Safe for
// arbitrary bytes: returns false and a problem if they are not a valid garment file. With `checksums` false,
// checksums are not verified; everything else is.
bool read_garment(const void* bytes, size_t size, GarmentView& view, Problem& problem, bool checksums = true);

// Checks that each vertex is in exactly one tile. Apart from read_garment(), as it needs scratch: `counts`
// has vertices + 1 entries. True if there are no patches.
bool check_tiles(const GarmentView& view, uint32_t* counts, Problem& problem);

}  // namespace billow::asset
