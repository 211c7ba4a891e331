// `billow ropes` as a user meets it.
#include <gtest/gtest.h>

#include <filesystem>

#include "offline/evaluate/small_set.h"
#include "tools/program.h"

namespace billow {
namespace {

class RopesCli : public ::testing::Test {
 protected:
  RopesCli() : set_({std::string(30, 't'), std::string(30, 't'), std::string(60, 'u')}, still) {}
  static V3 still(V3 rest, size_t, size_t) { return rest; }
  testing::Outcome run(const std::string& arguments) const {
    return testing::run_program("ropes " + arguments, set_.folder());
  }
  void expect(const std::string& arguments, int code, const std::string& part) const {
    const auto [found, output] = run(arguments);
    EXPECT_EQ(found, code) << arguments << "\n" << output;
    EXPECT_NE(output.find(part), std::string::npos) << arguments << "\n" << output;
  }
  testing::SmallSet set_;
};

TEST_F(RopesCli, FitsAndMeasures) {
  expect("measure .", 0, "chaos floor 5.0 mm: unseen clips are at ");
  expect("fit . --rounds 1 --threads 2 -o ropes.json", 0, "after ");
  expect("measure . --settings ropes.json --json", 0, "\"corrected\": {");
  expect("fit . --rounds 1 --json", 0, "\"format\": \"billow rope settings\"");
}

TEST_F(RopesCli, SaysWhatIsWrong) {
  expect("measure nowhere", 1, "nowhere/manifest.json: expected a data set");
  expect("measure . --settings nowhere.json", 1, "nowhere.json");
  expect("fit . -o nowhere/ropes.json", 1, "nowhere/ropes.json: expected a folder");
  expect("fit .  --rounds 0", 2, "--rounds");
  expect("", 2, "subcommand");
  expect("fit --help", 0, "--clips");
  EXPECT_FALSE(std::filesystem::exists(set_.folder() / "nowhere"));
}

}  // namespace
}  // namespace billow
