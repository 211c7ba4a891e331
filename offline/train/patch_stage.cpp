#include "train/patch_stage.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "files/checksum.h"
#include "parallel.h"
#include "train/loop.h"
#include "train/patch_collision.h"
#include "train/patch_edges.h"

namespace billow::train {
namespace {

constexpr const char* kName = "patches";
constexpr size_t kEvaluated = 256;  // samples at a time

// Networks of all patches: matrices of one shape, stacked.
struct PatchMlps {
  std::vector<torch::Tensor> weights, biases;  // patches x inputs x outputs, patches x 1 x outputs
  learn::Activation activation;
  double dropout;

  // Adds nothing to the linear half at first.
  PatchMlps(int64_t patches, int64_t inputs, int64_t outputs, const StageOptions& options)
      : activation(options.activation), dropout(options.dropout) {
    int64_t width = inputs;
    for (int k = 0; k <= options.hidden_layers; ++k) {
      const bool last = k == options.hidden_layers;
      const int64_t next = last ? outputs : options.hidden;
      const double bound = last ? 0 : 1 / std::sqrt(static_cast<double>(width));
      weights.push_back(torch::empty({patches, width, next}).uniform_(-bound, bound));
      biases.push_back(torch::zeros({patches, 1, next}));
      width = next;
    }
  }

  torch::Tensor forward(torch::Tensor h, bool learning) const {
    for (size_t k = 0; k < weights.size(); ++k) {
      h = torch::baddbmm(biases[k], h, weights[k]);
      if (k + 1 == weights.size()) break;
      h = activated(activation, h);
      if (dropout > 0) h = torch::dropout(h, dropout, learning);
    }
    return h;
  }

  std::vector<torch::Tensor> parameters() const {
    std::vector<torch::Tensor> all;
    for (size_t k = 0; k < weights.size(); ++k) all.push_back(weights[k]), all.push_back(biases[k]);
    return all;
  }

  void to(const torch::Device& device) {
    for (auto* list : {&weights, &biases})
      for (torch::Tensor& t : *list) t = t.to(device).requires_grad_();
  }

  std::vector<learn::Layer> layers(int64_t patch, double unit) const {
    std::vector<learn::Layer> out;
    for (size_t k = 0; k < weights.size(); ++k) {
      const double by = k + 1 == weights.size() ? unit : 1;
      out.push_back({to_matrix(weights[k][patch].t() * by), to_matrix(biases[k][patch] * by).row(0)});
    }
    return out;
  }
};

class PatchTrainer {
 public:
  PatchTrainer(const PatchTask& task, const StageOptions& options, const Run& run)
      : task_(task), options_(options), run_(run), device_(torch_device(run.device)) {
    prepare_torch(run.seed);
    const auto patches = static_cast<int64_t>(task.rows.size());
    const auto samples = static_cast<int64_t>(task.samples.size());
    inputs_ = task.rows.at(0).seen.cols();
    outputs_ = task.rows[0].truth.cols();
    z_ = torch::zeros({patches, samples, inputs_});
    scale_ = torch::ones({patches, 1, inputs_});
    linear_ = torch::zeros({patches, samples, outputs_});
    truth_ = torch::zeros({patches, samples, outputs_});
    for (int64_t p = 0; p < patches; ++p) fill(p);
    if (task.triangles && options.edge_weight > 0) fill_edges(patches);
    const torch::Tensor left = (truth_ - linear_).slice(1, 0, static_cast<int64_t>(task.learnt));
    unit_ = std::max(1e-9, left.square().mean().sqrt().item<double>());
    mlps_ = std::make_unique<PatchMlps>(patches, inputs_, outputs_, options);
    mlps_->to(device_);
    for (torch::Tensor* t : {&z_, &scale_, &linear_, &truth_, &edges_})
      if (t->defined()) *t = t->to(device_);
    state_.parameters = mlps_->parameters();
    state_.adam = std::make_unique<torch::optim::AdamW>(
        state_.parameters, torch::optim::AdamWOptions(options.rate).weight_decay(options.weight_decay));
    state_.fingerprint = fingerprint();
    if (task.scene && options.collision.weight > 0)
      collision_ = std::make_unique<PatchCollision>(*task.scene, options.collision, task.model, task.samples);
  }

  StageResult train() {
    StageResult r = run_epochs({kName, options_, run_, state_, [this] { return first_epoch(); },
                                [this](int e) { return run_epoch(e); }},
                               device_);
    put_layers();
    return r;
  }

 private:
  struct Sums {
    double squares = 0;  // of what vertices are off
    double data = 0, collision = 0, near = 0;
    size_t learnt = 0, collided = 0;
  };

