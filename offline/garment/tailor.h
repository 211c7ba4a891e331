// The two built-in garments, made to measure for the built-in person, and the flat patterns they are cut
// from. Metres.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "body/person.h"
#include "body/skin.h"
#include "garment/garment.h"

namespace billow::garment {

struct BuiltIn {
  std::string name, about;
  size_t vertices;  // as in the paper
};
const std::vector<BuiltIn>& built_in_garments();

// Fewer vertices leave bones without cloth around them; garment files hold no more.
inline constexpr size_t kMinVertices = 500, kMaxVertices = size_t{1} << 20;

// "cape": from the shoulders to the calves, 10 chains. "skirt": a full circle from the waist to the knees, 26
// chains. `shape` is flat, behind the shoulders or round the waist; `rest` is left to simulation. `vertices`
// 0: as in the paper. Throws std::invalid_argument for other names.
Garment make_garment(std::string_view name, const body::Person& person, const body::Skin& skin,
                     size_t vertices = 0);

// An annular sector, meshed in rows from the inner edge (neckline, waist) to the outer one (hem), with
// vertices in row order. The two straight edges of a closed one are sewn together; its angle may then exceed
// a full turn, as in a double-circle skirt, so that the pattern overlaps itself.
struct RingPattern {
  float inner = 0, outer = 0;  // radii
  float angle = 0;             // radians
  bool closed = false;
  std::vector<uint32_t> row_start;             // first vertex of each row, then the number of vertices
  std::vector<std::array<float, 2>> vertices;  // radius, and fraction 0..1 of the angle
  std::vector<Triangle> triangles;

  size_t rows() const { return row_start.size() - 1; }
  // Straight distance of two vertices on the flat cloth.
  float distance(uint32_t a, uint32_t b) const;
  // The same for two points given as in `vertices`.
  float distance(std::array<float, 2> a, std::array<float, 2> b) const;
};

// Exactly `vertices` vertices in nearly equilateral triangles. Throws std::invalid_argument for invalid
// dimensions.
RingPattern make_ring_pattern(float inner, float outer, float angle, bool closed, size_t vertices);

}  // namespace billow::garment
