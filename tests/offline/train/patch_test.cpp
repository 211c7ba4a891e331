// Training of the patch model on a small simulated cape.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>

#include "dataset/simulate.h"
#include "learn/frames.h"
#include "train/patch_losses.h"
#include "train/patch_stage.h"
#include "train/vertex_losses.h"

namespace billow::train {
namespace {

namespace fs = std::filesystem;
using dataset::Part;

class PatchesSlow : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = fs::temp_directory_path() / ("billow_patch_data_" + std::to_string(getpid()));
    const body::Person person = body::make_person();
    const body::Skin skin = body::make_skin(person.skeleton, person.colliders, {.vertices = 4000});
    dataset::Job job;
    job.request.frames = 400, job.request.unseen = 60, job.request.vertices = 400;
    job.folder = folder_, job.threads = 2, job.skin = &skin;
    dataset::simulate(job);
    frames_ = std::make_unique<learn::Frames>(folder_);
  }
  static void TearDownTestSuite() {
    frames_.reset();
    fs::remove_all(folder_);
  }

  // Samples of training and validation frames with mirror images, and the closed-form fit.
  struct Fit {
    std::optional<learn::Mirror> mirror;
    learn::PatchSamples samples;
    std::vector<learn::PatchRows> rows;
    learn::PatchModel model;
    size_t train = 0, validation = 0, rope_train = 0, rope_validation = 0;
  };
  static Fit fit(bool with_ropes = false) {
    Fit f;
    f.mirror = learn::find_mirror(frames_->garment());
    const auto add = [&](Part part, learn::Source source) {
      const learn::PatchSamples more =
          learn::patch_samples(*frames_, frames_->of(part), source, f.mirror ? &*f.mirror : nullptr);
      f.samples.append(more);
      return more.size();
    };
    f.train = add(Part::kTrain, learn::Source::kEmbedded);
    f.validation = add(Part::kValidation, learn::Source::kEmbedded);
    if (with_ropes) {
      f.rope_train = add(Part::kTrain, learn::Source::kRope);
      f.rope_validation = add(Part::kValidation, learn::Source::kRope);
    }
    learn::PatchFitOptions options;
    options.components = 4;
    f.model =
        learn::fit_patches(*frames_, f.samples, f.train, f.mirror ? &*f.mirror : nullptr, options, f.rows);
    return f;
  }
  static StageOptions quick() {
    StageOptions o;
    o.hidden = 24, o.epochs = 30, o.batch = 32, o.activation = learn::Activation::kGelu;
    o.collision.weight = 0;
    return o;
  }
  // Vertex errors, one row a frame.
  static Matrix errors(const learn::PatchModel& model, bool with_shape, Part part) {
    const auto which = frames_->of(part);
    const learn::PatchSamples s = learn::patch_samples(*frames_, which, learn::Source::kEmbedded, nullptr);
    Matrix found(static_cast<Eigen::Index>(which.size()), static_cast<Eigen::Index>(frames_->cloth_values()));
    Matrix truth = found;
    model(s.inputs, with_shape, found);
    cloth_rows(*frames_, which).fill(0, truth);
    return found - truth;
  }
  static double rmse_mm(const learn::PatchModel& model, bool with_shape, Part part) {
    const Matrix d = errors(model, with_shape, part);
    return 1e3 * std::sqrt(3 * static_cast<double>(d.squaredNorm()) / static_cast<double>(d.size()));
  }
  static double edge_error_mm(const learn::PatchModel& model, Part part) {
    const Matrix d = errors(model, true, part);
    double sum = 0;
    const auto edges = edges_of(frames_->garment().triangles);
    for (const auto& [a, b] : edges) sum += (d.middleCols(3 * a, 3) - d.middleCols(3 * b, 3)).squaredNorm();
    return 1e3 * std::sqrt(sum / static_cast<double>(edges.size() * static_cast<size_t>(d.rows())));
  }
  static inline fs::path folder_;
  static inline std::unique_ptr<learn::Frames> frames_;
};

TEST_F(PatchesSlow, ShapeImprovesOnSkinning) {
  Fit f = fit();
  ASSERT_TRUE(f.mirror);
  const train::Run run{1, Device::kCpu, {}, 60, {}};
  const StageResult r = train_patches({f.model, f.rows, f.samples, f.train, f.validation}, quick(), run);
  EXPECT_LT(r.epochs[static_cast<size_t>(r.best)].validation_loss, r.epochs[0].validation_loss);
  const double skinned = rmse_mm(f.model, false, Part::kHoldout),
               shaped = rmse_mm(f.model, true, Part::kHoldout);
  std::printf("  patches, holdout: %.1f mm skinned, %.1f mm with shape; unseen %.1f, %.1f\n", skinned, shaped,
              rmse_mm(f.model, false, Part::kUnseen), rmse_mm(f.model, true, Part::kUnseen));
  EXPECT_LT(shaped, skinned);

  // The same seed gives the same networks.
  Fit again = fit();
  train_patches({again.model, again.rows, again.samples, again.train, again.validation}, quick(), run);
  for (size_t n = 0; n < f.model.networks.size(); ++n)
    EXPECT_EQ(f.model.networks[n].layers[0].weights, again.model.networks[n].layers[0].weights);
}

