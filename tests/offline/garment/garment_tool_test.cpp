// The command `billow garment`, run as a program.
#include <gtest/gtest.h>

#ifdef BILLOW_PROGRAM
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "body/person.h"
#include "cache/cache.h"
#include "cloths.h"
#include "garment/garment_file.h"
#include "offline/import/gltf_writer.h"
#include "tools/program.h"

namespace billow::garment {
namespace {

namespace fs = std::filesystem;

using testing::Outcome;

// A folder with a dress in two units. Suites that need a person's skin are slow with the address sanitizer.
class GarmentToolSlow : public ::testing::Test {
 protected:
  GarmentToolSlow()
      : folder_(fs::temp_directory_path() /
                ("billow_garment_" + std::to_string(getpid()) + "_" +
                 ::testing::UnitTest::GetInstance()->current_test_info()->name())) {
    fs::create_directories(folder_);
    GarmentMesh dress = testing::make_dress(30, 26);
    write("dress.obj", "o dress\n" + obj_to_text(dress));
    // The same in centimetres, with a group and a material for the upper part.
    for (V3& p : dress.positions) p = p * 100.0f;
    std::string vertices, top = "g top\nusemtl band\n", low = "g low\nusemtl linen\n";
    for (const V3& p : dress.positions)
      vertices += "v " + std::to_string(p.x) + " " + std::to_string(p.y) + " " + std::to_string(p.z) + "\n";
    for (const Triangle& t : dress.triangles) {
      const float y = std::max({dress.positions[t[0]].y, dress.positions[t[1]].y, dress.positions[t[2]].y});
      (y > 108 ? top : low) += "f " + std::to_string(t[0] + 1) + " " + std::to_string(t[1] + 1) + " " +
                               std::to_string(t[2] + 1) + "\n";
    }
    write("centimetres.obj", vertices + top + low);
  }
  ~GarmentToolSlow() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
  }
  Outcome run(const std::string& arguments) const {
    return testing::run_program("garment " + arguments, folder_, "ASAN_OPTIONS=detect_leaks=0");
  }
  Garment read(const std::string& name) const {
    return read_garment_file(folder_ / name, body::make_person().skeleton);
  }
  static bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }
  fs::path folder_;
};

TEST_F(GarmentToolSlow, ListsTheBuiltInOnesWithTheirReduction) {
  const Outcome list = run("list");
  EXPECT_EQ(list.code, 0) << list.output;
  for (const char* part : {"cape", "12690", "142", "89.4", "skirt", "18546", "234", "79.3"})
    EXPECT_TRUE(contains(list.output, part)) << part << " in " << list.output;
}

TEST_F(GarmentToolSlow, DescribesADressAndShowsIt) {
  const Outcome made = run("describe dress.obj --attach waist --chains 26 --bones 9 -o new/dress.json");
  EXPECT_EQ(made.code, 0) << made.output;
  EXPECT_TRUE(contains(made.output, "26 chains closed to a ring")) << made.output;
  EXPECT_TRUE(contains(made.output, "234 are simulated")) << made.output;
  const Garment g = read("new/dress.json");
  EXPECT_EQ(g.name, "dress");
  EXPECT_EQ(g.key_joint, "pelvis");
  EXPECT_EQ(g.bones.size(), 26u * 10 + 26);
  EXPECT_TRUE(g.pattern_uvs.empty());
  const Outcome shown = run("show new/dress.json -o picture.png");
  EXPECT_EQ(shown.code, 0) << shown.output;
  EXPECT_GT(fs::file_size(folder_ / "picture.png"), 10000u);
}

