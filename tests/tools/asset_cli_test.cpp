// `billow info` and `billow check` as a user meets them.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "pack/sample_garment.h"
#include "tools/program.h"

namespace billow {
namespace {

class AssetCli : public ::testing::Test {
 protected:
  AssetCli()
      : folder_(std::filesystem::temp_directory_path() /
                ("billow_asset_cli_" + std::to_string(getpid()) + "_" +
                 ::testing::UnitTest::GetInstance()->current_test_info()->name())) {
    std::filesystem::create_directories(folder_);
    pack::GarmentData p = pack::sample_garment(body::make_person(), {});
    p.training = "{\"frames\": 5000}";
    bytes_ = pack::pack_garment(p);
    write("cape.billow", bytes_);
  }
  ~AssetCli() override { std::filesystem::remove_all(folder_); }
  void write(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
  }
  testing::Outcome run(const std::string& arguments) const {
    return testing::run_program(arguments, folder_);
  }
  static bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }
  std::filesystem::path folder_;
  std::string bytes_;
};

TEST_F(AssetCli, PlaysAFileAndDrawsIt) {
  const testing::Outcome playback =
      run("play cape.billow --seconds 0.3 --motion walk -o strip.png --panels 2 --json");
  ASSERT_EQ(playback.code, 0) << playback.output;
  EXPECT_TRUE(contains(playback.output, "\"inside\": 0")) << playback.output;
  EXPECT_TRUE(std::filesystem::exists(folder_ / "strip.png"));
  EXPECT_TRUE(contains(run("play cape.billow --seconds 0.2").output, "median"));
  EXPECT_EQ(run("play nothing.billow").code, 1);
  EXPECT_EQ(run("play cape.billow --motion sleep").code, 1);
}

// The garments that come with Billow go by their names in all commands, unless there is a file of that name.
TEST_F(AssetCli, TakesShippedGarmentsByName) {
  const auto cape = run("info cape"), skirt = run("info skirt --json"), sound = run("check skirt");
  EXPECT_EQ(cape.code, 0) << cape.output;
  EXPECT_TRUE(contains(cape.output, "12690 vertices")) << cape.output;
  EXPECT_TRUE(contains(skirt.output, "\"vertices\": 18546")) << skirt.code;
  EXPECT_EQ(sound.code, 0);
  EXPECT_TRUE(contains(sound.output, "skirt.billow: sound")) << sound.output;
  EXPECT_EQ(run("pack cape -o kept.billow --storage keep").code, 0);
  EXPECT_GT(std::filesystem::file_size(folder_ / "kept.billow"), 1'000'000u);
  // Its data set is another's, which is told of its file.
  const auto evaluated = run("evaluate cape nowhere");
  EXPECT_EQ(evaluated.code, 1);
  EXPECT_TRUE(contains(evaluated.output, "nowhere/manifest.json")) << evaluated.output;
  EXPECT_EQ(run("evaluate cape nowhere --store").code, 2) << "it is not ours to change";
  // A folder is no garment, a file is.
  std::filesystem::create_directories(folder_ / "skirt");
  EXPECT_EQ(run("check skirt").code, 0);
  write("cape", bytes_);
  EXPECT_TRUE(contains(run("info cape").output, "192 vertices"));
  EXPECT_EQ(run("info coat").code, 1);
}

TEST_F(AssetCli, PackStoresDifferently) {
  const testing::Outcome packed = run("pack cape.billow -o exact.billow --storage fp32");
  ASSERT_EQ(packed.code, 0) << packed.output;
  EXPECT_TRUE(contains(packed.output, "* fp32")) << packed.output;
  EXPECT_GT(std::filesystem::file_size(folder_ / "exact.billow"), bytes_.size());
  EXPECT_EQ(run("check exact.billow").code, 0);
  const testing::Outcome missing = run("pack cape.billow -o less.billow --without gru");
  EXPECT_EQ(missing.code, 1);
  EXPECT_TRUE(contains(missing.output, "expected an extra section 'gru'")) << missing.output;
  EXPECT_EQ(run("pack cape.billow -o less.billow --storage tiny").code, 1);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "less.billow"));
}

TEST_F(AssetCli, InfoTellsSizesAndTheReport) {
  const auto text = run("info cape.billow"), json = run("info cape.billow --json");
  EXPECT_EQ(text.code, 0) << text.output;
  EXPECT_TRUE(contains(text.output, "192 vertices")) << text.output;
  EXPECT_TRUE(contains(text.output, "20 with 36 input bones each")) << text.output;
  EXPECT_TRUE(contains(text.output, "111 > 24 > 24 > 18, tanh, with a linear path")) << text.output;
  EXPECT_EQ(json.code, 0) << json.output;
  EXPECT_TRUE(contains(json.output, "\"training\": {\n    \"frames\": 5000")) << json.output;
  EXPECT_TRUE(contains(json.output, "\"vertices\": 192"));
  EXPECT_TRUE(contains(json.output, "\"patches\": 20")) << json.output;
}

TEST_F(AssetCli, InfoTellsOfTheWholeCloth) {
  write("paper.billow", pack::pack_garment(pack::sample_garment(body::make_person(), {.patches = false})));
  const auto text = run("info paper.billow"), json = run("info paper.billow --json");
  EXPECT_TRUE(contains(text.output, "6 of skinning, 4 of shape")) << text.output;
  EXPECT_TRUE(contains(json.output, "\"skinning\": 6")) << json.output;
}

TEST_F(AssetCli, CheckSaysWhatIsWrong) {
  EXPECT_EQ(run("check cape.billow").code, 0);
  bytes_[bytes_.size() / 2] ^= 1;
  write("cape.billow", bytes_);
  const auto damaged = run("check cape.billow");
  EXPECT_EQ(damaged.code, 1);
  EXPECT_TRUE(contains(damaged.output, "cape.billow: section")) << damaged.output;
  EXPECT_TRUE(contains(damaged.output, "damaged")) << damaged.output;
  EXPECT_EQ(run("check nowhere.billow").code, 1);
  EXPECT_EQ(run("check").code, 2);
}

}  // namespace
}  // namespace billow
