// `billow body fit` on the command line.
#include <gtest/gtest.h>

#ifdef BILLOW_PROGRAM
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "fit/body_file.h"
#include "limb.h"
#include "offline/import/gltf_writer.h"
#include "tools/program.h"

namespace billow::fit_tool_test {
namespace {

namespace fs = std::filesystem;

using testing::Outcome;

// The limb as a .glb with a bending clip.
std::string limb_glb() {
  const testing::Limb limb = testing::make_limb();
  const body::Skin skin = body::make_skin(limb.skeleton, limb.shapes(), {.vertices = 900});
  GltfWriter w;
  w.json["scenes"] = {{{"nodes", {0, 2}}}};
  w.json["nodes"] = {{{"name", "upper"}, {"children", {1}}, {"translation", {0.1f, 1, 0}}},
                     {{"name", "lower"}, {"translation", {0.35f, 0, 0}}},
                     {{"name", "limb"}, {"mesh", 0}, {"skin", 0}}};
  std::vector<float> positions, weights;
  std::vector<uint16_t> joints, indices;
  for (size_t v = 0; v < skin.mesh.positions.size(); ++v) {
    const V3 p = skin.mesh.positions[v];
    positions.insert(positions.end(), {p.x, p.y, p.z});
    for (size_t k = 0; k < body::kJointsPerVertex; ++k) {
      joints.push_back(static_cast<uint16_t>(skin.joints[v][k]));
      weights.push_back(skin.weights[v][k]);
    }
  }
  for (const body::Triangle& t : skin.mesh.triangles)
    for (const uint32_t v : t) indices.push_back(static_cast<uint16_t>(v));
  nlohmann::json attributes{{"POSITION", w.vec3(positions)},
                            {"JOINTS_0", w.add<uint16_t>("VEC4", 4, joints)}};
  attributes["WEIGHTS_0"] = w.vec4(weights);
  w.json["meshes"].push_back(
      {{"primitives", {{{"attributes", attributes}, {"indices", w.add<uint16_t>("SCALAR", 1, indices)}}}}});
  w.json["skins"] = {{{"joints", {0, 1}},
                      {"inverseBindMatrices",
                       w.add<float>("MAT4", 16, {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -0.1f,  -1, 0, 1,
                                                 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -0.45f, -1, 0, 1})}}};
  w.animate("bend", 1, "rotation", {0, 1}, {0, 0, 0, 1, 0, 0, 0.38268343f, 0.92387953f});
  return w.bytes();
}

class FitTool : public ::testing::Test {
 protected:
  FitTool()
      : folder_(fs::temp_directory_path() /
                ("billow_fit_" + std::to_string(getpid()) + "_" +
                 ::testing::UnitTest::GetInstance()->current_test_info()->name())) {
    fs::create_directories(folder_);
    std::ofstream(folder_ / "limb.glb", std::ios::binary) << limb_glb();
  }
  ~FitTool() override { fs::remove_all(folder_); }

