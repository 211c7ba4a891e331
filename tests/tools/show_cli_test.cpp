// `billow render`, `export`, `make`, `completion` and `man` as a user meets them.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

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

// A person that stands for half a second.
constexpr const char* kStill =
    "HIERARCHY\nROOT Hips\n{ OFFSET 0 0 0 CHANNELS 3 Xposition Yposition Zposition\n"
    "JOINT LeftUpLeg { OFFSET 0.1 0 0 CHANNELS 0 JOINT LeftLeg { OFFSET 0 -0.43 0 CHANNELS 0\n"
    "JOINT LeftFoot { OFFSET 0 -0.42 0 CHANNELS 0 End Site { OFFSET 0 0 0 } } } }\n"
    "JOINT RightUpLeg { OFFSET -0.1 0 0 CHANNELS 0 JOINT RightLeg { OFFSET 0 -0.43 0 CHANNELS 0\n"
    "JOINT RightFoot { OFFSET 0 -0.42 0 CHANNELS 0 End Site { OFFSET 0 0 0 } } } }\n"
    "JOINT Spine { OFFSET 0 0.3 0 CHANNELS 0 JOINT Head { OFFSET 0 0.4 0 CHANNELS 0 } } }\n"
    "MOTION\nFrames: 11\nFrame Time: 0.05\n";

TEST_F(ShowCli, OptionsThatMakeNoSenseAreRefused) {
  const struct {
    const char *arguments, *part;
    int code;
  } cases[] = {
      {"-o a.mp4 --at 1", "--at: expected a picture", 2},
      {"-o a.gif --panels 4", "--panels: expected a strip", 2},
      {"-o a.mp4 --columns 2", "--columns: expected a strip", 2},
      {"-o a.mp4 --fps 120", "--fps: expected at most the 60 frames per second of --rate, found 120", 2},
      {"-o a.png --fps 30", "--fps: expected a film", 2},
      {"-o a.png --from 1", "--from: expected a film or a strip", 2},
      {"-o a.png --columns 2", "--columns: expected a strip", 2},
      {"-o a.png --panels 4 --at 1", "--at: expected a single picture", 2},
      {"-o a.png --at 3 --seconds 2", "--at: expected a moment within the 2 s of --seconds, found 3 s", 2},
      {"-o a.png --at -1", "--at", 2},
      {"-o a.png --at nan", "--at", 2},
      {"-o a.png --seconds nan", "--seconds", 2},
      {"-o a.png --panels 2 --from 5", "expected --from before the end of the motion at 5.00 s, found 5 s",
       1},
      {"-o a.mp4 --from 9", "expected --from before the end of the motion at 5.00 s, found 9 s", 1},
      {"-o a.png --motion still.bvh --at 2",
       "still.bvh: expected --at before the end of the motion at 0.50 s, found 2 s", 1},
      {"-o a.mp4 --motion still.bvh --from 1",
       "still.bvh: expected --from before the end of the motion at 0.50 s", 1}};
  std::string still = kStill;
  for (int f = 0; f < 11; ++f) still += "0 0.9 0\n";
  files::write_whole_file(folder_ / "still.bvh", still);
  for (const auto& c : cases) {
    const testing::Outcome refused =
        run("render cape.billow --rays 0 --size 16x16 " + std::string(c.arguments));
    EXPECT_EQ(refused.code, c.code) << c.arguments << ": " << refused.output;
    EXPECT_TRUE(contains(refused.output, c.part)) << c.arguments << ": " << refused.output;
  }
  EXPECT_EQ(entries(), 2u) << "nothing is made";
  EXPECT_EQ(run("play cape.billow --panels 3").code, 2) << "of which strip?";
}

