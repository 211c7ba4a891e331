#include "train/patch_stage.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "files/checksum.h"
#include "parallel.h"
#include "train/loop.h"
#include "train/patch_edges.h"
#include "train/patch_group.h"
#include "train/patch_surface.h"

namespace billow::train {
namespace {

constexpr const char* kName = "patches";
constexpr size_t kEvaluated = 256;  // samples at a time
constexpr size_t kGroups = 8;       // of networks, on a CPU

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
      surface_ = std::make_unique<PatchSurface>(
          *task.scene, options.collision, task.garment ? edges_as_cut(*task.garment) : std::vector<Edge>(),
          task.model, task.samples);
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
    double squares = 0;  // of what vertices are off
    double data = 0, near = 0;
    double surface = 0, ropes = 0;  // collisions and lengths, weighted
    size_t learnt = 0, looked_at = 0, roped = 0;
  };

  size_t first_rope() const { return task_.learnt + task_.choosing; }

  // As many on any number of cores, for the same networks.
  void make_groups() {
    const size_t networks = task_.rows.size(), count = device_.is_cuda() ? 1 : std::min(kGroups, networks);
    std::vector<learn::Matrix> edges;
    if (task_.garment && options_.edge_weight > 0)
      edges =
          edge_factors(task_.model, task_.garment->triangles, options_.edge_weight / options_.data_weight);
    double left = 0;
    for (size_t g = 0; g < count; ++g) {
      const size_t first = networks * g / count, end = networks * (g + 1) / count;
      groups_.emplace_back(task_, first, end - first, edges, options_, device_);
      left += groups_.back().left();
    }
    const double numbers = static_cast<double>(networks * task_.learnt) * static_cast<double>(outputs());
    for (PatchGroup& g : groups_) {
      g.set_unit(std::max(1e-9, std::sqrt(left / numbers)));
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
           std::to_string(task_.learnt) + " " + to_json(options_);
  }

  // Of each group: coefficients with how they came about, and what is off in them.
  struct Predicted {
    std::vector<torch::Tensor> c;
    std::vector<PatchGroup::Data> data;
  };
  Predicted predict(const torch::Tensor& which, bool learning, bool with_data) {
    Predicted p;
    p.c.resize(groups_.size()), p.data.resize(groups_.size());
    const bool gradients = torch::GradMode::is_enabled();  // a thread has its own
    for_groups([&](size_t g) {
      torch::AutoGradMode mode(gradients);
      p.c[g] = groups_[g].predict(which, learning);
      if (with_data) p.data[g] = groups_[g].data_term(p.c[g], which);
    });
    return p;
  }
  void add_data(const Predicted& p, size_t samples, Sums& sums) const {
    for (const PatchGroup::Data& d : p.data) sums.squares += d.squares, sums.data += d.data;
    sums.learnt += samples;
  }
  torch::Tensor index_of(std::span<const uint32_t> samples) const {
    torch::Tensor t = torch::empty({static_cast<int64_t>(samples.size())}, torch::kInt64);
    std::copy(samples.begin(), samples.end(), t.data_ptr<int64_t>());
    return t.to(device_);
  }

  Epoch first_epoch() {
    Epoch e;
    describe(e, evaluate(0, task_.learnt, 0), evaluate_choosing(0));
    return e;
  }
  Epoch run_epoch(int number) {
    Epoch e;
    e.number = number;
    std::mt19937_64 random;
    e.rate = begin_epoch(number, options_, run_.seed, state_.adams, random);
    for (PatchGroup& g : groups_) g.seed(random());
    std::vector<uint32_t> order(task_.learnt / views_);  // of frames
    for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    shuffle(order, random);
    Sums sums;
    const size_t batch = std::max<size_t>(1, static_cast<size_t>(options_.batch) / views_);
    for (size_t i = 0; i < order.size(); i += batch)
      step(samples_of(std::span(order).subspan(i, std::min(batch, order.size() - i))), e, random, sums);
    describe(e, sums, evaluate_choosing(number));
    return e;
  }

  // Frames from the first sample on, with their mirror images.
  std::vector<uint32_t> samples_of(std::span<const uint32_t> frames) const {
    std::vector<uint32_t> samples;
    for (const uint32_t f : frames)
      for (uint32_t v = 0; v < views_; ++v) samples.push_back(static_cast<uint32_t>(f * views_) + v);
    return samples;
  }

  void step(std::span<const uint32_t> samples, const Epoch& e, std::mt19937_64& random, Sums& sums) {
    const Predicted learnt = predict(index_of(samples), true, true);
    add_data(learnt, samples.size(), sums);
    check_finite(sums.data, kName, e, state_);
    std::vector<Surface> surfaces;
    if (sees_surface(e.number)) {
      const auto frames_of = [&](float share) {
        return static_cast<size_t>(std::lround(share * static_cast<float>(samples.size() / views_)));
      };
      const size_t some = std::clamp<size_t>(frames_of(options_.collision.share), 1, samples.size() / views_);
      if (options_.collision.weight > 0)
        surfaces.push_back(look_at(learnt, samples.first(views_ * some), sums));
      const std::vector<uint32_t> ropes = some_ropes(frames_of(options_.rope_share), random);
      if (!ropes.empty())
        surfaces.push_back(look_at_ropes(predict(index_of(ropes), true, false), ropes, sums));
    }
    for_groups([&](size_t g) {
      state_.adams[g]->zero_grad();
      torch::Tensor loss = learnt.data[g].term * (options_.data_weight / static_cast<double>(samples.size()));
      for (const Surface& s : surfaces) loss = loss + s.term(g, groups_[g]);
      loss.backward();
      state_.adams[g]->step();
    });
  }
  std::vector<uint32_t> some_ropes(size_t count, std::mt19937_64& random) const {
    const size_t first = first_rope() / views_, frames = task_.ropes / views_;
    std::vector<uint32_t> some(std::min(count, frames));
    for (uint32_t& f : some) f = static_cast<uint32_t>(first + random() % frames);
    return samples_of(some);
  }

  bool sees_surface(int epoch) const { return surface_ && train::sees_surface(options_, epoch); }

  // Samples whose surface was looked at: coefficients of each group, and the gradient of the loss by those of all networks. The
  // term has that gradient, though not the loss's value: to the networks it is a constant.
  struct Surface {
    std::vector<torch::Tensor> c;
    torch::Tensor gradient;  // networks x samples x outputs

    torch::Tensor term(size_t g, const PatchGroup& group) const {
      return (c[g] *
              gradient.narrow(0, static_cast<int64_t>(group.first()), static_cast<int64_t>(group.size())))
          .sum();
    }
  };
  Surface look_at(const Predicted& p, std::span<const uint32_t> samples, PatchSurface::Asked asked,
                  PatchSurface::Sum& sum) {
    Surface surface;
    for (const torch::Tensor& c : p.c)
      surface.c.push_back(c.slice(1, 0, static_cast<int64_t>(samples.size())));
    const torch::Tensor by_sample =
        torch::cat(surface.c).detach().to(torch::kCPU).transpose(0, 1).contiguous();
    torch::Tensor gradient = torch::zeros_like(by_sample);
    sum = (*surface_)(samples, asked, by_sample.data_ptr<float>(), outputs(), gradient.data_ptr<float>());
    surface.gradient = gradient.transpose(0, 1).to(device_) / static_cast<double>(samples.size() / views_);
    return surface;
  }
  Surface look_at(const Predicted& p, std::span<const uint32_t> samples, Sums& sums) {
    PatchSurface::Sum s;
    Surface surface =
        look_at(p, samples, {.collision = options_.collision.weight, .push = options_.collision.push}, s);
    sums.surface += s.loss, sums.near += static_cast<double>(s.near);
    sums.looked_at += samples.size() / views_;
    return surface;
  }
  Surface look_at_ropes(const Predicted& p, std::span<const uint32_t> samples, Sums& sums) {
    PatchSurface::Sum s;
    // The truth of their frame is somewhere else: nothing to be drawn to.
    Surface surface =
        look_at(p, samples, {options_.collision.rope_weight, options_.length_weight, Push::kGradient}, s);
    sums.ropes += s.loss, sums.roped += samples.size() / views_;
    return surface;
  }

  // A few of the samples at a time.
  template <class Work> static void for_pieces(size_t begin, size_t end, Work work) {
    for (size_t i = begin; i < end; i += kEvaluated) {
      std::vector<uint32_t> samples;
      for (size_t k = i; k < std::min(end, i + kEvaluated); ++k) samples.push_back(static_cast<uint32_t>(k));
      work(samples);
    }
  }

  Sums evaluate(size_t begin, size_t end, int epoch) {
    torch::NoGradGuard guard;
    Sums sums;
    for_pieces(begin, end, [&](std::span<const uint32_t> samples) {
      const Predicted p = predict(index_of(samples), false, true);
      add_data(p, samples.size(), sums);
      if (sees_surface(epoch) && options_.collision.weight > 0 && std::isfinite(sums.data))
        look_at(p, samples, sums);
    });
    return sums;
  }

  Sums evaluate_choosing(int epoch) {
    Sums sums = evaluate(task_.learnt, first_rope(), epoch);
    torch::NoGradGuard guard;
    if (sees_surface(epoch) && std::isfinite(sums.data))
      for_pieces(first_rope() + task_.ropes, task_.samples.size(), [&](std::span<const uint32_t> samples) {
        look_at_ropes(predict(index_of(samples), false, false), samples, sums);
      });
    return sums;
  }

  double loss_of(const Sums& s) const {
    return (options_.data_weight * s.data) / static_cast<double>(std::max<size_t>(s.learnt, 1)) +
           s.surface / static_cast<double>(std::max<size_t>(s.looked_at, 1)) +
           s.ropes / static_cast<double>(std::max<size_t>(s.roped, 1));
  }
  // As shares of a vertex add up to 1, so do the squares of what its patches are off: an upper bound for what it is off.
  double rmse_mm(const Sums& s) const {
    return 1e3 * std::sqrt(s.squares / static_cast<double>(std::max<size_t>(s.learnt, 1)) /
                           static_cast<double>(task_.model.rest.size()));
  }
  double near_percent(const Sums& s) const {
    return 100 * s.near / static_cast<double>(std::max<size_t>(s.looked_at, 1) * task_.model.rest.size());
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
  size_t views_;  // of a frame: 2 with its mirror image
  std::vector<PatchGroup> groups_;
  std::unique_ptr<PatchSurface> surface_;
  TrainingState state_;
};

}  // namespace

StageResult train_patches(PatchTask task, const StageOptions& options, const Run& run) {
  if (task.rows.empty() || task.learnt == 0 || task.choosing == 0 ||
      task.learnt + task.choosing + task.ropes + task.choosing_ropes != task.samples.size())
    throw std::invalid_argument("patches: expected frames to learn from and others to choose by");
  return PatchTrainer(task, options, run).train();
}

}  // namespace billow::train
