// A surface as Wavefront OBJ text. Polygons become fans of triangles about their first corner, so that the same
// faces give the same triangles whatever the positions are. Lines, groups, materials and normals are left out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cache/cache.h"

namespace billow::cache {

struct ObjMesh {
  std::vector<V3> positions;
  Topology topology;
};

// Throws std::runtime_error that starts with the name and says the line.
ObjMesh parse_obj(std::string_view text, const std::string& name);

// What is the same in all files of a sequence, and what is not. Numbers read back to the last bit.
std::string obj_faces(const Topology& topology);
std::string obj_vertices(std::span<const V3> positions);
std::string obj_uvs(const Topology& topology);

// The shortest text that reads back as the same number.
void append_number(std::string& out, float value);

}  // namespace billow::cache
