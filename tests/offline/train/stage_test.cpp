// Training of one network on targets that no linear map can fit.
#include "train/stage.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "learn/ridge.h"
#include "offline/train/small_scene.h"

namespace billow::train {
namespace {

namespace fs = std::filesystem;

StageOptions quick(int epochs) {
  StageOptions options;
  options.hidden = 32, options.epochs = epochs, options.batch = 16, options.collision.weight = 0;
  options.rate = 3e-3;
  return options;
}

Run on_cpu(uint64_t seed = 1) {
  Run run;
  run.seed = seed, run.device = Device::kCpu;
  return run;
}

learn::Network linear_fit(const StageTask& task) {
  const auto& rows = task.train.data;
  const std::vector<uint32_t> groups(rows.size(), 0);
  return learn::fit_ridge(task.inputs(rows, Eigen::all), task.truth(rows, Eigen::all), groups, {}).network;
}

void expect_same(const StageResult& a, const StageResult& b) {
  EXPECT_EQ(a.best, b.best);
  ASSERT_EQ(a.network.layers.size(), b.network.layers.size());
  for (size_t k = 0; k < a.network.layers.size(); ++k) {
    EXPECT_EQ(a.network.layers[k].weights, b.network.layers[k].weights);
    EXPECT_EQ(a.network.layers[k].bias, b.network.layers[k].bias);
  }
  ASSERT_EQ(a.epochs.size(), b.epochs.size());
  for (size_t e = 0; e < a.epochs.size(); ++e) EXPECT_EQ(a.epochs[e].loss, b.epochs[e].loss) << e;
}

class TrainStage : public ::testing::Test {
 protected:
  TrainStage() : folder_(fs::temp_directory_path() / ("billow_train_" + std::to_string(getpid()))) {}
  ~TrainStage() override { fs::remove_all(folder_); }
  fs::path folder_;
};

// Without an epoch the network is its linear path, whose loss is computed here.
TEST_F(TrainStage, LossesAreMeanSquaredErrors) {
  QuadraticTask problem;
  problem.task.start = linear_fit(problem.task);
  const StageResult r = train_stage(problem.task, quick(0), on_cpu());
  double sum = 0, pca_residual = 0;
  for (uint32_t row : problem.task.validation.data) {
    const Matrix c = problem.task.start(problem.task.inputs.row(row));
    sum += static_cast<double>((c - problem.task.truth.row(row)).squaredNorm()), pca_residual += 1e-4;
  }
  const auto count = static_cast<double>(problem.task.validation.data.size());
  EXPECT_NEAR(r.epochs[0].validation_loss, 0.1 * sum / count, 1e-5 * sum / count);
  EXPECT_NEAR(r.epochs[0].validation_rmse_mm,
              1e3 * std::sqrt((sum + pca_residual) / count / QuadraticTask::kVertices), 1e-3);
}

TEST_F(TrainStage, BeatsItsLinearFit) {
  QuadraticTask problem;
  problem.task.start = linear_fit(problem.task);
  const StageResult r = train_stage(problem.task, quick(150), on_cpu());
  EXPECT_LT(r.epochs[static_cast<size_t>(r.best)].validation_rmse_mm, 0.5 * r.epochs[0].validation_rmse_mm);
  // The network has the parameters of the best epoch.
  double sum = 0;
  for (uint32_t row : problem.task.validation.data)
    sum += static_cast<double>(
        (r.network(problem.task.inputs.row(row)) - problem.task.truth.row(row)).squaredNorm());
  const double loss = 0.1 * sum / static_cast<double>(problem.task.validation.data.size());
  EXPECT_NEAR(loss, r.epochs[static_cast<size_t>(r.best)].validation_loss, 1e-4 * loss);
  for (const Epoch& e : r.epochs) EXPECT_GE(e.validation_loss, 0.9999 * loss);
}

TEST_F(TrainStage, SameSeedSameNetwork) {
  const QuadraticTask problem;
  StageOptions options = quick(5);
  options.dropout = 0.1, options.noise = 0.01, options.weight_decay = 0.01;
  const StageResult a = train_stage(problem.task, options, on_cpu(1)),
                    b = train_stage(problem.task, options, on_cpu(1)),
                    other = train_stage(problem.task, options, on_cpu(2));
  expect_same(a, b);
  EXPECT_NE(a.network.layers[0].weights, other.network.layers[0].weights);
}

TEST_F(TrainStage, ResumedTrainingGivesTheSameResult) {
  const QuadraticTask problem;
  StageOptions options = quick(8);
  options.dropout = 0.1, options.noise = 0.01;
  const StageResult whole = train_stage(problem.task, options, on_cpu());
  auto run = on_cpu();
  run.checkpoint = folder_ / "stage.checkpoint", run.checkpoint_seconds = 0;
  run.report = [](const Progress& p) {
    if (p.epoch.number == 3) throw std::runtime_error("stopped");
  };
  EXPECT_THROW(train_stage(problem.task, options, run), std::runtime_error);
  int first = 0;
  run.report = [&](const Progress& p) { first = first ? first : p.epoch.number; };
  expect_same(whole, train_stage(problem.task, options, run));
  EXPECT_EQ(first, 4);
  // Once more, with all epochs done.
  expect_same(whole, train_stage(problem.task, options, run));
}

TEST_F(TrainStage, CheckpointsOfOtherTasksAreRefused) {
  QuadraticTask problem;
  auto run = on_cpu();
  run.checkpoint = folder_ / "stage.checkpoint";
  train_stage(problem.task, quick(1), run);
  EXPECT_THROW(train_stage(problem.task, quick(2), run), std::runtime_error);
  run.seed = 2;
  EXPECT_THROW(train_stage(problem.task, quick(1), run), std::runtime_error);
  run.seed = 1;
  problem.task.inputs(0, 0) += 1;
  EXPECT_THROW(train_stage(problem.task, quick(1), run), std::runtime_error);
}

TEST_F(TrainStage, ReportsALossThatIsNotFinite) {
  const QuadraticTask problem;
  StageOptions options = quick(20);
  options.activation = learn::Activation::kRelu, options.rate = 1e30;
  try {
    train_stage(problem.task, options, on_cpu());
    FAIL();
  } catch (const std::runtime_error& e) {
    EXPECT_NE(std::string(e.what()).find("quadratic: the loss is not finite in epoch"), std::string::npos)
        << e.what();
  }
}

// Cloth around a ball: training with the collision loss lowers it.
TEST_F(TrainStage, CollisionLossReducesCollisions) {
  QuadraticTask problem;
  constexpr Eigen::Index kValues = 3 * QuadraticTask::kVertices;
  const Matrix modes = random_modes(QuadraticTask::kOutputs, kValues, 4);
  Vector base = random_matrix(kValues, 1, 5).col(0);
  for (Eigen::Index v = 0; v < QuadraticTask::kVertices; ++v) base.segment<3>(3 * v).normalize();
  // Push the true cloth out of the ball.
  Matrix truth = (problem.task.truth * modes).rowwise() + base.transpose();
  for (Eigen::Index f = 0; f < truth.rows(); ++f)
    for (Eigen::Index v = 0; v < QuadraticTask::kVertices; ++v) {
      auto position = truth.row(f).segment<3>(3 * v);
      position *= std::max(1.0f, 1.02f / position.norm());
    }
  const BallScene scene(truth, 0);
  problem.task.truth = (truth.rowwise() - base.transpose()) * modes.transpose();
  StageOptions options = quick(30);
  options.collision.buffer = 0.01f;
  const Expansion expansion(base, modes);
  CollisionTerm term(scene, options.collision, expansion);
  problem.task.collision = &term;
  const auto collision_of = [&](float weight) {
    options.collision.weight = weight;
    const learn::Network network = train_stage(problem.task, options, on_cpu()).network;
    Matrix gradient;
    return term(problem.task.frames, network(problem.task.inputs), {}, gradient).loss;
  };
  EXPECT_LT(collision_of(1000), 0.6 * collision_of(0));
}

TEST_F(TrainStage, RefusesSizesThatDoNotMatch) {
  QuadraticTask problem;
  problem.task.validation.data.clear();
  EXPECT_THROW(train_stage(problem.task, quick(1), on_cpu()), std::invalid_argument);
  QuadraticTask other;
  other.task.truth.conservativeResize(3, Eigen::NoChange);
  EXPECT_THROW(train_stage(other.task, quick(1), on_cpu()), std::invalid_argument);
}

}  // namespace
}  // namespace billow::train
