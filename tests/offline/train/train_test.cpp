// Training of a small garment on a simulated data set, with all stages.
#include "train/train.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <numeric>

#include "dataset/simulate.h"
#include "learn/frames.h"
#include "learn/model.h"
#include "train/correction.h"
#include "train/gru.h"

namespace billow::train {
namespace {

namespace fs = std::filesystem;

// One data set for all tests: a cape of 400 vertices.
class TrainSlow : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = fs::temp_directory_path() / ("billow_train_data_" + std::to_string(getpid()));
    const body::Person person = body::make_person();
    const body::Skin skin = body::make_skin(person.skeleton, person.colliders, {.vertices = 4000});
    dataset::Job job;
    job.request.frames = 300, job.request.unseen = 20, job.request.vertices = 400;
    job.folder = folder_, job.threads = 2, job.skin = &skin;
    dataset::simulate(job);
    frames_ = std::make_unique<learn::Frames>(folder_);
  }
  static void TearDownTestSuite() {
    frames_.reset();
    fs::remove_all(folder_);
  }
  static Options quick() {
    Options options;
    options.form = Form::kWhole;
    options.device = Device::kCpu;
    for (StageOptions* s : {&options.skinning, &options.shape})
      s->components = 20, s->hidden = 64, s->epochs = 40, s->batch = 16;
    return options;
  }
  static double rmse_mm(const Matrix& found, const std::vector<uint32_t>& which) {
    const learn::Rows cloth = cloth_rows(*frames_, which);
    Matrix truth(found.rows(), found.cols());
    cloth.fill(0, truth);
    return 1e3 * std::sqrt(static_cast<double>((found - truth).squaredNorm()) /
                           static_cast<double>(which.size() * frames_->garment().size()));
  }
  static inline fs::path folder_;
  static inline std::unique_ptr<learn::Frames> frames_;
};

TEST_F(TrainSlow, BothStagesBeatTheirLinearFits) {
  const Result r = train(*frames_, quick());
  ASSERT_EQ(r.record.stages.size(), 2u);
  for (const StageRecord& stage : r.record.stages) {
    const auto& epochs = stage.result.epochs;
    EXPECT_LT(epochs[static_cast<size_t>(stage.result.best)].validation_loss, epochs[0].validation_loss)
        << stage.name;
  }
  // The reported error of the best epoch is that of the model.
  const auto& v = r.record.frames.validation;
  const Matrix bones = bone_matrix(*frames_, v, learn::Source::kEmbedded);
  const auto reported = [&](size_t k) {
    const StageResult& s = r.record.stages[k].result;
    return s.epochs[static_cast<size_t>(s.best)].validation_rmse_mm;
  };
  EXPECT_NEAR(rmse_mm(std::get<learn::Model>(r.model).skinned(bones), v), reported(0), 0.01 * reported(0));
  EXPECT_NEAR(rmse_mm(std::get<learn::Model>(r.model)(bones), v), reported(1), 0.01 * reported(1));
  EXPECT_LT(reported(1), reported(0));

  const auto record = nlohmann::json::parse(to_json(r.record));
  EXPECT_EQ(record["frames"], r.record.frames.train.size());
  EXPECT_EQ(record["stages"][1]["name"], "shape");
  EXPECT_EQ(record["stages"][0]["epochs"].size(), 41u);
  EXPECT_EQ(record["options"]["skinning"]["hidden"], 64);
}

TEST_F(TrainSlow, AllOptionsTrain) {
  Options options = quick();
  for (StageOptions* s : {&options.skinning, &options.shape})
    s->epochs = 2, s->length_weight = 1, s->collision.share = 0.5f,
    s->collision.push = Push::kGradientIterated;
  options.bones = Bones::kMix;
  options.validation = Validation::kClips;
  options.shape.tune_linear = true, options.shape.scaling = Scaling::kFeature;
  options.frames = 50;
  const Result mix = train(*frames_, options);
  EXPECT_EQ(mix.record.frames.train.size(), 50u);
  EXPECT_EQ(mix.record.samples, 2 * (50 + mix.record.frames.validation.size()));
  options.bones = Bones::kEmbedded, options.rope_in_collision = true, options.with_shape = false;
  const Result collided = train(*frames_, options);
  EXPECT_EQ(collided.record.samples, mix.record.samples);
  EXPECT_EQ(std::get<learn::Model>(collided.model).shape.basis.components(), 0);
}

TEST_F(TrainSlow, ThePaperHasNoLinearPath) {
  Options options = paper_options();
  options.device = Device::kCpu, options.skinning.epochs = options.shape.epochs = 1;
  options.skinning.components = options.shape.components = 10;
  const Result r = train(*frames_, options);
  const learn::Network& network = std::get<learn::Model>(r.model).skinning.network;
  EXPECT_EQ(network.linear.size(), 0);
  EXPECT_EQ(network.activation, learn::Activation::kRelu);
  EXPECT_EQ(network.scale, Vector::Ones(network.scale.size()));
  EXPECT_EQ(network.layers.size(), 3u);
  EXPECT_EQ(network.layers[1].weights.rows(), 500);
}

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
  options.form = Form::kWhole, options.skinning.collision.rope_weight = 1;
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

TEST_F(TrainSlow, GruTrainsOnADataSet) {
  GruOptions options;
  options.hidden = 16, options.epochs = 5;
  train::Run run;
  run.device = Device::kCpu;
  const GruResult r = train_gru(gru_task(*frames_), options, run);
  EXPECT_LT(r.epochs[static_cast<size_t>(r.best)].validation_loss, r.epochs[0].validation_loss);
  const Matrix bones = gru_bones(*frames_, r.gru);
  EXPECT_EQ(bones.rows(), static_cast<Eigen::Index>(frames_->size()));
  EXPECT_TRUE(bones.allFinite());
}

TEST_F(TrainSlow, RefusesInvalidOptions) {
  Options options = quick();
  options.shape.rate = -1;
  try {
    train(*frames_, options);
    FAIL();
  } catch (const std::invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find("shape: expected a learning rate of"), std::string::npos)
        << e.what();
  }
  EXPECT_THROW(push_named("sideways"), std::invalid_argument);
}

}  // namespace
}  // namespace billow::train
