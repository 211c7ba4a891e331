// All characters and motions of the shared data, compared with an independent reader of the same files.
#include "import/character.h"

#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <assimp/Importer.hpp>
#include <cmath>
#include <map>
#include <stdexcept>

#include "files.h"
#include "gltf_writer.h"
#include "import/makehuman.h"
#include "motion/human.h"

namespace billow::importer::character_test {
namespace {

namespace fs = std::filesystem;

std::vector<V3> skinned(const Character& c, const body::Pose& pose) {
  std::vector<V3> out(c.skin.mesh.positions.size());
  if (out.empty()) return out;
  body::skin_vertices(c.skin, body::joint_transforms(c.skeleton, pose), out);
  return out;
}

// Checks that joints and skin stay finite and close together throughout a clip.
void expect_plays(const Character& c, const motion::Clip& clip) {
  ASSERT_NO_THROW(motion::validate(c.skeleton, clip));
  for (const float share : {0.0f, 0.31f, 0.62f, 1.0f}) {
    const body::Pose pose = motion::pose_at(clip, share * clip.duration());
    V3 low{1e9f, 1e9f, 1e9f}, high{-1e9f, -1e9f, -1e9f};
    std::vector<V3> points = skinned(c, pose);
    for (const Transform& t : body::joint_transforms(c.skeleton, pose)) points.push_back(t.position);
    for (const V3 p : points) {
      ASSERT_TRUE(std::isfinite(p.x + p.y + p.z)) << clip.name;
      low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
      high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
    }
    EXPECT_LT(length(high - low), 12) << c.name << " " << clip.name;
    EXPECT_GT(length(high - low), 0.5f) << c.name << " " << clip.name;
  }
}

TEST(ImportSharedData, AllMotionsOfCmuAreReadAndPlay) {
  BILLOW_NEEDS_SHARED_DATA();
  size_t count = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(shared_data() / "motions/cmu")) {
    const Character c = read_character(entry.path());
    ++count;
    EXPECT_EQ(c.skeleton.size(), 38u) << entry.path();  // 31 joints and 7 end sites
    ASSERT_EQ(c.clips.size(), 1u);
    EXPECT_FLOAT_EQ(c.clips[0].frames_per_second, 120);
    expect_plays(c, c.clips[0]);
    // Leg lengths of people between 1.5 and 2 m: the unit was guessed right.
    const motion::Human human = motion::find_human(c.skeleton);
    EXPECT_GT(human.leg_length(c.skeleton), 0.74f) << entry.path();
    EXPECT_LT(human.leg_length(c.skeleton), 0.98f) << entry.path();
    // The T-pose before the motion became the rest pose: the legs point straight down.
    const std::vector<Transform> rest = body::rest_transforms(c.skeleton);
    const V3 leg = rest[static_cast<size_t>(c.skeleton.at("LeftFoot"))].position -
                   rest[static_cast<size_t>(c.skeleton.at("LeftUpLeg"))].position;
    EXPECT_LT(leg.y, -0.99f * length(leg)) << entry.path();
  }
  EXPECT_EQ(count, 17u);
}

TEST(ImportSharedData, TheRobotRunsAndDances) {
  BILLOW_NEEDS_SHARED_DATA();
  const Character robot = read_character(shared_data() / "characters/RobotExpressive.glb");
  EXPECT_EQ(robot.skeleton.size(), 43u);
  EXPECT_EQ(robot.clips.size(), 14u);
  EXPECT_GT(robot.skin.mesh.triangles.size(), 3000u);
  for (const motion::Clip& clip : robot.clips) expect_plays(robot, clip);
  EXPECT_TRUE(clip_named(robot, "Running").loops);
  EXPECT_NEAR(clip_named(robot, "Dance").duration(), 3.3333f, 1e-3f);
  EXPECT_NE(message_of([&] { clip_named(robot, "Fly"); }).find("Dance, Death, Idle"), std::string::npos);
}

// With sanitizers the same file is read by SkinsAsAssimpsMatricesSay.
TEST(ImportSharedDataSlow, TheKnightHas76Clips) {
  BILLOW_NEEDS_SHARED_DATA();
  const Character knight =
      read_character(shared_data() / "characters/Knight.glb", {.leave_out = {"Knight_Cape"}});
  EXPECT_EQ(knight.skeleton.size(), 41u);
  EXPECT_EQ(knight.clips.size(), 76u);
  for (const motion::Clip& clip : knight.clips) expect_plays(knight, clip);
}

TEST(ImportSharedData, TheMakeHumanBodyStands) {
  BILLOW_NEEDS_SHARED_DATA();
  const fs::path folder = shared_data() / "body";
  const Character body = read_makehuman({folder / "makehuman_base.obj", folder / "makehuman_default.mhskel",
                                         folder / "makehuman_default_weights.mhw"});
  EXPECT_EQ(body.skeleton.size(), 163u);
  EXPECT_EQ(body.skin.mesh.positions.size(), 13380u);
  EXPECT_EQ(body.skin.mesh.triangles.size(), 26756u);
  float low = 1e9f, high = -1e9f;
  for (const V3 p : body.skin.mesh.positions) low = std::min(low, p.y), high = std::max(high, p.y);
  EXPECT_NEAR(low, 0, 1e-5f);
  EXPECT_NEAR(high, 1.7f, 0.15f);
  // Rotating a thigh moves the foot's skin and not the head's.
  body::Pose pose = body::rest_pose(body.skeleton);
  pose.rotations[static_cast<size_t>(body.skeleton.at("upperleg01.L"))] = body::rotation_about({1, 0, 0}, -1);
  const std::vector<V3> moved = skinned(body, pose);
  size_t changed = 0;
  for (size_t v = 0; v < moved.size(); ++v) {
    const V3 p = body.skin.mesh.positions[v];
    const float by = length(moved[v] - p);
    changed += by > 0.1f;
    EXPECT_TRUE(p.y < 1.2f || by < 1e-5f) << v;
    EXPECT_TRUE(p.y > 0.05f || p.x < 0.02f || by > 0.3f) << v;
  }
  EXPECT_GT(changed, 1000u);
}

// The same file read by Assimp and skinned by the definition. Assimp identifies nodes by their names, so they
// are made unique first.
class ByAssimp {
 public:
  explicit ByAssimp(const fs::path& file) {
    GltfWriter renamed(read_bytes(file));
    size_t count = 0;
    for (nlohmann::json& node : renamed.json["nodes"]) node["name"] = "node " + std::to_string(count++);
    const std::string bytes = renamed.bytes();
    scene_ = importer_.ReadFileFromMemory(bytes.data(), bytes.size(), aiProcess_Triangulate, "glb");
  }
  const aiScene* scene() const { return scene_; }

