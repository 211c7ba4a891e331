// `billow body sdf` on the command line.
#include <gtest/gtest.h>

#ifdef BILLOW_PROGRAM
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "fit/grid_sdf.h"
#include "fit/sdf_body.h"
#include "tools/program.h"

namespace billow::fit {
namespace {

using billow::testing::Outcome;
Outcome run(const std::string& arguments) { return billow::testing::run_program("body sdf " + arguments); }

TEST(BodySdfToolSlow, MakesFilesAndATable) {
  if (!have_level_sets()) GTEST_SKIP() << "needs OpenVDB";
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("billow_sdf_" + std::to_string(getpid()));
  const Outcome outcome =
      run("--json --no-pictures --lattice 0.02 --part-poses 2 --spacing 0.03 --width 4 --steps "
          "200 --poses 1 --points 200 -o '" +
          folder.string() + "' 2>/dev/null");
  EXPECT_EQ(outcome.code, 0);
  const nlohmann::json rows = nlohmann::json::parse(outcome.output);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0]["name"], "colliders");
  EXPECT_LT(rows[0]["posed"]["mean"], 0.01);
  EXPECT_GT(rows[1]["bytes"], rows[2]["bytes"]);
  EXPECT_LT(rows[1]["rest"]["mean"], 0.02);
  EXPECT_GT(rows[2]["seconds_per_point"]["all"], 0);
  EXPECT_GT(read_sdf_file(folder / "body_average_grid_30mm.sdf").parts.size(), 15u);
  EXPECT_GT(read_sdf_file(folder / "body_average_network_4.sdf").parts.size(), 15u);
  std::filesystem::remove_all(folder);
}

TEST(BodySdfTool, RefusesWhatMakesNoSense) {
  EXPECT_EQ(run("--preset giant 2>&1").code, 2);
  EXPECT_EQ(run("--spacing 0 2>&1").code, 2);
  EXPECT_EQ(run("--width 68 2>&1").code, 2);
  const Outcome odd = run("--width 6 2>&1");
  EXPECT_EQ(odd.code, 2);
  EXPECT_NE(odd.output.find("multiple of 4"), std::string::npos) << odd.output;
}

}  // namespace
}  // namespace billow::fit
#endif
