// Reading and writing OBJ files, valid and invalid ones.
#include "garment/mesh_file.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <set>

#include "offline/import/files.h"

namespace billow::garment {
namespace {

constexpr const char* kStrip =
    "# two quads\n"
    "mtllib cloth.mtl\n"
    "o dress\n"
    "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 2 0\nv 1 2 0 # with a comment\n"
    "vn 0 0 1\n"
    "usemtl belt\n"
    "g belt front\n"
    "f 1//1 2//1 3//1 4//1\n"
    "usemtl linen\n"
    "g front\r\n"
    "f -3 -4 -1 -2\n"
    "s off\nl 1 2\n";

size_t triangles_of(const std::vector<MeshPart>& parts, const std::string& name) {
  for (const MeshPart& part : parts)
    if (part.name == name) return part.triangles.size();
  return 0;
}

TEST(MeshFile, ReadsFacesGroupsAndMaterials) {
  const GarmentMesh mesh = obj_from_text(kStrip, 0.01f);
  EXPECT_EQ(mesh.positions.size(), 6u);
  EXPECT_EQ(mesh.triangles.size(), 4u);
  EXPECT_EQ(mesh.positions[5].y, 0.02f);
  EXPECT_TRUE(mesh.uv.empty());
  EXPECT_TRUE(mesh.notes.empty());
  EXPECT_EQ(triangles_of(mesh.groups, "belt"), 2u);
  EXPECT_EQ(triangles_of(mesh.groups, "front"), 4u);
  EXPECT_EQ(triangles_of(mesh.groups, "dress"), 4u);
  EXPECT_EQ(triangles_of(mesh.materials, "belt"), 2u);
  EXPECT_EQ(triangles_of(mesh.materials, "linen"), 2u);
  EXPECT_EQ(mesh.groups.size(), 3u);
}

TEST(MeshFile, TriangulatesConcavePolygons) {
  // An arrow, and a comb of 8 corners: areas are preserved.
  const GarmentMesh mesh = obj_from_text(
      "v 0 0 0\nv 2 1 0\nv 0 2 0\nv 1 1 0\nf 1 2 3 4\n"
      "v 0 5 0\nv 3 5 0\nv 3 6 0\nv 2 6 0\nv 2 5.5 0\nv 1 5.5 0\nv 1 6 0\nv 0 6 0\nf 5 6 7 8 9 10 11 12\n");
  ASSERT_EQ(mesh.triangles.size(), 8u);
  float arrow = 0, comb = 0;
  for (size_t t = 0; t < 8; ++t) {
    const auto& [a, b, c] = mesh.triangles[t];
    const float area =
        0.5f * cross(mesh.positions[b] - mesh.positions[a], mesh.positions[c] - mesh.positions[a]).z;
    EXPECT_GT(area, 0) << t;
    (t < 2 ? arrow : comb) += area;
  }
  EXPECT_NEAR(arrow, 1, 1e-6);
  EXPECT_NEAR(comb, 2.5, 1e-6);
}

TEST(MeshFile, KeepsUvsThatAreUniquePerVertex) {
  const std::string corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nvt 0 0\nvt 1 0\nvt 0 1\nvt 1 1 0\nvt 5\n";
  const GarmentMesh one = obj_from_text(corners + "f 1/1 2/2 3/3\nf 3/3/7 2/2 4/4\n");
  ASSERT_EQ(one.uv.size(), 4u);
  EXPECT_EQ(one.uv[3][1], 1);
  const GarmentMesh two = obj_from_text(corners + "f 1/1 2/2 3/3\nf 3/3 2/5 4/4\n");
  EXPECT_TRUE(two.uv.empty());
  ASSERT_EQ(two.notes.size(), 1u);
  EXPECT_EQ(two.notes[0], "UVs are ignored: 1 corners differ from others at the same vertex");
  EXPECT_TRUE(obj_from_text(corners + "f 1/1 2/2 3/3\nf 3/3 2 4/4\n").uv.empty());
}

TEST(MeshFile, RoundTripsExactly) {
  GarmentMesh mesh;
  mesh.positions = {{-0.0f, 1e-38f, 0.1f}, {1.0f / 3, -2e9f / 3, 5e-45f}, {0, 1, 16777218}, {3, 4, 5}};
  mesh.uv = {{-0.0f, 0.3f}, {1, 2}, {1e-30f, 4}, {5, 6}};
  mesh.triangles = {{0, 1, 2}, {2, 1, 3}};
  const GarmentMesh again = obj_from_text(obj_to_text(mesh));
  EXPECT_EQ(again.triangles, mesh.triangles);
  ASSERT_EQ(again.positions.size(), 4u);
  for (size_t v = 0; v < 4; ++v) {
    for (const auto x : {&V3::x, &V3::y, &V3::z})
      EXPECT_EQ(std::bit_cast<uint32_t>(again.positions[v].*x),
                std::bit_cast<uint32_t>(mesh.positions[v].*x));
    for (size_t k = 0; k < 2; ++k)
      EXPECT_EQ(std::bit_cast<uint32_t>(again.uv[v][k]), std::bit_cast<uint32_t>(mesh.uv[v][k]));
  }
}

TEST(MeshFile, WeldsCoincidentVertices) {
  GarmentMesh mesh =
      obj_from_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 0 -0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 6 4 5\n");
  EXPECT_EQ(weld(mesh), 2u);
  EXPECT_EQ(mesh.positions.size(), 4u);
  EXPECT_EQ(mesh.triangles[1], (Triangle{2, 1, 3}));
}

TEST(MeshFile, ErrorsNameLineAndCause) {
  const std::string three = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
  const auto message = [](const std::string& text) { return message_of([&] { obj_from_text(text); }); };
  EXPECT_EQ(message(three + "f 1 2 4\n"),
            "line 4: expected a vertex from 1 to 3 (the file has no more so far), found '4'");
  EXPECT_EQ(message(three + "f 1 2 0\n").substr(0, 35), "line 4: expected a vertex from 1 to");
  EXPECT_EQ(message(three + "f 1 2 -4\n").substr(0, 8), "line 4: ");
  EXPECT_EQ(message(three + "f 1 2 x\n").substr(0, 8), "line 4: ");
  EXPECT_EQ(message(three + "f 1 2\n"), "line 4: expected at least 3 corners of a face, found '2'");
  EXPECT_EQ(message(three + "f 1 2 2\n"), "line 4: expected a face with each vertex once, found '2'");
  EXPECT_EQ(message(three + "f 1/1 2/1 3/1\n").substr(0, 37), "line 4: expected a texture vertex fro");
  EXPECT_EQ(message("v 0 0\n"), "line 1: expected a number from -1e9 to 1e9, found nothing");
  EXPECT_EQ(message("\nv 0 nan 0\n"), "line 2: expected a number from -1e9 to 1e9, found 'nan'");
  EXPECT_EQ(message("v 0 inf 0\n"), "line 1: expected a number from -1e9 to 1e9, found 'inf'");
  EXPECT_EQ(message("v 0 1e40 0\n"), "line 1: expected a number from -1e9 to 1e9, found '1e40'");
  EXPECT_EQ(message("v 0 1,5 0\n"), "line 1: expected a number from -1e9 to 1e9, found '1,5'");
  EXPECT_EQ(message(""), "expected vertices and faces, found 0 and 0");
  EXPECT_EQ(message(three), "expected vertices and faces, found 3 and 0");
  EXPECT_EQ(obj_from_text("v 0 1e-60 +1\nv 1 0 0\nv 0 1 0\nf 1 2 3").positions[0].z, 1);
  const TemporaryFile file("bad.obj", "f 1 2 3\n");
  EXPECT_EQ(message_of([&] { read_obj(file.path()); }).substr(0, file.path().string().size() + 8),
            file.path().string() + ": line 1");
  EXPECT_NE(message_of([&] { read_obj(file.path() / "none.obj"); }).find("cannot read"), std::string::npos);
}

TEST(MeshFile, SurvivesBrokenFiles) {
  const std::string good = kStrip;
  uint32_t state = 12345;
  const auto next = [&] { return state = state * 1664525u + 1013904223u, state >> 8; };
  for (int k = 0; k < 3000; ++k) {
    std::string bad = good;
    for (uint32_t change = 0; change < 1 + next() % 4; ++change)
      bad[next() % bad.size()] = "0123456789 -/\nvfgo.e#"[next() % 21];
    try {
      const GarmentMesh mesh = obj_from_text(bad);
      for (const Triangle& t : mesh.triangles)
        for (const uint32_t v : t) ASSERT_LT(v, mesh.positions.size());
    } catch (const std::runtime_error&) {
    }
  }
}

}  // namespace
}  // namespace billow::garment
