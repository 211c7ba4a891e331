#include "train/stage.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "files/checksum.h"
#include "train/loop.h"
#include "train/mlp.h"

namespace billow::train {
namespace {

constexpr size_t kEvaluated = 256;  // samples at a time

using Rows = std::span<const uint32_t>;

torch::Tensor index_of(Rows rows, const torch::Device& device) {
  torch::Tensor t = torch::empty({static_cast<int64_t>(rows.size())}, torch::kInt64);
  std::copy(rows.begin(), rows.end(), t.data_ptr<int64_t>());
  return t.to(device);
}

Matrix rows_of(const Matrix& m, Rows rows) {
  Matrix out(m.size() > 0 ? static_cast<Eigen::Index>(rows.size()) : 0, m.cols());
  for (Eigen::Index i = 0; i < out.rows(); ++i) out.row(i) = m.row(rows[static_cast<size_t>(i)]);
  return out;
}

// Sums over samples, and the means that are told.
struct Sums {
  double data = 0, outside = 0, collision = 0, near = 0, edges = 0;
  size_t learnt = 0, collided = 0;

  double loss(const StageOptions& o) const {
    double l = o.data_weight * data / static_cast<double>(std::max<size_t>(learnt, 1));
    if (collided > 0)
      l += (o.collision.weight * collision + o.length_weight * edges) / static_cast<double>(collided);
    return l;
  }
  double rmse_mm(const StageTask& task) const {
    return 1e3 * std::sqrt((data + outside) / static_cast<double>(std::max<size_t>(learnt, 1)) /
                           static_cast<double>(std::max<size_t>(task.vertices, 1)));
  }
  double near_percent(const StageTask& task) const {
    return 100 * near / static_cast<double>(std::max<size_t>(collided * task.vertices, 1));
  }
};

class Trainer {
 public:
  Trainer(const StageTask& task, const StageOptions& options, const Run& run)
      : task_(task), options_(options), run_(run), device_(torch_device(run.device)) {
    prepare_torch(run.seed);
    mlp_ = std::make_unique<Mlp>(task.start, static_cast<int>(task.truth.cols()), unit_of_outputs(), options);
    mlp_->to(device_);
    state_.parameters = mlp_->parameters();
    state_.adams.push_back(std::make_unique<torch::optim::AdamW>(
        state_.parameters, torch::optim::AdamWOptions(options.rate).weight_decay(options.weight_decay)));
    z_ = ((to_tensor(task.inputs) - to_tensor(task.start.mean)) * to_tensor(task.start.scale)).to(device_);
    noise_ = (to_tensor(task.start.scale) * options.noise).to(device_);
    truth_ = to_tensor(task.truth).to(device_);
  }

  StageResult train() {
    state_.fingerprint = fingerprint();
    StageResult r = run_epochs({task_.name, options_, run_, state_, [this] { return first_epoch(); },
                                [this](int e) { return run_epoch(e); }},
                               device_);
    r.network = mlp_->network(task_.start);
    return r;
  }

 private:
  // The deviation of what the linear path leaves to learn.
  double unit_of_outputs() const {
    if (!options_.scale_outputs || task_.train.learn.empty()) return 1;
    Matrix left = rows_of(task_.truth, task_.train.learn);
    if (task_.start.linear.size() > 0) left -= task_.start(rows_of(task_.inputs, task_.train.learn));
    const double deviation =
        std::sqrt(static_cast<double>(left.squaredNorm()) / static_cast<double>(left.size()));
    return deviation > 0 ? deviation : 1;
  }

  // Tells tasks apart: what was asked for, and the numbers it is learnt from.
  std::string fingerprint() const {
    uint64_t sum = files::kChecksumStart;
    for (const Matrix* m : {&task_.inputs, &task_.truth, &task_.start.linear, &task_.frozen})
      sum = files::add_to_checksum(sum, m->data(), sizeof(float) * static_cast<size_t>(m->size()));
    for (const SampleSet* part : {&task_.train, &task_.validation})
      for (const auto* rows : {&part->learn, &part->collide})
        sum = files::add_to_checksum(sum, rows->data(), sizeof(uint32_t) * rows->size());
    return task_.name + " seed " + std::to_string(run_.seed) + " data " + std::to_string(sum) + " " +
           to_json(options_);
  }

