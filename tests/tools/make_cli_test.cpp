// `billow make`: what it refuses before it begins, and that the smallest sizes that it takes come to a garment file.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "files/whole_file.h"
#include "tools/program.h"

namespace billow {
namespace {

namespace fs = std::filesystem;

class MakeCli : public ::testing::Test {
 protected:
  MakeCli()
      : folder_(fs::temp_directory_path() /
                ("billow_make_" + std::to_string(getpid()) + "_" +
                 ::testing::UnitTest::GetInstance()->current_test_info()->name())) {
    fs::create_directories(folder_);
  }
  ~MakeCli() override { fs::remove_all(folder_); }

  testing::Outcome run(const std::string& arguments) const {
    return testing::run_program(arguments, folder_);
  }
  // A copy of the program, whose trainer is what stands beside it.
  testing::Outcome run_copy(const std::string& arguments) const {
    if (!fs::exists(folder_ / "bin")) {
      fs::create_directories(folder_ / "bin");
      fs::copy_file(BILLOW_PROGRAM, folder_ / "bin/billow");
    }
    return testing::run_command("cd '" + folder_.string() + "' && bin/billow " + arguments);
  }
  static size_t count(const std::string& text, const std::string& part) {
    size_t n = 0;
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
    return n;
  }
  fs::path folder_;
};

TEST_F(MakeCli, RefusesSizesThatCannotBeLearntFrom) {
  for (const char* bad : {"--frames 2", "--frames 0", "--frames -5", "--vertices 40", "--vertices 499",
                          "--vertices 2000000", "--unseen -1"}) {
    for (const char* command : {"make", "simulate"}) {
      const testing::Outcome refused = run(std::string(command) + " cape -o made " + bad);
      EXPECT_EQ(refused.code, 2) << command << " " << bad << ": " << refused.output;
      EXPECT_NE(refused.output.find(std::string(bad).substr(0, 8)), std::string::npos) << refused.output;
    }
  }
  EXPECT_FALSE(fs::exists(folder_ / "made"));
}

TEST_F(MakeCli, FindsOutBeforeItSimulatesWhetherItCanTrain) {
  const std::string make = "make cape -o made --frames 3 --vertices 500 --train=--epohcs=2";
  const testing::Outcome missing = run_copy(make);
  EXPECT_EQ(missing.code, 1) << missing.output;
  EXPECT_NE(missing.output.find("BILLOW_BUILD_TRAIN"), std::string::npos) << missing.output;
  EXPECT_FALSE(fs::exists(folder_ / "made"));
  // A trainer that does not know the option.
  std::ofstream(folder_ / "bin/billow-train") << "#!/bin/sh\necho \"$@\"; exit 2\n";
  fs::permissions(folder_ / "bin/billow-train", fs::perms::owner_all);
  const testing::Outcome refused = run_copy(make);
  EXPECT_EQ(refused.code, 1) << refused.output;
  EXPECT_NE(refused.output.find("--epohcs=2 --dry-run"), std::string::npos) << refused.output;
  EXPECT_NE(refused.output.find("nothing was made"), std::string::npos) << refused.output;
  EXPECT_FALSE(fs::exists(folder_ / "made"));
}

using MakeCliSlow = MakeCli;

// Skirts this coarse fold as narrowly as their triangles are wide, and their patches have fewer vertices than components.
TEST_F(MakeCliSlow, SmallSizesComeToAGarmentFileWithOneTable) {
  if (!fs::exists(fs::path(BILLOW_PROGRAM).parent_path() / "billow-train"))
    GTEST_SKIP() << "no billow-train here";
#if !defined(BILLOW_RESEARCH)
  GTEST_SKIP() << "the table is of a comparison, which this build is without";
#endif
  const std::string make =
      "make skirt --frames 9 --unseen 3 --vertices 500 --no-film -o small --train=--epochs=2 "
      "--train=--gru-epochs=2";
  const testing::Outcome made = run(make);
  ASSERT_EQ(made.code, 0) << made.output;
  EXPECT_EQ(count(made.output, "95th percentile, mm"), 1u) << made.output;
  EXPECT_EQ(count(made.output, "the chains go without a learnt force"), 1u) << made.output;
  EXPECT_NE(made.output.find("\nsmall/skirt.billow, measured on small/data\n"), std::string::npos)
      << made.output;
  const testing::Outcome sound = run("check small/skirt.billow");
  EXPECT_EQ(sound.code, 0) << sound.output;
  EXPECT_EQ(run("play small/skirt.billow --seconds 0.2").code, 0);
  // The file has the figures that were printed.
  const auto stored = nlohmann::json::parse(run("info small/skirt.billow --json").output)["training"];
  const auto figures = nlohmann::json::parse(files::read_whole_file(folder_ / "small/evaluation.json"));
  EXPECT_NEAR(stored["sets"]["unseen"]["rope"]["rmse_mm"].get<double>(),
              figures["sets"]["unseen"]["rope"]["rmse_mm"].get<double>(), 1e-3);
  EXPECT_EQ(stored["options"]["patches"]["epochs"], 2);
  // What is there is not made again, wherever it is; what other options ask for is.
  fs::rename(folder_ / "small", folder_ / "moved");
  const std::string again = "make skirt --frames 9 --unseen 3 --vertices 500 --no-film -o moved --dry-run ";
  EXPECT_EQ(count(run(again + "--train=--epochs=2 --train=--gru-epochs=2").output, "done already"), 4u);
  EXPECT_EQ(count(run(again + "--train=--epochs=3 --train=--gru-epochs=2").output, "done already"), 1u);
}

}  // namespace
}  // namespace billow