  size_t chosen_by() const { return task_.learnt + task_.choosing; }  // one past the last

  void fill(int64_t p) {
    const auto& rows = task_.rows[static_cast<size_t>(p)];
    const learn::Network& n = task_.model.stages[static_cast<size_t>(p)].network;
    const torch::Tensor seen = (to_tensor(rows.seen) - to_tensor(n.mean)) * to_tensor(n.scale);
    z_[p].copy_(seen);
    scale_[p][0].copy_(to_tensor(n.scale));
    truth_[p].copy_(to_tensor(rows.truth));
    linear_[p].copy_(to_tensor(n(rows.seen)));
  }

  void fill_edges(int64_t patches) {
    const std::vector<learn::Matrix> factors =
        edge_factors(task_.model, *task_.triangles, options_.edge_weight / options_.data_weight);
    const auto components = static_cast<int64_t>(factors[0].rows());
    edges_ = torch::zeros({patches, 1, components, components});
    for (int64_t p = 0; p < patches; ++p) edges_[p][0].copy_(to_tensor(factors[static_cast<size_t>(p)]));
  }

  std::string fingerprint() const {
    uint64_t sum = files::kChecksumStart;
    for (const auto& r : task_.rows)
      sum = files::add_to_checksum(sum, r.truth.data(), sizeof(float) * static_cast<size_t>(r.truth.size()));
    return "patches seed " + std::to_string(run_.seed) + " data " + std::to_string(sum) + " learnt " +
           std::to_string(task_.learnt) + " " + to_json(options_);
  }

  // Coefficients, patches x samples x outputs.
  torch::Tensor predict(const torch::Tensor& which, bool learning) const {
    torch::Tensor z = z_.index_select(1, which);
    if (learning && options_.noise > 0) z = z + torch::randn_like(z) * scale_ * options_.noise;
    return mlps_->forward(z, learning) * unit_ + linear_.index_select(1, which);
  }
  // The data term: squares of what vertices are off, and edges.
  torch::Tensor data_term(const torch::Tensor& c, const torch::Tensor& which, Sums& sums) const {
    const torch::Tensor d = c - truth_.index_select(1, which), squares = d.square().sum();
    torch::Tensor term = squares;
    if (edges_.defined())  // the x of all components, their y, their z
      term = d.view({d.size(0), d.size(1), 3, edges_.size(3)}).matmul(edges_).square().sum();
    const torch::Tensor both = torch::stack({squares, term}).detach().to(torch::kCPU, torch::kFloat64);
    sums.squares += both[0].item<double>(), sums.data += both[1].item<double>();
    sums.learnt += static_cast<size_t>(which.size(0));
    return term;
  }
  torch::Tensor index_of(std::span<const uint32_t> samples) const {
    torch::Tensor t = torch::empty({static_cast<int64_t>(samples.size())}, torch::kInt64);
    std::copy(samples.begin(), samples.end(), t.data_ptr<int64_t>());
    return t.to(device_);
  }

  Epoch first_epoch() {
    Epoch e;
    describe(e, evaluate(0, task_.learnt, 0), evaluate(task_.learnt, chosen_by(), 0));
    return e;
  }
  Epoch run_epoch(int number) {
    Epoch e;
    e.number = number;
    std::mt19937_64 random;
    e.rate = begin_epoch(number, options_, run_.seed, *state_.adam, random);
    std::vector<uint32_t> order(task_.learnt);
    for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    shuffle(order, random);
    Sums sums;
    const auto batch = static_cast<size_t>(options_.batch);
    for (size_t i = 0; i < order.size(); i += batch)
      step(std::span(order).subspan(i, std::min(batch, order.size() - i)), e, random, sums);
    describe(e, sums, evaluate(task_.learnt, chosen_by(), number));
    return e;
  }

  void step(std::span<const uint32_t> samples, const Epoch& e, std::mt19937_64& random, Sums& sums) {
    state_.adam->zero_grad();
    const torch::Tensor which = index_of(samples);
    const torch::Tensor c = predict(which, true);
    const torch::Tensor data = data_term(c, which, sums);
    check_finite(sums.data, kName, e, state_);
    torch::Tensor loss = data * (options_.data_weight / static_cast<double>(samples.size()));
    if (collides_in(e.number)) {
      const auto share = static_cast<size_t>(
          std::max(1l, std::lround(options_.collision.share * static_cast<float>(samples.size()))));
      loss = loss + collide(c, samples.first(std::min(share, samples.size())), sums);
      const std::vector<uint32_t> more = only_colliding(share, random);
      if (!more.empty()) loss = loss + collide(predict(index_of(more), true), more, sums);
    }
    loss.backward();
    state_.adam->step();
  }
  // Some of the samples that nothing else looks at.
  std::vector<uint32_t> only_colliding(size_t count, std::mt19937_64& random) const {
    const size_t others = task_.samples.size() - chosen_by();
    std::vector<uint32_t> some(std::min(count, others));
    for (uint32_t& s : some) s = static_cast<uint32_t>(chosen_by() + random() % others);
    return some;
  }