TEST_F(PatchesSlow, EdgeWeightReducesEdgeErrors) {
  const train::Run run{1, Device::kCpu, {}, 60, {}};
  const auto errors = [&](float weight) {
    Fit f = fit();
    StageOptions options = quick();
    options.edge_weight = weight;
    train_patches({f.model, f.rows, f.samples, f.train, f.validation, 0, 0, &frames_->garment()}, options,
                  run);
    return edge_error_mm(f.model, Part::kHoldout);
  };
  const double without = errors(0), with = errors(3);
  std::printf("  edges, holdout: error of %.2f mm without them in the loss, %.2f with\n", without, with);
  EXPECT_LT(with, without);
}

// Compares some entries of a gradient with finite differences.
template <class Loss> void expect_gradient(const Matrix& c, const Matrix& gradient, Loss loss) {
  const double scale = static_cast<double>(gradient.cwiseAbs().maxCoeff());
  ASSERT_GT(scale, 0);
  for (Eigen::Index p = 0; p < c.rows(); p += 7) {
    const Eigen::Index k = p % c.cols();
    Matrix up = c, down = c;
    up(p, k) += 1e-2f, down(p, k) -= 1e-2f;
    EXPECT_NEAR((loss(up) - loss(down)) / 2e-2, static_cast<double>(gradient(p, k)), 2e-2 * scale);
  }
}

// A frame and its mirror image.
constexpr uint32_t kSample = 4, kSamples[] = {kSample, kSample + 1};

// Their true coefficients times 0.8: those of all networks for the frame, then for its mirror image.
Matrix scaled_truth(const std::vector<learn::PatchRows>& rows) {
  const auto networks = static_cast<Eigen::Index>(rows.size());
  Matrix c(2 * networks, rows[0].truth.cols());
  for (Eigen::Index n = 0; n < networks; ++n)
    for (Eigen::Index view = 0; view < 2; ++view)
      c.row(view * networks + n) = rows[static_cast<size_t>(n)].truth.row(kSample + view) * 0.8f;
  return c;
}

// Vertex positions for such coefficients.
std::vector<V3> positions(const learn::PatchModel& model, const learn::PatchInputs& inputs, const Matrix& c) {
  const auto networks = static_cast<Eigen::Index>(model.networks.size());
  Matrix by_patch(static_cast<Eigen::Index>(model.patches.size()), c.cols());
  for (Eigen::Index p = 0; p < by_patch.rows(); ++p) {
    const learn::Patch& patch = model.patches[static_cast<size_t>(p)];
    by_patch.row(p) = c.row((patch.flipped ? networks : 0) + static_cast<Eigen::Index>(patch.network));
  }
  std::vector<V3> x(model.rest.size());
  model.expand(model.patch_frames(inputs, kSample), by_patch, x);
  return x;
}

// With targets held constant.
TEST_F(PatchesSlow, GradientOfTheCollisionLoss) {
  Fit f = fit();
  const FramesScene scene(*frames_);
  CollisionOptions options;
  options.buffer = 0.02f;
  options.push = Push::kTruthSearch;
  constexpr float kWeight = 3;
  PatchSurfaceLoss term(scene, options, {}, f.model, f.samples);
  const Matrix c = scaled_truth(f.rows);
  Matrix gradient = Matrix::Zero(c.rows(), c.cols());
  const auto sum =
      term(kSamples, {.collision = kWeight, .push = options.push}, c.data(), c.cols(), gradient.data());
  ASSERT_GT(sum.near, 0u);

  // Colliding vertices and their targets.
  const std::vector<V3> x = positions(f.model, f.samples.inputs, c);
  body::Surface body = scene.make_body();
  scene.pose(f.samples.frames[kSample], body);
  std::vector<float> phi(x.size());
  body.query(x, phi);
  std::vector<std::pair<uint32_t, V3>> targets;
  for (uint32_t v = 0; v < x.size(); ++v)
    if (phi[v] < options.buffer)
      targets.push_back(
          {v, collision_target(body, x[v], phi[v], scene.truth(f.samples.frames[kSample], v), options)});
  const auto loss = [&](const Matrix& at) {
    const std::vector<V3> moved = positions(f.model, f.samples.inputs, at);
    double l = 0;
    for (const auto& [v, target] : targets) {
      const V3 errors = moved[v] - target;
      l += static_cast<double>(kWeight * dot(errors, errors));
    }
    return l;
  };
  EXPECT_NEAR(loss(c), sum.loss, 1e-6 + 1e-4 * sum.loss);
  expect_gradient(c, gradient, loss);
}

