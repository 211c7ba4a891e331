#include "train/patch_stage.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "files/checksum.h"
#include "parallel.h"
#include "train/patch_group.h"
#include "train/patch_losses.h"
#include "train/training_loop.h"

namespace billow::train {
namespace {

constexpr const char* kName = "patches";
constexpr size_t kEvaluationBatch = 256;  // samples
constexpr size_t kCpuGroups = 8;          // groups of networks on a CPU

class PatchTrainer {
 public:
  PatchTrainer(const PatchTask& task, const StageOptions& options, const Run& run)
      : task_(task),
        options_(options),
        run_(run),
        device_(torch_device(run.device)),
        views_(std::ranges::count(task.samples.mirrored, 1) > 0 ? 2 : 1) {
    prepare_torch(run.seed);
    make_groups();
    state_.fingerprint = fingerprint();
    if (task.scene)
      surface_ = std::make_unique<PatchSurfaceLoss>(
          *task.scene, options.collision, task.garment ? pattern_edges(*task.garment) : std::vector<Edge>(),
          task.model, task.samples, options.restored_weight > 0 ? task.garment : nullptr);
  }

  StageResult train() {
    StageResult r = run_epochs({kName, options_, run_, state_, [this] { return first_epoch(); },
                                [this](int e) { return run_epoch(e); }},
                               device_);
    for (const PatchGroup& g : groups_) g.put_layers(task_.model);
    return r;
  }

 private:
  struct Sums {
    double squared_error = 0;  // of vertices
    double data = 0, near = 0;
    double surface = 0, rope_surface = 0;  // weighted surface losses
    size_t samples = 0, surface_frames = 0, rope_frames = 0;
  };

  size_t first_rope() const { return task_.train + task_.validation; }

  // The number of groups does not depend on the number of cores, so that results do not either.
  void make_groups() {
    const size_t networks = task_.rows.size(), count = device_.is_cuda() ? 1 : std::min(kCpuGroups, networks);
    std::vector<learn::Matrix> edges;
    if (task_.garment && options_.edge_weight > 0)
      edges =
          edge_factors(task_.model, task_.garment->triangles, options_.edge_weight / options_.data_weight);
    double residual = 0;
    for (size_t g = 0; g < count; ++g) {
      const size_t first = networks * g / count, end = networks * (g + 1) / count;
      groups_.emplace_back(task_, first, end - first, edges, options_, device_);
      residual += groups_.back().squared_residual();
    }
    const double value_count = static_cast<double>(networks * task_.train) * static_cast<double>(outputs());
    for (PatchGroup& g : groups_) {
      g.set_output_scale(std::max(1e-9, std::sqrt(residual / value_count)));
      const std::vector<torch::Tensor> own = g.parameters();
      state_.parameters.insert(state_.parameters.end(), own.begin(), own.end());
      state_.adams.push_back(std::make_unique<torch::optim::AdamW>(
          own, torch::optim::AdamWOptions(options_.rate).weight_decay(options_.weight_decay)));
    }
  }
  int64_t outputs() const { return groups_[0].outputs(); }
  template <class Work> void for_groups(Work work) { for_each_in_parallel(groups_.size(), work); }

  std::string fingerprint() const {
    uint64_t sum = files::kChecksumStart;
    for (const auto& r : task_.rows)
      sum = files::add_to_checksum(sum, r.truth.data(), sizeof(float) * static_cast<size_t>(r.truth.size()));
    return "patches seed " + std::to_string(run_.seed) + " data " + std::to_string(sum) + " learnt " +
           std::to_string(task_.train) + " " + to_json(options_);
  }

  // Coefficients with their autograd graph and the data term, one entry a group.
  struct Predictions {
    std::vector<torch::Tensor> c;
    std::vector<PatchGroup::Data> data;
  };
  Predictions predict(const torch::Tensor& which, bool training, bool with_data) {
    Predictions p;
    p.c.resize(groups_.size()), p.data.resize(groups_.size());
    const bool gradients = torch::GradMode::is_enabled();  // thread-local
    for_groups([&](size_t g) {
      torch::AutoGradMode mode(gradients);
      p.c[g] = groups_[g].predict(which, training);
      if (with_data) p.data[g] = groups_[g].data_term(p.c[g], which);
    });
    return p;
  }
  void add_data(const Predictions& p, size_t samples, Sums& sums) const {
    for (const PatchGroup::Data& d : p.data) sums.squared_error += d.squared_error, sums.data += d.data;
    sums.samples += samples;
  }
  torch::Tensor index_of(std::span<const uint32_t> samples) const {
    torch::Tensor t = torch::empty({static_cast<int64_t>(samples.size())}, torch::kInt64);
    std::copy(samples.begin(), samples.end(), t.data_ptr<int64_t>());
    return t.to(device_);
  }

