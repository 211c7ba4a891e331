// glTF files: skins, scales, bind poses, animations, and rejected input.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <stdexcept>

#include "files.h"
#include "gltf_writer.h"
#include "import/character.h"
#include "support/sanitized.h"

namespace billow::importer::gltf_test {
namespace {

Character read(const GltfWriter& file, const CharacterOptions& options = {}) {
  return parse_gltf(file.bytes(), "test.glb", options);
}

std::vector<V3> skinned(const Character& c, const body::Pose& pose) {
  std::vector<V3> out(c.skin.mesh.positions.size());
  body::skin_vertices(c.skin, body::joint_transforms(c.skeleton, pose), out);
  return out;
}

void expect_some_vertex(const std::vector<V3>& all, V3 expected, float tolerance = 1e-5f) {
  float distance = 1e9f;
  for (const V3 p : all) distance = std::min(distance, length(p - expected));
  EXPECT_LT(distance, tolerance) << expected.x << " " << expected.y << " " << expected.z;
}

TEST(Gltf, BendsAStripWhateverTheScaleOfItsArmature) {
  for (const float scale : {1.0f, 100.0f, 0.01f}) {
    const Character c = read(bent_strip(scale));
    ASSERT_EQ(c.skeleton.size(), 2u) << "bones are joints, the armature and the meshes are not";
    EXPECT_EQ(c.skeleton.joints[1].name, "upper");
    EXPECT_NEAR(c.skeleton.joints[1].rest.position.y, 1, 1e-5f) << "the armature's scale is in the offset";
    ASSERT_EQ(c.skin.mesh.positions.size(), 9u);
    const std::vector<V3> rest = skinned(c, body::rest_pose(c.skeleton));
    expect_some_vertex(rest, {0.1f, 2, 0});
    expect_some_vertex(rest, {1, 2, 0});  // the box, 1 large at scale 1
    ASSERT_EQ(c.clips.size(), 1u);
    const motion::Clip& bend = clip_named(c, "bend");
    EXPECT_FLOAT_EQ(bend.frames_per_second, 60) << "keys 1 s apart are too few";
    EXPECT_EQ(bend.frames.size(), 61u);
    EXPECT_TRUE(bend.frames[0].offsets.empty()) << "no joint translates";
    // Rotating the upper bone by 90 degrees moves (0.1, 2) to (-1, 1.1) and the middle, with weights 1/2,
    // half way.
    const std::vector<V3> end = skinned(c, bend.frames.back());
    expect_some_vertex(end, {-1, 1.1f, 0});
    expect_some_vertex(end, {0.05f, 1.05f, 0});
    expect_some_vertex(end, {-1, 2, 0});  // the box
    // Slerp: half way between the keys the rotation is 45 degrees.
    const float h = 0.70710678f;
    expect_some_vertex(skinned(c, bend.frames[30]), {-h + 0.1f * h, 1 + h + 0.1f * h, 0});
  }
}

TEST(Gltf, RestsInTheBindPose) {
  // The nodes' default pose is bent; the bind pose is straight.
  GltfWriter file = bent_strip();
  file.json["nodes"][2]["rotation"] = {0, 0, 0.70710678, 0.70710678};
  const Character c = read(file);
  expect_some_vertex(c.skin.mesh.positions, {0.1f, 2, 0});
  expect_some_vertex(skinned(c, body::rest_pose(c.skeleton)), {0.1f, 2, 0});
  expect_some_vertex(skinned(c, c.clips[0].frames.back()), {-1, 1.1f, 0});
}

TEST(Gltf, MovesJointsAndLoops) {
  GltfWriter file = bent_strip();
  file.animate("stretch", 2, "translation", {0, 0.5f, 1}, {0, 1, 0, 0, 1.5f, 0, 0, 1, 0});
  file.animate("stretch", 1, "translation", {0, 0.1f, 0.2f}, {0, 0, 0, 1, 0, 0, 0, 0, 0});
  const Character c = read(file);
  const motion::Clip& clip = clip_named(c, "stretch");
  EXPECT_TRUE(clip.loops) << "it ends as it starts";
  ASSERT_EQ(clip.frames[0].offsets.size(), 2u);
  EXPECT_NEAR(motion::pose_at(clip, 0.5f).offsets[1].y, 1.5f, 1e-5f);
  EXPECT_NEAR(motion::pose_at(clip, 0.1f).root_position.x, 1, 1e-5f);
  expect_some_vertex(skinned(c, motion::pose_at(clip, 0.5f)), {0.1f, 2.5f, 0});
  EXPECT_FLOAT_EQ(read(file, {.frames_per_second = 24}).clips[1].frames_per_second, 24);
}

TEST(Gltf, StepsAndCurves) {
  GltfWriter file = bent_strip();
  file.animate("step", 2, "translation", {0, 0.5f, 1}, {0, 1, 0, 0, 2, 0, 0, 3, 0}, "STEP");
  // With zero tangents the curve is 3 s^2 - 2 s^3.
  file.animate("curve", 2, "translation", {0, 1}, {0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0},
               "CUBICSPLINE");
  const Character c = read(file);
  EXPECT_NEAR(motion::pose_at(clip_named(c, "step"), 0.4f).offsets[1].y, 1, 1e-5f);
  EXPECT_NEAR(motion::pose_at(clip_named(c, "curve"), 0.25f).offsets[1].y, 1.15625f, 1e-5f);
}

TEST(Gltf, SaysWhatItCannotKeep) {
  GltfWriter file = bent_strip();
  file.animate("grow", 2, "scale", {0, 1}, {1, 1, 1, 2, 2, 2});
  const Character c = read(file);
  ASSERT_EQ(c.notes.size(), 1u);
  EXPECT_NE(c.notes[0].find("grow"), std::string::npos) << c.notes[0];
}

TEST(Gltf, LeavesOutMeshesByName) {
  EXPECT_EQ(read(bent_strip(), {.leave_out = {"box"}}).skin.mesh.positions.size(), 6u);
  const std::string message = message_of([] { read(bent_strip(), {.leave_out = {"sword"}}); });
  EXPECT_NE(message.find("strip, box"), std::string::npos) << message;
}

TEST(Gltf, ScalesAndMirrors) {
  const Character big = read(bent_strip(), {.scale = 2});
  EXPECT_NEAR(big.skeleton.joints[1].rest.position.y, 2, 1e-5f);
  expect_some_vertex(skinned(big, big.clips[0].frames.back()), {-2, 2.2f, 0});
  // The winding of a mirrored node is reversed, so that its triangles still face outward.
  GltfWriter file = bent_strip();
  const V3 before = body::area_normal(read(file).skin.mesh.positions, read(file).skin.mesh.triangles.back());
  file.json["nodes"][4]["scale"] = {-1, 1, 1};
  const Character c = read(file);
  const V3 after = body::area_normal(c.skin.mesh.positions, c.skin.mesh.triangles.back());
  EXPECT_GT(before.z * after.z, 0);
  expect_some_vertex(c.skin.mesh.positions, {-1, 2, 0});
}

TEST(Gltf, WeldsVerticesThatAreTheSame) {
  GltfWriter file = bent_strip();
  const size_t twice = file.vec3({0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0});
  file.json["meshes"][1]["primitives"][0]["attributes"]["POSITION"] = twice;
  const Character c = read(file);
  EXPECT_EQ(c.skin.mesh.positions.size(), 10u);
  EXPECT_EQ(c.skin.mesh.triangles.size(), 6u);
}

TEST(Gltf, ReadsTextWithDataInside) {
  GltfWriter file = bent_strip();
  nlohmann::json all = file.json;
  static const char* kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string base64;
  for (size_t k = 0; k < file.binary.size(); k += 3) {
    uint32_t bits = 0;
    for (size_t i = 0; i < 3; ++i)
      bits = bits << 8 | (k + i < file.binary.size() ? static_cast<unsigned char>(file.binary[k + i]) : 0u);
    for (int i = 3; i >= 0; --i) base64 += kLetters[bits >> (6 * i) & 63];
  }
  all["buffers"] = {
      {{"byteLength", file.binary.size()}, {"uri", "data:application/octet-stream;base64," + base64}}};
  EXPECT_EQ(parse_gltf(all.dump(), "test.gltf").skin.mesh.positions.size(), 9u);
  // An external buffer in the same folder.
  all["buffers"][0]["uri"] = "data.bin";
  const TemporaryFile text("strip.gltf", all.dump());
  std::ofstream(text.path().parent_path() / "data.bin", std::ios::binary) << file.binary;
  EXPECT_EQ(read_character(text.path()).skin.mesh.positions.size(), 9u);
}

struct Hostile {
  const char* what;
  void (*change)(nlohmann::json& json);
  const char* expected;  // part of the message
};

TEST(Gltf, RefusesWhatIsBrokenWithThePlace) {
  using J = nlohmann::json;
  const Hostile cases[] = {
      {"a node that is its own child", [](J& j) { j["nodes"][2]["children"] = {1}; }, "its own ancestor"},
      {"a node with two parents",
       [](J& j) {
         j["scenes"][0]["nodes"] = {0, 3, 2};
       },
       "one parent"},
      {"a child that is not there", [](J& j) { j["nodes"][1]["children"] = {99}; },
       "nodes[1].children[0]: expected an integer from 0 to 4, found 99"},
      {"a child of another kind", [](J& j) { j["nodes"][1]["children"] = {"upper"}; }, "found \"upper\""},
      {"a negative index", [](J& j) { j["nodes"][3]["mesh"] = -1; }, "nodes[3].mesh"},
      {"a rotation of nothing",
       [](J& j) {
         j["nodes"][1]["rotation"] = {0, 0, 0, 0};
       },
       "not 0"},
      {"three numbers of four",
       [](J& j) {
         j["nodes"][1]["rotation"] = {0, 0, 0};
       },
       "4 numbers"},
      {"a huge translation",
       [](J& j) {
         j["nodes"][1]["translation"] = {1e30, 0, 0};
       },
       "-1e9 to 1e9"},
      {"a view beyond its buffer", [](J& j) { j["bufferViews"][0]["byteLength"] = 1 << 30; },
       "bufferViews[0]"},
      {"a view that starts beyond", [](J& j) { j["bufferViews"][0]["byteOffset"] = 1 << 30; },
       "bufferViews[0]"},
      {"an accessor beyond its view", [](J& j) { j["accessors"][0]["count"] = 7; }, "found fewer"},
      {"a huge accessor", [](J& j) { j["accessors"][0]["count"] = 4000000000u; }, "accessors[0].count"},
      {"an offset that overflows", [](J& j) { j["accessors"][0]["byteOffset"] = 18446744073709551615u; },
       "byteOffset"},
      {"a stride of nothing much", [](J& j) { j["bufferViews"][0]["byteStride"] = 4; }, "byteStride"},
      {"another type", [](J& j) { j["accessors"][0]["type"] = "VEC2"; }, "expected \"VEC3\", found \"VEC2\""},
      {"another component", [](J& j) { j["accessors"][0]["componentType"] = 5124; }, "componentType"},
      {"sparse", [](J& j) { j["accessors"][0]["sparse"] = J::object(); }, "sparse"},
      {"no view", [](J& j) { j["accessors"][0].erase("bufferView"); }, "bufferView"},
      {"indices beyond the mesh", [](J& j) { j["meshes"][0]["primitives"][0]["attributes"]["POSITION"] = 4; },
       "expected indices below"},
      {"weights for fewer vertices",
       [](J& j) {
         j["meshes"][0]["primitives"][0]["attributes"]["POSITION"] = 4,
         j["meshes"][0]["primitives"][0].erase("indices");
       },
       "joints and weights for each"},
      {"a bone that is not there",
       [](J& j) {
         j["skins"][0]["joints"] = {1, 50};
       },
       "skins[0].joints[1]"},
      {"a skin without bones", [](J& j) { j["skins"][0]["joints"] = J::array(); }, "1 to 4096 joints"},
      {"fewer bones than weights use", [](J& j) { j["skins"][0]["joints"] = {1}; }, "joints below 1"},
      {"fewer matrices than bones",
       [](J& j) {
         j["skins"][0]["joints"] = {1, 2, 0};
       },
       "a matrix for each of 3"},
      {"a bone outside the scene", [](J& j) { j["scenes"][0]["nodes"] = {3}; }, "a node of the scene"},
      {"keys without values", [](J& j) { j["animations"][0]["samplers"][0]["output"] = 2; },
       "values, as there are keys"},
      {"a path twice",
       [](J& j) { j["animations"][0]["channels"].push_back(j["animations"][0]["channels"][0]); }, "twice"},
      {"an unknown curve", [](J& j) { j["animations"][0]["samplers"][0]["interpolation"] = "WILD"; }, "WILD"},
      {"a version to come", [](J& j) { j["asset"]["version"] = "3.0"; }, "2.x"},
      {"compressed meshes", [](J& j) { j["extensionsRequired"] = {"KHR_draco_mesh_compression"}; }, "draco"},
      {"a file elsewhere",
       [](J& j) {
         j["buffers"] = {{{"byteLength", 4}, {"uri", "../../etc/passwd"}}};
       },
       "beside"},
      {"nothing at all",
       [](J& j) {
         j = {{"asset", {{"version", "2.0"}}}};
       },
       "expected a mesh or an animation"},
      {"a character of a kilometre",
       [](J& j) {
         j["nodes"][0]["scale"] = {1000, 1000, 1000};
       },
       "give the scale"},
      {"a speck",
       [](J& j) {
         j["nodes"][0]["scale"] = {1e-5, 1e-5, 1e-5};
       },
       "give the scale"},
  };
  for (const Hostile& h : cases) {
    GltfWriter file = bent_strip();
    if (std::string(h.what) == "a file elsewhere") {
      h.change(file.json);
      EXPECT_NE(message_of([&] { parse_gltf(file.json.dump(), "test.gltf"); }).find(h.expected),
                std::string::npos);
      continue;
    }
    h.change(file.json);
    EXPECT_THROW(read(file), std::runtime_error) << h.what;
    const std::string message = message_of([&] { read(file); });
    EXPECT_NE(message.find(h.expected), std::string::npos) << h.what << " gave: " << message;
  }
}

TEST(Gltf, RefusesBadNumbersInData) {
  const float nan = std::nanf(""), infinite = HUGE_VALF;
  const auto expect_refused = [](const GltfWriter& file, const char* expected) {
    const std::string message = message_of([&] { read(file); });
    EXPECT_NE(message.find(expected), std::string::npos) << message;
  };
  for (const float bad : {nan, infinite, 1e20f}) {
    GltfWriter keys = bent_strip();
    keys.animate("bad", 1, "translation", {0, 1}, {0, 0, 0, 0, bad, 0});
    expect_refused(keys, "expected finite numbers up to 1e9");
    GltfWriter times = bent_strip();
    times.animate("bad", 1, "translation", {0, bad}, {0, 0, 0, 0, 0, 0});
    expect_refused(times, "expected finite numbers up to 1e9");
  }
  GltfWriter back = bent_strip();
  back.animate("back", 1, "translation", {1, 0}, {0, 0, 0, 0, 0, 0});
  expect_refused(back, "increasing times");
  GltfWriter forever = bent_strip();
  forever.animate("forever", 1, "translation", {0, 9e8f}, {0, 0, 0, 0, 0, 0});
  expect_refused(forever, "at most 500000 frames");
  GltfWriter light = bent_strip();
  light.json["meshes"][0]["primitives"][0]["attributes"]["WEIGHTS_0"] =
      light.vec4({1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, -1, 0, 0, 0});
  expect_refused(light, "weights of at least 0");
}

TEST(Gltf, RefusesAMillionJoints) {
  GltfWriter file = bent_strip();
  nlohmann::json children = nlohmann::json::array();
  for (size_t k = 0; k < 1000000; ++k) {
    file.json["nodes"].push_back({{"name", "x"}});
    children.push_back(5 + k);
  }
  file.json["nodes"][1]["children"] = children;
  const std::string message = message_of([&] { read(file); });
  EXPECT_NE(message.find("at most 65536 nodes"), std::string::npos) << message;
}

TEST(Gltf, RefusesBrokenContainers) {
  const std::string good = bent_strip().bytes();
  const auto message = [](std::string bytes) { return message_of([&] { parse_gltf(bytes, "test.glb"); }); };
  EXPECT_NE(message(good.substr(0, 12)).find("header of 20 bytes"), std::string::npos);
  EXPECT_NE(message(good.substr(0, 100)).find("as the header says"), std::string::npos);
  EXPECT_NE(message("").find("expected JSON"), std::string::npos);
  EXPECT_NE(message("{").find("expected JSON"), std::string::npos);
  EXPECT_NE(message("[]").find("an object"), std::string::npos);
  EXPECT_NE(message(std::string(200000, '[')).find("expected JSON"), std::string::npos);
  std::string longer = good;
  longer[12] = '\xff', longer[13] = '\xff';
  EXPECT_NE(message(longer).find("JSON chunk of"), std::string::npos);
}

// Mutated files give a character or an exception. Mainly a test for the sanitizers.
TEST(Gltf, SurvivesRandomChanges) {
  const GltfWriter file = bent_strip(100);
  const uint32_t changes = testing::kSanitized ? 500 : 3000;
  size_t read_anyway = 0;
  for (uint32_t seed = 0; seed < changes; ++seed) {
    try {
      const Character c = parse_gltf(changed(file, seed), "test.glb");
      for (const motion::Clip& clip : c.clips) skinned(c, motion::pose_at(clip, 0.3f));
      ++read_anyway;
    } catch (const std::exception&) {
    }
  }
  EXPECT_GT(read_anyway, changes / 15) << "too many mutations were rejected early to test the rest";
}

// The same with real characters.
TEST(GltfSlow, SurvivesRandomChangesOfCharacters) {
  BILLOW_NEEDS_SHARED_DATA();
  for (const auto& [name, changes] : {std::pair{"RobotExpressive.glb", 460u}, {"Knight.glb", 40u}}) {
    const GltfWriter file(read_bytes(shared_data() / "characters" / name));
    uint32_t read_anyway = 0;
    for (uint32_t seed = 0; seed < changes; ++seed) {
      try {
        const Character c = parse_gltf(changed(file, seed), name);
        for (const motion::Clip& clip : c.clips) skinned(c, motion::pose_at(clip, 0.3f));
        ++read_anyway;
      } catch (const std::exception&) {
      }
    }
    EXPECT_GT(read_anyway, changes / 10) << name;
    EXPECT_LT(read_anyway, changes) << name;
  }
}

}  // namespace
}  // namespace billow::importer::gltf_test