  Epoch first_epoch() {
    Epoch e;
    describe(e, evaluate(task_.train, 0), evaluate(task_.validation, 0));
    return e;
  }

  Epoch run_epoch(int number) {
    Epoch e;
    e.number = number;
    std::mt19937_64 random;
    e.rate = begin_epoch(number, options_, run_.seed, state_.adams, random);
    SampleSet order = task_.train;
    shuffle(order.learn, random);
    shuffle(order.collide, random);

    const auto batch = static_cast<size_t>(options_.batch);
    const size_t batches = (order.learn.size() + batch - 1) / batch;
    Sums sums;
    for (size_t b = 0; b < batches; ++b)
      step(part_of(order.learn, b, batches), part_of(order.collide, b, batches), e, sums);
    describe(e, sums, evaluate(task_.validation, number));
    return e;
  }

  static Rows part_of(Rows rows, size_t part, size_t parts) {
    const size_t begin = rows.size() * part / parts, end = rows.size() * (part + 1) / parts;
    return rows.subspan(begin, end - begin);
  }
  Rows share_of(Rows rows) const {
    const auto count = std::lround(options_.collision.share * static_cast<float>(rows.size()));
    return rows.first(std::min(rows.size(), static_cast<size_t>(std::max(count, 1l))));
  }

  void step(Rows learn, Rows collide, const Epoch& e, Sums& sums) {
    state_.adams[0]->zero_grad();
    const torch::Tensor c = predict(learn, true);
    const torch::Tensor data = (c - truth_.index_select(0, index_of(learn, device_))).square().sum();
    const double value = data.item<double>();
    check_finite(value, task_.name, e, state_);
    torch::Tensor loss = data * (options_.data_weight / static_cast<double>(learn.size()));
    sums.data += value, sums.learnt += learn.size();
    for (uint32_t row : learn) sums.outside += static_cast<double>(task_.outside[row]);

    if (looks_at_vertices(e.number)) {
      // A share of rows that were shuffled is a random one.
      const Rows near = share_of(learn), more = share_of(collide);
      const double count = static_cast<double>(near.size() + more.size());
      loss =
          loss + vertex_terms(c.slice(0, 0, static_cast<int64_t>(near.size())), near, e.number, sums) / count;
      if (!more.empty()) loss = loss + vertex_terms(predict(more, true), more, e.number, sums) / count;
    }
    check_finite(sums.collision + sums.edges, task_.name, e, state_);
    loss.backward();
    state_.adams[0]->step();
  }

  torch::Tensor predict(Rows rows, bool learning) const {
    torch::Tensor z = z_.index_select(0, index_of(rows, device_));
    if (learning && options_.noise > 0) z = z + torch::randn_like(z) * noise_;
    return mlp_->forward(z, learning);
  }

  bool collides_in(int epoch) const { return task_.collision && sees_surface(options_, epoch); }
  bool looks_at_vertices(int epoch) const { return collides_in(epoch) || task_.edges; }

  // Has the gradient of the terms on vertices, though not their value: to the network it is a constant vector.
  torch::Tensor vertex_terms(const torch::Tensor& c, Rows rows, int epoch, Sums& sums) {
    return (c * to_tensor(add_vertex_terms(c, rows, epoch, sums)).to(device_)).sum();
  }

