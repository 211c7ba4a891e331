// Morph-target animations as other tools write them.
#include <gtest/gtest.h>

#include "offline/cache/caches.h"
#include "offline/import/gltf_writer.h"

namespace billow::cache {
namespace {

// A triangle with two targets: up by 1 and right by 2.
GltfWriter morphing(const std::vector<float>& times, const std::vector<float>& weights,
                    const std::string& interpolation) {
  GltfWriter w;
  w.json["scenes"] = {{{"nodes", {0}}}};
  w.json["nodes"] = {{{"name", "above"}, {"children", {1}}, {"translation", {0, 0, 5}}},
                     {{"name", "flag"}, {"mesh", 0}, {"scale", {2, 2, 2}}}};
  const size_t base = w.vec3({0, 0, 0, 1, 0, 0, 0, 1, 0});
  const size_t up = w.vec3({0, 1, 0, 0, 1, 0, 0, 1, 0}), right = w.vec3({2, 0, 0, 2, 0, 0, 2, 0, 0});
  w.json["meshes"] = {
      {{"primitives",
        {{{"attributes", {{"POSITION", base}}}, {"targets", {{{"POSITION", up}}, {{"POSITION", right}}}}}}}}};
  const size_t input = w.scalars(times), output = w.scalars(weights);
  w.json["animations"] = nlohmann::json::array(
      {{{"samplers", {{{"input", input}, {"output", output}, {"interpolation", interpolation}}}},
        {"channels", {{{"sampler", 0}, {"target", {{"node", 1}, {"path", "weights"}}}}}}}});
  return w;
}

// The trajectory of the first vertex.
std::vector<V3> path_of(const GltfWriter& w, double fps = 0) {
  const Folder folder;
  std::vector<V3> out;
  for (const auto& frame : read_cache(folder.put("a.glb", w.bytes()), {.fps = fps}).positions)
    out.push_back(frame[0]);
  return out;
}
std::string refusal_of(const GltfWriter& w, double fps = 0) {
  return message_of([&] { path_of(w, fps); });
}

#define EXPECT_AT(p, a, b, c) \
  EXPECT_LT(length((p)-V3{a, b, c}), 1e-6f) << (p).x << " " << (p).y << " " << (p).z

TEST(GltfCache, SamplesAtItsKeysInItsPlaceInTheScene) {
  const auto path = path_of(morphing({0.5f, 1, 1.5f}, {0, 0, 1, 0, 1, 1}, "LINEAR"));
  ASSERT_EQ(path.size(), 3u);
  EXPECT_AT(path[0], 0, 0, 5);
  EXPECT_AT(path[1], 0, 2, 5);
  EXPECT_AT(path[2], 4, 2, 5);
}

TEST(GltfCache, SamplesAtAGivenRate) {
  for (const auto& [interpolation, middle] : {std::pair{"LINEAR", 0.5f}, {"STEP", 0.0f}}) {
    const auto path = path_of(morphing({0, 1, 4}, {0, 0, 1, 0, 1, 1}, interpolation), 2);
    ASSERT_EQ(path.size(), 9u) << interpolation;
    EXPECT_AT(path[1], 0, 2 * middle, 5);
    EXPECT_AT(path[2], 0, 2, 5);
    EXPECT_AT(path[5], 4 * middle, 2, 5);
    EXPECT_AT(path[8], 4, 2, 5);
  }
}

TEST(GltfCache, FollowsCubicSplines) {
  // One target's weight from 0 to 1 with tangents 0: at a quarter it is 5/32. The other stays.
  const auto path = path_of(morphing({0, 1}, {0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0}, "CUBICSPLINE"), 4);
  ASSERT_EQ(path.size(), 5u);
  EXPECT_AT(path[0], 4, 0, 5);
  EXPECT_AT(path[1], 4, 2 * 5 / 32.0f, 5);
  EXPECT_AT(path[2], 4, 1, 5);
  EXPECT_AT(path[4], 4, 2, 5);
}

TEST(GltfCache, MakesOneOfVerticesThatAreAlwaysInOnePlace) {
  const Folder folder;
  GltfWriter w;
  w.json["nodes"] = {{{"mesh", 0}}};
  const size_t base = w.vec3({0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 1, 0, 0, 1, 1, 0});
  const size_t moved = w.vec3({0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 2, 0, 0, 0});
  w.json["meshes"] = {
      {{"primitives", {{{"attributes", {{"POSITION", base}}}, {"targets", {{{"POSITION", moved}}}}}}}}};
  const size_t input = w.scalars({0, 1}), output = w.scalars({0, 1});
  w.json["animations"] = nlohmann::json::array(
      {{{"samplers", {{{"input", input}, {"output", output}}}},
        {"channels", {{{"sampler", 0}, {"target", {{"node", 0}, {"path", "weights"}}}}}}}});
  // Vertices 2 and 3 move together, 1 and 4 separate.
  const Topology t = read_cache(folder.put("a.glb", w.bytes())).topology;
  EXPECT_EQ(t.vertices, 5u);
  EXPECT_EQ(t.triangles, (std::vector<Triangle>{{0, 1, 2}, {2, 3, 4}}));
}

TEST(GltfCache, ReadsSparseTargets) {
  GltfWriter w = morphing({0, 1}, {0, 0, 1, 1}, "LINEAR");
  // The first target is sparse only and moves vertex 0; the second overrides vertex 0 of its dense values.
  const size_t indices = w.add<uint16_t>("SCALAR", 1, {0}), values = w.vec3({0, 0, 3});
  auto& accessors = w.json["accessors"];
  const nlohmann::json sparse = {
      {"count", 1},
      {"indices", {{"bufferView", accessors[indices]["bufferView"]}, {"componentType", 5123}}},
      {"values", {{"bufferView", accessors[values]["bufferView"]}}}};
  accessors[1].erase("bufferView");
  accessors[1]["sparse"] = accessors[2]["sparse"] = sparse;
  EXPECT_AT(path_of(w)[1], 0, 0, 17);
  w.json["accessors"][1]["count"] = 2;
  EXPECT_NE(refusal_of(w).find("expected 3 vertices as the mesh has, found 2 (target 0)"), std::string::npos);
  w.json["accessors"][1]["count"] = 0;
  EXPECT_NE(refusal_of(w).find("sparse.indices: expected indices below 0, found 0"), std::string::npos);
  w.json["accessors"][1]["count"] = 39'999'999;
  EXPECT_NE(refusal_of(w).find("expected at most 40000000 values in all"), std::string::npos);
}

TEST(GltfCache, RefusesWhatItWouldLeaveOut) {
  const GltfWriter good = morphing({0, 1}, {0, 0, 1, 0}, "LINEAR");
  const auto refused = [&](auto change, const std::string& expected, double fps = 0) {
    GltfWriter w = good;
    change(w);
    const std::string message = refusal_of(w, fps);
    EXPECT_NE(message.find(expected), std::string::npos) << message;
    EXPECT_NE(message.find("a.glb: "), std::string::npos) << message;
  };
  refused(
      [](GltfWriter& w) {
        w = morphing({0, 1, 4}, {0, 0, 1, 0, 1, 1}, "LINEAR");
      },
      "expected keys at even times, found key 1 at 1 s: give a frame rate");
  refused(
      [](GltfWriter& w) {
        w = morphing({0, 1e8f}, {0, 0, 1, 0}, "LINEAR");
      },
      "expected at most 500000 frames", 60);
  refused([](GltfWriter& w) { w = morphing({0, 0}, {0, 0, 1, 0}, "LINEAR"); }, "expected increasing times");
  refused(
      [](GltfWriter& w) {
        w = morphing({0, 1}, {0, 0, 1}, "LINEAR");
      },
      "expected weights for each of 2 keys");
  refused(
      [](GltfWriter& w) {
        w = morphing({0, 1}, {0, 0, 0, 0, 0, 0}, "LINEAR");
      },
      "expected 3 targets, as many as have animated weights");
  refused(
      [](GltfWriter& w) {
        w.animate("turn", 0, "translation", {0, 1}, {0, 0, 0, 1, 0, 0});
      },
      "bake its node's motion into morph targets");
  refused([](GltfWriter& w) { w.json["nodes"][1]["skin"] = 0; }, "bake its skinning into morph targets");
  refused([](GltfWriter& w) { w.json["nodes"][1]["children"] = {0}; }, "a node that is not its own ancestor");
  refused([](GltfWriter& w) { w.json["meshes"][0]["primitives"][0]["mode"] = 1; }, "expected triangles (4)");
  refused(
      [](GltfWriter& w) {
        w.json["meshes"][0]["primitives"][0]["targets"][1]["POSITION"] = w.vec3({0, 0, 0});
      },
      "expected 3 vertices as the mesh has, found 1 (target 1)");
  refused(
      [](GltfWriter& w) {
        w.json.erase("animations");
        w.json["nodes"][0]["mesh"] = 0;
      },
      "expected a mesh with animated morph targets, or a single mesh, found 2 static meshes");
  refused(
      [](GltfWriter& w) {
        w.json["nodes"][0]["mesh"] = 0;
        w.json["animations"][0]["channels"].push_back(
            {{"sampler", 0}, {"target", {{"node", 0}, {"path", "weights"}}}});
      },
      "expected one mesh with animated morph targets and not nodes 1 and 0");
}

}  // namespace
}  // namespace billow::cache
