#include "research/gru/train_gru.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numbers>
#include <random>
#include <stdexcept>

#include "learn/ridge.h"
#include "train/mlp.h"

namespace billow::research {

using namespace train;  // whose losses, epochs and tensors these are

namespace {

using torch::indexing::Slice;

// Parameters of all chains, batched with the chain as first dimension. Shorter chains have unused outputs, which are masked.
struct Units {
  torch::Tensor input, input_bias, state, state_bias, output, output_bias;
  int64_t hidden;

  Units(int64_t chains, int64_t inputs, int64_t size, int64_t outputs, const torch::Device& device)
      : hidden(size) {
    const double bound = 1 / std::sqrt(size);
    const auto random = [&](std::vector<int64_t> shape) {
      return torch::empty(shape).uniform_(-bound, bound).to(device).requires_grad_();
    };
    input = random({chains, inputs, 3 * size}), input_bias = random({chains, 1, 3 * size});
    state = random({chains, size, 3 * size}), state_bias = random({chains, 1, 3 * size});
    output = random({chains, size, outputs}), output_bias = random({chains, 1, outputs});
  }
  std::vector<torch::Tensor> parameters() const {
    return {input, input_bias, state, state_bias, output, output_bias};
  }

  // poses: frames x clips x inputs. Returns frames x chains x clips x outputs.
  torch::Tensor forward(const torch::Tensor& poses) const {
    const int64_t frames = poses.size(0), clips = poses.size(1), chains = input.size(0);
    const torch::Tensor in = (torch::matmul(poses.reshape({1, frames * clips, -1}), input) + input_bias)
                                 .reshape({chains, frames, clips, 3 * hidden});
    // Not select() for each frame: its backward pass allocates zeros for all other frames.
    const std::vector<torch::Tensor> in_frame = in.unbind(1);
    torch::Tensor h = torch::zeros({chains, clips, hidden}, poses.options());
    std::vector<torch::Tensor> states;
    for (int64_t f = 0; f < frames; ++f) {
      const torch::Tensor from_state = torch::baddbmm(state_bias, h, state);
      const auto a = in_frame[static_cast<size_t>(f)].chunk(3, 2), b = from_state.chunk(3, 2);
      const torch::Tensor r = torch::sigmoid(a[0] + b[0]), u = torch::sigmoid(a[1] + b[1]),
                          n = torch::tanh(a[2] + r * b[2]);
      h = n + u * (h - n);
      states.push_back(h);
    }
    return torch::matmul(torch::stack(states), output) + output_bias;
  }
};

// Clips padded to one length: poses, frames x clips x inputs; bones, frames x chains x clips x outputs; and masks of training
// and validation frames, frames x 1 x clips x 1.
struct Sequences {
  torch::Tensor poses, bones, train, validation;
};

class GruTrainer {
 public:
  GruTrainer(const GruTask& task, const GruOptions& options, const Run& run)
      : task_(task), options_(options), run_(run), device_(torch_device(run.device)) {
    prepare_torch(run.seed);
    prepare();
    units_ = std::make_unique<Units>(static_cast<int64_t>(task.chains.size()), sequences_.poses.size(2),
                                     options.hidden, outputs_, device_);
    adam_ = std::make_unique<torch::optim::AdamW>(
        units_->parameters(), torch::optim::AdamWOptions(options.rate).weight_decay(options.weight_decay));
  }

  GruResult train() {
    const auto began = Clock::now();
    for (int e = 0; e <= options_.epochs; ++e) {
      result_.epochs.push_back(run_epoch(e));
      keep_best();
      if (run_.report)
        run_.report({"gru", result_.epochs.back(), options_.epochs, result_.best,
                     seconds_since(began) / (e + 1) * (options_.epochs - e)});
    }
    result_.seconds = seconds_since(began);
    result_.gru = extract();
    return std::move(result_);
  }

