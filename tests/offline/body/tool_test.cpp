// The command `billow body`, run as a program.
#include <gtest/gtest.h>

#ifdef BILLOW_PROGRAM
#include <unistd.h>

#include <filesystem>
#include <string>

#include "tools/program.h"

namespace {

using billow::testing::Outcome;
Outcome run(const std::string& arguments) { return billow::testing::run_program(arguments); }

TEST(BodyToolSlow, InfoPrintsJointsCollidersAndAgreement) {
  const Outcome outcome = run("body info --preset slim --poses 1");
  EXPECT_EQ(outcome.code, 0);
  for (const char* expected :
       {"joints: 22", "left_forearm", "colliders:", "vertices", "at rest", "random poses"})
    EXPECT_NE(outcome.output.find(expected), std::string::npos) << expected << " is not in\n"
                                                                << outcome.output;
}

TEST(BodyToolSlow, ShowWritesPictures) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("billow_body_" + std::to_string(getpid()));
  const Outcome outcome = run("body show -o '" + folder.string() + "'");
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_GT(std::filesystem::file_size(folder / "body_average_rest.png"), 50000u);
  EXPECT_GT(std::filesystem::file_size(folder / "body_average_poses.png"), 50000u);
  EXPECT_EQ(run("body show --preset all -o '" + folder.string() + "'").code, 0);
  EXPECT_GT(std::filesystem::file_size(folder / "body_presets.png"), 50000u);
  std::filesystem::remove_all(folder);
}

TEST(BodyTool, RefusesInvalidArguments) {
  const Outcome unknown = run("body info --preset giant");
  EXPECT_EQ(unknown.code, 2);
  EXPECT_NE(unknown.output.find("slim"), std::string::npos) << unknown.output;
  EXPECT_EQ(run("body").code, 2);
  EXPECT_EQ(run("body info --poses -3").code, 2);
}

}  // namespace
#endif
