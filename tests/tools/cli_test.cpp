// The command line as a user meets it: exit codes, messages and files.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tools/program.h"

namespace {

using billow::testing::Outcome;

// A new folder for each test, gone afterwards. The program runs in it.
class Cli : public testing::Test {
 protected:
  Cli()
      : folder_(std::filesystem::temp_directory_path() /
                ("billow_cli_" + std::to_string(getpid()) + "_" +
                 testing::UnitTest::GetInstance()->current_test_info()->name())) {
    std::filesystem::create_directories(folder_);
  }
  ~Cli() override { std::filesystem::remove_all(folder_); }

  Outcome run(const std::string& arguments) {
    return billow::testing::run_program(arguments, folder_, environment_);
  }
  bool is_png(const std::string& name) const {
    std::ifstream file(folder_ / name, std::ios::binary);
    char head[4] = {};
    file.read(head, 4);
    return file && std::string(head + 1, 3) == "PNG" && std::filesystem::file_size(folder_ / name) > 1000;
  }
  size_t entries(const std::string& name) const {
    return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(folder_ / name), {}));
  }
  static bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }
  std::filesystem::path folder_;
  // Where addresses are sanitized, the search for leaks takes seconds, so only one test does it.
  std::string environment_ = "ASAN_OPTIONS=detect_leaks=0";
};

TEST_F(Cli, PlaysASceneIntoAFolder) {
  environment_ = "";
  const Outcome done = run("scene run pendulum --seconds 1 -o pictures/new");
  EXPECT_EQ(done.code, 0) << done.output;
  EXPECT_TRUE(contains(done.output, "60 at 60 Hz")) << done.output;
  EXPECT_TRUE(contains(done.output, "pictures/new/pendulum.png")) << done.output;
  EXPECT_TRUE(is_png("pictures/new/pendulum.png"));
  EXPECT_EQ(entries("pictures/new"), 1u);
}

TEST_F(Cli, NamesACommandThatThereIsNot) {
  for (const char* arguments : {"dance", "scene dance"}) {
    const Outcome refused = run(arguments);
    EXPECT_EQ(refused.code, 2);
    EXPECT_TRUE(contains(refused.output, "there is no command 'dance'")) << refused.output;
  }
}

TEST_F(Cli, PrintsJson) {
  const Outcome done = run("scene run swing --seconds 0.1 --hz 30 --json -o .");
  EXPECT_EQ(done.code, 0) << done.output;
  EXPECT_EQ(done.output.substr(0, 2), "{\n") << done.output;
  EXPECT_EQ(done.output.substr(done.output.size() - 3), "\n}\n");
  for (const char* field : {"\"frames\": 3,", "\"deepest_bone_m\": null", "\"stage_us_mean\": {\"follow\": "})
    EXPECT_TRUE(contains(done.output, field)) << field << " in " << done.output;
}

TEST_F(Cli, RefusesAnUnknownSceneAndNamesTheKnown) {
  const Outcome refused = run("scene run cloak -o pictures");
  EXPECT_EQ(refused.code, 2);
  for (const char* part : {"cloak", "pendulum", "cape_running", "skirt_kicking"})
    EXPECT_TRUE(contains(refused.output, part)) << part << " in " << refused.output;
  EXPECT_EQ(entries("."), 0u) << "nothing is made";
}

TEST_F(Cli, RefusesBadNumbersAndArguments) {
  for (const char* arguments :
       {"", "scene", "scene run", "nothing", "scene run pendulum --seconds 0",
        "scene run pendulum --seconds -1", "scene run pendulum --seconds nan", "scene run pendulum --hz 1",
        "scene run pendulum --hz many", "scene run pendulum --unknown", "demo extra"}) {
    const Outcome refused = run(arguments);
    EXPECT_EQ(refused.code, 2) << arguments << ": " << refused.output;
    EXPECT_FALSE(refused.output.empty());
  }
  EXPECT_EQ(entries("."), 0u) << "nothing is made";
}

TEST_F(Cli, SaysWhatStandsInTheWay) {
  std::ofstream(folder_ / "file") << "not a folder";
  for (const char* arguments :
       {"scene run pendulum --seconds 0.1 -o file", "scene run pendulum --seconds 0.1 -o file/below"}) {
    const Outcome failed = run(arguments);
    EXPECT_EQ(failed.code, 1) << failed.output;
    EXPECT_TRUE(contains(failed.output, "cannot make the folder file")) << failed.output;
  }
}

TEST_F(Cli, ListsHelpsAndTellsItsVersion) {
  const Outcome list = run("scene list");
  EXPECT_EQ(list.code, 0);
  EXPECT_TRUE(contains(list.output, "cape_running")) << list.output;
  for (const char* arguments : {"--help", "demo --help", "scene --help", "scene run --help"}) {
    const Outcome help = run(arguments);
    EXPECT_EQ(help.code, 0) << arguments;
    EXPECT_TRUE(contains(help.output, "Usage")) << help.output;
  }
  const Outcome version = run("--version");
  EXPECT_EQ(version.code, 0);
  EXPECT_TRUE(contains(version.output, ".")) << version.output;
}

using CliSlow = Cli;

TEST_F(CliSlow, DemoWritesItsPictures) {
  const Outcome done = run("demo -o . --seconds 0.5 --no-film");
  EXPECT_EQ(done.code, 0) << done.output;
  EXPECT_TRUE(contains(done.output, "12690 vertices")) << done.output;
  for (const char* name : {"cape_run", "skirt_dance", "cape_walk", "skirt_walk"})
    EXPECT_TRUE(is_png(std::string(name) + ".png")) << name;
  EXPECT_EQ(entries("."), 5u) << "four strips and demo.json";
}

}  // namespace
