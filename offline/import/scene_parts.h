// Steps of make_character.
#pragma once

#include <Eigen/Geometry>
#include <vector>

#include "import/scene.h"

namespace billow::importer {

using Rigid = Eigen::Isometry3d;

// The nodes of a scene that are joints, in the file's units.
struct Joints {
  std::vector<size_t> nodes;              // one a joint
  std::vector<int> of_node, parent;       // joints; of_node may be kNoJoint
  std::vector<Eigen::Affine3d> standing;  // as the nodes of the file stand
  std::vector<Rigid> rest;                // in the pose the skin was bound in
  std::vector<Eigen::Affine3d> scale;     // what the rigid part lacks: standing = rigid part * scale
};

// Position and turn of a matrix, without its scale. Mirrored ones turn as if their x were not.
Rigid rigid_part(const Eigen::Affine3d& matrix);
bool is_invertible(const Eigen::Affine3d& matrix);
V3 to_vector(const Eigen::Vector3d& v);
Transform to_transform(const Rigid& rigid, double unit);

// Vertices of the same place and weights become one; triangles that lose a corner by it go.
void weld(body::Skin& skin);

void add_clips(const Scene& scene, const Joints& joints, double unit, const CharacterOptions& options,
               Character& character);

}  // namespace billow::importer
