// make_character: chooses joints, finds their bind pose and skins the meshes to them.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "import/names.h"
#include "import/scene.h"

namespace billow::importer {
namespace {

using body::kNoJoint;
using Eigen::Affine3d;
using Eigen::Vector3d;

bool is_skipped(const Scene& scene, const SceneMesh& mesh, const CharacterOptions& options) {
  const std::string& name = scene.nodes[static_cast<size_t>(mesh.node)].name;
  const auto is_in = [&](const std::vector<std::string>& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  return is_in(options.leave_out) || (!options.only.empty() && !is_in(options.only));
}

void check_named(const Scene& scene, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    std::string available;
    bool found = false;
    for (const SceneMesh& mesh : scene.meshes) {
      const std::string& node = scene.nodes[static_cast<size_t>(mesh.node)].name;
      found = found || node == name;
      available += (available.empty() ? "" : ", ") + node;
    }
    if (!found) throw std::runtime_error("there is no mesh '" + name + "'; there are: " + available);
  }
}

// Marks the nodes that become joints.
std::vector<bool> choose_joints(const Scene& scene, const CharacterOptions& options) {
  std::vector<bool> joint(scene.nodes.size(), false), has_rigid_mesh(scene.nodes.size(), false);
  for (const SceneMesh& mesh : scene.meshes) {
    if (is_skipped(scene, mesh, options)) continue;
    for (const int bone : mesh.bones) joint[static_cast<size_t>(bone)] = true;
    if (mesh.bones.empty()) has_rigid_mesh[static_cast<size_t>(mesh.node)] = true;
  }
  for (const Animation& animation : scene.animations)
    for (const Track& track : animation.tracks) joint[static_cast<size_t>(track.node)] = true;
  // Find the lowest common ancestor: descend from the root while one child's subtree contains all of these.
  std::vector<size_t> count(scene.nodes.size(), 0);
  for (size_t i = scene.nodes.size(); i-- > 0;) {
    count[i] += joint[i] || has_rigid_mesh[i];
    if (scene.nodes[i].parent >= 0) count[static_cast<size_t>(scene.nodes[i].parent)] += count[i];
  }
  if (count[0] == 0) throw std::runtime_error("expected a mesh or an animation, found neither");
  size_t top = 0;
  for (size_t i = 1; i < scene.nodes.size(); ++i)
    if (scene.nodes[i].parent == static_cast<int>(top) && count[i] == count[0]) top = i;
  joint[top] = true;
  return joint;
}

// The joint that a node moves with: its nearest ancestor that is one, or itself.
int joint_above(const Scene& scene, const Joints& joints, int node) {
  while (joints.of_node[static_cast<size_t>(node)] == kNoJoint)
    node = scene.nodes[static_cast<size_t>(node)].parent;
  return joints.of_node[static_cast<size_t>(node)];
}

// World matrices of the joints in the bind pose, from the inverse bind matrices. These are relative to the
// mesh; its topmost bone anchors it in the scene. Joints without a bind matrix keep their default transform
// to their parent.
std::vector<Affine3d> bind_matrices(const Scene& scene, const Joints& joints,
                                    const CharacterOptions& options) {
  const size_t count = joints.nodes.size();
  std::vector<Affine3d> bind(count);
  std::vector<bool> known(count, false);
  for (const SceneMesh& mesh : scene.meshes) {
    if (mesh.bones.empty() || is_skipped(scene, mesh, options)) continue;
    size_t topmost = mesh.bones.size();
    for (size_t b = 0; b < mesh.bones.size(); ++b)
      if (is_invertible(mesh.inverse_binds[b]) &&
          (topmost == mesh.bones.size() || mesh.bones[b] < mesh.bones[topmost]))
        topmost = b;
    if (topmost == mesh.bones.size()) continue;
    const size_t top = static_cast<size_t>(joints.of_node[static_cast<size_t>(mesh.bones[topmost])]);
    const Affine3d to_scene =
        (known[top] ? bind[top] : joints.default_pose[top]) * mesh.inverse_binds[topmost];
    for (size_t b = 0; b < mesh.bones.size(); ++b) {
      const size_t j = static_cast<size_t>(joints.of_node[static_cast<size_t>(mesh.bones[b])]);
      if (known[j] || !is_invertible(mesh.inverse_binds[b])) continue;
      bind[j] = to_scene * mesh.inverse_binds[b].inverse();
      known[j] = true;
    }
  }
  for (size_t j = 0; j < count; ++j) {
    if (known[j]) continue;
    const int parent = joints.parent[j];
    const bool follows =
        parent != kNoJoint && is_invertible(joints.default_pose[static_cast<size_t>(parent)]);
    bind[j] = !follows
                  ? joints.default_pose[j]
                  : bind[static_cast<size_t>(parent)] *
                        joints.default_pose[static_cast<size_t>(parent)].inverse() * joints.default_pose[j];
  }
  return bind;
}

Joints make_joints(const Scene& scene, const CharacterOptions& options) {
  Joints joints;
  const std::vector<bool> is_joint = choose_joints(scene, options);
  const std::vector<Affine3d> default_pose = node_matrices(scene);
  joints.of_node.assign(scene.nodes.size(), kNoJoint);
  for (size_t i = 0; i < scene.nodes.size(); ++i) {
    if (!is_joint[i]) continue;
    joints.of_node[i] = static_cast<int>(joints.nodes.size());
    joints.nodes.push_back(i);
    joints.default_pose.push_back(default_pose[i]);
    joints.parent.push_back(joints.nodes.size() == 1 ? kNoJoint
                                                     : joint_above(scene, joints, scene.nodes[i].parent));
  }
  if (joints.nodes.size() > kMaxJoints)
    throw std::runtime_error("expected at most " + std::to_string(kMaxJoints) + " joints, found " +
                             std::to_string(joints.nodes.size()));
  const std::vector<Affine3d> bind = bind_matrices(scene, joints, options);
  for (size_t j = 0; j < bind.size(); ++j) {
    joints.rest.push_back(rigid_part(bind[j]));
    joints.scale.push_back(rigid_part(joints.default_pose[j]).inverse() * joints.default_pose[j]);
  }
  return joints;
}

body::Skeleton make_skeleton(const Scene& scene, const Joints& joints, double unit) {
  body::Skeleton skeleton;
  UniqueNames names;
  for (size_t j = 0; j < joints.nodes.size(); ++j) {
    const std::string& name = scene.nodes[joints.nodes[j]].name;
    const int parent = joints.parent[j];
    const Rigid local = parent == kNoJoint
                            ? joints.rest[j]
                            : joints.rest[static_cast<size_t>(parent)].inverse() * joints.rest[j];
    skeleton.joints.push_back(
        {names.unique(name.empty() ? "joint" : name), parent, to_transform(local, unit)});
  }
  return skeleton;
}

// Transforms a mesh to the rest pose and adds it to the skin.
void add_mesh(const Scene& scene, const Joints& joints, const SceneMesh& mesh, double unit,
              body::Skin& skin) {
  const uint32_t first = static_cast<uint32_t>(skin.mesh.positions.size());
  std::vector<Affine3d> to_rest;
  std::vector<uint32_t> joint_of_bone;
  if (mesh.bones.empty()) {
    const int joint = joint_above(scene, joints, mesh.node);
    const size_t j = static_cast<size_t>(joint);
    Affine3d local = Affine3d::Identity();
    for (int i = mesh.node; i != static_cast<int>(joints.nodes[j]);
         i = scene.nodes[static_cast<size_t>(i)].parent)
      local = scene.nodes[static_cast<size_t>(i)].transform.matrix() * local;
    to_rest.push_back(joints.rest[j] * joints.scale[j] * local);
    joint_of_bone.push_back(static_cast<uint32_t>(joint));
  }
  for (size_t b = 0; b < mesh.bones.size(); ++b) {
    const size_t j = static_cast<size_t>(joints.of_node[static_cast<size_t>(mesh.bones[b])]);
    to_rest.push_back(joints.rest[j] * joints.scale[j] * mesh.inverse_binds[b]);
    joint_of_bone.push_back(static_cast<uint32_t>(j));
  }
  for (size_t v = 0; v < mesh.positions.size(); ++v) {
    const V3 p = mesh.positions[v];
    std::array<uint32_t, body::kJointsPerVertex> bones{};
    std::array<float, body::kJointsPerVertex> weights{1};
    if (!mesh.bones.empty()) bones = mesh.joints[v], weights = mesh.weights[v];
    Vector3d sum = Vector3d::Zero();
    for (size_t k = 0; k < body::kJointsPerVertex; ++k) {
      if (weights[k] > 0)
        sum += static_cast<double>(weights[k]) * (to_rest[bones[k]] * Vector3d(p.x, p.y, p.z));
      bones[k] = joint_of_bone[bones[k]];
    }
    skin.mesh.positions.push_back(to_vector(sum * unit));
    skin.joints.push_back(bones);
    skin.weights.push_back(weights);
  }
  const bool mirrored = to_rest[0].linear().determinant() < 0;
  for (body::Triangle t : mesh.triangles) {
    for (uint32_t& i : t) i += first;
    if (mirrored) std::swap(t[1], t[2]);
    skin.mesh.triangles.push_back(t);
  }
}

}  // namespace

Character make_character(const Scene& scene, const CharacterOptions& options) {
  check_named(scene, options.leave_out);
  check_named(scene, options.only);
  const double unit = options.scale > 0 ? static_cast<double>(options.scale) : scene.unit;
  const Joints joints = make_joints(scene, options);
  Character character;
  character.name = scene.name;
  character.notes = scene.notes;
  character.skeleton = make_skeleton(scene, joints, unit);
  for (const SceneMesh& mesh : scene.meshes)
    if (!is_skipped(scene, mesh, options)) add_mesh(scene, joints, mesh, unit, character.skin);
  if (!scene.meshes.empty() && character.skin.mesh.positions.empty())
    throw std::runtime_error("expected a mesh that is not left out, found none of " +
                             std::to_string(scene.meshes.size()));
  weld(character.skin);
  character.skin.joint_rest = body::rest_transforms(character.skeleton);
  add_clips(scene, joints, unit, options, character);
  validate(character);
  return character;
}

}  // namespace billow::importer