  // All vertices at a time of an animation, in seconds.
  std::vector<V3> vertices(const std::string& clip, double seconds) const {
    std::map<std::string, const aiNodeAnim*> channels;
    double ticks = 1;
    for (unsigned a = 0; a < scene_->mNumAnimations; ++a) {
      const aiAnimation& animation = *scene_->mAnimations[a];
      if (clip != animation.mName.C_Str()) continue;
      ticks = animation.mTicksPerSecond;
      for (unsigned c = 0; c < animation.mNumChannels; ++c)
        channels[animation.mChannels[c]->mNodeName.C_Str()] = animation.mChannels[c];
    }
    std::map<std::string, aiMatrix4x4> matrices;
    std::vector<V3> out;
    walk(scene_->mRootNode, aiMatrix4x4(), channels, seconds * ticks, matrices, nullptr);
    walk(scene_->mRootNode, aiMatrix4x4(), channels, seconds * ticks, matrices, &out);
    return out;
  }

 private:
  template <class Key> static auto interpolate(const Key* keys, unsigned count, double at) {
    unsigned k = 0;
    while (k + 1 < count && keys[k + 1].mTime <= at) ++k;
    auto value = keys[k].mValue;
    if (k + 1 < count && at > keys[k].mTime) {
      const double share = (at - keys[k].mTime) / (keys[k + 1].mTime - keys[k].mTime);
      if constexpr (std::is_same_v<decltype(value), aiQuaternion>)
        aiQuaternion::Interpolate(value, keys[k].mValue, keys[k + 1].mValue, static_cast<float>(share));
      else
        value = keys[k].mValue + (keys[k + 1].mValue - keys[k].mValue) * static_cast<float>(share);
    }
    return value;
  }
  // Computes the matrices of all nodes (out == nullptr), or the vertices of their meshes from these.
  void walk(const aiNode* node, const aiMatrix4x4& above,
            const std::map<std::string, const aiNodeAnim*>& channels, double ticks,
            std::map<std::string, aiMatrix4x4>& matrices, std::vector<V3>* out) const {
    aiMatrix4x4 local = node->mTransformation;
    if (const auto found = channels.find(node->mName.C_Str()); found != channels.end()) {
      const aiNodeAnim& c = *found->second;
      local = aiMatrix4x4(interpolate(c.mScalingKeys, c.mNumScalingKeys, ticks),
                          interpolate(c.mRotationKeys, c.mNumRotationKeys, ticks),
                          interpolate(c.mPositionKeys, c.mNumPositionKeys, ticks));
    }
    const aiMatrix4x4 here = above * local;
    matrices[node->mName.C_Str()] = here;
    for (unsigned m = 0; out && m < node->mNumMeshes; ++m) {
      const aiMesh& mesh = *scene_->mMeshes[node->mMeshes[m]];
      std::vector<aiVector3D> sum(mesh.mNumVertices);
      std::vector<float> weights(mesh.mNumVertices,
                                 mesh.mNumBones == 0 ? 1.0f : 0.0f);  // the robot's go up to 1.76
      for (unsigned v = 0; v < mesh.mNumVertices; ++v)
        if (mesh.mNumBones == 0) sum[v] = here * mesh.mVertices[v];
      for (unsigned b = 0; b < mesh.mNumBones; ++b) {
        const aiBone& bone = *mesh.mBones[b];
        const aiMatrix4x4 matrix = matrices.at(bone.mName.C_Str()) * bone.mOffsetMatrix;
        for (unsigned w = 0; w < bone.mNumWeights; ++w) {
          const aiVertexWeight& weight = bone.mWeights[w];
          sum[weight.mVertexId] += matrix * mesh.mVertices[weight.mVertexId] * weight.mWeight;
          weights[weight.mVertexId] += weight.mWeight;
        }
      }
      for (unsigned v = 0; v < mesh.mNumVertices; ++v)
        out->push_back(V3{sum[v].x, sum[v].y, sum[v].z} * (1 / weights[v]));
    }
    for (unsigned c = 0; c < node->mNumChildren; ++c)
      walk(node->mChildren[c], here, channels, ticks, matrices, out);
  }

