// The command `billow motion`, run as a program.
#include <gtest/gtest.h>

#ifdef BILLOW_PROGRAM
#include <unistd.h>

#include <filesystem>
#include <string>

#include "tools/program.h"

namespace {

using billow::testing::Outcome;
Outcome run(const std::string& arguments) { return billow::testing::run_program(arguments); }
bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(MotionTool, ListsMotions) {
  const Outcome outcome = run("motion list");
  EXPECT_EQ(outcome.code, 0);
  for (const char* name : {"stand", "walk", "run", "stop", "jump", "squat", "bend", "spin", "pirouette",
                           "dance", "sequence", "--seed"})
    EXPECT_TRUE(contains(outcome.output, name)) << name << " is not in\n" << outcome.output;
}

TEST(MotionTool, RefusesInvalidArguments) {
  const Outcome unknown = run("motion show fly");
  EXPECT_EQ(unknown.code, 2);
  EXPECT_TRUE(contains(unknown.output, "pirouette")) << unknown.output;
  EXPECT_EQ(run("motion").code, 2);
  EXPECT_EQ(run("motion show walk --panels 0").code, 2);
  EXPECT_EQ(run("motion show walk --view above").code, 2);
  const Outcome fast = run("motion show walk --speed 5");
  EXPECT_EQ(fast.code, 1);
  EXPECT_TRUE(contains(fast.output, "0.6 to 1.8 m/s")) << fast.output;
  EXPECT_EQ(run("motion show dance --speed 1").code, 1);
  EXPECT_EQ(run("motion show walk --own-skin").code, 1);
}

TEST(MotionToolSlow, ShowsAMotion) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("billow_motion_" + std::to_string(getpid()));
  const Outcome outcome =
      run("motion show walk --seconds 1 --panels 3 --speed 1.4 --json -o '" + folder.string() + "'");
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_GT(std::filesystem::file_size(folder / "motion_walk_1.png"), 20000u);
  for (const char* name : {"\"frames\": 121", "foot_slide_m", "limit_margin_rad", "top_speed_m_s"})
    EXPECT_TRUE(contains(outcome.output, name)) << name << " is not in\n" << outcome.output;
  std::filesystem::remove_all(folder);
}

}  // namespace
#endif
