// Training of a small garment on a simulated data set, with all stages.
#include "train/train.h"

#include <numeric>

#include "learn/model.h"
#include "offline/train/simulated_set.h"
#include "train/correction.h"

namespace billow::train {
namespace {

namespace fs = std::filesystem;

class TrainSlow : public testing::SimulatedSet {};

Options quick_patches() {
  Options options;
  options.device = Device::kCpu;
  StageOptions& p = options.patches;
  p.components = 6, p.hidden = 12, p.hidden_layers = 1, p.epochs = 6, p.batch = 32;
  p.collision.begin = 0.5f;
  return options;
}

TEST_F(TrainSlow, PatchesTrainOnRopeBonesAndCollisions) {
  Options options = quick_patches();
  options.patches.collision.rope_weight = 1;
  const Result r = train(*frames_, options);
  const size_t train_frames = r.record.frames.train.size(), validation = r.record.frames.validation.size();
  EXPECT_EQ(r.record.samples, 2 * (2 * train_frames + 2 * validation));  // with mirror images and rope bones
  ASSERT_EQ(r.record.stages.size(), 1u);
  const StageResult& stage = r.record.stages[0].result;
  EXPECT_GE(stage.best, 3);  // earlier epochs have no collision loss
  EXPECT_EQ(stage.epochs[2].near_percent, 0);
  EXPECT_GT(stage.epochs[3].near_percent, 0);
  EXPECT_LT(stage.epochs[2].validation_rmse_mm, stage.epochs[0].validation_rmse_mm);
  const double floor = r.record.stages[0].basis_floor_mm;
  EXPECT_GT(floor, 0);
  EXPECT_LT(floor, stage.epochs[6].rmse_mm);
  EXPECT_FALSE(std::get<learn::PatchModel>(r.model).empty());

  options = quick_patches();
  options.bones = Bones::kMix, options.mirror = false, options.patches.collision.weight = 0;
  EXPECT_EQ(train(*frames_, options).record.samples, 2 * (train_frames + validation));
}

TEST_F(TrainSlow, ResumedPatchTrainingGivesTheSameResult) {
  const Options options = quick_patches();
  const Result whole = train(*frames_, options);
  TrainRun run;
  run.checkpoints = (folder_.string() + ".checkpoint-");
  run.checkpoint_seconds = 0;
  run.report = [](const Progress& p) {
    if (p.epoch.number == 4) throw std::runtime_error("stopped");
  };
  EXPECT_THROW(train(*frames_, options, run), std::runtime_error);
  run.report = {};
  const Result resumed = train(*frames_, options, run);
  fs::remove(run.checkpoints + "patches");
  const auto& a = std::get<learn::PatchModel>(whole.model).networks;
  const auto& b = std::get<learn::PatchModel>(resumed.model).networks;
  for (size_t p = 0; p < a.size(); ++p) EXPECT_EQ(a[p].layers[0].weights, b[p].layers[0].weights);
}

TEST_F(TrainSlow, RefusesOptionsOfTheOtherForm) {
  Options options = quick_patches();
  options.patches.linear = false;
  EXPECT_THROW(train(*frames_, options), std::invalid_argument);
  options = quick_patches();
  options.patches.data_weight = 0;
  EXPECT_THROW(train(*frames_, options), std::invalid_argument);
  options = quick_patches();
  options.rope_in_collision = true;
  EXPECT_THROW(train(*frames_, options), std::invalid_argument);
  options = quick_patches();
  options.form = Form::kWhole;
  EXPECT_THROW(train(*frames_, options), std::invalid_argument);
}

TEST_F(TrainSlow, ValidationClipsAreHeldOutFromTraining) {
  Options options;
  options.validation = Validation::kClips;
  const FrameSplit c = split_frames(*frames_, options);
  ASSERT_FALSE(c.validation.empty());
  for (const auto& clip : frames_->clips()) {
    const auto in = [&](const std::vector<uint32_t>& frames) {
      return std::any_of(frames.begin(), frames.end(),
                         [&](uint32_t f) { return f >= clip.begin && f < clip.end; });
    };
    EXPECT_FALSE(in(c.train) && in(c.validation));
  }
  for (uint32_t f : c.train) EXPECT_EQ(frames_->part(f), dataset::Part::kTrain);
}

TEST_F(TrainSlow, CorrectionIsCrossFitted) {
  std::vector<uint32_t> all(frames_->size());
  std::iota(all.begin(), all.end(), 0u);
  const Matrix embedded = bone_matrix(*frames_, all, learn::Source::kEmbedded);
  // An error that generalises between clips, and an offset that is specific to each clip.
  Matrix ropes = embedded * 0.8f;
  for (size_t c = 0; c < frames_->clips().size(); ++c)
    for (uint32_t f = frames_->clips()[c].begin; f < frames_->clips()[c].end; ++f)
      ropes.row(static_cast<Eigen::Index>(f)).array() +=
          0.02f * static_cast<float>(c % 2 ? 1 : -1) * static_cast<float>(c);
  CorrectionOptions options;
  options.epochs = 60, options.hidden = 64, options.batch = 32, options.folds = 2;
  train::Run run;
  run.device = Device::kCpu;
  const Correction c = train_correction(*frames_, ropes, embedded, options, run);
  const auto squared_error = [&](const Matrix& bones, dataset::Part part) {
    double sum = 0;
    for (const uint32_t f : frames_->of(part))
      sum += static_cast<double>((bones - embedded).row(static_cast<Eigen::Index>(f)).squaredNorm());
    return sum;
  };
  const Matrix train_frames = learn::corrected(c.network, ropes);
  EXPECT_LT(squared_error(train_frames, dataset::Part::kTrain),
            0.2 * squared_error(ropes, dataset::Part::kTrain));
  EXPECT_GT(squared_error(c.cross_fitted, dataset::Part::kTrain),
            2 * squared_error(train_frames, dataset::Part::kTrain));
  // Unseen clips are in no fold: they are corrected by the garment's own network.
  EXPECT_EQ(squared_error(c.cross_fitted, dataset::Part::kUnseen),
            squared_error(train_frames, dataset::Part::kUnseen));
}

TEST_F(TrainSlow, RefusesInvalidOptions) {
  Options options = quick_patches();
  options.patches.rate = -1;
  try {
    train(*frames_, options);
    FAIL();
  } catch (const std::invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find("patches: expected a learning rate of"), std::string::npos)
        << e.what();
  }
  EXPECT_THROW(push_named("sideways"), std::invalid_argument);
}

}  // namespace
}  // namespace billow::train
