// `billow figures` as a user meets it: a small model of each figure.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "files/whole_file.h"
#include "pack/sample_garment.h"
#include "tools/program.h"

namespace billow {
namespace {

class FiguresCli : public ::testing::Test {
 protected:
  FiguresCli()
      : folder_(std::filesystem::temp_directory_path() /
                ("billow_figures_cli_" + std::to_string(getpid()) + "_" +
                 ::testing::UnitTest::GetInstance()->current_test_info()->name())) {
    std::filesystem::create_directories(folder_);
  }
  ~FiguresCli() override { std::filesystem::remove_all(folder_); }
  testing::Outcome run(const std::string& arguments) const {
    return testing::run_program("figures --quick " + arguments, folder_);
  }
  bool exists(const std::string& name) const { return std::filesystem::exists(folder_ / name); }
  std::string page() const { return files::read_whole_file(folder_ / "out/report.html"); }
  static bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }
  std::filesystem::path folder_;
};

TEST_F(FiguresCli, PhysicsShowsWhatThePaperSays) {
  const testing::Outcome done = run("pendulum sweeps flag push_out --json -o out");
  ASSERT_EQ(done.code, 0) << done.output;
  const auto json = nlohmann::json::parse(done.output);
  EXPECT_LT(json["pendulum"]["max_error_2s_rad"], 0.002);
  EXPECT_LT(json["pendulum"]["max_error_20s_rad"], 0.06);
  EXPECT_GT(json["pendulum"]["literal"]["max_error_20s_rad"], 1)
      << "the paper's text to the letter is damped";

  const auto sweeps = [&](const char* key) { return json["sweeps"][key]["rms_1s_m"].get<double>(); };
  EXPECT_GT(sweeps("1"), sweeps("5"));
  EXPECT_GT(sweeps("5"), sweeps("10"));
  EXPECT_GT(sweeps("10"), 10 * sweeps("direct"));
  EXPECT_NEAR(sweeps("tolerance"), sweeps("direct"), 1e-3);
  EXPECT_LT(json["sweeps"]["direct"]["rms_3s_m"], 0.01);

  const auto flag = [&](const char* kind, const char* key) { return json["flag"][kind][key].get<double>(); };
  EXPECT_NEAR(flag("middle", "drop_m"), flag("rope", "drop_m"), 0.005) << "searched for";
  EXPECT_LT(flag("stiff", "drop_m"), flag("rope", "drop_m") - 0.1) << "locks";
  EXPECT_GT(flag("soft", "drop_m"), flag("rope", "drop_m") + 0.2) << "overstretches";
  EXPECT_GT(flag("middle", "max_stretch_percent"), 20);
  EXPECT_LT(flag("rope", "max_stretch_percent"), 1e-3);

  EXPECT_EQ(json["push_out"]["history"]["in_front"], 6);
  EXPECT_EQ(json["push_out"]["gradient"]["in_front"], 0);
  for (const char* name : {"pendulum", "sweeps", "flag", "push_out"}) {
    EXPECT_TRUE(exists(std::string("out/") + name + ".png")) << name;
    EXPECT_EQ(nlohmann::json::parse(files::read_whole_file(folder_ / "out" / (std::string(name) + ".json"))),
              json[name]);
    EXPECT_TRUE(contains(page(), "<img src=\"" + std::string(name) + ".png\"")) << name;
  }
}

TEST_F(FiguresCli, GarmentsBodyAndGrids) {
  const body::Person person = body::make_person();
  files::write_whole_file(folder_ / "cape.billow", pack::pack_garment(pack::sample_garment(person, {})));
  files::write_whole_file(folder_ / "skirt.billow",
                          pack::pack_garment(pack::sample_garment(person, {.closed = true})));
  const testing::Outcome done =
      run("garments body cape skirt --garment cape.billow --skirt skirt.billow --json -o out");
  ASSERT_EQ(done.code, 0) << done.output;
  const auto json = nlohmann::json::parse(done.output);
  EXPECT_EQ(json["garments"]["cape"]["vertices"], 192);
  EXPECT_EQ(json["body"]["colliders"], person.colliders.size());
  for (const char* name : {"cape", "skirt"}) {
    EXPECT_GT(json[name]["rms_to_reference_mm"], 1) << "untrained networks";
    EXPECT_GT(json[name]["reference_strain_p99_percent"], 0) << "it moved";
  }
  for (const char* name : {"garments", "body", "cape", "skirt"})
    EXPECT_TRUE(exists(std::string("out/") + name + ".png")) << name;
}

TEST_F(FiguresCli, OneMadeAgainLeavesTheOthersInThePage) {
  ASSERT_EQ(run("pendulum push_out -o out").code, 0);
  ASSERT_EQ(run("push_out modes -o out").code, 0);
  for (const char* part :
       {"<img src=\"pendulum.png\"", "<img src=\"push_out.png\"", "Not made: needs --garment"})
    EXPECT_TRUE(contains(page(), part)) << part;
  // A picture that is gone is not shown; a record that is none is refused.
  std::filesystem::remove(folder_ / "out/pendulum.png");
  ASSERT_EQ(run("push_out -o out").code, 0);
  EXPECT_FALSE(contains(page(), "pendulum.png"));
  files::write_whole_file(folder_ / "out/report.json", "{\"push_out\": 3}");
  const testing::Outcome refused = run("push_out -o out");
  EXPECT_EQ(refused.code, 1);
  EXPECT_TRUE(contains(refused.output, "report.json: expected")) << refused.output;
}

TEST_F(FiguresCli, SaysWhatIsMissing) {
  const testing::Outcome done = run("collision modes -o out");
  EXPECT_EQ(done.code, 0) << done.output;
  for (const char* part :
       {"needs --garment FILE, --data DIR, and --free", "needs --garment FILE and --data DIR"})
    EXPECT_TRUE(contains(done.output, part) && contains(page(), part)) << part;
  EXPECT_FALSE(exists("out/modes.json"));
  const testing::Outcome refused = run("pendulum circle -o elsewhere");
  EXPECT_EQ(refused.code, 2);
  EXPECT_TRUE(contains(refused.output, "circle") && contains(refused.output, "push_out")) << refused.output;
  EXPECT_FALSE(exists("elsewhere"));
}

TEST_F(FiguresCli, WhatIsRefusedLeavesNoFolder) {
  files::write_whole_file(folder_ / "no.billow", "no garment");
  const testing::Outcome refused = run("garments --garment no.billow -o out");
  EXPECT_EQ(refused.code, 1) << refused.output;
  EXPECT_TRUE(contains(refused.output, "no.billow")) << refused.output;
  EXPECT_FALSE(exists("out"));
  // One that was there is the user's.
  std::filesystem::create_directory(folder_ / "out");
  EXPECT_EQ(run("garments --garment no.billow -o out").code, 1);
  EXPECT_TRUE(exists("out"));
}

}  // namespace
}  // namespace billow
