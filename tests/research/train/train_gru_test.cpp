// The recurrent baseline against torch's GRU, and trained on chains with memory.
#include "research/gru/train_gru.h"

#include <gtest/gtest.h>

#include "offline/train/simulated_set.h"
#include "offline/train/small_scene.h"
#include "train/mlp.h"

namespace billow::research {
namespace {

using namespace train;

TEST(Gru, MatchesTorch) {
  constexpr int kInputs = 5, kHidden = 7, kFrames = 12;
  torch::manual_seed(1);
  torch::nn::GRU torch_gru(torch::nn::GRUOptions(kInputs, kHidden));
  torch::nn::Linear out(kHidden, 6);
  const auto layer = [](const torch::Tensor& w, const torch::Tensor& b) {
    return Layer{to_matrix(w), to_matrix(b).row(0)};
  };
  const auto p = torch_gru->named_parameters();
  Gru gru;
  gru.mean = random_matrix(kInputs, 1, 1).col(0), gru.scale = Vector::Constant(kInputs, 0.7f);
  gru.chains.push_back({{2, 0},
                        layer(p["weight_ih_l0"], p["bias_ih_l0"]),
                        layer(p["weight_hh_l0"], p["bias_hh_l0"]),
                        layer(out->weight, out->bias)});
  const Matrix poses = random_matrix(kFrames, kInputs, 2);
  const torch::Tensor x = (to_tensor(poses) - to_tensor(gru.mean)) * to_tensor(gru.scale);
  const Matrix expected = to_matrix(out(std::get<0>(torch_gru(x.unsqueeze(1))).squeeze(1)));
  Matrix bones = Matrix::Constant(kFrames, 9, 4);
  gru(poses, bones);
  EXPECT_LT((bones.middleCols(6, 3) - expected.leftCols(3)).norm(), 1e-5f);
  EXPECT_LT((bones.middleCols(0, 3) - expected.rightCols(3)).norm(), 1e-5f);
  EXPECT_EQ(bones.middleCols(3, 3), Matrix::Constant(kFrames, 3, 4));  // a bone of no chain is not changed
}

// Clips of two chains that are low-pass filtered inputs: a single frame does not determine them.
GruTask lagging_chains() {
  GruTask task;
  task.chains = {{1, 2}, {3}};
  for (uint32_t c = 0; c < 6; ++c) {
    GruClip clip;
    clip.parts = std::string(50 + 10 * c, 't');
    for (size_t f = 5; f < clip.parts.size(); f += 7) clip.parts[f] = 'v';
    const auto frames = static_cast<Eigen::Index>(clip.parts.size());
    clip.poses = random_matrix(frames, 2, 10 + c);
    clip.bones.setZero(frames, 12);
    Vector state = Vector::Zero(2);
    for (Eigen::Index f = 0; f < frames; ++f) {
      state = 0.8f * state + 0.02f * clip.poses.row(f).transpose();
      clip.bones(f, 3) = state[0], clip.bones(f, 7) = 2 * state[1], clip.bones(f, 11) = state[0] - state[1];
    }
    task.clips.push_back(std::move(clip));
  }
  return task;
}

TEST(Gru, LearnsAMemory) {
  const GruTask task = lagging_chains();
  GruOptions options;
  options.hidden = 24, options.window = 32, options.warm_up = 8, options.batch = 4, options.epochs = 20;
  options.rate = 1e-2;
  train::Run run;
  run.device = Device::kCpu;
  const GruResult r = train_gru(task, options, run);
  const double best = r.epochs[static_cast<size_t>(r.best)].validation_rmse_mm;
  EXPECT_LT(best, 0.4 * r.epochs[0].validation_rmse_mm);

  // The extracted units give the reported validation error.
  double sum = 0, count = 0;
  for (const GruClip& clip : task.clips) {
    Matrix bones = clip.bones;
    r.gru(clip.poses, bones);
    for (size_t f = 0; f < clip.parts.size(); ++f) {
      if (clip.parts[f] != 'v') continue;
      const auto row = static_cast<Eigen::Index>(f);
      sum += static_cast<double>((bones.row(row) - clip.bones.row(row)).squaredNorm()), count += 3;
    }
  }
  EXPECT_NEAR(1e3 * std::sqrt(sum / count), best, 0.01 * best);
  // The same seed gives the same weights.
  const GruResult again = train_gru(task, options, run);
  EXPECT_EQ(r.gru.chains[1].state.weights, again.gru.chains[1].state.weights);
}

using GruSlow = testing::SimulatedSet;

TEST_F(GruSlow, TrainsOnADataSet) {
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

}  // namespace
}  // namespace billow::research
