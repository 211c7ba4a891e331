// Garment meshes as OBJ files (Wavefront): `v`, `vt`, `f`, `g`, `o` and `usemtl`; what else there is, is passed
// over. Files come from anywhere: whatever is in them, reading ends with a mesh or with a message that says what
// was expected, what was found and in which line.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/vec.h"
#include "garment/pattern.h"

namespace billow::garment {

// Triangles that a file has given a name. One may be in several.
struct MeshPart {
  std::string name;
  std::vector<uint32_t> triangles;
};

struct GarmentMesh {
  std::vector<V3> positions;
  std::vector<Triangle> triangles;
  std::vector<std::array<float, 2>>
      uv;  // one a vertex; empty where there are none, or more than one at a vertex
  std::vector<MeshPart> groups, materials;
  std::vector<std::string> notes;  // what of the file could not be kept, in sentences
};

// What no file may exceed: beyond this it is broken or meant to do harm.
inline constexpr size_t kMaxMeshBytes = size_t{512} << 20;
inline constexpr size_t kMaxMeshVertices = 4'000'000;
inline constexpr size_t kMaxCorners = 1000;  // of a face

// Polygons become triangles, concave ones too. Positions and not UV are multiplied by `scale`. Throw
// std::runtime_error.
GarmentMesh read_obj(const std::filesystem::path& file, float scale = 1);
GarmentMesh obj_from_text(std::string_view text, float scale = 1);

// The mesh with its UV, but without groups and materials. What is written is read back to the last bit.
std::string obj_to_text(const GarmentMesh& mesh);
void write_obj(const GarmentMesh& mesh, const std::filesystem::path& file);

// Joins vertices that are at the same place to the bit: many tools split them at the borders of materials and UV.
// Returns how many are gone. UV are lost where two that are joined differ.
size_t weld(GarmentMesh& mesh);

}  // namespace billow::garment