  // Adds to the sums; gives the weighted gradient with respect to coefficients.
  Matrix add_vertex_terms(const torch::Tensor& c, Rows rows, int epoch, Sums& sums) {
    const Matrix coefficients = to_matrix(c), frozen = rows_of(task_.frozen, rows);
    Matrix gradient, all = Matrix::Zero(coefficients.rows(), coefficients.cols());
    if (collides_in(epoch)) {
      std::vector<uint32_t> frames;
      for (uint32_t row : rows) frames.push_back(task_.frames[row]);
      const CollisionTerm::Sum s = (*task_.collision)(frames, coefficients, frozen, gradient);
      sums.collision += s.loss, sums.near += static_cast<double>(s.near);
      all += options_.collision.weight * gradient;
    }
    if (task_.edges) {
      sums.edges += (*task_.edges)(coefficients, frozen, gradient);
      all += options_.length_weight * gradient;
    }
    sums.collided += rows.size();
    return all;
  }

  Sums evaluate(const SampleSet& part, int epoch) {
    torch::NoGradGuard guard;
    Sums sums;
    const auto in_pieces = [&](Rows rows, auto work) {
      for (size_t i = 0; i < rows.size(); i += kEvaluated)
        work(rows.subspan(i, std::min(kEvaluated, rows.size() - i)));
    };
    in_pieces(part.learn, [&](Rows rows) {
      const torch::Tensor c = predict(rows, false);
      sums.data += (c - truth_.index_select(0, index_of(rows, device_))).square().sum().item<double>();
      sums.learnt += rows.size();
      for (uint32_t row : rows) sums.outside += static_cast<double>(task_.outside[row]);
      if (looks_at_vertices(epoch) && std::isfinite(sums.data)) add_vertex_terms(c, rows, epoch, sums);
    });
    if (looks_at_vertices(epoch) && std::isfinite(sums.data))
      in_pieces(part.collide, [&](Rows rows) { add_vertex_terms(predict(rows, false), rows, epoch, sums); });
    return sums;
  }

  void describe(Epoch& e, const Sums& train, const Sums& validation) const {
    e.loss = train.loss(options_), e.validation_loss = validation.loss(options_);
    e.rmse_mm = train.rmse_mm(task_), e.validation_rmse_mm = validation.rmse_mm(task_);
    e.near_percent = train.near_percent(task_), e.validation_near_percent = validation.near_percent(task_);
    check_finite(e.loss + e.validation_loss, task_.name, e, state_);
  }

  const StageTask& task_;
  const StageOptions& options_;
  const Run& run_;
  torch::Device device_;
  std::unique_ptr<Mlp> mlp_;
  TrainingState state_;
  torch::Tensor z_, noise_, truth_;
};

void check(const StageTask& task) {
  const Eigen::Index samples = task.inputs.rows();
  const auto expect = [&](const char* what, Eigen::Index found, Eigen::Index expected) {
    if (found != expected)
      throw std::invalid_argument(task.name + ": expected " + what + " of " + std::to_string(expected) +
                                  ", found " + std::to_string(found));
  };
  expect("truths", task.truth.rows(), samples);
  expect("what is outside the basis", task.outside.size(), samples);
  expect("frames", static_cast<Eigen::Index>(task.frames.size()), samples);
  expect("means of inputs", task.start.mean.size(), task.inputs.cols());
  expect("scales of inputs", task.start.scale.size(), task.inputs.cols());
  if (task.start.linear.size() > 0) {
    expect("inputs of the linear path", task.start.linear.cols(), task.inputs.cols());
    expect("outputs of the linear path", task.start.linear.rows(), task.truth.cols());
  }
  if (task.train.learn.empty() || task.validation.learn.empty())
    throw std::invalid_argument(
        task.name + ": expected frames to learn from and others to choose by, found " +
        std::to_string(task.train.learn.size()) + " and " + std::to_string(task.validation.learn.size()));
}

}  // namespace

std::string device_name(Device device) { return torch_device(device).is_cuda() ? "cuda" : "cpu"; }

StageResult train_stage(const StageTask& task, const StageOptions& options, const Run& run) {
  check(task);
  return Trainer(task, options, run).train();
}

}  // namespace billow::train
