// FBX and Collada through Assimp. Its readers are not hardened against malicious files, so a child process
// with limits on time and memory reads a file first; this process reads only files that pass.
#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>

#include <algorithm>
#include <assimp/Importer.hpp>
#include <cmath>
#include <map>
#include <stdexcept>

#include "import/sandbox.h"
#include "import/scene.h"

namespace billow::importer {
namespace {

using Eigen::Affine3d;

// Limits for reading. A robot of 1.8 MB of text takes 0.12 s and 20 times its size; binary files are
// compressed.
constexpr size_t kMegabyte = size_t{1} << 20;
unsigned max_seconds(size_t bytes) { return 10 + static_cast<unsigned>(bytes / kMegabyte); }
size_t max_memory(size_t bytes) { return 256 * kMegabyte + 100 * bytes; }

[[noreturn]] void fail(const std::string& message) { throw std::runtime_error(message); }

const aiScene* run_assimp(Assimp::Importer& importer, const std::string& bytes, const std::string& format) {
  importer.SetPropertyBool(AI_CONFIG_IMPORT_FBX_PRESERVE_PIVOTS, false);
  return importer.ReadFileFromMemory(bytes.data(), bytes.size(),
                                     aiProcess_Triangulate | aiProcess_ValidateDataStructure, format.c_str());
}

double check_finite(double value, const char* what) {
  if (!(std::fabs(value) <= 1e9))
    fail(std::string(what) + ": expected finite numbers up to 1e9, found others");
  return value;
}

Affine3d to_affine(const aiMatrix4x4& m) {
  Affine3d out = Affine3d::Identity();
  for (unsigned row = 0; row < 3; ++row)
    for (unsigned column = 0; column < 4; ++column)
      out(row, column) = check_finite(static_cast<double>(m[row][column]), "a node's matrix");
  return out;
}

using NodesByName = std::map<std::string, int>;

int find_node(const NodesByName& nodes, const aiString& name, const char* who) {
  const auto found = nodes.find(name.C_Str());
  if (found == nodes.end())
    fail(std::string(who) + " '" + name.C_Str() + "': expected a node of that name, found none");
  return found->second;
}

// Adds all nodes, parents first, and lists the meshes with their nodes.
NodesByName add_nodes(const aiScene& from, Scene& scene,
                      std::vector<std::pair<int, unsigned>>& mesh_instances) {
  NodesByName names;
  scene.nodes.push_back({"root", -1, {}});
  std::vector<std::pair<const aiNode*, int>> open{{from.mRootNode, 0}};
  while (!open.empty()) {
    const auto [node, parent] = open.back();
    open.pop_back();
    const int here = static_cast<int>(scene.nodes.size());
    if (scene.nodes.size() > kMaxNodes)
      fail("expected at most " + std::to_string(kMaxNodes) + " nodes, found more");
    scene.nodes.push_back({node->mName.C_Str(), parent, decompose(to_affine(node->mTransformation))});
    names.emplace(node->mName.C_Str(), here);
    for (unsigned k = 0; k < node->mNumMeshes; ++k) mesh_instances.push_back({here, node->mMeshes[k]});
    for (unsigned k = node->mNumChildren; k-- > 0;) open.push_back({node->mChildren[k], here});
  }
  return names;
}

void add_mesh(const aiMesh& from, int node, const NodesByName& nodes, Scene& scene) {
  SceneMesh mesh;
  mesh.node = node;
  for (unsigned v = 0; v < from.mNumVertices; ++v) {
    const aiVector3D& p = from.mVertices[v];
    for (unsigned k = 0; k < 3; ++k) check_finite(static_cast<double>(p[k]), "a vertex");
    mesh.positions.push_back({p.x, p.y, p.z});
  }
  for (unsigned f = 0; f < from.mNumFaces; ++f) {
    const aiFace& face = from.mFaces[f];
    if (face.mNumIndices != 3) continue;  // a point or a line
    const body::Triangle t{face.mIndices[0], face.mIndices[1], face.mIndices[2]};
    if (*std::max_element(t.begin(), t.end()) >= from.mNumVertices)
      fail("a face: expected vertex indices in range");
    mesh.triangles.push_back(t);
  }
  std::vector<std::vector<BoneWeight>> all(from.mNumBones > 0 ? from.mNumVertices : 0);
  for (unsigned b = 0; b < from.mNumBones; ++b) {
    const aiBone& bone = *from.mBones[b];
    mesh.bones.push_back(find_node(nodes, bone.mName, "bone"));
    mesh.inverse_binds.push_back(to_affine(bone.mOffsetMatrix));
    for (unsigned w = 0; w < bone.mNumWeights; ++w) {
      const aiVertexWeight& weight = bone.mWeights[w];
      if (weight.mVertexId >= from.mNumVertices) fail("a weight: expected a vertex index in range");
      if (weight.mWeight != 0) all[weight.mVertexId].push_back({b, weight.mWeight});
    }
  }
  for (std::vector<BoneWeight>& weights : all) add_weights(mesh, std::move(weights));
  scene.meshes.push_back(std::move(mesh));
}

template <class Key, class Value>
void add_track(int node, Track::Path path, const Key* keys, unsigned count, double ticks, Value value,
               Animation& out) {
  if (count == 0) return;
  Track track;
  track.node = node;
  track.path = path;
  for (unsigned k = 0; k < count; ++k) {
    const double time = check_finite(keys[k].mTime, "a key's time") / ticks;
    if (!track.times.empty() && time < track.times.back())
      fail("an animation: expected increasing key times");
    track.times.push_back(time);
    track.values.push_back(value(keys[k]));
    for (int c = 0; c < 4; ++c) check_finite(track.values.back()[c], "a key");
  }
  out.tracks.push_back(std::move(track));
}

void add_animation(const aiAnimation& from, const NodesByName& nodes, Scene& scene) {
  Animation out;
  out.name =
      from.mName.length > 0 ? from.mName.C_Str() : "animation_" + std::to_string(scene.animations.size());
  const double ticks = from.mTicksPerSecond > 0 ? from.mTicksPerSecond : 25;  // Assimp's default
  const auto vector = [](const aiVectorKey& key) {
    return Eigen::Vector4d(key.mValue.x, key.mValue.y, key.mValue.z, 0);
  };
  const auto quaternion = [](const aiQuatKey& key) {
    return Eigen::Vector4d(key.mValue.x, key.mValue.y, key.mValue.z, key.mValue.w);
  };
  for (unsigned c = 0; c < from.mNumChannels; ++c) {
    const aiNodeAnim& channel = *from.mChannels[c];
    const int node = find_node(nodes, channel.mNodeName, "an animation of node");
    for (const Track& track : out.tracks)
      if (track.node == node) fail("an animation: expected each node once, found one twice");
    add_track(node, Track::Path::translation, channel.mPositionKeys, channel.mNumPositionKeys, ticks, vector,
              out);
    add_track(node, Track::Path::rotation, channel.mRotationKeys, channel.mNumRotationKeys, ticks, quaternion,
              out);
    add_track(node, Track::Path::scale, channel.mScalingKeys, channel.mNumScalingKeys, ticks, vector, out);
  }
  if (!out.tracks.empty()) scene.animations.push_back(std::move(out));
}

// FBX stores its unit in centimetres; Assimp converts Collada to metres itself.
double unit_of(const aiScene& from, const std::string& format) {
  if (format != "fbx" || !from.mMetaData) return 1;
  float centimetres = 0;
  double as_double = 0;
  if (from.mMetaData->Get("UnitScaleFactor", centimetres))
    as_double = static_cast<double>(centimetres);
  else if (!from.mMetaData->Get("UnitScaleFactor", as_double))
    return 0.01;
  return as_double > 1e-6 && as_double < 1e6 ? 0.01 * as_double : 0.01;
}

}  // namespace

Scene read_by_assimp(const std::filesystem::path& file) {
  const std::string bytes = read_bytes(file);
  std::string format = file.extension().string().substr(1);
  std::transform(format.begin(), format.end(), format.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  const std::string failure = probe_in_child(
      [&] {
        Assimp::Importer importer;
        run_assimp(importer, bytes, format);
      },
      max_seconds(bytes.size()), max_memory(bytes.size()));
  if (!failure.empty()) fail("expected a readable file, found one that " + failure);

  Assimp::Importer importer;
  const aiScene* from = run_assimp(importer, bytes, format);
  if (!from || !from->mRootNode) fail(std::string("Assimp: ") + importer.GetErrorString());
  Scene scene;
  scene.name = file.stem().string();
  scene.unit = unit_of(*from, format);
  std::vector<std::pair<int, unsigned>> mesh_instances;
  const NodesByName nodes = add_nodes(*from, scene, mesh_instances);
  size_t vertices = 0;
  for (const auto& [node, mesh] : mesh_instances) {
    if (mesh >= from->mNumMeshes) fail("a node: expected a mesh index in range");
    vertices += from->mMeshes[mesh]->mNumVertices;
    if (vertices > kMaxVertices)
      fail("expected at most " + std::to_string(kMaxVertices) + " vertices, found more");
    add_mesh(*from->mMeshes[mesh], node, nodes, scene);
  }
  for (unsigned a = 0; a < from->mNumAnimations; ++a) add_animation(*from->mAnimations[a], nodes, scene);
  return scene;
}

}  // namespace billow::importer
