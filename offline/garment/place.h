// Places a mesh on its character: units, axes, position, and the fit of its seam to the body.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "body/skin.h"
#include "garment/attach.h"
#include "garment/mesh_file.h"

namespace billow::garment {

struct Placement {
  float scale = 0;    // metres per unit; 0: a guess where metres make no garment, see guess_unit()
  bool z_up = false;  // the mesh has z up
  float turn = 0;     // degrees about the vertical, counter-clockwise from above
  V3 move{0, 0, 0};   // m, after all others
};

// Metres per unit with which the mesh is about as large as what a character of this height can wear: 1 where metres are, else
// the nearest of foot, inch, decimetre, centimetre and millimetre, or 0 where none is.
float guess_unit(std::span<const V3> positions, float character_height);
// Returns the metres per unit. Throws std::invalid_argument where the unit cannot be guessed.
float place(GarmentMesh& mesh, const Placement& placement, float character_height);

// Splits every triangle into four at the middles of its edges until no edge is longer than `longest`, so that cloth modelled with
// few triangles can fold. Vertices keep their numbers; new ones follow. Groups, materials and UVs go along.
void refine(GarmentMesh& mesh, float longest);

// Where a garment lies on a skin at rest.
struct Fit {
  size_t attached = 0, inside = 0;  // vertices; inside: more than a centimetre deep, of the free ones
  size_t free = 0;
  float gap = 0, farthest = 0;  // m, of attached vertices from the skin: mean, largest
  float deepest = 0;            // m, of a free vertex under the skin
};
Fit measure_fit(std::span<const V3> positions, const Region& attached, const body::Mesh& skin);

// Draws attached vertices onto the skin and free ones out of it; all others follow smoothly, so that the garment keeps its
// shape. Returns the largest displacement, in metres.
float fit_on_body(std::vector<V3>& positions, std::span<const Triangle> triangles, const Region& attached,
                  const body::Mesh& skin);

}  // namespace billow::garment