  Epoch first_epoch() {
    Epoch e;
    describe(e, evaluate(0, task_.train, 0), evaluate_validation(0));
    return e;
  }
  Epoch run_epoch(int number) {
    Epoch e;
    e.number = number;
    std::mt19937_64 random;
    e.rate = begin_epoch(number, options_, run_.seed, state_.adams, random);
    for (PatchGroup& g : groups_) g.seed(random());
    std::vector<uint32_t> order(task_.train / views_);  // frames
    for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    shuffle(order, random);
    Sums sums;
    const size_t batch = std::max<size_t>(1, static_cast<size_t>(options_.batch) / views_);
    for (size_t i = 0; i < order.size(); i += batch)
      step(samples_of(std::span(order).subspan(i, std::min(batch, order.size() - i))), e, random, sums);
    describe(e, sums, evaluate_validation(number));
    return e;
  }

  // Samples of frames with their mirror images.
  std::vector<uint32_t> samples_of(std::span<const uint32_t> frames) const {
    std::vector<uint32_t> samples;
    for (const uint32_t f : frames)
      for (uint32_t v = 0; v < views_; ++v) samples.push_back(static_cast<uint32_t>(f * views_) + v);
    return samples;
  }

  void step(std::span<const uint32_t> samples, const Epoch& e, std::mt19937_64& random, Sums& sums) {
    const Predictions predictions = predict(index_of(samples), true, true);
    add_data(predictions, samples.size(), sums);
    check_finite(sums.data, kName, e, state_);
    std::vector<SurfaceGradient> surfaces;
    if (surface_terms_active(e.number)) {
      const auto frames_of = [&](float share) {
        return static_cast<size_t>(std::lround(share * static_cast<float>(samples.size() / views_)));
      };
      const size_t some = std::clamp<size_t>(frames_of(options_.collision.share), 1, samples.size() / views_);
      if (options_.collision.weight > 0)
        surfaces.push_back(add_surface_loss(predictions, samples.first(views_ * some), sums));
      const std::vector<uint32_t> ropes = sample_rope_frames(frames_of(options_.rope_share), random);
      if (!ropes.empty())
        surfaces.push_back(add_rope_surface_loss(predict(index_of(ropes), true, false), ropes, sums));
    }
    for_groups([&](size_t g) {
      state_.adams[g]->zero_grad();
      torch::Tensor loss =
          predictions.data[g].term * (options_.data_weight / static_cast<double>(samples.size()));
      for (const SurfaceGradient& s : surfaces) loss = loss + s.term(g, groups_[g]);
      loss.backward();
      state_.adams[g]->step();
    });
  }
  std::vector<uint32_t> sample_rope_frames(size_t count, std::mt19937_64& random) const {
    const size_t first = first_rope() / views_, frames = task_.rope_train / views_;
    std::vector<uint32_t> some(std::min(count, frames));
    for (uint32_t& f : some) f = static_cast<uint32_t>(first + random() % frames);
    return samples_of(some);
  }

  bool surface_terms_active(int epoch) const {
    return surface_ && train::surface_terms_active(options_, epoch);
  }

  // Gradient of a surface loss with respect to the coefficients of some samples. The term has this gradient, but not the
  // loss's value: autograd treats the gradient as a constant.
  struct SurfaceGradient {
    std::vector<torch::Tensor> c;  // coefficients, one tensor a group
    torch::Tensor gradient;        // networks x samples x outputs