TEST_F(GarmentToolSlow, DescribesByGroupMaterialHeightJointAndHand) {
  for (const char* arguments :
       {"centimetres.obj --scale 0.01 --group top",
        "centimetres.obj --scale 0.01 --material band --key chest", "dress.obj --above 1.05 --spacing 0.08",
        "dress.obj --near chest --reach 0.07 --chains 5"}) {
    const Outcome made = run("describe " + std::string(arguments) + " -o g.json");
    EXPECT_EQ(made.code, 0) << arguments << ": " << made.output;
    EXPECT_NEAR(read("g.json").shape[0].y, 0.8, 0.6) << arguments;
  }
  // A sheet behind the neck with explicit chains; its UVs are its pattern.
  GarmentMesh sheet = testing::make_sheet(0.3f, 0.6f, {.columns = 6, .rows = 12});
  for (V3& p : sheet.positions) {
    sheet.uv.push_back({p.x, p.z});
    p = {p.x - 0.15f, 1.45f - p.z, -0.1f};
  }
  write("sheet.obj", obj_to_text(sheet));
  const Outcome made =
      run("describe sheet.obj --above 1.44 --chain 1,22,43,85 --chain 5,26,47,89 --name bib --cloth silk");
  EXPECT_EQ(made.code, 0) << made.output;
  const Garment g = read("bib.json");
  EXPECT_EQ(g.chains.size(), 2u);
  EXPECT_EQ(g.bones.size(), 9u);
  EXPECT_EQ(g.pattern_uvs.size(), g.size());
  EXPECT_EQ(g.material, "silk");
  EXPECT_FALSE(g.closed);
}

