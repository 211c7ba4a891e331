// The common content of glTF, FBX and Collada files, in the file's units: a tree of nodes, rigid or skinned
// meshes, and node animations. Readers validate scenes; make_character relies on it.
#pragma once

#include <Eigen/Geometry>
#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "import/character.h"

namespace billow::importer {

// x -> translation + rotation * scale * x.
struct NodeTransform {
  Eigen::Vector3d translation{0, 0, 0};
  Eigen::Quaterniond rotation{1, 0, 0, 0};
  Eigen::Vector3d scale{1, 1, 1};

  Eigen::Affine3d matrix() const {
    return Eigen::Translation3d(translation) * rotation * Eigen::Scaling(scale);
  }
};
// Decomposes a matrix; shear is dropped.
NodeTransform decompose(const Eigen::Affine3d& matrix);

inline constexpr size_t kMaxNodes = 65536;

struct SceneNode {
  std::string name;
  int parent = -1;  // index of an earlier node
  NodeTransform transform;
};

struct SceneMesh {
  int node = 0;
  std::vector<V3> positions;
  std::vector<body::Triangle> triangles;
  // Skinned meshes only; empty for meshes that move rigidly with their node. Weights of a vertex add up to 1.
  std::vector<int> bones;  // nodes
  std::vector<Eigen::Affine3d> inverse_binds;
  std::vector<std::array<uint32_t, body::kJointsPerVertex>> joints;  // indices into `bones`
  std::vector<std::array<float, body::kJointsPerVertex>> weights;
};

// An animated property of a node, constant before its first key and after its last.
struct Track {
  enum class Path { translation, rotation, scale };
  // Cubic tracks have in-tangent, value and out-tangent per key, as in glTF.
  enum class Interpolation { step, linear, cubic };
  int node = 0;
  Path path = Path::translation;
  Interpolation interpolation = Interpolation::linear;
  std::vector<double> times;            // s, increasing
  std::vector<Eigen::Vector4d> values;  // a quaternion as x, y, z, w
};

struct Animation {
  std::string name;
  std::vector<Track> tracks;
};

struct Scene {
  std::string name;
  double unit = 1;               // in metres
  std::vector<SceneNode> nodes;  // the first is the root of all others, parents come first
  std::vector<SceneMesh> meshes;
  std::vector<Animation> animations;
  std::vector<std::string> notes;
};

struct BoneWeight {
  uint32_t bone;
  float weight;
};
// Adds the weights of the next vertex: its four largest, normalised. A vertex without weights follows the
// first bone. Throws std::runtime_error for weights that are negative or not finite.
void add_weights(SceneMesh& mesh, std::vector<BoneWeight> weights);

// World matrices of all nodes by their default transforms, and at a time of an animation. In the file's
// units.
std::vector<Eigen::Affine3d> node_matrices(const Scene& scene);
std::vector<Eigen::Affine3d> node_matrices(const Scene& scene, const Animation& animation, double seconds);

// Joints are the bones of skins, the animated nodes, and the lowest common ancestor of these. Joints are
// rigid: scales are baked into offsets and mesh. The rest pose is the bind pose.
Character make_character(const Scene& scene, const CharacterOptions& options);

// Reads glTF 2.0, .gltf or .glb. Assimp is not used: it identifies nodes by names, which need not be unique,
// and omits many checks.
Scene read_gltf(std::string_view bytes, const std::filesystem::path& folder);

// Reads FBX and Collada by Assimp.
Scene read_by_assimp(const std::filesystem::path& file);

// ---- Internals of make_character

using Rigid = Eigen::Isometry3d;

// The nodes of a scene that are joints, in the file's units.
struct Joints {
  std::vector<size_t> nodes;                  // node of each joint
  std::vector<int> of_node, parent;           // joint of each node (or kNoJoint), parent of each joint
  std::vector<Eigen::Affine3d> default_pose;  // world matrices by the nodes' default transforms
  std::vector<Rigid> rest;                    // bind pose
  std::vector<Eigen::Affine3d> scale;         // default_pose = its rigid part * scale
};

// Position and rotation of a matrix, without its scale. For mirrored matrices the x axis is flipped first.
Rigid rigid_part(const Eigen::Affine3d& matrix);
bool is_invertible(const Eigen::Affine3d& matrix);
V3 to_vector(const Eigen::Vector3d& v);
Transform to_transform(const Rigid& rigid, double unit);

// Merges vertices with equal positions and weights, and drops triangles that become degenerate.
void weld(body::Skin& skin);

void add_clips(const Scene& scene, const Joints& joints, double unit, const CharacterOptions& options,
               Character& character);

}  // namespace billow::importer
