// Garment meshes as Wavefront OBJ files: `v`, `vt`, `f`, `g`, `o` and `usemtl`; other statements are ignored.
// Files are untrusted: reading ends with a valid mesh or with an error that names the line.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/vec.h"
#include "garment/garment.h"

namespace billow::garment {

// A named set of triangles. A triangle may be in several.
struct MeshPart {
  std::string name;
  std::vector<uint32_t> triangles;
};

struct GarmentMesh {
  std::vector<V3> positions;
  std::vector<Triangle> triangles;
  std::vector<std::array<float, 2>> uv;  // one per vertex; empty if a vertex has none or several
  std::vector<MeshPart> groups, materials;
  std::vector<std::string> notes;  // warnings for the user
};

// Limits for untrusted files.
inline constexpr size_t kMaxMeshBytes = size_t{512} << 20;
inline constexpr size_t kMaxMeshVertices = 4'000'000;
inline constexpr size_t kMaxCorners = 1000;  // of a face

// Polygons, also concave ones, are triangulated. `scale` applies to positions, not to UVs. Throw
// std::runtime_error.
GarmentMesh read_obj(const std::filesystem::path& file, float scale = 1);
GarmentMesh obj_from_text(std::string_view text, float scale = 1);

// Writes positions, UVs and triangles; no groups and materials. Floats round-trip exactly.
std::string obj_to_text(const GarmentMesh& mesh);
void write_obj(const GarmentMesh& mesh, const std::filesystem::path& file);

// Merges vertices with bit-identical positions: many tools split them along borders of materials and UV
// islands. Returns the number of vertices removed. UVs are dropped if those of merged vertices differ.
size_t weld(GarmentMesh& mesh);

}  // namespace billow::garment