    torch::Tensor term(size_t g, const PatchGroup& group) const {
      return (c[g] *
              gradient.narrow(0, static_cast<int64_t>(group.first()), static_cast<int64_t>(group.size())))
          .sum();
    }
  };
  SurfaceGradient add_surface_loss(const Predictions& p, std::span<const uint32_t> samples,
                                   PatchSurfaceLoss::Terms terms, PatchSurfaceLoss::Sum& sum) {
    SurfaceGradient surface;
    for (const torch::Tensor& c : p.c)
      surface.c.push_back(c.slice(1, 0, static_cast<int64_t>(samples.size())));
    const torch::Tensor by_sample =
        torch::cat(surface.c).detach().to(torch::kCPU).transpose(0, 1).contiguous();
    torch::Tensor gradient = torch::zeros_like(by_sample);
    sum = (*surface_)(samples, terms, by_sample.data_ptr<float>(), outputs(), gradient.data_ptr<float>());
    surface.gradient = gradient.transpose(0, 1).to(device_) / static_cast<double>(samples.size() / views_);
    return surface;
  }
  SurfaceGradient add_surface_loss(const Predictions& p, std::span<const uint32_t> samples, Sums& sums) {
    PatchSurfaceLoss::Sum s;
    SurfaceGradient surface = add_surface_loss(
        p, samples, {.collision = options_.collision.weight, .push = options_.collision.push}, s);
    sums.surface += s.loss, sums.near += static_cast<double>(s.near);
    sums.surface_frames += samples.size() / views_;
    return surface;
  }
  SurfaceGradient add_rope_surface_loss(const Predictions& p, std::span<const uint32_t> samples, Sums& sums) {
    PatchSurfaceLoss::Sum s;
    // Rope bones differ from those of the true cloth, so that cannot be the target.
    SurfaceGradient surface = add_surface_loss(
        p, samples,
        {options_.collision.rope_weight, options_.length_weight, options_.restored_weight, Push::kGradient},
        s);
    sums.rope_surface += s.loss, sums.rope_frames += samples.size() / views_;
    return surface;
  }

  template <class Work> static void for_batches(size_t begin, size_t end, Work work) {
    for (size_t i = begin; i < end; i += kEvaluationBatch) {
      std::vector<uint32_t> samples;
      for (size_t k = i; k < std::min(end, i + kEvaluationBatch); ++k)
        samples.push_back(static_cast<uint32_t>(k));
      work(samples);
    }
  }

  Sums evaluate(size_t begin, size_t end, int epoch) {
    torch::NoGradGuard guard;
    Sums sums;
    for_batches(begin, end, [&](std::span<const uint32_t> samples) {
      const Predictions p = predict(index_of(samples), false, true);
      add_data(p, samples.size(), sums);
      if (surface_terms_active(epoch) && options_.collision.weight > 0 && std::isfinite(sums.data))
        add_surface_loss(p, samples, sums);
    });
    return sums;
  }

  Sums evaluate_validation(int epoch) {
    Sums sums = evaluate(task_.train, first_rope(), epoch);
    torch::NoGradGuard guard;
    if (surface_terms_active(epoch) && std::isfinite(sums.data))
      for_batches(first_rope() + task_.rope_train, task_.samples.size(),
                  [&](std::span<const uint32_t> samples) {
                    add_rope_surface_loss(predict(index_of(samples), false, false), samples, sums);
                  });
    return sums;
  }

  double loss_of(const Sums& s) const {
    return (options_.data_weight * s.data) / static_cast<double>(std::max<size_t>(s.samples, 1)) +
           s.surface / static_cast<double>(std::max<size_t>(s.surface_frames, 1)) +
           s.rope_surface / static_cast<double>(std::max<size_t>(s.rope_frames, 1));
  }
  // Upper bound of the vertex error: the share-weighted mean of the squared errors of its patches.
  double rmse_mm(const Sums& s) const {
    return 1e3 * std::sqrt(s.squared_error / static_cast<double>(std::max<size_t>(s.samples, 1)) /
                           static_cast<double>(task_.model.rest.size()));
  }
  double near_percent(const Sums& s) const {
    return 100 * s.near /
           static_cast<double>(std::max<size_t>(s.surface_frames, 1) * task_.model.rest.size());
  }
  void describe(Epoch& e, const Sums& train, const Sums& validation) const {
    e.loss = loss_of(train), e.validation_loss = loss_of(validation);
    e.rmse_mm = rmse_mm(train), e.validation_rmse_mm = rmse_mm(validation);
    e.near_percent = near_percent(train), e.validation_near_percent = near_percent(validation);
    check_finite(e.loss + e.validation_loss, kName, e, state_);
  }

  PatchTask task_;
  const StageOptions& options_;
  const Run& run_;
  torch::Device device_;
  size_t views_;  // samples a frame: 2 with its mirror image
  std::vector<PatchGroup> groups_;
  std::unique_ptr<PatchSurfaceLoss> surface_;
  TrainingState state_;
};

}  // namespace

StageResult train_patches(PatchTask task, const StageOptions& options, const Run& run) {
  if (task.rows.empty() || task.train == 0 || task.validation == 0 ||
      task.train + task.validation + task.rope_train + task.rope_validation != task.samples.size())
    throw std::invalid_argument("patches: expected training and validation samples");
  return PatchTrainer(task, options, run).train();
}

}  // namespace billow::train