TEST_F(ShowCli, MotionsThatEndEarlyAreTold) {
  std::string still = kStill;
  for (int f = 0; f < 11; ++f) still += "0 0.9 0\n";
  files::write_whole_file(folder_ / "still.bvh", still);
  const std::string play = " cape.billow --motion still.bvh ",
                    picture = "render" + play + "--rays 0 --size 16x16 -o a.png";
  const std::string early = "note: still.bvh: ends after 0.50 s, before the 2 s of --seconds";
  EXPECT_TRUE(contains(run(picture + " --seconds 2").output, early));
  EXPECT_TRUE(contains(run("play" + play + "--seconds 2").output, early));
  EXPECT_TRUE(contains(run("export" + play + "--seconds 2 -o a.pc2").output, early));
  const testing::Outcome clearance = run("clearance cape.billow still.bvh walk --seconds 2");
  EXPECT_TRUE(contains(clearance.output, "note: 1 of 2 motions end before the 2 s of --seconds"))
      << clearance.output;
  // By default, too; not where it is long enough, nor where nothing is to be printed.
  EXPECT_TRUE(contains(run("play" + play).output, "before the 5 s of --seconds"));
  EXPECT_FALSE(contains(run("play" + play + "--seconds 0.5").output, "note"));
  EXPECT_EQ(run(picture + " --at 0.5 --quiet").output, "");
  EXPECT_EQ(run("export" + play + "--seconds 2 -o a.pc2 --quiet").output, "");
  EXPECT_FALSE(contains(run("clearance cape.billow still.bvh").output, "note"));
  // A motion file of which only a part is shown, where nobody asked for that part.
  for (int f = 0; f < 200; ++f) still += "0 0.9 0\n";
  still.replace(still.find("Frames: 11"), 10, "Frames: 211");
  files::write_whole_file(folder_ / "still.bvh", still);
  const testing::Outcome part = run("play" + play);
  EXPECT_TRUE(contains(part.output, "note: still.bvh: lasts 10.50 s, of which the first 5 s are played"))
      << part.output;
  EXPECT_FALSE(contains(run("play" + play + "--seconds 5").output, "note"));
  // A rate that cannot be had.
  const testing::Outcome exported = run("export cape.billow --seconds 0.3 --fps 24 -o a.pc2");
  EXPECT_TRUE(contains(exported.output, "written at 20 frames per second, not 24")) << exported.output;
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

// billow-train has one sentence for each option.
TEST_F(ShowCli, HelpOfTrainingSaysNothingTwice) {
  if (!fs::exists(fs::path(BILLOW_PROGRAM).parent_path() / "billow-train"))
    GTEST_SKIP() << "no billow-train here";
  const testing::Outcome help = run("train --help");
  ASSERT_EQ(help.code, 0);
  for (const char* part : {"learning rate", "Dropout", "PCA components", "Batch size", "Validation split",
                           "checkpoint", "--shape-rate", "Examples\n  billow train"})
    EXPECT_TRUE(contains(help.output, part)) << part;
  std::istringstream lines(help.output);
  std::set<std::string> said;
  for (std::string line; std::getline(lines, line);) {
    const size_t words = line.find("  ", line.find("--"));
    if (line.find("--") > 6 || words == std::string::npos) continue;
    const std::string sentence = line.substr(line.find_first_not_of(' ', words));
    EXPECT_TRUE(said.insert(sentence).second) << sentence;
  }
  EXPECT_GT(said.size(), 20u);
  EXPECT_EQ(run("train data -o a.billow --epochs 2 --shape-rate 1e-5 --dry-run").code, 0);
  EXPECT_EQ(run("train data -o a.billow --epohcs 2 --dry-run").code, 2);
}

TEST_F(ShowCli, MakeTellsItsStepsAndTouchesNothing) {
  const testing::Outcome dry =
      run("make cape -o made --frames 60 --vertices 900 --dry-run --train=--epochs=3");
  ASSERT_EQ(dry.code, 0) << dry.output;
  size_t at = 0;
  for (const char* step : {"billow simulate cape", "billow train made/data", "billow pack",
                           "billow evaluate made/cape.billow"}) {
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
       {"simulate",    "evaluate",     "render",        "figures",   "view",       "body",      "body show",
        "motion list", "garment make", "dataset check", "info",      "check",      "export",    "make",
        "pack",        "play",         "clearance",     "ropes fit", "cache info", "scene run", "compare"}) {
    const testing::Outcome help = run(std::string(command) + " --help");
    EXPECT_EQ(help.code, 0) << command;
    EXPECT_TRUE(contains(help.output, "Examples\n  billow ") || contains(help.output, "Examples\n  source"))
        << command << ": " << help.output;
  }
}

}  // namespace
}  // namespace billow
