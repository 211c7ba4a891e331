// `billow simulate`, `billow motion` and billow_simulate on captured motions, as a user meets them.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tools/program.h"

namespace billow {
namespace {

namespace fs = std::filesystem;

// A person of hips, legs, spine and head, as far as retargeting needs one, who glides forward or is shaken by
// `shake` metres from frame to frame.
std::string small_bvh(size_t frames, double shake = 0) {
  std::string text =
      "HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation "
      "Xrotation Yrotation\n";
  size_t joints = 1;
  const auto open = [&](const char* name, const char* offset) {
    text += std::string("JOINT ") + name + "\n{\nOFFSET " + offset +
            "\nCHANNELS 3 Zrotation Xrotation Yrotation\n";
    ++joints;
  };
  const auto end = [&](const char* offset) {
    text += std::string("End Site\n{\nOFFSET ") + offset + "\n}\n";
  };
  for (const char* side : {"Left", "Right"}) {
    const std::string name = side, x = name == "Left" ? "0.1" : "-0.1";
    open((name + "UpLeg").c_str(), (x + " 0 0").c_str());
    open((name + "Leg").c_str(), "0 -0.45 0");
    open((name + "Foot").c_str(), "0 -0.45 0");
    end("0 -0.08 0.15");
    text += "}\n}\n}\n";
  }
  open("Spine", "0 0.2 0");
  open("Head", "0 0.4 0");
  end("0 0.2 0");
  text += "}\n}\n}\nMOTION\nFrames: " + std::to_string(frames) + "\nFrame Time: 0.0333333\n";
  for (size_t f = 0; f < frames; ++f) {
    text += std::to_string(f % 2 ? shake : 0.0) + " 0.98 " + std::to_string(0.01 * static_cast<double>(f));
    for (size_t k = 0; k < 3 * joints; ++k) text += " " + std::to_string(k % 3 == 0 ? 1.0 : 0.0);
    text += "\n";
  }
  return text;
}

class SimulateCli : public ::testing::Test {
 protected:
  SimulateCli()
      : folder_(fs::temp_directory_path() /
                ("billow_simulate_" + std::to_string(getpid()) + "_" +
                 ::testing::UnitTest::GetInstance()->current_test_info()->name())) {
    fs::create_directories(folder_);
  }
  ~SimulateCli() override { fs::remove_all(folder_); }
  void put(const std::string& name, const std::string& text) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
  }
  void expect(const std::string& arguments, int code, const std::string& part) const {
    const auto [found, output] = testing::run_program(arguments, folder_);
    EXPECT_EQ(found, code) << arguments << "\n" << output;
    EXPECT_NE(output.find(part), std::string::npos) << arguments << "\n" << output;
  }
  fs::path folder_;
};

TEST_F(SimulateCli, NamesCapturedClips) {
  expect("motion list", 0, "billow motion list captured");
  expect("motion list captured", 0, "captured:07_03     train  walk\n");
  expect("motion list captured", 0, "captured:05_14     test   dance");
  expect("motion list captured", 0, "NSF EIA-0196217");
  expect("motion show captured:07_99", 2, "clips of that subject are 07_03");
  expect("play cape --motion captured:07_03 --seconds 0.2", 0, "frames of captured:07_03");
  expect("play cape --motion captured:07_99", 1, "found '07_99'");
}

TEST_F(SimulateCli, PlansCapturedClips) {
  expect("simulate cape --motions captured --dry-run", 0, "captured to learn from");
  expect("simulate cape --motions captured --built-in-share 0 --frames 100000 --dry-run", 1,
         "expected captured clips of 100000 frames");
  expect("simulate cape --motions captured --built-in-share 2 --dry-run", 2, "--built-in-share");
  expect("simulate cape --clips 07_03,05_14 --dry-run", 0, "captured:05_14         120 frames, unseen");
  expect("simulate cape --clips 07_99 --dry-run", 1, "found '07_99'");
  expect("simulate cape --clips 07_03 --frames 100 --dry-run", 2, "--frames");
  expect("simulate cape --clip captured:05_14 --dry-run", 1, "found the test clip captured:05_14");
  expect("make cape --dry-run -o made", 0, "--motions captured");
  EXPECT_EQ(testing::run_program("make cape --motions built-in --dry-run", folder_).output.find("--motions"),
            std::string::npos);
}

TEST_F(SimulateCli, TakesFoldersOfMotions) {
  for (const char* name : {"takes/b.bvh", "takes/a.bvh", "takes/c.bvh", "tests/d.bvh"})
    put(name, small_bvh(40));
  put("takes/broken.bvh", "HIERARCHY\nROOT x\n");
  put("takes/notes.txt", "not a motion");
  put("bad/broken.bvh", "HIERARCHY\nROOT x\n");
  fs::create_directories(folder_ / "empty");
  const std::string plan =
      "simulate cape --motions takes --test-motions tests --built-in-share 0 --frames 90 --unseen 40 "
      "--dry-run";
  expect(plan, 0, "left out: takes/broken.bvh:");
  expect(plan, 0, "tests/d.bvh             40 frames, unseen");
  expect(plan, 0, "captured to learn from (90 frames)");
  expect("simulate cape --motions bad --dry-run", 1, "found none of 1: bad/broken.bvh");
  expect("simulate cape --motions empty --dry-run", 1, "empty: expected motion files");
  expect("simulate cape --motions nowhere --dry-run", 1, "found no such folder");
  // The folder as a bundle.
  expect("motion bundle takes --test tests --leave-out c -o new/own.billowmotion", 0,
         "new/own.billowmotion: 3 clips, 1 of them for tests");
  fs::copy_file(folder_ / "takes/a.bvh", folder_ / "tests/a.bvh");
  expect("motion bundle takes --test tests -o own.billowmotion", 1, "found subject a in both folders");
}

TEST_F(SimulateCli, TakesAGarmentOfTheUsersOwn) {
  expect("garment make skirt --vertices 600 --quick-skin --no-drape -o own.json", 0, "600 vertices");
  expect("simulate own.json --dry-run", 0, "frames in all");
  expect("simulate own.json --vertices 700 --dry-run", 1, "has a mesh, so expected none");
  expect("simulate none.json --dry-run", 1, "none.json");
  expect("simulate own.obj --dry-run", 2, "expected cape, skirt or a garment description");
  expect("simulate cape --character none.glb --dry-run", 1, "none.glb");
  expect("simulate own.json --body own.json --dry-run", 2, "found the built-in person");
  expect("simulate own.json --frames 3 --unseen 0 --mix skirt --threads 2 -o set", 0,
         "1 pass the reference's check");
  expect("dataset check set", 0, "");
  // The same job goes on; one with another garment is refused.
  expect("simulate own.json --frames 3 --unseen 0 --mix skirt --threads 2 -o set", 0,
         "1 pass the reference's check");
  expect("garment make skirt --vertices 700 --quick-skin --no-drape -o own.json", 0, "700 vertices");
  expect("simulate own.json --frames 3 --unseen 0 --mix skirt -o set", 1, "holds another data set");
}

TEST_F(SimulateCli, MakeTakesAMeshAndItsCharacter) {
  put("dress.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  put("hero.glb", "");
  const std::string plan = testing::run_program(
                               "make dress.obj --character hero.glb --attach waist --leave-out sword "
                               "--describe=--chains=9 --no-film --dry-run -o out/dress.billow",
                               folder_)
                               .output;
  for (const char* step :
       {"billow body fit hero.glb -o out/dress_made/body.json --leave-out sword",
        "billow garment describe dress.obj --name dress -o out/dress_made/dress.json --character hero.glb "
        "--leave-out sword --attach waist --chains=9",
        "billow garment show out/dress_made/dress.json",
        "billow simulate out/dress_made/dress.json -o out/dress_made/data",
        "--body out/dress_made/body.json --motions captured", "billow evaluate out/dress_made/dress.billow"})
    EXPECT_NE(plan.find(step), std::string::npos) << step << " in\n" << plan;
  expect("make dress.obj --dry-run", 1, "--attach waist, neck or shoulders");
  expect("make none.obj --attach waist --dry-run", 1, "no such file");
  expect("make cape --character hero.glb --dry-run", 1, "made to measure for the built-in person");
  expect("make cape --attach waist --dry-run", 1, "are for your own mesh");
}

#ifdef BILLOW_SIMULATE_PROGRAM
class SimulateProgram : public SimulateCli {
 protected:
  testing::Outcome run(const std::string& arguments) const {
    return testing::run_command("cd '" + folder_.string() + "' && '" BILLOW_SIMULATE_PROGRAM "' " +
                                arguments);
  }
};

TEST_F(SimulateProgram, PlansAsTheFullProgramDoes) {
  const std::string options = " --motions captured --frames 3000 --unseen 600 --seed 7 --dry-run";
  const std::string lean = run("skirt set" + options).output,
                    full = testing::run_program("simulate skirt -o set" + options, folder_).output;
  std::istringstream one(lean), other(full);
  size_t clips = 0;
  for (std::string a, b; std::getline(one, a) && std::getline(other, b);) {
    const size_t at = a.find(" frames, ");
    if (at == std::string::npos) continue;
    EXPECT_EQ(a.substr(0, at), b.substr(0, at));
    ++clips;
  }
  EXPECT_GT(clips, 30u) << lean;
}

TEST_F(SimulateProgram, SaysWhatIsWrong) {
  const struct {
    const char *arguments, *part;
    int code;
  } cases[] = {{"cape", "expected a garment and a folder", 2},
               {"cape set --frames 2x", "--frames: expected a number", 2},
               {"cape set --frames", "--frames: expected a value", 2},
               {"cape set --shard 5/4", "--shard: expected a number from 1 to 4, found '5'", 2},
               {"cape set --motions some", "--motions: expected captured or built-in, found 'some'", 2},
               {"cape set --tango 3", "found '--tango'", 2},
               {"cape set --contacts arm", "expected collider groups", 2},
               {"cape set --clips 07_03 --frames 10", "expected no --frames", 2},
               {"cape set --clips 07_99", "found '07_99'", 2},
               {"cape set --bundle none.billowmotion", "none.billowmotion", 1},
               {"--help", "billow_simulate GARMENT FOLDER", 0}};
  for (const auto& c : cases) {
    const testing::Outcome outcome = run(c.arguments);
    EXPECT_EQ(outcome.code, c.code) << c.arguments << "\n" << outcome.output;
    EXPECT_NE(outcome.output.find(c.part), std::string::npos) << c.arguments << "\n" << outcome.output;
  }
  EXPECT_FALSE(fs::exists(folder_ / "set"));
}

using SimulateProgramSlow = SimulateProgram;

// A person shaken at 60 m/s fails the job on every machine; a walk does not. Both programs make and continue the same
// folder.
TEST_F(SimulateProgramSlow, FailsWithoutAUsableFrame) {
  put("takes/shaken.bvh", small_bvh(20, 2));
  expect("motion bundle takes -o shaken.billowmotion", 0, "1 clips");
  const std::string torn = " --clips shaken --bundle shaken.billowmotion --vertices 500",
                    walk = " --clips 07_03 --vertices 500 --contacts trunk,leg,upper_arm:0.5,forearm:yields";
  const testing::Outcome rejected = run("skirt torn" + torn);
  EXPECT_EQ(rejected.code, 1) << rejected.output;
  for (const char* part : {"1 of 1 clips: captured:shaken rejected, cloth stretched:", "worst at",
                           "0 pass the reference's check", "found none of 1"})
    EXPECT_NE(rejected.output.find(part), std::string::npos) << part << "\n" << rejected.output;
  expect(
      "simulate skirt -o torn_too --motions takes --built-in-share 0 --frames 20 --unseen 0 --vertices 500",
      1, "expected clips that pass the reference's check, found none of 1");
  const testing::Outcome passed = run("skirt walk --json" + walk + " 2>/dev/null");
  EXPECT_EQ(passed.code, 0) << passed.output;
  const auto json = nlohmann::json::parse(passed.output);
  EXPECT_EQ(json["passed"], 1);
  EXPECT_EQ(json["results"][0]["name"], "captured:07_03");
  expect("simulate skirt -o walk" + walk, 0, "1 pass the reference's check");
  expect("dataset check walk", 0, "walk is whole");
  // It is another data set with other contacts.
  std::ostringstream garment;
  garment << std::ifstream(folder_ / "walk/garment.json").rdbuf();
  EXPECT_NE(garment.str().find("forearm:yields"), std::string::npos) << garment.str();
  expect("simulate skirt -o walk --clips 07_03 --vertices 500", 1, "walk");
}
#endif

}  // namespace
}  // namespace billow