 private:
  // Pads and standardises all clips.
  void prepare() {
    size_t longest = 0, max_bones = 0, values = 0;
    for (const GruClip& clip : task_.clips) longest = std::max(longest, clip.parts.size());
    for (const auto& chain : task_.chains)
      max_bones = std::max(max_bones, chain.size()), values += 3 * chain.size();
    outputs_ = static_cast<int64_t>(3 * max_bones), value_count_ = static_cast<double>(values);
    standard_ = learn::standardise(training_poses(), learn::Scaling::kFeature);

    const auto frames = static_cast<int64_t>(longest), clips = static_cast<int64_t>(task_.clips.size()),
               chains = static_cast<int64_t>(task_.chains.size());
    sequences_.poses = torch::zeros({frames, clips, standard_.mean.size()});
    sequences_.bones = torch::zeros({frames, chains, clips, outputs_});
    sequences_.train = torch::zeros({frames, 1, clips, 1}),
    sequences_.validation = torch::zeros({frames, 1, clips, 1});
    mask_ = torch::zeros({1, chains, 1, outputs_});
    for (int64_t c = 0; c < clips; ++c) {
      const GruClip& clip = task_.clips[static_cast<size_t>(c)];
      const auto length = static_cast<int64_t>(clip.parts.size());
      sequences_.poses.index_put_({Slice(0, length), c}, (to_tensor(clip.poses) - to_tensor(standard_.mean)) *
                                                             to_tensor(standard_.scale));
      const torch::Tensor bones = to_tensor(clip.bones).reshape({length, -1, 3});
      for (int64_t k = 0; k < chains; ++k) {
        const auto& chain_bones = task_.chains[static_cast<size_t>(k)];
        const auto count = static_cast<int64_t>(chain_bones.size());
        const torch::Tensor index =
            torch::tensor(std::vector<int64_t>(chain_bones.begin(), chain_bones.end()));
        sequences_.bones.index_put_({Slice(0, length), k, c, Slice(0, 3 * count)},
                                    bones.index_select(1, index).reshape({length, 3 * count}));
        mask_.index_put_({0, k, 0, Slice(0, 3 * count)}, 1);
      }
      for (int64_t f = 0; f < length; ++f) {
        const char part = clip.parts[static_cast<size_t>(f)];
        if (part == 't') sequences_.train.index_put_({f, 0, c, 0}, 1);
        if (part == 'v') sequences_.validation.index_put_({f, 0, c, 0}, 1);
      }
    }
    const torch::Tensor squared = sequences_.bones.square() * sequences_.train;
    output_scale_ = std::sqrt(squared.sum().item<double>() /
                              std::max(sequences_.train.sum().item<double>() * value_count_, 1.0));
    if (!(output_scale_ > 0)) output_scale_ = 1;
    for (torch::Tensor* t :
         {&sequences_.poses, &sequences_.bones, &sequences_.train, &sequences_.validation, &mask_})
      *t = t->to(device_);
  }

  Matrix training_poses() const {
    Eigen::Index count = 0, at = 0;
    for (const GruClip& clip : task_.clips) count += std::count(clip.parts.begin(), clip.parts.end(), 't');
    if (count == 0) throw std::invalid_argument("gru: expected training frames, found none");
    Matrix poses(count, task_.clips.at(0).poses.cols());
    for (const GruClip& clip : task_.clips)
      for (size_t f = 0; f < clip.parts.size(); ++f)
        if (clip.parts[f] == 't') poses.row(at++) = clip.poses.row(static_cast<Eigen::Index>(f));
    return poses;
  }

  struct Window {
    int64_t clip, begin;
  };
  // Cuts each clip into windows at an offset that varies between epochs. Windows overlap by the warm-up, which has no loss.
  std::vector<Window> windows(std::mt19937_64& random) const {
    const int64_t step = std::max(1, options_.window - options_.warm_up);
    std::vector<Window> all;
    for (size_t c = 0; c < task_.clips.size(); ++c) {
      const auto& parts = task_.clips[c].parts;
      if (parts.find('t') == std::string::npos) continue;
      const auto last = std::max<int64_t>(0, static_cast<int64_t>(parts.size()) - options_.window);
      for (auto begin = -static_cast<int64_t>(random() % static_cast<uint64_t>(step)); begin < last + step;
           begin += step)
        all.push_back({static_cast<int64_t>(c), std::clamp<int64_t>(begin, 0, last)});
    }
    for (size_t i = all.size(); i > 1; --i) std::swap(all[i - 1], all[random() % i]);
    return all;
  }

  Epoch run_epoch(int number) {
    const auto began = Clock::now();
    Epoch e;
    e.number = number;
    e.rate =
        0.5 * options_.rate * (1 + std::cos(std::numbers::pi * (number - 1) / std::max(options_.epochs, 1)));
    double sum = 0, count = 0;
    if (number > 0) {
      for (auto& group : adam_->param_groups())
        static_cast<torch::optim::AdamWOptions&>(group.options()).lr(e.rate);
      std::mt19937_64 random(run_.seed * 1000003 + static_cast<uint64_t>(number));
      const std::vector<Window> all = windows(random);
      for (size_t i = 0; i < all.size(); i += static_cast<size_t>(options_.batch))
        step(std::span(all).subspan(i, std::min(all.size() - i, static_cast<size_t>(options_.batch))), sum,
             count);
    }
    torch::NoGradGuard guard;
    const torch::Tensor errors = squared_errors(sequences_.poses, sequences_.bones);
    const auto mean = [&](const torch::Tensor& mask) {
      return (errors * mask).sum().item<double>() / std::max(mask.sum().item<double>(), 1.0);
    };
    const double validation = mean(sequences_.validation);
    e.loss = number > 0 ? sum / std::max(count, 1.0) : mean(sequences_.train);
    e.validation_loss = validation;
    if (!std::isfinite(e.loss) || !std::isfinite(validation))
      throw std::runtime_error("gru: the loss is not finite in epoch " + std::to_string(number) +
                               "; try a lower rate");
    // The loss is a mean over coordinates; a bone has three.
    e.rmse_mm = 1e3 * output_scale_ * std::sqrt(3 * e.loss),
    e.validation_rmse_mm = 1e3 * output_scale_ * std::sqrt(3 * validation);
    e.seconds = seconds_since(began);
    return e;
  }

