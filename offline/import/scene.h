// What glTF, FBX and Collada files have in common, as they have it: a tree of nodes, meshes on nodes or on
// bones, and animations of nodes. Scenes are checked where they are made; make_character relies on it.
#pragma once

#include <Eigen/Geometry>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "import/character.h"

namespace billow::importer {

// x -> translation + rotation * scale * x.
struct Placement {
  Eigen::Vector3d translation{0, 0, 0};
  Eigen::Quaterniond rotation{1, 0, 0, 0};
  Eigen::Vector3d scale{1, 1, 1};

  Eigen::Affine3d matrix() const {
    return Eigen::Translation3d(translation) * rotation * Eigen::Scaling(scale);
  }
};
// The nearest placement: sheared matrices lose their shear.
Placement placement_of(const Eigen::Affine3d& matrix);

inline constexpr size_t kMaxNodes = 65536;  // that a file may have

struct SceneNode {
  std::string name;
  int parent = -1;  // an earlier node
  Placement placement;
};

struct SceneMesh {
  int node = 0;
  std::vector<V3> positions;
  std::vector<body::Triangle> triangles;
  // Skinned meshes: the nodes that bend them, each with what takes the mesh to its space at bind time; a vertex
  // follows bones by weights that add up to 1. Empty for meshes that move with their node.
  std::vector<int> bones;
  std::vector<Eigen::Affine3d> inverse_binds;
  std::vector<std::array<uint32_t, body::kJointsPerVertex>> joints;  // places in `bones`
  std::vector<std::array<float, body::kJointsPerVertex>> weights;
};

// Values of a node over time. Before its first key and after its last it stands still.
struct Track {
  enum class Path { translation, rotation, scale };
  enum class Between { step, linear, cubic };  // cubic: tangent, value, tangent a key, as in glTF
  int node = 0;
  Path path = Path::translation;
  Between between = Between::linear;
  std::vector<double> times;            // seconds, growing
  std::vector<Eigen::Vector4d> values;  // a quaternion as x, y, z, w
};

struct Animation {
  std::string name;
  std::vector<Track> tracks;
};

struct Scene {
  std::string name;
  double unit = 1;               // metres
  std::vector<SceneNode> nodes;  // the first is the root of all others
  std::vector<SceneMesh> meshes;
  std::vector<Animation> animations;
  std::vector<std::string> notes;
};

// Keeps a vertex's four largest weights and lets them add up to 1; one without any follows the first bone.
// Throws std::runtime_error for weights that are negative or not finite.
struct BoneWeight {
  uint32_t bone;
  float weight;
};
void add_weights(SceneMesh& mesh, std::vector<BoneWeight> weights);

// Where nodes are as they stand, and at a time of an animation, in the units of the file.
std::vector<Eigen::Affine3d> node_matrices(const Scene& scene);
std::vector<Eigen::Affine3d> node_matrices(const Scene& scene, const Animation& animation, double seconds);

// Joints become what bends meshes, what is animated, and what is above them all. They are rigid: scales are
// brought into offsets and mesh. The rest pose is the one the skin was bound in.
Character make_character(const Scene& scene, const CharacterOptions& options);

}  // namespace billow::importer
