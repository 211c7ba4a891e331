// `billow evaluate` and `billow train` as a user meets them.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "files/whole_file.h"
#include "learn/frames.h"
#include "learn/gru.h"
#include "learn/pca.h"
#include "learn/ridge.h"
#include "offline/evaluate/small_set.h"
#include "pack/garment_asset.h"
#include "tools/program.h"

namespace billow {
namespace {

namespace fs = std::filesystem;

V3 waving(V3 p, size_t clip, size_t frame) {
  const float t = 0.2f * static_cast<float>(frame + 31 * clip), hang = 1.4f - p.y;
  return p + V3{0.1f * hang * std::sin(1.3f * t), 0, 0.3f * hang * std::sin(t + 3 * p.y + 2 * p.x)};
}

// Recurrent units that leave chains at rest.
learn::Gru still_units(const learn::Frames& frames) {
  const Eigen::Index inputs = learn::body_poses(frames, frames.clips()[0]).cols();
  const auto layer = [](Eigen::Index rows, Eigen::Index columns) {
    return learn::Layer{learn::Matrix::Zero(rows, columns), learn::Vector::Zero(rows)};
  };
  learn::Gru gru{learn::Vector::Zero(inputs), learn::Vector::Ones(inputs), {}};
  for (const auto& bones : learn::simulated_bones(frames.garment()))
    gru.chains.push_back(
        {bones, layer(6, inputs), layer(6, 2), layer(3 * static_cast<Eigen::Index>(bones.size()), 2)});
  return gru;
}

class EvaluateCli : public ::testing::Test {
 protected:
  EvaluateCli() : set_({std::string(30, 't') + "vvhh", std::string(20, 'u')}, waving) {
    const learn::Frames frames = set_.frames();
    const auto train = frames.of(dataset::Part::kTrain);
    const learn::Rows rows = learn::cloth_rows(frames, train);
    learn::Stage stage;
    stage.basis = learn::principal_components(rows, {.components = 3}).basis;
    stage.network =
        learn::fit_ridge(learn::bone_matrix(frames, train, learn::Source::kEmbedded),
                         learn::coefficients(rows, stage.basis), std::vector<uint32_t>(train.size(), 0), {})
            .network;
    // The file has no path without a layer.
    stage.network.layers = {{learn::Matrix::Zero(3, stage.network.mean.size()), stage.network.bias}};
    stage.network.bias.resize(0);
    packed_.garment = frames.garment();
    packed_.skeleton = frames.character().skeleton;
    packed_.settings = billow_settings_default();
    packed_.model = learn::Model{stage, {}};
    packed_.extra[learn::kGruSection] = learn::gru_to_bytes(still_units(frames));
    write();
  }
  void write() const { pack::write_garment_asset(packed_, set_.folder() / "sheet.billow"); }
  testing::Outcome run(const std::string& arguments) const {
    return testing::run_program("evaluate " + arguments, set_.folder());
  }
  static bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }
  testing::SmallSet set_;
  pack::GarmentData packed_;
};

TEST_F(EvaluateCli, PrintsATableAndWritesBothFiles) {
  const auto out = run("sheet.billow . --json figures.json --html page.html");
  ASSERT_EQ(out.code, 0) << out.output;
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

TEST_F(EvaluateCli, JsonWithoutANameIsPrintedAlone) {
  const auto whole = nlohmann::json::parse(run("sheet.billow . --json").output);
  const auto quick = nlohmann::json::parse(run("sheet.billow . --quick --json -").output);
  EXPECT_TRUE(whole.at("sets").at("holdout").at("rope").at("sted").is_number());
  EXPECT_TRUE(quick.at("sets").at("holdout").at("rope").at("sted").is_null()) << "not measured is not 0";
  EXPECT_EQ(quick.at("sets").at("train").at("rope").at("frames"), 4);
  EXPECT_EQ(quick.at("floor").at("unseen"), whole.at("floor").at("unseen"));
}

TEST_F(EvaluateCli, TheFirstTableIsOfTheProduct) {
  const auto out = run("sheet.billow . --quick");
  ASSERT_EQ(out.code, 0) << out.output;
  EXPECT_LT(out.output.find("the product"), out.output.find("embedded bones")) << out.output;
  EXPECT_TRUE(contains(out.output, "captured motion never trained on, 1 clip, 10 frames at 60 Hz"));
  // The keys that others read.
  const auto at = [&](const std::string& options) {
    return nlohmann::json::parse(run("sheet.billow . --quick --json " + options).output).at("product");
  };
  const auto product = at("");
  const auto& figures = product.at("captured_test");
  for (const char* key : {"strain_mean",
                          "strain_p99",
                          "bend_rad",
                          "bend_ratio",
                          "curvature_edge",
                          "curvature_3cm",
                          "curvature_10cm",
                          "curvature_distance_edge",
                          "curvature_distance_3cm",
                          "curvature_distance_10cm",
                          "calm_along_rad",
                          "calm_across_rad",
                          "hem_area_m2",
                          "hem_ratio",
                          "hem_difference",
                          "velocity_energy",
                          "acceleration_energy",
                          "inside_vertices",
                          "inside_edges",
                          "inside_faces",
                          "deepest_vertex_mm",
                          "deepest_edge_mm",
                          "deepest_face_mm",
                          "crossings",
                          "tangled",
                          "sted",
                          "sted_space",
                          "sted_time",
                          "rmse_mm"})
    EXPECT_TRUE(figures.at(key).is_number()) << key;
  EXPECT_TRUE(figures.at("stranger_auc").is_null()) << "not measured is not 0";
  EXPECT_GT(figures.at("rmse_mm"), 10) << "the reference waves, the chains of the file hang";
  EXPECT_TRUE(figures.at("reference").at("strain_mean").is_number());
  EXPECT_FALSE(figures.at("reference").contains("rmse_mm"));
  EXPECT_TRUE(figures.at("floor").is_null()) << "the data set stores no second simulation";
  EXPECT_EQ(product.at("frames_per_second"), 60);
  const auto slow = at("--rate 30");
  EXPECT_EQ(slow.at("frames_per_second"), 30);
  EXPECT_NE(slow.at("captured_test").at("rmse_mm"), figures.at("rmse_mm"));
}

// The table of the product travels in the file.
TEST_F(EvaluateCli, StoresTheProductWhereInfoShowsIt) {
  packed_.training = R"({"frames": 34, "sets": "of training"})";
  write();
  const auto info = [&](const std::string& options) {
    return testing::run_program("info sheet.billow" + options, set_.folder()).output;
  };
  EXPECT_FALSE(contains(info(""), "the product"));
  const auto out = run("sheet.billow . --quick --store --json figures.json");
  ASSERT_EQ(out.code, 0) << out.output;
  const auto figures = nlohmann::json::parse(files::read_whole_file(set_.folder() / "figures.json"));
  const auto training = nlohmann::json::parse(info(" --json")).at("training");
  EXPECT_EQ(training.at("frames"), 34) << "what training wrote stays";
  EXPECT_TRUE(training.at("sets").is_object()) << "its figures are replaced";
  const double stored = training.at("product").at("captured_test").at("strain_mean"),
               measured = figures.at("product").at("captured_test").at("strain_mean");
  EXPECT_NEAR(stored, measured, 1e-5 * measured);
  // The table is that of `billow evaluate`.
  const std::string table = out.output.substr(out.output.find("the product"),
                                              out.output.find(" Hz)") - out.output.find("the product"));
  EXPECT_TRUE(contains(table, "edge strain, mean %")) << out.output;
  EXPECT_TRUE(contains(info(""), table)) << info("") << "\ninstead of\n" << table;
}

// It needs a program that is built with libtorch only, and this data set has one clip to learn from.
TEST_F(EvaluateCli, AStrangerSaysWhatIsMissing) {
  const auto out = run("sheet.billow . --quick --stranger --device cpu --json figures.json");
  EXPECT_EQ(out.code, 1);
  EXPECT_TRUE(contains(out.output, "billow-stranger")) << out.output;
  EXPECT_FALSE(fs::exists(set_.folder() / "figures.json"));
}

TEST_F(EvaluateCli, CompareShowsAClipOfTheDataSet) {
  const auto compare = [&](const std::string& arguments) {
    return testing::run_program("compare sheet.billow --dataset . --size 96x64 " + arguments, set_.folder());
  };
  const auto out = compare("--strip 2 -o strip.png --json");
  ASSERT_EQ(out.code, 0) << out.output;
  const auto json = nlohmann::json::parse(out.output);
  EXPECT_EQ(json["motion"], "clip 1") << "the first unseen one";
  EXPECT_EQ(json["frames"], 20);
  EXPECT_TRUE(fs::exists(set_.folder() / "strip.png"));
  EXPECT_EQ(nlohmann::json::parse(compare("--clip 0 --seconds 0.2 -o a.png --json").output)["frames"], 7);
  const auto none = compare("--clip 2 -o none.png");
  EXPECT_EQ(none.code, 1);
  EXPECT_TRUE(contains(none.output, "expected a clip from 0 to 1, found 2")) << none.output;
  EXPECT_FALSE(fs::exists(set_.folder() / "none.png"));
}

TEST_F(EvaluateCli, FiguresShowWhatWasLearnt) {
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

TEST_F(EvaluateCli, PackAddsWeightsForLinearBlendSkinningAndKeepsTheRest) {
  const auto packed = [&](const std::string& arguments) {
    return testing::run_program("pack sheet.billow " + arguments, set_.folder());
  };
  const auto read = [&](const char* name) { return pack::read_garment_asset(set_.folder() / name); };
  ASSERT_TRUE(read("sheet.billow").blend.empty());
  const auto out = packed("-o blended.billow --storage keep --blend --data . --without gru");
  ASSERT_EQ(out.code, 0) << out.output;
  const pack::GarmentData blended = read("blended.billow");
  EXPECT_EQ(blended.blend.size(), 63u);
  EXPECT_EQ(blended.extra.count(learn::kGruSection), 0u);
  const auto bytes = [&](const char* name) { return fs::file_size(set_.folder() / name); };
  EXPECT_LT(bytes("blended.billow"), bytes("sheet.billow") + 63 * 8 + 3 * 64);
  std::ofstream(set_.folder() / "ropes.json")
      << R"({"format": "billow rope settings", "version": 1, "friction": 0.75})";
  ASSERT_EQ(packed("-o rough.billow --storage keep --settings ropes.json").code, 0);
  EXPECT_EQ(read("rough.billow").settings.friction, 0.75f);
  EXPECT_EQ(bytes("rough.billow"), bytes("sheet.billow"));
  EXPECT_EQ(packed("-o none.billow --storage keep --settings nowhere.json").code, 1);
  EXPECT_EQ(packed("-o none.billow --storage keep --blend").code, 1) << "weights of which frames?";
  EXPECT_EQ(packed("-o none.billow --storage keep --without nothing").code, 1);
  EXPECT_FALSE(fs::exists(set_.folder() / "none.billow"));
  EXPECT_EQ(packed("-o stored.billow --blend --data . --storage int8").code, 0);
  EXPECT_EQ(read("stored.billow").blend.size(), 63u);
}

TEST_F(EvaluateCli, SaysWhatDoesNotGoTogether) {
  EXPECT_EQ(run("sheet.billow").code, 2);
  EXPECT_EQ(run("nothing.billow .").code, 1);
  EXPECT_TRUE(
      contains(run("sheet.billow . --html no/such/page.html").output, "page.html: expected a folder"));

  packed_.extra[learn::kGruSection] = "no units";
  write();
  const auto units = run("sheet.billow . --json figures.json");
  EXPECT_EQ(units.code, 1);
  EXPECT_TRUE(contains(units.output, "recurrent units: magic at byte 0")) << units.output;
  EXPECT_FALSE(fs::exists(set_.folder() / "figures.json"));

  std::swap(packed_.garment.triangles[0][0], packed_.garment.triangles[0][1]);
  write();
  const auto cut = run("sheet.billow .");
  EXPECT_EQ(cut.code, 1);
  EXPECT_TRUE(contains(cut.output, "other triangles")) << cut.output;
}

TEST_F(EvaluateCli, FramesOfAnotherDrapeAreSeenFromTheFilesRest) {
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

// A program that stands in for the trainer, beside a copy of ours.
TEST_F(EvaluateCli, TrainHandsOverToTheProgramBesideIt) {
  const fs::path program = set_.folder() / "billow", trainer = set_.folder() / "billow-train";
  fs::copy_file(BILLOW_PROGRAM, program);
  const auto train = [&](const std::string& arguments) {
    return testing::run_command("'" + program.string() + "' train " + arguments);
  };
  const auto missing = train("data -o a.billow");
  EXPECT_EQ(missing.code, 1);
  EXPECT_TRUE(contains(missing.output, "BILLOW_BUILD_TRAIN")) << missing.output;

  std::ofstream(trainer) << "#!/bin/sh\nfor a in \"$@\"; do echo \"[$a]\"; done\nexit 7\n";
  fs::permissions(trainer, fs::perms::owner_all);
  const auto out = train("data -o 'a b.billow' --paper");
  EXPECT_EQ(out.code, 7);
  EXPECT_EQ(out.output, "[data]\n[-o]\n[a b.billow]\n[--paper]\n");
  EXPECT_EQ(train("--help").output, "[--help]\n");
}

}  // namespace
}  // namespace billow
