#include "train/stage.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "files/checksum.h"
#include "train/mlp.h"
#include "train/training_loop.h"

namespace billow::train {
namespace {

constexpr size_t kWholeEvaluationBatch = 256;  // samples

using SampleRange = std::span<const uint32_t>;

torch::Tensor index_of(SampleRange rows, const torch::Device& device) {
  torch::Tensor t = torch::empty({static_cast<int64_t>(rows.size())}, torch::kInt64);
  std::copy(rows.begin(), rows.end(), t.data_ptr<int64_t>());
  return t.to(device);
}

Matrix rows_of(const Matrix& m, SampleRange rows) {
  Matrix out(m.size() > 0 ? static_cast<Eigen::Index>(rows.size()) : 0, m.cols());
  for (Eigen::Index i = 0; i < out.rows(); ++i) out.row(i) = m.row(rows[static_cast<size_t>(i)]);
  return out;
}

// Sums over samples, and the reported means.
struct Sums {
  double data = 0, pca_residual = 0, collision = 0, near = 0, edges = 0;
  size_t samples = 0, vertex_samples = 0;

  double loss(const StageOptions& o) const {
    double l = o.data_weight * data / static_cast<double>(std::max<size_t>(samples, 1));
    if (vertex_samples > 0)
      l += (o.collision.weight * collision + o.length_weight * edges) / static_cast<double>(vertex_samples);
    return l;
  }
  double rmse_mm(const StageTask& task) const {
    return 1e3 * std::sqrt((data + pca_residual) / static_cast<double>(std::max<size_t>(samples, 1)) /
                           static_cast<double>(std::max<size_t>(task.vertices, 1)));
  }
  double near_percent(const StageTask& task) const {
    return 100 * near / static_cast<double>(std::max<size_t>(vertex_samples * task.vertices, 1));
  }
};

class StageTrainer {
 public:
  StageTrainer(const StageTask& task, const StageOptions& options, const Run& run)
      : task_(task), options_(options), run_(run), device_(torch_device(run.device)) {
    prepare_torch(run.seed);
    mlp_ = std::make_unique<Mlp>(task.start, static_cast<int>(task.truth.cols()), output_scale(), options);
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
  // RMS of the residual of the linear path.
  double output_scale() const {
    if (!options_.scale_outputs || task_.train.data.empty()) return 1;
    Matrix residual = rows_of(task_.truth, task_.train.data);
    if (task_.start.linear.size() > 0) residual -= task_.start(rows_of(task_.inputs, task_.train.data));
    const double deviation =
        std::sqrt(static_cast<double>(residual.squaredNorm()) / static_cast<double>(residual.size()));
    return deviation > 0 ? deviation : 1;
  }

  // Identifies options and training data.
  std::string fingerprint() const {
    uint64_t sum = files::kChecksumStart;
    for (const Matrix* m : {&task_.inputs, &task_.truth, &task_.start.linear, &task_.frozen})
      sum = files::add_to_checksum(sum, m->data(), sizeof(float) * static_cast<size_t>(m->size()));
    for (const SampleSet* part : {&task_.train, &task_.validation})
      for (const auto* rows : {&part->data, &part->collision_only})
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
    shuffle(order.data, random);
    shuffle(order.collision_only, random);

    const auto batch = static_cast<size_t>(options_.batch);
    const size_t batches = (order.data.size() + batch - 1) / batch;
    Sums sums;
    for (size_t b = 0; b < batches; ++b)
      step(part_of(order.data, b, batches), part_of(order.collision_only, b, batches), e, sums);
    describe(e, sums, evaluate(task_.validation, number));
    return e;
  }

  static SampleRange part_of(SampleRange rows, size_t part, size_t parts) {
    const size_t begin = rows.size() * part / parts, end = rows.size() * (part + 1) / parts;
    return rows.subspan(begin, end - begin);
  }
  SampleRange share_of(SampleRange rows) const {
    const auto count = std::lround(options_.collision.share * static_cast<float>(rows.size()));
    return rows.first(std::min(rows.size(), static_cast<size_t>(std::max(count, 1l))));
  }

  void step(SampleRange data_rows, SampleRange collision_rows, const Epoch& e, Sums& sums) {
    state_.adams[0]->zero_grad();
    const torch::Tensor c = predict(data_rows, true);
    const torch::Tensor data = (c - truth_.index_select(0, index_of(data_rows, device_))).square().sum();
    const double data_value = data.item<double>();
    check_finite(data_value, task_.name, e, state_);
    torch::Tensor loss = data * (options_.data_weight / static_cast<double>(data_rows.size()));
    sums.data += data_value, sums.samples += data_rows.size();
    for (uint32_t row : data_rows) sums.pca_residual += static_cast<double>(task_.pca_residual[row]);

    if (has_vertex_terms(e.number)) {
      // The rows are shuffled, so the first of them are a random subset.
      const SampleRange subset = share_of(data_rows), extra = share_of(collision_rows);
      const double count = static_cast<double>(subset.size() + extra.size());
      loss = loss +
             vertex_terms(c.slice(0, 0, static_cast<int64_t>(subset.size())), subset, e.number, sums) / count;
      if (!extra.empty()) loss = loss + vertex_terms(predict(extra, true), extra, e.number, sums) / count;
    }
    check_finite(sums.collision + sums.edges, task_.name, e, state_);
    loss.backward();
    state_.adams[0]->step();
  }

  torch::Tensor predict(SampleRange rows, bool training) const {
    torch::Tensor z = z_.index_select(0, index_of(rows, device_));
    if (training && options_.noise > 0) z = z + torch::randn_like(z) * noise_;
    return mlp_->forward(z, training);
  }

  bool has_collision_term(int epoch) const {
    return task_.collision && surface_terms_active(options_, epoch);
  }
  bool has_vertex_terms(int epoch) const { return has_collision_term(epoch) || task_.edges; }

  // Has the gradient of the vertex terms, but not their value: autograd treats that gradient as a constant.
  torch::Tensor vertex_terms(const torch::Tensor& c, SampleRange rows, int epoch, Sums& sums) {
    return (c * to_tensor(add_vertex_terms(c, rows, epoch, sums)).to(device_)).sum();
  }

  // Adds to the sums and returns the weighted gradient with respect to the coefficients.
  Matrix add_vertex_terms(const torch::Tensor& c, SampleRange rows, int epoch, Sums& sums) {
    const Matrix coefficients = to_matrix(c), frozen = rows_of(task_.frozen, rows);
    Matrix gradient, all = Matrix::Zero(coefficients.rows(), coefficients.cols());
    if (has_collision_term(epoch)) {
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
    sums.vertex_samples += rows.size();
    return all;
  }

  Sums evaluate(const SampleSet& part, int epoch) {
    torch::NoGradGuard guard;
    Sums sums;
    const auto in_batches = [&](SampleRange rows, auto work) {
      for (size_t i = 0; i < rows.size(); i += kWholeEvaluationBatch)
        work(rows.subspan(i, std::min(kWholeEvaluationBatch, rows.size() - i)));
    };
    in_batches(part.data, [&](SampleRange rows) {
      const torch::Tensor c = predict(rows, false);
      sums.data += (c - truth_.index_select(0, index_of(rows, device_))).square().sum().item<double>();
      sums.samples += rows.size();
      for (uint32_t row : rows) sums.pca_residual += static_cast<double>(task_.pca_residual[row]);
      if (has_vertex_terms(epoch) && std::isfinite(sums.data)) add_vertex_terms(c, rows, epoch, sums);
    });
    if (has_vertex_terms(epoch) && std::isfinite(sums.data))
      in_batches(part.collision_only,
                 [&](SampleRange rows) { add_vertex_terms(predict(rows, false), rows, epoch, sums); });
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
      throw std::invalid_argument(task.name + ", " + what + ": expected " + std::to_string(expected) +
                                  ", found " + std::to_string(found));
  };
  expect("rows of the truth", task.truth.rows(), samples);
  expect("PCA residuals", task.pca_residual.size(), samples);
  expect("frames", static_cast<Eigen::Index>(task.frames.size()), samples);
  expect("means of inputs", task.start.mean.size(), task.inputs.cols());
  expect("scales of inputs", task.start.scale.size(), task.inputs.cols());
  if (task.start.linear.size() > 0) {
    expect("inputs of the linear path", task.start.linear.cols(), task.inputs.cols());
    expect("outputs of the linear path", task.start.linear.rows(), task.truth.cols());
  }
  if (task.train.data.empty() || task.validation.data.empty())
    throw std::invalid_argument(task.name + ": expected training and validation samples, found " +
                                std::to_string(task.train.data.size()) + " and " +
                                std::to_string(task.validation.data.size()));
}

}  // namespace

std::string device_name(Device device) { return torch_device(device).is_cuda() ? "cuda" : "cpu"; }

StageResult train_stage(const StageTask& task, const StageOptions& options, const Run& run) {
  check(task);
  return StageTrainer(task, options, run).train();
}

}  // namespace billow::train
