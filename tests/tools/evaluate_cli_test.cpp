// `billow evaluate` and `billow train` as a user meets them.
#include "tools/evaluated_sheet.h"

namespace billow {
namespace {

namespace fs = std::filesystem;

class EvaluateCli : public testing::EvaluatedSheet {};

TEST_F(EvaluateCli, TheFirstTableIsOfTheProduct) {
  const auto out = run("sheet.billow . --quick");
  ASSERT_EQ(out.code, 0) << out.output;
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
  packed_.training = R"({"frames": 34, "more": "of training"})";
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

TEST_F(EvaluateCli, PackAddsWeightsForLinearBlendSkinningAndKeepsTheRest) {
  const auto packed = [&](const std::string& arguments) {
    return testing::run_program("pack sheet.billow " + arguments, set_.folder());
  };
  const auto read = [&](const char* name) { return pack::read_garment_asset(set_.folder() / name); };
  packed_.extra["more"] = "else";
  write();
  ASSERT_TRUE(read("sheet.billow").blend.empty());
  const auto out = packed("-o blended.billow --storage keep --blend --data . --without more");
  ASSERT_EQ(out.code, 0) << out.output;
  const pack::GarmentData blended = read("blended.billow");
  EXPECT_EQ(blended.blend.size(), 63u);
  EXPECT_EQ(blended.extra.count("more"), 0u);
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

  std::swap(packed_.garment.triangles[0][0], packed_.garment.triangles[0][1]);
  write();
  const auto cut = run("sheet.billow .");
  EXPECT_EQ(cut.code, 1);
  EXPECT_TRUE(contains(cut.output, "other triangles")) << cut.output;
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
