// The garment file, version 6: its records, laid out as in the file. docs/formats.md describes every byte.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "decode/blend_weights.h"
#include "decode/tile.h"
#include "net/infer.h"

namespace billow::asset {

static_assert(std::endian::native == std::endian::little, "garment files are used in place");

inline constexpr char kMagic[8] = {'b', 'i', 'l', 'l', 'o', 'w', '\x1a', '\n'};
inline constexpr uint32_t kVersion = 6;
inline constexpr size_t kAlignment = 64;

// Limits of what a reader accepts: far beyond any garment, and small enough that no size overflows.
inline constexpr uint32_t kMaxSections = 256;
inline constexpr uint32_t kMaxVertices = 1u << 20;
inline constexpr uint32_t kMaxTriangles = 1u << 22;
inline constexpr uint32_t kMaxJoints = 4096;
inline constexpr uint32_t kMaxBones = 1u << 16;
inline constexpr uint32_t kMaxChains = 4096;
inline constexpr uint32_t kForceInputs = 64;  // of the network in section "force"
inline constexpr uint32_t kMaxBonesPerChain = 256;
inline constexpr uint32_t kMaxColliders = 128;
inline constexpr uint32_t kMaxUnits = 4096;        // of a layer
inline constexpr uint32_t kMaxComponents = 4096;   // of a basis
inline constexpr uint32_t kMaxColumns = 1u << 18;  // of a matrix; also stored columns
inline constexpr uint32_t kMaxInputBones = 1024;   // of a patch
inline constexpr uint32_t kMaxBlocks = 1u << 22;   // of all tiles together
inline constexpr uint32_t kMaxText = 255;          // bytes of a name
inline constexpr float kMaxMagnitude = 1e9f;       // of any float in the file

struct Header {
  char magic[8];
  uint32_t version;
  uint32_t section_count;
  uint64_t file_size;
  uint64_t checksum;  // of header and section table, with this field 0
  uint8_t reserved[32];
};
static_assert(sizeof(Header) == 64);

struct Section {
  char name[32];  // padded with zeros
  uint64_t offset, size;
  uint64_t checksum;
  uint8_t reserved[8];
};
static_assert(sizeof(Section) == 64);

// A string in the section "text".
struct Text {
  uint32_t offset, length;
};

// Section "garment".
struct GarmentRecord {
  Text name, material;
  uint32_t vertices, triangles, attachments, bones, chains, chain_bones, joints, colliders;
  uint32_t key_joint;
  uint32_t closed;                                 // 1: the last chain is a neighbour of the first
  uint32_t skinning_components, shape_components;  // skinning 0: the cloth is decoded by patches
};
static_assert(sizeof(GarmentRecord) == 64);

// Section "joints".
struct JointRecord {
  Text name;
  int32_t parent;                  // an earlier joint, or -1
  float position[3], rotation[4];  // at rest, relative to the parent
};
static_assert(sizeof(JointRecord) == 40);

// Section "attachments".
struct AttachmentRecord {
  uint32_t vertex;
  uint32_t joints[4];
  float weights[4];
  float rest[3];
};
static_assert(sizeof(AttachmentRecord) == 48);

// Section "bones".
struct BoneRecord {
  uint32_t vertices[3];
  float weights[3];
};
static_assert(sizeof(BoneRecord) == 24);

// Section "chain_bones", chain by chain from root to tip.
struct ChainBoneRecord {
  uint32_t bone;
  float max_length;  // of the rope above it; 0 for a root
};
static_assert(sizeof(ChainBoneRecord) == 8);

// Section "chain_cloth", in the order of "chain_bones"; older files have none.
struct ChainClothRecord {
  float lateral_length;  // along the cloth to the bone of its level on the next chain; 0: no such bone
  float area;            // of the cloth that the bone represents
};
static_assert(sizeof(ChainClothRecord) == 8);

// Sections "blend.bones" (uint8 up to this number of bones, else uint16) and "blend.weights" (uint8): four
// per vertex.
inline constexpr uint32_t kMaxBonesInBytes = 256;

// Section "colliders".
struct ColliderRecord {
  Text name;
  uint32_t shape;  // as billow_shape, up to BILLOW_SHAPE_HALF_SPACE
  float position[3], rotation[4], end[3], radius, radius_end, half_extents[3];
  uint32_t joint[4];
  float weight[4];
  int32_t blend_with;
  float blend_radius;
  uint32_t group;
  uint32_t reserved[3];
};
static_assert(sizeof(ColliderRecord) == 128);

// Sections "skinning", "shape", "correction" and "force". Followed by mean and scale of the inputs, standard deviation
// of the outputs (0 in a correction and a force), then the biases, layer by layer.
struct NetworkRecord {
  uint32_t inputs, outputs;
  uint32_t layers;
  uint32_t activation;         // 0 relu, 1 tanh, 2 gelu
  uint32_t linear;             // 1: has a linear path
  uint32_t units[kMaxLayers];  // outputs of each layer
  uint32_t reserved[3];
};
static_assert(sizeof(NetworkRecord) == 64);

// Section "patches". Followed by one PatchRecord per patch.
struct PatchesRecord {
  uint32_t patches;
  uint32_t networks;     // a patch has one, which it may share with its mirror image
  uint32_t input_bones;  // per patch
  uint32_t components;   // per patch; the coefficient of a component is a vector
  uint32_t tiles;        // of eight vertices
  uint32_t blocks;       // of all tiles together
  uint32_t layers;
  uint32_t activation;         // 0 relu, 1 tanh, 2 gelu
  uint32_t linear;             // 1: has a linear path
  uint32_t units[kMaxLayers];  // outputs of each layer
  uint32_t reserved[3];

