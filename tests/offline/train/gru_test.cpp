// The recurrent baseline: against torch's own unit, and on a chain that swings.
#include "train/gru.h"

#include <gtest/gtest.h>

#include "offline/train/small_scene.h"
#include "train/mlp.h"

namespace billow::train {
namespace {

TEST(Gru, RunsAsTorchDoes) {
  constexpr int kInputs = 5, kHidden = 7, kFrames = 12;
  torch::manual_seed(1);
  torch::nn::GRU theirs(torch::nn::GRUOptions(kInputs, kHidden));
  torch::nn::Linear out(kHidden, 6);
  const auto layer = [](const torch::Tensor& w, const torch::Tensor& b) {
    return learn::Layer{to_matrix(w), to_matrix(b).row(0)};
  };
  const auto p = theirs->named_parameters();
  learn::Gru ours;
  ours.mean = random_matrix(kInputs, 1, 1).col(0), ours.scale = Vector::Constant(kInputs, 0.7f);
  ours.chains.push_back({{2, 0},
                         layer(p["weight_ih_l0"], p["bias_ih_l0"]),
                         layer(p["weight_hh_l0"], p["bias_hh_l0"]),
                         layer(out->weight, out->bias)});
  const Matrix poses = random_matrix(kFrames, kInputs, 2);
  const torch::Tensor x = (to_tensor(poses) - to_tensor(ours.mean)) * to_tensor(ours.scale);
  const Matrix expected = to_matrix(out(std::get<0>(theirs(x.unsqueeze(1))).squeeze(1)));
  Matrix bones = Matrix::Constant(kFrames, 9, 4);
  ours(poses, bones);
  EXPECT_LT((bones.middleCols(6, 3) - expected.leftCols(3)).norm(), 1e-5f);
  EXPECT_LT((bones.middleCols(0, 3) - expected.rightCols(3)).norm(), 1e-5f);
  EXPECT_EQ(bones.middleCols(3, 3), Matrix::Constant(kFrames, 3, 4));  // the bone that follows the body
}

// Clips of two chains that lag behind what pushes them: no single frame tells where they are.
GruTask swinging() {
  GruTask task;
  task.chains = {{1, 2}, {3}};
  for (uint32_t c = 0; c < 6; ++c) {
    GruClip clip;
    clip.parts = std::string(50 + 10 * c, 't');
    for (size_t f = 5; f < clip.parts.size(); f += 7) clip.parts[f] = 'v';
    const auto frames = static_cast<Eigen::Index>(clip.parts.size());
    clip.poses = random_matrix(frames, 2, 10 + c);
    clip.bones.setZero(frames, 12);
    Vector place = Vector::Zero(2);
    for (Eigen::Index f = 0; f < frames; ++f) {
      place = 0.8f * place + 0.02f * clip.poses.row(f).transpose();
      clip.bones(f, 3) = place[0], clip.bones(f, 7) = 2 * place[1], clip.bones(f, 11) = place[0] - place[1];
    }
    task.clips.push_back(std::move(clip));
  }
  return task;
}

TEST(Gru, LearnsWhatHasAMemory) {
  const GruTask task = swinging();
  GruOptions options;
  options.hidden = 24, options.window = 32, options.warm_up = 8, options.batch = 4, options.epochs = 20;
  options.rate = 1e-2;
  train::Run run;
  run.device = Device::kCpu;
  const GruResult r = train_gru(task, options, run);
  const double best = r.epochs[static_cast<size_t>(r.best)].validation_rmse_mm;
  EXPECT_LT(best, 0.4 * r.epochs[0].validation_rmse_mm);

  // What was taken out runs as it did while learning.
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
  // The same seed, the same units.
  const GruResult again = train_gru(task, options, run);
  EXPECT_EQ(r.gru.chains[1].state.weights, again.gru.chains[1].state.weights);
}

}  // namespace
}  // namespace billow::train
