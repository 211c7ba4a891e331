// `billow clearance` as a user meets it; and that the garments that come with Billow stay out of the body in other people's motions.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "files/whole_file.h"
#include "offline/import/files.h"
#include "pack/sample_garment.h"
#include "tools/program.h"

namespace billow::clearance_cli_test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class ClearanceCli : public ::testing::Test {
 protected:
  ClearanceCli() : folder_(fs::temp_directory_path() / ("billow_clearance_" + std::to_string(getpid()))) {
    fs::create_directories(folder_ / "empty");
    files::write_whole_file(folder_ / "cape.billow",
                            pack::pack_garment(pack::sample_garment(body::make_person(), {})));
  }
  ~ClearanceCli() override { fs::remove_all(folder_); }
  testing::Outcome run(const std::string& arguments) const {
    return testing::run_program("clearance " + arguments, folder_);
  }
  fs::path folder_;
};

TEST_F(ClearanceCli, MeasuresEachMotionAndAllOfThem) {
  const testing::Outcome done = run("cape.billow walk dance:2 --seconds 0.4 --rate 30 --json");
  ASSERT_EQ(done.code, 0) << done.output;
  const json found = json::parse(done.output);
  ASSERT_EQ(found["motions"].size(), 2u);
  EXPECT_EQ(found["motions"][1]["motion"], "dance:2");
  EXPECT_EQ(found["frames"], 26);
  EXPECT_EQ(found["vertices"]["of"], 26 * 192);
  EXPECT_EQ(found["vertices"]["inside"], 0);
  EXPECT_EQ(found["reported_inside"], 0);
  EXPECT_EQ(found["edge_middles"]["of"], 26 * 521);
  EXPECT_EQ(found["triangle_middles"]["of"], 26 * 330);
  EXPECT_GT(found["vertices"]["least_mm"], 0);
  EXPECT_GE(found["jump_mm"], 0);
  EXPECT_LE(found["jump_at_s"], 0.4);
  const testing::Outcome table = run("cape.billow walk --seconds 0.2");
  EXPECT_EQ(table.code, 0);
  EXPECT_NE(table.output.find("mm to the body"), std::string::npos) << table.output;
}

TEST_F(ClearanceCli, CountsSkinThatShows) {
  const testing::Outcome done = run("cape.billow walk --seconds 0.5 --rate 30 --pixels --json");
  ASSERT_EQ(done.code, 0) << done.output;
  const json skin = json::parse(done.output)["skin_shown"];
  EXPECT_EQ(skin["of"], 2);  // frames 0 and 10
  EXPECT_EQ(skin["frames"] > 0, skin["most_pixels"] > 20);
  EXPECT_FALSE(json::parse(run("cape.billow walk --seconds 0.2 --json").output).contains("skin_shown"));
  const testing::Outcome table = run("cape.billow walk --seconds 0.2 --pixels");
  EXPECT_NE(table.output.find("skin shown"), std::string::npos) << table.output;
}

TEST_F(ClearanceCli, JoinsMotionsWithStops) {
  const testing::Outcome done = run("cape.billow walk dance:2 --join --seconds 45 --rate 30 --json");
  ASSERT_EQ(done.code, 0) << done.output;
  const json found = json::parse(done.output);
  ASSERT_EQ(found["motions"].size(), 1u);
  EXPECT_EQ(found["motions"][0]["motion"], "2 joined");
  EXPECT_NEAR(found["frames"].get<double>(), 45 * 30, 4);
  EXPECT_EQ(found["stops"], 2);
  EXPECT_GE(found["after_stops"]["largest_mm_s"], found["after_stops"]["mean_mm_s"]);
  EXPECT_LE(found["frames_over_25_mm"], found["frames"]);
  EXPECT_EQ(found["frames_over_25_mm"] > 0, found["jump_mm"] > 25);
  for (const char* part : {"strain_percent", "strain_percent_first", "strain_percent_last"}) {
    EXPECT_GT(found[part]["mean"], 0) << part;
    EXPECT_GT(found[part]["p99"], found[part]["mean"]) << part;
  }
  const testing::Outcome table = run("cape.billow walk --join --seconds 30 --rate 30");
  EXPECT_NE(table.output.find("mm/s after 5 s"), std::string::npos) << table.output;
  EXPECT_EQ(run("cape.billow walk --join --seconds 20").code, 1);
  EXPECT_EQ(run("cape.billow walk --join --there-and-back").code, 2);
}

TEST_F(ClearanceCli, PlaysThereAndBack) {
  const json found =
      json::parse(run("cape.billow captured:139_10 --there-and-back --seconds 8 --rate 30 --json").output);
  EXPECT_EQ(found["frames"], 8 * 30 + 1);
  EXPECT_EQ(found["stops"], 0);
  EXPECT_FALSE(found.contains("after_stops"));
}

TEST_F(ClearanceCli, SaysWhatIsMissing) {
  EXPECT_EQ(run("cape.billow").code, 1);
  EXPECT_EQ(run("cape.billow sleep").code, 1);
  EXPECT_EQ(run("nothing.billow walk").code, 1);
  const testing::Outcome none = run("cape.billow empty");
  EXPECT_EQ(none.code, 1);
  EXPECT_NE(none.output.find("expected motion files in this folder"), std::string::npos) << none.output;
}

// Whole takes and clips of another character at 60 Hz; with BILLOW_ALL_MOTIONS set all takes and both characters, over 10,000
// frames for each garment, which takes minutes.
class ClearanceSlow : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Garments, ClearanceSlow, ::testing::Values("cape", "skirt"));

TEST_P(ClearanceSlow, NoVertexIsInsideInOtherPeoplesMotions) {
  BILLOW_NEEDS_SHARED_DATA();
  const bool all = std::getenv("BILLOW_ALL_MOTIONS") != nullptr;
  std::string motions;
  const auto add = [&](const char* name) { motions += " '" + (shared_data() / name).string() + "'"; };
  if (all) {
    for (const char* folder : {"motions/cmu", "characters"}) add(folder);
    motions += " --unseen";
  } else {
    for (const char* file : {"motions/cmu/02_04.bvh", "motions/cmu/05_13.bvh", "motions/cmu/16_17.bvh",
                             "characters/RobotExpressive.glb"})
      add(file);
  }
  const testing::Outcome done =
      testing::run_program("clearance " + std::string(GetParam()) + motions + " --json");
  ASSERT_EQ(done.code, 0) << done.output;
  const json found = json::parse(done.output);
  std::printf("%s\n", found.dump(2).c_str());
  EXPECT_GE(found["frames"], all ? 10'000 : 1'000);
  EXPECT_EQ(found["vertices"]["inside"], 0);
  EXPECT_EQ(found["reported_inside"], 0);
}

// Knees that are raised into the running skirt lift it, and do not come through.
TEST(ClearanceRunsSlow, KneesStayUnderTheSkirt) {
  const testing::Outcome done =
      testing::run_program("clearance skirt captured:139_10 captured:127_04 --json");
  ASSERT_EQ(done.code, 0) << done.output;
  const json found = json::parse(done.output);
  EXPECT_EQ(found["vertices"]["inside"], 0);
  EXPECT_LT(found["edge_middles"]["inside"], 40);
  EXPECT_GT(found["edge_middles"]["least_mm"], -10);
  EXPECT_LT(found["jump_mm"], 80);
}

}  // namespace
}  // namespace billow::clearance_cli_test
