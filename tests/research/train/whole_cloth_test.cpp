// Training of the paper's whole-cloth form, with all stages.
#include <nlohmann/json.hpp>

#include "offline/train/simulated_set.h"
#include "research/whole_cloth/train_whole_cloth.h"

namespace billow::research {
namespace {

using namespace train;

class WholeClothSlow : public testing::SimulatedSet {
 protected:
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
};

TEST_F(WholeClothSlow, BothStagesBeatTheirLinearFits) {
  const Result r = train_whole_cloth(*frames_, quick());
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

TEST_F(WholeClothSlow, AllOptionsTrain) {
  Options options = quick();
  for (StageOptions* s : {&options.skinning, &options.shape})
    s->epochs = 2, s->length_weight = 1, s->collision.share = 0.5f,
    s->collision.push = Push::kGradientIterated;
  options.bones = Bones::kMix;
  options.validation = Validation::kClips;
  options.shape.tune_linear = true, options.shape.scaling = Scaling::kFeature;
  options.frames = 50;
  const Result mix = train_whole_cloth(*frames_, options);
  EXPECT_EQ(mix.record.frames.train.size(), 50u);
  EXPECT_EQ(mix.record.samples, 2 * (50 + mix.record.frames.validation.size()));
  options.bones = Bones::kEmbedded, options.rope_in_collision = true, options.with_shape = false;
  const Result collided = train_whole_cloth(*frames_, options);
  EXPECT_EQ(collided.record.samples, mix.record.samples);
  EXPECT_EQ(std::get<learn::Model>(collided.model).shape.basis.components(), 0);
}

TEST_F(WholeClothSlow, ThePaperHasNoLinearPath) {
  Options options = paper_options();
  options.device = Device::kCpu, options.skinning.epochs = options.shape.epochs = 1;
  options.skinning.components = options.shape.components = 10;
  const Result r = train_whole_cloth(*frames_, options);
  const learn::Network& network = std::get<learn::Model>(r.model).skinning.network;
  EXPECT_EQ(network.linear.size(), 0);
  EXPECT_EQ(network.activation, learn::Activation::kRelu);
  EXPECT_EQ(network.scale, Vector::Ones(network.scale.size()));
  EXPECT_EQ(network.layers.size(), 3u);
  EXPECT_EQ(network.layers[1].weights.rows(), 500);
}

TEST_F(WholeClothSlow, RefusesInvalidOptions) {
  Options options = quick();
  options.shape.rate = -1;
  try {
    train_whole_cloth(*frames_, options);
    FAIL();
  } catch (const std::invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find("shape: expected a learning rate of"), std::string::npos)
        << e.what();
  }
  options = quick();
  options.skinning.collision.rope_weight = 1;
  EXPECT_THROW(train_whole_cloth(*frames_, options), std::invalid_argument) << "an option of patches";
  EXPECT_THROW(train_whole_cloth(*frames_, {}), std::invalid_argument) << "the other form";
}

}  // namespace
}  // namespace billow::research
