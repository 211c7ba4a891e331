// Round trips through each format; interrupted writers leave no files.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "offline/cache/caches.h"

namespace billow::cache {
namespace {

struct Format {
  const char* name;
  float tolerance;     // of positions
  bool topology, fps;  // whether the format stores triangles and UVs, and the rate
};
void PrintTo(const Format& format, std::ostream* out) { *out << format.name; }

class CacheRoundTrip : public ::testing::TestWithParam<Format> {};

TEST_P(CacheRoundTrip, KeepsFramesTopologyAndRate) {
  const Folder folder;
  for (const bool seam : {false, true})
    for (const size_t frames : {1, 2, 5}) {
      SCOPED_TRACE(std::to_string(frames) + (seam ? " frames, seam" : " frames"));
      const Frames sheet = waving_sheet(frames, seam);
      const auto path = folder / (std::to_string(frames) + (seam ? "_seam_" : "_") + GetParam().name);
      write_cache(path, sheet);
      const Frames back = read_cache(path);
      ASSERT_EQ(back.positions.size(), frames);
      for (size_t f = 0; f < frames; ++f)
        EXPECT_LE(difference(sheet.positions[f], back.positions[f]), GetParam().tolerance) << f;
      if (GetParam().fps && frames > 1) {
        EXPECT_EQ(back.fps, 30);
      }
      EXPECT_EQ(back.topology.vertices, 9u);
      if (!GetParam().topology) {
        EXPECT_TRUE(back.topology.triangles.empty());
        continue;
      }
      // UVs may be renumbered, but corners keep their values.
      EXPECT_EQ(back.topology.triangles, sheet.topology.triangles);
      ASSERT_EQ(back.topology.uv_triangles.size(), 8u);
      for (size_t t = 0; t < 8; ++t)
        for (size_t k = 0; k < 3; ++k)
          EXPECT_EQ(back.topology.uvs[back.topology.uv_triangles[t][k]],
                    sheet.topology.uvs[sheet.topology.uv_triangles[t][k]]);
    }
}

TEST_P(CacheRoundTrip, LeavesNothingWithoutFinish) {
  const Folder folder;
  const Frames sheet = waving_sheet();
  for (const size_t written : {0, 3, 5}) {
    const auto writer = make_cache_writer(folder / GetParam().name, sheet.topology, 30, 5);
    for (size_t f = 0; f < written; ++f) writer->write(sheet.positions[f]);
    if (written == 3) {
      EXPECT_NE(message_of([&] { writer->finish(); }).find("expected 5 frames, found 3"), std::string::npos);
    }
  }
  EXPECT_EQ(folder.entries(), 0u);
}

TEST_P(CacheRoundTrip, ReplacesAnEarlierCacheOnlyWhenItIsWhole) {
  const Folder folder;
  const auto path = folder / GetParam().name;
  Frames sheet = waving_sheet();
  write_cache(path, sheet);
  const size_t entries = folder.entries();
  for (auto& frame : sheet.positions)
    for (V3& p : frame) p.x += 1;
  {
    const auto writer = make_cache_writer(path, sheet.topology, 30, 5);
    writer->write(sheet.positions[0]);
    EXPECT_NEAR(read_cache(path).positions[0][0].x, 0, 1e-6);
  }
  EXPECT_NEAR(read_cache(path).positions[0][0].x, 0, 1e-6);
  write_cache(path, sheet);
  EXPECT_NEAR(read_cache(path).positions[4][0].x, 1, 1e-6);
  EXPECT_EQ(folder.entries(), entries);
}

INSTANTIATE_TEST_SUITE_P(
    All, CacheRoundTrip,
    ::testing::Values(Format{"sheet.pc2", 0, false, false}, Format{"sheet.mdd", 0, false, true},
                      Format{"sheet_####.obj", 0, true, false}, Format{"sheet_%03d.obj", 0, true, false},
                      Format{"folder", 0, true, false}, Format{"sheet.glb", 3e-7f, true, true},
                      Format{"sheet.gltf", 3e-7f, true, true}),
    [](const auto& test) {
      std::string name = test.param.name;
      std::erase_if(name, [](char c) { return std::isalnum(c) == 0; });
      return name;
    });

TEST(Cache, ReadsFramesInAnyOrder) {
  const Folder folder;
  const Frames sheet = waving_sheet();
  for (const char* name : {"a.pc2", "a.mdd", "a_#.obj", "a.glb"}) {
    write_cache(folder / name, sheet);
    const auto reader = open_cache(folder / name);
    std::vector<V3> positions(9);
    for (const size_t f : {4, 0, 2, 4, 1}) {
      reader->read(f, positions);
      EXPECT_LE(difference(positions, sheet.positions[f]), 3e-7f) << name << f;
    }
    EXPECT_NE(message_of([&] { reader->read(5, positions); }).find("expected a frame below 5, found 5"),
              std::string::npos);
    positions.resize(8);
    EXPECT_NE(
        message_of([&] { reader->read(0, positions); }).find("expected a buffer of 9 vertices, found 8"),
        std::string::npos);
  }
}

TEST(Cache, ConvertsUnitsAndAxesWhenAsked) {
  const Folder folder;
  Frames one;
  one.topology.vertices = 1;
  one.positions = {{{1, 2, 3}}};
  write_cache(folder / "one.pc2", one);
  const V3 as_is = read_cache(folder / "one.pc2").positions[0][0];
  EXPECT_EQ(length(as_is - V3{1, 2, 3}), 0);
  const V3 converted = read_cache(folder / "one.pc2", {.scale = 0.5f, .z_up = true}).positions[0][0];
  EXPECT_EQ(length(converted - V3{0.5f, 1.5f, -1}), 0);
  EXPECT_EQ(read_cache(folder / "one.pc2", {.fps = 24}).fps, 24);
  EXPECT_NE(
      message_of([&] { open_cache(folder / "one.pc2", {.scale = -1}); }).find("expected a scale above 0"),
      std::string::npos);
  EXPECT_NE(
      message_of([&] { read_cache(folder / "one.pc2", {.scale = 3e38f}); }).find("after scaling, found"),
      std::string::npos);
}

TEST(Cache, WritesUsd) {
  const Folder folder;
  write_cache(folder / "2nd cape.usda", waving_sheet(3));
  const std::string text = bytes_of(folder / "2nd cape.usda");
  EXPECT_EQ(text.substr(0, 10), "#usda 1.0\n");
  for (const char* part :
       {"upAxis = \"Y\"", "metersPerUnit = 1\n", "timeCodesPerSecond = 30\n", "startTimeCode = 1\n",
        "endTimeCode = 3\n", "def Mesh \"_2nd_cape\"", "int[] faceVertexCounts = [3, 3, 3, 3, 3, 3, 3, 3]\n",
        "int[] faceVertexIndices = [0, 1, 4, 0, 4, 3, ", "point3f[] points = [(0, 1.2345, 0), ",
        "point3f[] points.timeSamples = {\n        1: [(0, 1.2345, 0), ", "\n        3: [(",
        "texCoord2f[] primvars:st = [(0, 0), (0.25, 0), ", "interpolation = \"faceVarying\"",
        "int[] primvars:st:indices = [0, 1, 4, ", "float3[] extent.timeSamples = {"})
    EXPECT_NE(text.find(part), std::string::npos) << part;
  EXPECT_EQ(std::count(text.begin(), text.end(), '{'), std::count(text.begin(), text.end(), '}'));
  EXPECT_NE(message_of([&] { open_cache(folder / "2nd cape.usda"); }).find(".usda is not read"),
            std::string::npos);
}

TEST(Cache, WritesGltfWithNormals) {
  const Folder folder;
  write_cache(folder / "cape.gltf", waving_sheet(3));
  const auto file = nlohmann::json::parse(bytes_of(folder / "cape.gltf"));
  const auto& primitive = file["meshes"][0]["primitives"][0];
  const auto low = [&](const nlohmann::json& attributes) {
    return file["accessors"][attributes["NORMAL"].get<size_t>()]["min"][1].get<float>();
  };
  // The sheet waves about the horizontal and faces down; targets are differences.
  EXPECT_LT(low(primitive["attributes"]), -0.5f);
  EXPECT_GE(low(primitive["attributes"]), -1);
  ASSERT_EQ(primitive["targets"].size(), 2u);
  for (const auto& target : primitive["targets"]) EXPECT_GT(std::fabs(low(target)), 1e-3f);
}

TEST(Cache, RefusesToWriteWhatMakesNoSense) {
  const Folder folder;
  const Frames sheet = waving_sheet();
  const auto refusal = [&](const std::string& name, const Topology& t, double fps, size_t frames) {
    return message_of([&] { make_cache_writer(folder / name, t, fps, frames); });
  };
  const auto contains = [](const std::string& message, const std::string& part) {
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  Topology none = sheet.topology, bad = sheet.topology, bad_uv = sheet.topology;
  none.triangles.clear(), none.uv_triangles.clear();
  bad.triangles[3][1] = 9;
  bad_uv.uv_triangles.pop_back();
  contains(refusal("a.glb", none, 30, 5), "a.glb: expected triangles, which its source does not have");
  contains(refusal("a.mdd", none, 0, 5), "a.mdd: expected a frame rate");
  contains(refusal("a.pc2", bad, 0, 5), "triangle 3: expected vertices below 9, found 9");
  contains(refusal("a.pc2", bad_uv, 0, 5), "expected UVs for all 8 triangles, found them for 7");
  contains(refusal("a.pc2", {}, 0, 5), "expected at least one vertex");
  contains(refusal("a.pc2", none, 0, 0), "expected 1 to 500000 frames, found 0");
  contains(refusal("a.abc", none, 0, 5), "expected .pc2, .mdd, .glb");
  contains(refusal("a.obj", sheet.topology, 0, 5), "expected a pattern such as cape_####.obj");
  contains(refusal("no/a.pc2", none, 0, 5), "No such file or directory");
  contains(refusal("a.glb", sheet.topology, 30, 10000), "expected at most 36000000 numbers, found 100");
  contains(refusal("a.gltf", sheet.topology, 30, 5000), "write fewer frames, .glb, PC2, MDD or USDA");
  EXPECT_EQ(folder.entries(), 0u);

  const auto writer = make_cache_writer(folder / "a.pc2", none, 0, 1);
  std::vector<V3> p = sheet.positions[0];
  p[7].y = NAN;
  contains(message_of([&] { writer->write(p); }),
           "a.pc2: frame 0, vertex 7: expected finite numbers, found ");
  contains(message_of([&] { writer->write(std::span(p).first(8)); }),
           "frame 0: expected 9 vertices, found 8");
  writer->write(sheet.positions[0]);
  contains(message_of([&] { writer->write(sheet.positions[0]); }), "frame 1: expected 1 frames, found more");
}

TEST(Cache, NamesObjFilesAfterTheirFolder) {
  const Folder folder;
  for (const char* name : {"cape", "skirt/", "take #2", "shirt/."})
    write_cache(folder / name, waving_sheet(2));
  for (const char* name :
       {"cape/cape_0001.obj", "skirt/skirt_0002.obj", "take #2/take #2_0001.obj", "shirt/shirt_0002.obj"})
    EXPECT_TRUE(std::filesystem::exists(folder / name)) << name;
  EXPECT_EQ(open_cache(folder / "take #2")->info().name, "take #2");
}

TEST(Cache, NeverMixesTwoObjSequences) {
  const Folder folder;
  write_cache(folder / "a_##.obj", waving_sheet(5));
  EXPECT_NE(message_of([&] {
              write_cache(folder / "a_##.obj", waving_sheet(3));
            }).find("expected no other frames there, found a_04.obj"),
            std::string::npos);
  EXPECT_EQ(read_cache(folder / "a_##.obj").positions.size(), 5u);
}

}  // namespace
}  // namespace billow::cache