  Outcome run(const std::string& arguments) const {
    return testing::run_program("body fit " + arguments, folder_);
  }
  size_t entries(const fs::path& folder = ".") const {
    return static_cast<size_t>(
        std::distance(fs::directory_iterator(folder_ / folder), fs::directory_iterator()));
  }
  fs::path folder_;
};

void expect_parts(const Outcome& outcome, std::initializer_list<const char*> parts) {
  for (const char* part : parts)
    EXPECT_NE(outcome.output.find(part), std::string::npos) << part << " is not in\n" << outcome.output;
}

TEST_F(FitTool, FitsMeasuresAndDraws) {
  const Outcome done = run("limb.glb --poses 2 -o new/body.json");
  EXPECT_EQ(done.code, 0) << done.output;
  expect_parts(done, {"2 joints", "1 clips", " colliders in ", "mean, p95, largest", "upper", "lower", "all",
                      "new/body.json", "new/body_colliders.png", "new/body_error.png"});
  EXPECT_EQ(entries("new"), 3u);
  const fit::BodyFile file = fit::read_body_file(folder_ / "new/body.json");
  EXPECT_GE(file.colliders.size(), 2u) << "at least one per bone";
  EXPECT_EQ(file.joints.size(), 2u);
  for (const char* picture : {"new/body_colliders.png", "new/body_error.png"})
    EXPECT_GT(fs::file_size(folder_ / picture), 20000u) << picture;
}

TEST_F(FitTool, MeasuresAFileWithoutChangingIt) {
  const testing::Limb limb = testing::make_limb();
  fit::write_body_file(fit::make_body_file("limb", limb.skeleton, limb.colliders), folder_ / "body.json");
  const auto before = fs::last_write_time(folder_ / "body.json");
  const Outcome done = run("limb.glb --measure body.json --no-pictures");
  EXPECT_EQ(done.code, 0) << done.output;
  expect_parts(done, {"upper", "lower", "all"});
  EXPECT_EQ(done.output.find("warning"), std::string::npos) << done.output;
  EXPECT_EQ(fs::last_write_time(folder_ / "body.json"), before);
  EXPECT_EQ(entries(), 2u);
}

TEST_F(FitTool, KeepsWhatIsFixedInAFileAndWarns) {
  testing::Limb limb = testing::make_limb();
  limb.colliders[1].collider.radius_end = 0.08f;
  limb.colliders[1].fixed = true;
  const fit::BodyFile start = fit::make_body_file("limb", limb.skeleton, limb.colliders);
  fit::write_body_file(start, folder_ / "hand.json");
  const Outcome done = run("limb.glb --poses 1 --keep hand.json --split upper --no-pictures");
  EXPECT_EQ(done.code, 0) << done.output;
  expect_parts(done, {"warning: lower (joint lower)", "3 colliders", "upper_2"});
  const fit::BodyFile file = fit::read_body_file(folder_ / "body.json");
  ASSERT_EQ(file.colliders.size(), 3u);
  EXPECT_TRUE(file.colliders[2].fixed);
  EXPECT_EQ(file.colliders[2].collider.radius_end, 0.08f);
}

TEST_F(FitTool, LeavesNothingBehindWhenItFails) {
  std::ofstream(folder_ / "bad.json") << "{\"format\": \"billow body\"}";
  std::ofstream(folder_ / "file") << "not a folder";
  const struct {
    const char *arguments, *message;
  } cases[] = {{"missing.glb -o out/body.json", "missing.glb"},
               {"limb.glb --keep bad.json -o out/body.json", "bad.json: expected an object with 'version'"},
               {"limb.glb --measure gone.json", "cannot read gone.json"},
               {"limb.glb --clip jump -o out/body.json", "bend"},
               {"limb.glb --leave-out limb -o out/body.json", "found none of 1"},
               {"limb.glb --poses 1 --split arm -o out/body.json", "there are upper"},
               {"limb.glb --poses 1 -o file/body.json", "cannot make the folder file"},
               {"figure.mhskel --mesh gone.obj --weights gone.mhw", "gone.obj"}};
  for (const auto& c : cases) {
    const Outcome failed = run(c.arguments);
    EXPECT_EQ(failed.code, 1) << c.arguments << ": " << failed.output;
    expect_parts(failed, {c.message});
  }
  EXPECT_EQ(entries(), 3u) << "no files are written";
}

TEST_F(FitTool, RefusesWhatMakesNoSense) {
  for (const char* arguments :
       {"", "limb.glb --preset slim", "--preset giant", "limb.glb --most 0", "limb.glb --most 200",
        "limb.glb --poses -1", "limb.glb --keep a.json --measure b.json", "limb.glb --unknown",
        "figure.mhskel"}) {
    const Outcome refused = run(arguments);
    EXPECT_EQ(refused.code, 2) << arguments << ": " << refused.output;
    EXPECT_FALSE(refused.output.empty());
  }
  const Outcome help = run("--help");
  EXPECT_EQ(help.code, 0);
  expect_parts(help, {"--keep", "--measure", "--split", "--leave-out"});
  EXPECT_EQ(entries(), 1u);
}

}  // namespace
}  // namespace billow::fit_tool_test
#endif
