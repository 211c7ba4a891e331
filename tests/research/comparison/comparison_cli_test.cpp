// What research adds to `billow evaluate`, and the figures of learning.
#include "research/gru/gru.h"
#include "tools/evaluated_sheet.h"

namespace billow {
namespace {

namespace fs = std::filesystem;

// Recurrent units that leave chains at rest.
research::Gru still_units(const learn::Frames& frames) {
  const Eigen::Index inputs = research::body_poses(frames, frames.clips()[0]).cols();
  const auto layer = [](Eigen::Index rows, Eigen::Index columns) {
    return learn::Layer{learn::Matrix::Zero(rows, columns), learn::Vector::Zero(rows)};
  };
  research::Gru gru{learn::Vector::Zero(inputs), learn::Vector::Ones(inputs), {}};
  for (const auto& bones : research::simulated_bones(frames.garment()))
    gru.chains.push_back(
        {bones, layer(6, inputs), layer(6, 2), layer(3 * static_cast<Eigen::Index>(bones.size()), 2)});
  return gru;
}

class ComparisonCli : public testing::EvaluatedSheet {
 protected:
  ComparisonCli() {
    packed_.extra[research::kGruSection] = research::gru_to_bytes(still_units(set_.frames()));
    write();
  }
};

TEST_F(ComparisonCli, PrintsATableAndWritesBothFiles) {
  const auto out = run("sheet.billow . --json figures.json --html page.html");
  ASSERT_EQ(out.code, 0) << out.output;
  EXPECT_LT(out.output.find("the product"), out.output.find("embedded bones")) << out.output;
  for (const char* part : {"63 vertices", "embedded bones", "gru bones", "floor", "lbs", "chaos floor"})
    EXPECT_TRUE(contains(out.output, part)) << part;
  const auto json = nlohmann::json::parse(files::read_whole_file(set_.folder() / "figures.json"));
  for (const char* source : {"embedded", "rope", "gru"})
    EXPECT_GT(json.at("sets").at("unseen").at(source).at("rmse_mm"), 0) << source;
  EXPECT_GT(json.at("gru_gap").at("sets").at("holdout").at("rms_mm"), 10) << "its chains do not move";
  EXPECT_GT(json.at("rope_gap").at("rms_mm"), 10)
      << "the data set has the cloth for ropes, the file its own chains";
  EXPECT_TRUE(contains(files::read_whole_file(set_.folder() / "page.html"), "<svg"));
}

TEST_F(ComparisonCli, JsonWithoutANameIsPrintedAlone) {
  const auto whole = nlohmann::json::parse(run("sheet.billow . --json").output);
  const auto quick = nlohmann::json::parse(run("sheet.billow . --quick --json -").output);
  EXPECT_TRUE(whole.at("sets").at("holdout").at("rope").at("sted").is_number());
  EXPECT_TRUE(quick.at("sets").at("holdout").at("rope").at("sted").is_null()) << "not measured is not 0";
  EXPECT_EQ(quick.at("sets").at("train").at("rope").at("frames"), 4);
  EXPECT_EQ(quick.at("floor").at("unseen"), whole.at("floor").at("unseen"));
}

TEST_F(ComparisonCli, FiguresShowWhatWasLearnt) {
  const auto out = testing::run_program(
      "figures --quick --json modes skinning shape holdout collision gru_training gru_holdout --data . "
      "--garment sheet.billow --overtrained sheet.billow --free sheet.billow -o out",
      set_.folder());
  ASSERT_EQ(out.code, 0) << out.output;
  const auto json = nlohmann::json::parse(out.output);
  const auto table = nlohmann::json::parse(run("sheet.billow . --quick --json").output);
  EXPECT_EQ(json["holdout"]["shape"]["rmse_mm"], table["sets"]["holdout"]["embedded"]["rmse_mm"]);
  EXPECT_EQ(json["skinning"]["overtrained"], json["skinning"]["skinning"]) << "the same file";
  EXPECT_GT(json["gru_holdout"]["bones_unseen_mm"], 10) << "its chains do not move";
  for (const char* name :
       {"modes", "skinning", "shape", "holdout", "collision", "gru_training", "gru_holdout"})
    EXPECT_TRUE(fs::exists(set_.folder() / "out" / (std::string(name) + ".png"))) << name;
}

TEST_F(ComparisonCli, FramesOfAnotherDrapeAreSeenFromTheFilesRest) {
  const auto figures = [&] {
    const auto out = run("sheet.billow . --quick --json");
    EXPECT_EQ(out.code, 0) << out.output;
    return nlohmann::json::parse(out.output);
  };
  const auto before = figures();
  garment::Garment other = set_.garment();
  for (V3& p : other.rest) p.y += 0.02f * p.x;
  garment::write_garment_file(other, packed_.skeleton, set_.folder() / "garment.json");
  const auto after = figures();
  for (const char* part : {"train", "unseen"})
    EXPECT_EQ(before["sets"][part]["embedded"]["rmse_mm"], after["sets"][part]["embedded"]["rmse_mm"]);
  // Files of different rests are not to be compared in one picture.
  packed_.garment.rest = other.rest;
  pack::write_garment_asset(packed_, set_.folder() / "other.billow");
  const auto figure = testing::run_program(
      "figures --quick skinning --data . --garment sheet.billow --overtrained other.billow -o out",
      set_.folder());
  EXPECT_TRUE(contains(figure.output, "expected the rest of the other file")) << figure.output;
}

TEST_F(ComparisonCli, StoresItsFiguresInPlaceOfOthers) {
  packed_.training = R"({"frames": 34, "sets": "of training"})";
  write();
  ASSERT_EQ(run("sheet.billow . --quick --store --quiet").code, 0);
  const auto training =
      nlohmann::json::parse(testing::run_program("info sheet.billow --json", set_.folder()).output)
          .at("training");
  EXPECT_EQ(training.at("frames"), 34) << "what training wrote stays";
  EXPECT_TRUE(training.at("sets").is_object()) << "its figures are replaced";
}

TEST_F(ComparisonCli, RefusesUnitsThatAreNone) {
  packed_.extra[research::kGruSection] = "no units";
  write();
  const auto units = run("sheet.billow . --json figures.json");
  EXPECT_EQ(units.code, 1);
  EXPECT_TRUE(contains(units.output, "recurrent units: magic at byte 0")) << units.output;
  EXPECT_FALSE(fs::exists(set_.folder() / "figures.json"));
}

}  // namespace
}  // namespace billow
