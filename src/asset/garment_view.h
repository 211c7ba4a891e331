// A garment file in memory, checked from the first byte to the last: whoever has a view need check nothing again.
#pragma once

#include <span>
#include <string_view>

#include "asset/format.h"
#include "decode/expand_tiles.h"

namespace billow::asset {

struct NetworkView {
  const NetworkRecord* record = nullptr;
  std::span<const float> mean, scale;  // of the inputs
  std::span<const float> deviation;    // of the outputs
  std::span<const float> bias[kMaxLayers];
  PackedMatrix layer[kMaxLayers];
  PackedMatrix linear;  // no rows: none

  Mlp mlp() const;
};

// Floats of one network of patches: each points to as many as the file rounds up to.
struct PatchNumbers {
  const float *mean, *scale;  // of the inputs
  const float* linear_bias;
  const float* bias[kMaxLayers];
};

struct PatchesView {
  const PatchesRecord* record = nullptr;
  std::span<const PatchRecord> patches;
  std::span<const int32_t> input_bones;  // PatchesRecord::seen for each patch; -1: beyond the cloth's edge
  std::span<const TileRecord> tiles;
  std::span<const uint32_t> blocks;        // the patch of each, in a tile one after another
  std::span<const float> numbers;          // of networks
  std::span<const float> bases;            // of each patch deviations and scales
  PackedMatrix layer[kMaxLayers], linear;  // rows network after network
  // Rows block after block, one for each of the tile's vertices: components times the root of the share, the share, and the mean times
  // that root, along, across and off the patch.
  PackedMatrix basis;

  uint32_t inputs() const { return 3 * (record->input_bones + 1); }
  size_t numbers_per_network() const;
  PatchNumbers numbers_of(size_t network) const;
  // Of a patch's coefficients, and of the columns of its basis: as many as the file rounds up to.
  size_t numbers_per_basis() const {
    return size_t{round_up_to_panels(record->coefficients())} + round_up_to_panels(record->basis_columns());
  }
  const float* deviations_of(size_t patch) const { return bases.data() + patch * numbers_per_basis(); }
  const float* basis_scales_of(size_t patch) const {
    return deviations_of(patch) + round_up_to_panels(record->coefficients());
  }
  // The networks of all patches, and their bases.
  Mlp mlp() const;
  TiledBasis tiled() const;
};

// For linear blend skinning, kBonesPerVertex a vertex: bones in bytes where a byte can name them all, else in words. No weights: there
// is none of it.
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
  std::span<const ChainClothRecord> chain_cloth;  // one a chain bone, or none at all
  BlendView blend;
  std::span<const uint32_t> settings;  // words, in the order of api/settings_words.h; perhaps not all
  std::span<const ColliderRecord> colliders;
  // What was learnt: by patches, or for the whole cloth. The other form has no records.
  PatchesView patches;
  NetworkView skinning, shape;  // shape: no record where there is none
  // Values of the cloth x (coefficients of skinning, 1, coefficients of shape, 1): the ones stand for the means. Without
  // shape its last part is missing.
  PackedMatrix basis;
  // Values of the bones x (displacements of all bones, 1): what is added to them before anything else is made of them. No rows: nothing.
  NetworkView correction;
  std::string_view training;  // JSON
  std::span<const Section> sections;

  std::string_view text_of(Text t) const { return text.substr(t.offset, t.length); }
  std::string_view bytes_of(const Section& s) const {
    return file.substr(static_cast<size_t>(s.offset), static_cast<size_t>(s.size));
  }
  std::string_view file;
};

// What was expected and found, and where.
struct Problem {
  char text[256] = "";
};

// Checks the file at `bytes`, aligned to kAlignment, and fills `view` with pointers into it. Bytes of any kind are fine: false
// and a problem for those that are no sound garment file. `checksums` false trusts that nothing was damaged; all else
// is checked still.
bool read_garment(const void* bytes, size_t size, GarmentView& view, Problem& problem, bool checksums = true);

// The one thing that needs room to be checked: that each vertex is in one tile. `counts`: one a vertex and one more. True where there are no
// patches.
bool check_tiles(const GarmentView& view, uint32_t* counts, Problem& problem);

}  // namespace billow::asset