  bool collides_in(int epoch) const { return collision_ && collides(options_, epoch); }

  // Has the gradient of the collision loss, though not its value: to the networks it is a constant.
  torch::Tensor collide(const torch::Tensor& c, std::span<const uint32_t> samples, Sums& sums) {
    const auto count = static_cast<int64_t>(samples.size());
    const torch::Tensor some = c.slice(1, 0, count);
    const torch::Tensor by_sample = some.detach().to(torch::kCPU).transpose(0, 1).contiguous();
    torch::Tensor gradient = torch::zeros_like(by_sample);
    const CollisionTerm::Sum s =
        (*collision_)(samples, by_sample.data_ptr<float>(), outputs_, gradient.data_ptr<float>());
    sums.collision += s.loss, sums.near += static_cast<double>(s.near), sums.collided += samples.size();
    const double weight = options_.collision.weight / static_cast<double>(samples.size());
    return (some * gradient.transpose(0, 1).to(device_)).sum() * weight;
  }

  Sums evaluate(size_t begin, size_t end, int epoch) {
    torch::NoGradGuard guard;
    Sums sums;
    for (size_t i = begin; i < end; i += kEvaluated) {
      std::vector<uint32_t> samples;
      for (size_t k = i; k < std::min(end, i + kEvaluated); ++k) samples.push_back(static_cast<uint32_t>(k));
      const torch::Tensor which = index_of(samples), c = predict(which, false);
      data_term(c, which, sums);
      if (collides_in(epoch) && std::isfinite(sums.data)) collide(c, samples, sums);
    }
    return sums;
  }

  double loss_of(const Sums& s) const {
    return (options_.data_weight * s.data) / static_cast<double>(std::max<size_t>(s.learnt, 1)) +
           options_.collision.weight * s.collision / static_cast<double>(std::max<size_t>(s.collided, 1));
  }
  // As shares of a vertex add up to 1, so do the squares of what its patches are off: an upper bound for what it is off.
  double rmse_mm(const Sums& s) const {
    return 1e3 * std::sqrt(s.squares / static_cast<double>(std::max<size_t>(s.learnt, 1)) /
                           static_cast<double>(task_.model.rest.size()));
  }
  double near_percent(const Sums& s) const {
    return 100 * s.near / static_cast<double>(std::max<size_t>(s.collided, 1) * task_.model.rest.size());
  }
  void describe(Epoch& e, const Sums& train, const Sums& validation) const {
    e.loss = loss_of(train), e.validation_loss = loss_of(validation);
    e.rmse_mm = rmse_mm(train), e.validation_rmse_mm = rmse_mm(validation);
    e.near_percent = near_percent(train), e.validation_near_percent = near_percent(validation);
    check_finite(e.loss + e.validation_loss, kName, e, state_);
  }

  // Into the model.
  void put_layers() {
    torch::NoGradGuard guard;
    for (size_t p = 0; p < task_.model.stages.size(); ++p) {
      learn::Network& network = task_.model.stages[p].network;
      network.activation = options_.activation;
      network.layers = mlps_->layers(static_cast<int64_t>(p), unit_);
    }
  }

  PatchTask task_;
  const StageOptions& options_;
  const Run& run_;
  torch::Device device_;
  int64_t inputs_ = 0, outputs_ = 0;
  torch::Tensor z_, scale_, linear_, truth_;
  torch::Tensor edges_;  // patches x 1 x components x components; undefined: none
  double unit_ = 1;
  std::unique_ptr<PatchMlps> mlps_;
  std::unique_ptr<PatchCollision> collision_;
  TrainingState state_;
};

}  // namespace

StageResult train_patches(PatchTask task, const StageOptions& options, const Run& run) {
  if (task.rows.empty() || task.learnt == 0 || task.choosing == 0 ||
      task.learnt + task.choosing > task.samples.size())
    throw std::invalid_argument("patches: expected frames to learn from and others to choose by");
  return PatchTrainer(task, options, run).train();
}

}  // namespace billow::train
