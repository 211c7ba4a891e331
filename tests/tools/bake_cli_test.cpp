// `billow bake` as a user meets it.
#include <gtest/gtest.h>

#ifdef BILLOW_PROGRAM
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "files/whole_file.h"
#include "tools/program.h"

namespace {

namespace fs = std::filesystem;
using billow::testing::Outcome;
using billow::testing::run_program;

class Bake : public ::testing::Test {
 protected:
  ~Bake() override { fs::remove_all(folder_); }
  const fs::path folder_ = fs::temp_directory_path() / ("billow_bake_" + std::to_string(getpid()));
};

TEST_F(Bake, WritesAPersonAndWhatItSaysIsThere) {
  const Outcome outcome =
      run_program("bake --motions walk --seconds 6 --rate 20 -o '" + folder_.string() + "'");
  ASSERT_EQ(outcome.code, 0) << outcome.output;
  const auto json = nlohmann::json::parse(billow::files::read_whole_file(folder_ / "person.json"));
  const size_t joints = json["joints"].size(), vertices = json["skin"]["vertices"];
  EXPECT_EQ(joints, 22u);
  EXPECT_EQ(fs::file_size(folder_ / "skin.bin"), 20 * vertices + 6 * json["skin"]["triangles"].get<size_t>());
  const auto& walk = json["motions"].at(0);
  EXPECT_EQ(fs::file_size(folder_ / walk["file"].get<std::string>()),
            walk["frames"].get<size_t>() * (12 + 8 * joints));
  EXPECT_LT(walk["loop_from"].get<size_t>(), walk["frames"].get<size_t>());
}

TEST_F(Bake, LeavesNothingBehindWhereItCannot) {
  const std::string out = " -o '" + folder_.string() + "'";
  const Outcome unknown = run_program("bake --motions fly" + out);
  EXPECT_EQ(unknown.code, 1);
  EXPECT_NE(unknown.output.find("found 'fly'"), std::string::npos) << unknown.output;
  const Outcome nowhere = run_program("bake --motions walk --reference /nowhere --clip x" + out);
  EXPECT_EQ(nowhere.code, 1);
  EXPECT_NE(nowhere.output.find("/nowhere"), std::string::npos) << nowhere.output;
  EXPECT_EQ(run_program("bake --motions walk --reference /nowhere" + out).code, 2);
  EXPECT_FALSE(fs::exists(folder_));
}

}  // namespace
#endif