  Assimp::Importer importer_;
  const aiScene* scene_ = nullptr;
};

// One-sided Hausdorff distance from `a` to `b`.
float distance_of_sets(const std::vector<V3>& a, const std::vector<V3>& b) {
  std::vector<V3> sorted = b;
  std::sort(sorted.begin(), sorted.end(), [](V3 p, V3 q) { return p.x < q.x; });
  float max_distance = 0;
  for (const V3 p : a) {
    float nearest = 0.05f;  // far enough to fail
    auto k =
        std::lower_bound(sorted.begin(), sorted.end(), p.x - nearest, [](V3 q, float x) { return q.x < x; });
    for (; k != sorted.end() && k->x < p.x + nearest; ++k) nearest = std::min(nearest, length(*k - p));
    max_distance = std::max(max_distance, nearest);
  }
  return max_distance;
}

TEST(ImportSharedData, SkinsAsAssimpsMatricesSay) {
  BILLOW_NEEDS_SHARED_DATA();
  for (const auto& [name, clips] :
       {std::pair{"RobotExpressive.glb", std::vector<std::string>{"Running", "Dance", "Jump"}},
        std::pair{"Knight.glb", std::vector<std::string>{"Running_A", "Cheer", "Sit_Floor_Down"}}}) {
    const fs::path file = shared_data() / "characters" / name;
    const Character c = read_character(file);
    const ByAssimp other(file);
    ASSERT_NE(other.scene(), nullptr);
    for (const std::string& clip : clips)
      for (const size_t frame : {0u, 5u, 13u}) {
        const motion::Clip& ours = clip_named(c, clip);
        const std::vector<V3> here = skinned(c, ours.frames[frame]);
        const std::vector<V3> there =
            other.vertices(clip, static_cast<double>(frame) / static_cast<double>(ours.frames_per_second));
        EXPECT_LT(distance_of_sets(here, there), 1e-4f) << name << " " << clip << " frame " << frame;
        EXPECT_LT(distance_of_sets(there, here), 1e-4f) << name << " " << clip << " frame " << frame;
      }
  }
}

TEST(Import, SaysWhatItCannotRead) {
  const TemporaryFile text("notes.txt", "hello");
  EXPECT_NE(message_of([&] { read_character(text.path()); }).find("expected .bvh, .glb"), std::string::npos);
  EXPECT_NE(message_of([] { read_character("/nowhere/x.glb"); }).find("/nowhere/x.glb"), std::string::npos);
  const TemporaryFile empty("x.glb", "");
  EXPECT_NE(message_of([&] { read_character(empty.path()); }).find("x.glb: "), std::string::npos);
  EXPECT_THROW(read_character(text.path(), {.scale = -1}), std::invalid_argument);
}

TEST(Import, MakeHumanRefusesWhatIsBroken) {
  const std::string obj = "v 0 0 0\nv 10 0 0\nv 0 17 0\nv 0 0 1\ng body\nf 1/1 2/2 3/3\ng joint\nf 1 2 4\n";
  const std::string bones =
      R"({"bones": {"root": {"head": "a", "parent": null}, "arm": {"head": "b", "parent": "root"}},
                               "joints": {"a": [0, 1], "b": [2]}})";
  const std::string weights = R"({"weights": {"root": [[0, 1], [1, 0.5]], "arm": [[1, 0.5], [2, 1]]}})";
  const auto read = [](const std::string& o, const std::string& s, const std::string& w) {
    const TemporaryFile a("m.obj", o), b("m.mhskel", s), c("m.mhw", w);
    return read_makehuman({a.path(), b.path(), c.path()});
  };
  const Character good = read(obj, bones, weights);
  EXPECT_EQ(good.skin.mesh.triangles.size(), 1u);
  EXPECT_FLOAT_EQ(good.skin.weights[1][0], 0.5f);
  const auto with = [](std::string in, const std::string& from, const std::string& to) {
    return in.replace(in.find(from), from.size(), to);
  };
  const struct {
    std::string obj, bones, weights, expected;
  } cases[] = {
      {with(obj, "f 1/1", "f 9/1"), bones, weights, "m.obj: line 6: expected a vertex from 1 to 4, found 9"},
      {with(obj, "v 10", "v ten"), bones, weights, "m.obj: line 2: expected a number, found 'ten'"},
      {with(obj, "v 10", "v nan"), bones, weights, "m.obj: line 2: expected a finite number"},
      {with(obj, "g body", "g head"), bones, weights, "expected faces of group 'body'"},
      {obj, with(bones, "null", "\"arm\""), weights, "leads to the root"},
      {obj, with(bones, "\"root\"}", "null}"), weights, "one root"},
      {obj, with(bones, "[2]", "[77]"), weights, "joints.b[0]"},
      {obj, with(bones, "[2]", "[]"), weights, "expected vertices"},
      {obj, bones, with(weights, "[2, 1]", "[2, -1]"), "weights of at least 0"},
      {obj, bones, with(weights, "[2, 1]", "[99, 1]"), "weights.arm[1][0]"},
      {obj, bones, with(weights, "\"arm\"", "\"leg\""), "existing bones"},
      {obj, "{", weights, "m.mhskel: "},
  };
  for (const auto& c : cases) {
    const std::string message = message_of([&] { read(c.obj, c.bones, c.weights); });
    EXPECT_NE(message.find(c.expected), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace billow::importer::character_test