TEST_F(GarmentToolSlow, FindsBonesInFrames) {
  const GarmentMesh dress = testing::make_dress(30, 26);
  std::vector<V3> frames;
  for (int f = 0; f < 6; ++f)
    for (const V3& p : dress.positions)
      frames.push_back({p.x + 0.02f * static_cast<float>(f) * (1.3f - p.y), p.y, p.z});
  std::string bytes = positions_to_npy(frames);
  const std::string n = std::to_string(dress.positions.size()),
                    header_shape = "(" + std::to_string(frames.size()) + ", 3), ";
  std::string shape = "(6," + n + ",3)";
  shape.resize(header_shape.size(), ' ');
  bytes.replace(bytes.find(header_shape), header_shape.size(), shape);
  write("frames.npy", bytes);
  const Outcome made = run("describe dress.obj --attach waist --ssdr 6 --frames frames.npy -o g.json");
  EXPECT_EQ(made.code, 0) << made.output;
  EXPECT_TRUE(contains(made.output, "6 bones from 6 frames: rms")) << made.output;
  EXPECT_EQ(read("g.json").bones.size(), 6u);
  // The same from a mesh cache.
  cache::Topology topology;
  topology.vertices = dress.positions.size();
  const auto cache = cache::make_cache_writer(folder_ / "frames.pc2", topology, 30, 6);
  for (size_t f = 0; f < 6; ++f)
    cache->write(std::span(frames).subspan(f * dress.positions.size(), dress.positions.size()));
  cache->finish();
  const Outcome again = run("describe dress.obj --attach waist --ssdr 6 --frames frames.pc2 -o h.json");
  EXPECT_EQ(again.code, 0) << again.output;
  EXPECT_TRUE(contains(again.output, "6 bones from 6 frames: rms")) << again.output;
  write("small.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  const Outcome wrong = run("describe dress.obj --attach waist --ssdr 6 --frames small.obj -o i.json");
  EXPECT_EQ(wrong.code, 1) << wrong.output;
  EXPECT_TRUE(contains(wrong.output, "small.obj: expected 810 vertices a frame, found 3")) << wrong.output;
}

TEST_F(GarmentToolSlow, MakesASmallSkirt) {
  const Outcome made = run("make skirt --vertices 600 --quick-skin -o small.json");
  EXPECT_EQ(made.code, 0) << made.output;
  EXPECT_TRUE(contains(made.output, "draped: ")) << made.output;
  const Garment g = read("small.json");
  EXPECT_EQ(g.rest.size(), 600u);
  EXPECT_EQ(g.pattern_uvs.size(), 600u);
  EXPECT_EQ(g.chains.size(), 26u);
}

TEST_F(GarmentToolSlow, ReadsAMeshFromAGltfFile) {
  const GarmentMesh dress = testing::make_dress(20, 16);
  GltfWriter w;
  w.json["scenes"] = {{{"nodes", {0}}}};
  w.json["nodes"] = {{{"name", "dress"}, {"mesh", 0}}};
  std::vector<float> positions;
  std::vector<uint16_t> indices;
  for (const V3& p : dress.positions) positions.insert(positions.end(), {p.x, p.y, p.z});
  for (const Triangle& t : dress.triangles)
    for (const uint32_t v : t) indices.push_back(static_cast<uint16_t>(v));
  nlohmann::json attributes{{"POSITION", w.vec3(positions)}};
  w.json["meshes"].push_back(
      {{"primitives", {{{"attributes", attributes}, {"indices", w.add<uint16_t>("SCALAR", 1, indices)}}}}});
  write("dress.glb", w.bytes());
  const Outcome made = run("describe dress.glb --attach waist --chains 8 --bones 5 -o g.json");
  EXPECT_EQ(made.code, 0) << made.output;
  EXPECT_EQ(read("g.json").size(), dress.positions.size());
}

class GarmentTool : public GarmentToolSlow {};

TEST_F(GarmentTool, RefusesInvalidArguments) {
  for (const char* arguments :
       {"", "describe", "describe dress.obj", "describe dress.obj --attach knee",
        "describe dress.obj --attach waist --above 1", "describe dress.obj --attach waist --chains 0",
        "describe dress.obj --attach waist --chain 1,x",
        "describe dress.obj --attach waist --bones 3 --spacing 0.1",
        "describe dress.obj --attach waist --ssdr 4", "describe dress.obj --attach waist --cloth tin",
        "describe dress.obj --attach waist --body a.json", "make", "make shoe", "make cape --vertices 1",
        "show"}) {
    const Outcome refused = run(arguments);
    EXPECT_EQ(refused.code, 2) << arguments << ": " << refused.output;
  }
  for (const char* arguments : {"--help", "list --help", "describe --help", "make --help", "show --help"}) {
    const Outcome help = run(arguments);
    EXPECT_EQ(help.code, 0) << arguments;
    EXPECT_TRUE(contains(help.output, "Usage")) << help.output;
  }
}

TEST_F(GarmentTool, ReportsInvalidFiles) {
  write("bad.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 7\n");
  write("bad.json", "{}");
  write("over_mesh.obj", "v 0 0 0\n");
  const std::pair<const char*, const char*> cases[] = {
      {"describe none.obj --above 1", "cannot read none.obj"},
      {"describe bad.obj --above 1", "bad.obj: line 4: expected a vertex from 1 to 3"},
      {"describe over_mesh.obj --above 1 -o over.json", "over_mesh.obj would be written over"},
  };
  for (const auto& [arguments, part] : cases) {
    const Outcome failed = run(arguments);
    EXPECT_EQ(failed.code, 1) << arguments << ": " << failed.output;
    EXPECT_TRUE(contains(failed.output, part)) << failed.output;
  }
}

TEST_F(GarmentToolSlow, ReportsInvalidGarments) {
  write("bad.json", "{}");
  const std::pair<const char*, const char*> cases[] = {
      {"show bad.json", "bad.json: expected an object with 'format'"},
      {"describe dress.obj --group belt", "expected a group (dress), found 'belt'"},
      {"describe dress.obj --above 3", "found heights from"},
      {"describe dress.obj --near tail", "tail"},
      {"describe dress.obj --attach waist --key tail", "tail"},
      {"describe dress.obj --attach waist --chain 0,1", "chain 1: "},
      {"describe dress.obj --attach waist --character none.glb", "none.glb"},
      {"describe dress.obj --attach waist --move 0 0 2", "1.90 m away on average: --move"},
      {"describe dress.obj --attach waist --scale 0.3 --move 0 0.75 0", "inside it: --fit grows it"},
      {"describe dress.obj --attach waist --scale 1e-5", "attach"},
  };
  for (const auto& [arguments, part] : cases) {
    const Outcome failed = run(arguments);
    EXPECT_EQ(failed.code, 1) << arguments << ": " << failed.output;
    EXPECT_TRUE(contains(failed.output, part)) << failed.output;
  }
  EXPECT_FALSE(fs::exists(folder_ / "dress.json")) << "nothing is made";
}

}  // namespace
}  // namespace billow::garment
#endif  // BILLOW_PROGRAM