  // The first coordinate of all components, then the second, then the third.
  uint32_t coefficients() const { return 3 * components; }
  uint32_t basis_columns() const { return components + kRigidColumns; }
};
static_assert(sizeof(PatchesRecord) == 80);

struct PatchRecord {
  uint32_t bone;
  uint32_t above, below, left, right;  // bones that span its frame
  uint32_t network;
  uint32_t flipped;  // 1: mirror image (decode/patch_frame.h)
  uint32_t reserved;
};
static_assert(sizeof(PatchRecord) == 32);

// Section "patches.tiles".
static_assert(sizeof(TileRecord) == 40);

// A packed matrix (net/matrix.h): section "basis", "skinning.linear", "skinning.1", "patches.basis", and so
// on. Followed by the sources and scales of the stored columns, row scales (if there are any) padded to whole
// panels, and from the next multiple of 64 the panels.
struct MatrixRecord {
  uint32_t rows, columns;
  uint32_t float32, float16, int8;
  uint32_t row_scales;  // 0: there are none
  uint32_t reserved[2];
};
static_assert(sizeof(MatrixRecord) == 32);

// Over words of 64 bits, so that a file is checked at the speed of memory rather than of bytes. The last word
// is padded with zeros.
inline uint64_t checksum(const void* bytes, size_t size) {
  uint64_t sum = 0xcbf29ce484222325ull;
  const auto* b = static_cast<const unsigned char*>(bytes);
  for (size_t i = 0; i < size; i += 8) {
    uint64_t word = 0;
    std::memcpy(&word, b + i, size - i < 8 ? size - i : 8);
    sum = std::rotl((sum ^ word) * 0x100000001b3ull, 29);
  }
  return sum;
}

inline constexpr uint64_t round_up(uint64_t n) { return (n + kAlignment - 1) / kAlignment * kAlignment; }

inline uint64_t matrix_panels_at(const MatrixRecord& m) {
  const uint64_t stored = uint64_t{m.float32} + m.float16 + m.int8, panels = (uint64_t{m.rows} + 7) / 8;
  return round_up(sizeof(MatrixRecord) + 8 * stored + (m.row_scales ? 32 * panels : 0));
}
inline uint64_t matrix_size(const MatrixRecord& m) {
  const uint64_t panel_bytes = 32 * uint64_t{m.float32} + 16 * uint64_t{m.float16} + 8 * uint64_t{m.int8};
  return matrix_panels_at(m) + (uint64_t{m.rows} + 7) / 8 * panel_bytes;
}

}  // namespace billow::asset
