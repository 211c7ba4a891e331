// `billow render`, `export`, `make`, `completion` and `man` as a user meets them.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "files/whole_file.h"
#include "pack/sample_garment.h"
#include "tools/program.h"

namespace billow {
namespace {

namespace fs = std::filesystem;

class ShowCli : public ::testing::Test {
 protected:
  ShowCli()
      : folder_(fs::temp_directory_path() /
                ("billow_show_cli_" + std::to_string(getpid()) + "_" +
                 ::testing::UnitTest::GetInstance()->current_test_info()->name())) {
    fs::create_directories(folder_);
    files::write_whole_file(folder_ / "cape.billow",
                            pack::pack_garment(pack::sample_garment(body::make_person(), {})));
  }
  ~ShowCli() override { fs::remove_all(folder_); }
  testing::Outcome run(const std::string& arguments, const std::string& environment = "") const {
    return testing::run_program(arguments, folder_, environment);
  }
  size_t entries() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  static bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }
  fs::path folder_;
};

TEST_F(ShowCli, RendersAPictureAndAStrip) {
  const std::string small = " --seconds 0.2 --size 60x80 --rays 2";
  const testing::Outcome one = run("render cape.billow -o new/one.png --motion walk --json" + small);
  ASSERT_EQ(one.code, 0) << one.output;
  EXPECT_EQ(nlohmann::json::parse(one.output)["pictures"], 1);
  EXPECT_TRUE(fs::exists(folder_ / "new/one.png"));
  const testing::Outcome strip = run("render cape.billow -o strip.png --chains --panels 3" + small);
  EXPECT_EQ(strip.code, 0) << strip.output;
  EXPECT_TRUE(contains(strip.output, "3 pictures")) << strip.output;
  for (const char* bad :
       {"-o one.tiff", "-o one.png --motion sleep", "-o one.png --colour red", "-o one.png --size 3"})
    EXPECT_EQ(run("render cape.billow " + std::string(bad)).code, 1) << bad;
  EXPECT_EQ(run("render nothing.billow -o one.png").code, 1);
  EXPECT_FALSE(fs::exists(folder_ / "one.png"));
}

TEST_F(ShowCli, FilmsNeedFfmpegAndSaySo) {
  const std::string odd = "render cape.billow -o film.mp4 --seconds 0.1 --rays 0 --size 63x80";
  const std::string film = "render cape.billow -o film.mp4 --seconds 0.1 --rays 0 --size 64x80";
  const testing::Outcome without = run(film, "PATH=/nowhere");
  EXPECT_EQ(without.code, 1);
  EXPECT_TRUE(contains(without.output, "ffmpeg")) << without.output;
  EXPECT_EQ(entries(), 1u) << "nothing is left";
  EXPECT_EQ(run(odd).code, 1) << "an odd width";
  if (testing::run_command("command -v ffmpeg").code != 0) GTEST_SKIP() << "no ffmpeg here";
  const testing::Outcome done = run(film);
  EXPECT_EQ(done.code, 0) << done.output;
  EXPECT_TRUE(contains(files::read_whole_file(folder_ / "film.mp4").substr(0, 64), "ftyp"));
  EXPECT_EQ(entries(), 2u) << "nothing beside it";
}

TEST_F(ShowCli, ExportsWhatReadsBack) {
  for (const char* out : {"cape.glb", "cape.gltf", "cape.pc2", "cape.mdd", "cape_####.obj"}) {
    const testing::Outcome done =
        run("export cape.billow --motion walk --seconds 0.3 --fps 30 -o '" + std::string(out) + "'");
    ASSERT_EQ(done.code, 0) << done.output;
    const auto info = nlohmann::json::parse(run("cache info --json '" + std::string(out) + "'").output);
    EXPECT_EQ(info["vertices"], 192) << out;
    EXPECT_EQ(info["frames"], 10) << out;
    EXPECT_GT(info["high"][1], 1.2) << out << ": a cape hangs from the shoulders";
  }
  EXPECT_EQ(run("export cape.billow --seconds 0.3 -o cape.usda").code, 0);
  EXPECT_TRUE(contains(files::read_whole_file(folder_ / "cape.gltf"), "\"chain_3_bone_4\""));
  EXPECT_EQ(run("export cape.billow --seconds 0.3 --no-chains -o bare.gltf").code, 0);
  EXPECT_FALSE(contains(files::read_whole_file(folder_ / "bare.gltf"), "chain_0"));
  EXPECT_EQ(run("export cape.billow -o cape.xyz").code, 1);
}

TEST_F(ShowCli, MakeTellsItsStepsAndTouchesNothing) {
  const testing::Outcome dry =
      run("make cape -o made --frames 60 --vertices 900 --dry-run --train=--epochs=3");
  ASSERT_EQ(dry.code, 0) << dry.output;
  size_t at = 0;
  for (const char* step :
       {"billow simulate cape", "billow train made/data", "billow evaluate", "billow pack"}) {
    at = dry.output.find(step, at);
    EXPECT_NE(at, std::string::npos) << step << " in " << dry.output;
  }
  EXPECT_TRUE(contains(dry.output, "--epochs=3"));
  EXPECT_EQ(entries(), 1u);
}

TEST_F(ShowCli, ShellsAndTheManualKnowAllCommands) {
  const std::string help = run("--help").output;
  for (const char* shell : {"bash", "zsh", "fish", "man"}) {
    const testing::Outcome made =
        run(shell == std::string("man") ? std::string("man") : "completion " + std::string(shell));
    ASSERT_EQ(made.code, 0) << made.output;
    for (const char* command : {"simulate", "render", "figures", "export", "describe", "completion"})
      EXPECT_TRUE(contains(made.output, command)) << shell << ": " << command;
  }
  run("completion bash > complete.sh");
  const testing::Outcome words =
      testing::run_command("cd '" + folder_.string() +
                           "' && bash -c 'source ./complete.sh; COMP_WORDS=(billow garment ma); "
                           "COMP_CWORD=2; _billow; echo ${COMPREPLY[@]}'");
  EXPECT_EQ(words.output, "make\n");
  EXPECT_EQ(run("completion powershell").code, 2);
}

TEST_F(ShowCli, EveryCommandHasHelpWithExamples) {
  for (const char* command :
       {"simulate",    "evaluate",     "render",        "figures",   "view",       "body",     "body show",
        "motion list", "garment make", "dataset check", "info",      "check",      "export",   "make",
        "pack",        "play",         "clearance",     "ropes fit", "cache info", "scene run"}) {
    const testing::Outcome help = run(std::string(command) + " --help");
    EXPECT_EQ(help.code, 0) << command;
    EXPECT_TRUE(contains(help.output, "Examples\n  billow ") || contains(help.output, "Examples\n  source"))
        << command << ": " << help.output;
  }
}

}  // namespace
}  // namespace billow