  // Mean squared error over the values of each frame: frames x 1 x clips x 1.
  torch::Tensor squared_errors(const torch::Tensor& poses, const torch::Tensor& bones) const {
    const torch::Tensor errors = (units_->forward(poses) - bones / output_scale_) * mask_;
    return errors.square().sum({1, 3}, true) / value_count_;
  }

  void step(std::span<const Window> batch, double& sum, double& count) {
    std::vector<torch::Tensor> poses, bones, masks;
    const int64_t length = std::min<int64_t>(options_.window, sequences_.poses.size(0));
    for (const Window& w : batch) {
      poses.push_back(sequences_.poses.slice(0, w.begin, w.begin + length).select(1, w.clip));
      bones.push_back(sequences_.bones.slice(0, w.begin, w.begin + length).select(2, w.clip));
      masks.push_back(sequences_.train.slice(0, w.begin, w.begin + length).select(2, w.clip));
    }
    torch::Tensor mask = torch::stack(masks, 2).clone();
    mask.slice(0, 0, std::min<int64_t>(options_.warm_up, length - 1)).zero_();
    const torch::Tensor total = (squared_errors(torch::stack(poses, 1), torch::stack(bones, 2)) * mask).sum();
    const double frames = mask.sum().item<double>();
    if (frames == 0) return;
    adam_->zero_grad();
    (total / frames).backward();
    adam_->step();
    sum += total.item<double>(), count += frames;
  }

  void keep_best() {
    const Epoch& best = result_.epochs[static_cast<size_t>(result_.best)];
    if (!best_.empty() && result_.epochs.back().validation_loss >= best.validation_loss) return;
    result_.best = result_.epochs.back().number;
    best_.clear();
    for (const torch::Tensor& p : units_->parameters()) best_.push_back(p.detach().clone());
  }

  Gru extract() const {
    Gru gru;
    gru.mean = standard_.mean, gru.scale = standard_.scale;
    for (size_t k = 0; k < task_.chains.size(); ++k) {
      const auto layer = [&](size_t at, double scale) {
        const auto chain = static_cast<int64_t>(k);
        return learn::Layer{to_matrix(best_[at].select(0, chain).t() * scale),
                            to_matrix(best_[at + 1].select(0, chain) * scale).row(0)};
      };
      GruChain chain{task_.chains[k], layer(0, 1), layer(2, 1), layer(4, output_scale_)};
      const auto rows = static_cast<Eigen::Index>(3 * chain.bones.size());
      chain.output.weights.conservativeResize(rows, Eigen::NoChange);
      chain.output.bias.conservativeResize(rows);
      gru.chains.push_back(std::move(chain));
    }
    return gru;
  }

  const GruTask& task_;
  const GruOptions& options_;
  const Run& run_;
  torch::Device device_;
  learn::Standardisation standard_;
  Sequences sequences_;
  torch::Tensor mask_;
  int64_t outputs_ = 0;
  double value_count_ = 0, output_scale_ = 1;  // values a frame of all chains; m
  std::unique_ptr<Units> units_;
  std::unique_ptr<torch::optim::AdamW> adam_;
  std::vector<torch::Tensor> best_;
  GruResult result_;
};

}  // namespace

GruTask gru_task(const Frames& frames) {
  GruTask task;
  task.chains = research::simulated_bones(frames.garment());
  for (const Frames::ClipRange& run : frames.clips()) {
    if (frames.part(run.begin) == dataset::Part::kUnseen) continue;
    GruClip clip;
    clip.poses = body_poses(frames, run);
    clip.bones.resize(clip.poses.rows(), static_cast<Eigen::Index>(frames.bone_values()));
    for (uint32_t f = run.begin; f < run.end; ++f) {
      auto row = clip.bones.row(f - run.begin);
      frames.bones(f, learn::Source::kEmbedded, {row.data(), static_cast<size_t>(row.size())});
      clip.parts += static_cast<char>(frames.part(f));
    }
    task.clips.push_back(std::move(clip));
  }
  return task;
}

GruResult train_gru(const GruTask& task, const GruOptions& options, const Run& run) {
  return GruTrainer(task, options, run).train();
}

}  // namespace billow::research
