// A garment: the cloth mesh, its attachments to the body, and its chains of virtual bones. Metres, model
// space.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "body/contacts.h"
#include "body/skin.h"
#include "core/vec.h"

namespace billow::garment {

using Triangle = std::array<uint32_t, 3>;  // counter-clockwise seen from the outside of the cloth

// A vertex attached to the body: it is skinned like the skin below it.
struct Attachment {
  uint32_t vertex = 0;
  std::array<uint32_t, body::kJointsPerVertex> joints{};
  std::array<float, body::kJointsPerVertex> weights{};
  V3 rest{0, 0, 0};  // position in the rest pose
};

// A point of the cloth in barycentric coordinates.
struct Embedding {
  std::array<uint32_t, 3> vertices{};
  std::array<float, 3> weights{1, 0, 0};
};

struct Garment {
  std::string name;
  std::string material = "cotton";
  std::string key_joint;  // its rigid motion is removed before anything is learnt
  std::vector<Triangle> triangles;
  // The flat pattern, m: its edge lengths are the rest lengths. Empty: rest lengths are those of `shape`.
  std::vector<std::array<float, 2>> pattern_uvs;
  std::vector<V3> shape;  // as modelled: the initial state of the drape
  std::vector<V3> rest;   // static drape on the body in its rest pose; empty until simulated
  std::vector<Attachment> attachments;
  // Chains of bones from the root at the seam to the hem. Roots and bones in no chain are kinematic: they
  // follow the body.
  std::vector<Embedding> bones;
  std::vector<std::vector<uint32_t>> chains;
  bool closed = false;  // the last chain is a neighbour of the first
  body::Contacts contacts;

  size_t size() const { return shape.size(); }
};

// Hands hang beside cloth, rest on the hips and swing through hems, where rigid ones would pinch and lift it:
// forearms are soft. Upper arms are too for a closed garment; others drape over them.
body::Contacts default_contacts(const Garment& garment);

// Throws std::invalid_argument with the message, prefixed by the garment's name.
[[noreturn]] void refuse(const Garment& garment, const std::string& message);

// Throws std::invalid_argument unless sizes, indices and weights are valid for a skeleton of `joints` joints.
void validate(const Garment& garment, size_t joints);

// Rest length of an edge of the cloth.
float rest_distance(const Garment& garment, uint32_t a, uint32_t b);

// Maximum length of a rope between two bones: their distance on the pattern, or in `rest` without one.
float rope_length(const Garment& garment, const Embedding& a, const Embedding& b);

// Skins the attached vertices, one result per attachment. `skinning`: joint transforms relative to rest.
void follow_body(const Garment& garment, std::span<const Transform> skinning, std::span<V3> out);

V3 position_of(const Embedding& bone, std::span<const V3> vertices);
void bone_positions(const Garment& garment, std::span<const V3> vertices, std::span<V3> out);

// Number of simulated bones: all of the chains except their roots.
size_t simulated_bones(const Garment& garment);

// Cloth properties of the bones of all chains, chain by chain from root to hem, as in billow_chains_desc.
struct ChainCloth {
  std::vector<float>
      lateral_lengths;       // m along the cloth to the bone of the same level on the next chain; 0: none
  std::vector<float> areas;  // m2, Voronoi area: cloth nearer to this bone than to any other
  std::vector<float> mass_factors;  // areas divided by mean_area
  float mean_area = 0;              // m2, mean over simulated bones
};

ChainCloth chain_cloth(const Garment& garment);

}  // namespace billow::garment
