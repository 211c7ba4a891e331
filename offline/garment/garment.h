// A garment: cloth, where it is held, and the virtual bones that drive it. Metres, in the body's model space.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "body/skin.h"
#include "core/vec.h"

namespace billow::garment {

using Triangle = std::array<uint32_t, 3>;  // counter-clockwise on the right side of the cloth

// A vertex that is attached to the body: it follows the joints as the skin under it does.
struct Attachment {
  uint32_t vertex = 0;
  std::array<uint32_t, body::kJointsPerVertex> joints{};
  std::array<float, body::kJointsPerVertex> weights{};
  V3 rest{0, 0, 0};  // where it is while the body rests
};

// A place on the cloth: a mean of three vertices.
struct Embedding {
  std::array<uint32_t, 3> vertices{};
  std::array<float, 3> weights{1, 0, 0};
};

struct Garment {
  std::string name;
  std::string material = "cotton";
  std::string key_joint;  // the part of the body whose motion is taken out before anything is learnt
  std::vector<Triangle> triangles;
  // The pattern as it is cut, laid flat: edges want to be as long as here. Empty: as long as in `shape`.
  std::vector<std::array<float, 2>> pattern_uvs;
  std::vector<V3> shape;  // as modelled; from here it is put on
  std::vector<V3> rest;   // the steady drape on the resting body; empty until it is found
  std::vector<Attachment> attachments;
  // Chains of bones, each from its root, which is attached to the body, to the hem. Bones that are first of a chain or
  // in none are not simulated: they follow the body.
  std::vector<Embedding> bones;
  std::vector<std::vector<uint32_t>> chains;
  bool closed = false;  // the last chain is beside the first

  size_t size() const { return shape.size(); }
};

// Throws std::invalid_argument with the message and the garment's name.
[[noreturn]] void refuse(const Garment& garment, const std::string& message);

// Throws std::invalid_argument that says what was expected, found and where.
void validate(const Garment& garment, size_t joints);

// The length of an edge of the cloth at rest.
float rest_distance(const Garment& garment, uint32_t a, uint32_t b);

// The longest a rope between two bones may get: their distance on the flat cloth, or at rest where there is no pattern.
float rope_length(const Garment& garment, const Embedding& a, const Embedding& b);

// Where the body takes attached vertices, one result an attachment. `moved`: joints relative to rest.
void follow_body(const Garment& garment, std::span<const Transform> moved, std::span<V3> out);

V3 place_of(const Embedding& bone, std::span<const V3> vertices);
void places_of_bones(const Garment& garment, std::span<const V3> vertices, std::span<V3> out);

// How many bones are simulated: all of the chains but their roots.
size_t simulated_bones(const Garment& garment);

}  // namespace billow::garment
