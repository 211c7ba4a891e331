// Rope chains on a small data set whose reference is itself made of rope chains, so that the answer is known.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "character/rope_chains.h"
#include "dataset/clip_writer.h"
#include "offline/ropes/set_from_bones.h"
#include "ropes/fit_ropes.h"
#include "ropes/settings_file.h"

namespace billow::ropes {
namespace {

using Eigen::Index;
using testing::set_from_bones;
using testing::SmallSet;

const std::vector<std::string> kSplits(5, std::string(40, 't'));

V3 stay(V3 rest, size_t, size_t) { return rest; }

TEST(SimulateRopes, IsTheSameOnAnyNumberOfThreads) {
  const SmallSet set(kSplits, stay);
  const Frames frames = set.frames();
  const billow_settings settings = character::rope_settings(frames.garment());
  Cost cost;
  const Matrix one = simulate_ropes(frames, settings, 1, &cost), three = simulate_ropes(frames, settings, 3);
  EXPECT_EQ(one, three);
  EXPECT_EQ(one.rows(), 200);
  EXPECT_EQ(cost.frames, 200u);
  EXPECT_GE(cost.substeps, 200u);
  EXPECT_GT(cost.seconds, 0);
  EXPECT_GT(one.cwiseAbs().maxCoeff(), 0.01f) << "the walk turns, so the ropes swing";
}

TEST(SimulateRopes, StartsLikeDataSets) {
  // Strongly damped chains are insensitive to rounding.
  billow_settings settings = billow_settings_default();
  settings.global_damping = 3;
  const SmallSet set({std::string(20, 't')}, stay);
  const Frames frames = set.frames();
  const Matrix found = simulate_ropes(frames, settings);

  const body::Skeleton& skeleton = frames.character().skeleton;
  std::vector<Transform> joints(skeleton.size());
  frames.joints(0, joints);
  motion::Clip clip;
  clip.frames.push_back(body::rest_pose(skeleton));
  clip.frames[0].root_position = joints[0].position, clip.frames[0].rotations[0] = joints[0].rotation;
  const auto before = dataset::lead_in(skeleton, clip);
  character::RopeChains ropes(frames.garment(), {skeleton, frames.character().colliders}, before[0],
                              settings);
  for (size_t i = 1; i < before.size(); ++i) ropes.step(1.0f / 30, before[i]);
  std::vector<V3> rest(ropes.bones().size());
  garment::bone_positions(frames.garment(), frames.rest(), rest);
  for (uint32_t f = 0; f < 20; ++f) {
    frames.joints(f, joints);
    ropes.step(1.0f / 30, joints);
    for (size_t b = 0; b < rest.size(); ++b) {
      const V3 d = apply(inverse(frames.rigid(f)), ropes.bones()[b]) - rest[b];
      const float* at = found.row(f).data() + 3 * b;
      ASSERT_LT(length(d - V3{at[0], at[1], at[2]}), 1e-4f) << "frame " << f << ", bone " << b;
    }
  }
}

TEST(MeasureRopes, PenalisesChainsThatMoveTooLittle) {
  // Bones swing by 10 mm; ropes swing with an offset of 3 mm, or by half as much.
  const SmallSet set({std::string(40, 't'), std::string(40, 'u')}, stay);
  const Frames frames = set.frames();
  Matrix swings = Matrix::Zero(80, static_cast<Index>(frames.bone_values()));
  for (Index f = 0; f < 80; ++f)
    for (Index b = 0; b < swings.cols(); b += 3)
      swings(f, b) = 0.01f * static_cast<float>(std::sin(0.5 * static_cast<double>(f)));
  Matrix beside = swings;
  for (Index b = 1; b < beside.cols(); b += 3) beside.col(b).array() += 0.003f;
  const RopeTracking followed = measure_tracking(frames, swings, beside, {0}, 0);
  EXPECT_NEAR(followed.gap.rms_mm, 3, 1e-3);
  EXPECT_NEAR(followed.gap.bias_mm, 3, 1e-3);
  EXPECT_NEAR(followed.velocity_energy, 1, 1e-5);
  EXPECT_NEAR(followed.score, 3, 1e-3);
  const RopeTracking half = measure_tracking(frames, swings, 0.5f * swings, {0}, 0);
  EXPECT_NEAR(half.velocity_energy, 0.25, 1e-5);
  EXPECT_NEAR(half.score, half.gap.rms_mm * (1 + 0.3 * std::log(4.0)), 1e-3);
}

TEST(FitRopes, RecoversTheSettingsOfTheReference) {
  const SmallSet still(kSplits, stay);
  billow_settings reference_settings = character::rope_settings(still.garment());
  reference_settings.global_damping = 4;
  const SmallSet set = set_from_bones(still, simulate_ropes(still.frames(), reference_settings), kSplits);
  const Frames frames = set.frames();
  billow_settings start = reference_settings;
  start.global_damping = 0.5f;
  FitOptions options;
  options.rounds = 12;
  options.threads = 2;
  size_t reports = 0;
  options.report = [&](double share, const std::string&) { reports += share > 0 && share <= 1; };
  const Fit fit = fit_ropes(frames, start, options);
  EXPECT_GT(reports, 20u);
  EXPECT_EQ(fit.rounds.size(), 13u);
  EXPECT_GT(fit.settings.global_damping, 1.5f);
  const double before = measure_ropes(frames, start).validation.score,
               after = measure_ropes(frames, fit.settings).validation.score;
  EXPECT_LT(after, 0.4 * before);
  // The result is the same on another number of threads.
  options.threads = 1;
  EXPECT_EQ(settings_text(fit_ropes(frames, start, options).settings), settings_text(fit.settings));
}

TEST(FitRopes, NeedsTwoClips) {
  const SmallSet set({std::string(10, 't'), std::string(10, 'u')}, stay);
  try {
    fit_ropes(set.frames(), character::rope_settings(set.garment()));
    FAIL() << "expected an exception";
  } catch (const std::runtime_error& e) {
    EXPECT_STREQ(e.what(), "ropes: expected at least two training clips, found 1");
  }
}

TEST(CorrectRopes, RecoversALinearError) {
  std::vector<std::string> splits = kSplits;
  splits.back() = std::string(40, 'u');
  const SmallSet still(splits, stay);
  const Matrix ropes = simulate_ropes(still.frames(), character::rope_settings(still.garment()));
  Matrix scaled_ropes = 1.5f * ropes;
  scaled_ropes.col(4).array() += 0.02f;
  const SmallSet set = set_from_bones(still, scaled_ropes, splits);
  const Report report = measure_ropes(set.frames(), character::rope_settings(set.garment()));
  EXPECT_GT(report.unseen.gap.rms_mm, 5);
  EXPECT_LT(report.corrected.gap.rms_mm, 0.2 * report.unseen.gap.rms_mm);
  EXPECT_EQ(report.unseen.gap.chaos_floor_mm, 5);
}

class SettingsFile : public ::testing::Test {
 protected:
  SettingsFile()
      : file_(std::filesystem::temp_directory_path() / ("billow_ropes_" + std::to_string(getpid()))) {}
  ~SettingsFile() override { std::filesystem::remove(file_); }
  void refuse(const std::string& text, const std::string& part) {
    std::ofstream(file_) << text;
    billow_settings s = billow_settings_default();
    try {
      read_settings_file(file_, s);
      ADD_FAILURE() << "expected an exception for " << text;
    } catch (const std::runtime_error& e) {
      EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
    }
    EXPECT_EQ(settings_text(s), settings_text(billow_settings_default())) << "a bad file changes nothing";
  }
  std::filesystem::path file_;
};

TEST_F(SettingsFile, ReadsWhatItWrites) {
  billow_settings s = billow_settings_skirt(), found = billow_settings_default();
  s.lateral_shear = {2, 3, {1, 2, 0.5f}};
  s.solver.velocity_direction = BILLOW_CONTACT_DIRECTION_GRADIENT;
  std::ofstream(file_) << settings_text(s);
  read_settings_file(file_, found);
  EXPECT_EQ(settings_text(found), settings_text(s));
  EXPECT_EQ(found.lateral_shear.point_count, 3u);
}

TEST_F(SettingsFile, NamesTheBadSetting) {
  const std::string head = R"({"format": "billow rope settings", "version": 1)";
  refuse("{}", "format");
  refuse(head + R"(, "mas": 1})", "mas");
  refuse(head + R"(, "mass": "heavy"})", "mass");
  refuse(head + R"(, "mass": -1})", "mass");
  refuse(head + R"(, "mass": []})", "1 to 8 numbers");
  refuse(head + R"(, "velocity_direction": "up"})", "\"history\" or \"gradient\"");
  refuse(head, "");
}

}  // namespace
}  // namespace billow::ropes