TEST_F(PatchesSlow, GradientOfLengths) {
  Fit f = fit();
  const FramesScene scene(*frames_);
  const std::vector<Edge> edges = pattern_edges(frames_->garment());
  constexpr float kWeight = 2;
  PatchSurfaceLoss term(scene, {}, edges, f.model, f.samples);
  const Matrix c = scaled_truth(f.rows);
  Matrix gradient = Matrix::Zero(c.rows(), c.cols());
  const auto sum = term(kSamples, {.length = kWeight}, c.data(), c.cols(), gradient.data());
  EXPECT_EQ(sum.near, 0u);  // no collision term
  const auto loss = [&](const Matrix& at) {
    const std::vector<V3> x = positions(f.model, f.samples.inputs, at);
    double l = 0;
    for (const Edge& e : edges) {
      const double errors = static_cast<double>(length(x[e.a] - x[e.b]) - e.length);
      l += static_cast<double>(kWeight) * errors * errors;
    }
    return l;
  };
  EXPECT_NEAR(loss(c), sum.loss, 1e-4 * sum.loss);
  expect_gradient(c, gradient, loss);
}

// With the restored cloth held constant.
TEST_F(PatchesSlow, GradientOfRestoredCloth) {
  Fit f = fit();
  const FramesScene scene(*frames_);
  constexpr float kWeight = 2;
  PatchSurfaceLoss term(scene, {}, {}, f.model, f.samples, &frames_->garment());
  const Matrix c = scaled_truth(f.rows);
  Matrix gradient = Matrix::Zero(c.rows(), c.cols());
  const auto sum = term(kSamples, {.restored = kWeight}, c.data(), c.cols(), gradient.data());

  const std::vector<V3> decoded = positions(f.model, f.samples.inputs, c);
  RestoredCloth cloth(frames_->garment(), 1);
  const std::span<const V3> restored = cloth.restore(decoded, 0);
  EXPECT_GT(sum.loss, 0);
  const auto loss = [&](const Matrix& at) {
    const std::vector<V3> x = positions(f.model, f.samples.inputs, at);
    double l = 0;
    for (size_t v = 0; v < x.size(); ++v)
      l += static_cast<double>(kWeight * dot(x[v] - restored[v], x[v] - restored[v]));
    return l;
  };
  EXPECT_NEAR(loss(c), sum.loss, 1e-6 + 1e-4 * sum.loss);
  expect_gradient(c, gradient, loss);
}

// No cloth was simulated for rope bones, but its rest lengths are known.
TEST_F(PatchesSlow, LengthLossReducesStrainOnRopeBones) {
  const train::Run run{1, Device::kCpu, {}, 60, {}};
  const FramesScene scene(*frames_);
  const std::vector<Edge> edges = pattern_edges(frames_->garment());
  const learn::PatchSamples unseen =
      learn::patch_samples(*frames_, frames_->of(Part::kUnseen), learn::Source::kRope, nullptr);
  const auto strain = [&](float weight) {
    Fit f = fit(true);
    StageOptions options = quick();
    options.length_weight = weight, options.rope_share = 1;
    train_patches({f.model, f.rows, f.samples, f.train, f.validation, f.rope_train, f.rope_validation,
                   &frames_->garment(), &scene},
                  options, run);
    double sum = 0;
    for (Eigen::Index i = 0; i < unseen.inputs.bones.rows(); ++i) {
      Matrix one(1, static_cast<Eigen::Index>(frames_->cloth_values()));
      f.model({unseen.inputs.bones.row(i), unseen.inputs.up.row(i)}, true, one);
      const auto at = [&](uint32_t v) {
        return frames_->rest()[v] + V3{one(0, 3 * v), one(0, 3 * v + 1), one(0, 3 * v + 2)};
      };
      for (const Edge& e : edges)
        sum += std::fabs(static_cast<double>(length(at(e.a) - at(e.b)) / e.length - 1));
    }
    return 100 * sum / static_cast<double>(edges.size() * unseen.size());
  };
  const double without = strain(0), with = strain(10);
  std::printf("  rope bones, unseen: mean strain of %.1f %% without the length loss, %.1f with\n", without,
              with);
  EXPECT_LT(with, 0.5 * without);
}

}  // namespace
}  // namespace billow::train
