#include "train/loop.h"

#include <chrono>
#include <cmath>
#include <stdexcept>

namespace billow::train {
namespace {

using Clock = std::chrono::steady_clock;
double since(Clock::time_point t) { return std::chrono::duration<double>(Clock::now() - t).count(); }

void keep_best(TrainingState& state, const StageOptions& options) {
  const Epoch& now = state.epochs.back();
  const Epoch& best = state.epochs[static_cast<size_t>(state.best)];
  const bool first_of_all_terms = sees_surface(options, now.number) && !sees_surface(options, best.number);
  if (!state.best_parameters.empty() && !first_of_all_terms && now.validation_loss >= best.validation_loss)
    return;
  state.best = now.number;
  state.best_parameters.clear();
  for (const torch::Tensor& p : state.parameters)
    state.best_parameters.push_back(p.detach().to(torch::kCPU).clone());
}

}  // namespace

bool sees_surface(const StageOptions& options, int epoch) {
  return (options.collision.weight > 0 || options.collision.rope_weight > 0 || options.length_weight > 0) &&
         static_cast<float>(epoch) >= options.collision.begin * static_cast<float>(options.epochs);
}

void check_finite(double loss, const std::string& name, const Epoch& e, const TrainingState& state) {
  if (std::isfinite(loss)) return;
  char text[200];
  std::snprintf(
      text, sizeof text,
      ": the loss is no longer a number in epoch %d, at a learning rate of %.3g; the best epoch was %d. "
      "Try a lower rate.",
      e.number, e.rate, state.best);
  throw std::runtime_error(name + text);
}

StageResult run_epochs(const Loop& loop, const torch::Device& device) {
  TrainingState& state = loop.state;
  const Run& run = loop.run;
  const int epochs = loop.options.epochs;
  if (run.checkpoint.empty() || !load_checkpoint(run.checkpoint, state)) {
    state.epochs.push_back(loop.begin());
    keep_best(state, loop.options);
  }
  const auto began = Clock::now();
  auto saved = began;
  const int first = static_cast<int>(state.epochs.size());
  for (int e = first; e <= epochs; ++e) {
    const auto start = Clock::now();
    state.epochs.push_back(loop.run_epoch(e));
    state.epochs.back().seconds = since(start);
    keep_best(state, loop.options);
    if (!run.checkpoint.empty() && (e == epochs || since(saved) >= run.checkpoint_seconds))
      save_checkpoint(run.checkpoint, state), saved = Clock::now();
    if (run.report)
      run.report({loop.name, state.epochs.back(), epochs, state.best,
                  since(began) / (e - first + 1) * (epochs - e)});
  }
  torch::NoGradGuard guard;
  for (size_t i = 0; i < state.parameters.size(); ++i) state.parameters[i].copy_(state.best_parameters[i]);
  StageResult r;
  r.epochs = state.epochs;
  r.best = state.best;
  for (const Epoch& e : r.epochs) r.seconds += e.seconds;
  r.device = device.is_cuda() ? "cuda" : "cpu";
  return r;
}

}  // namespace billow::train
