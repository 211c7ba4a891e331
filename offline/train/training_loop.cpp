#include "train/training_loop.h"

#include <chrono>
#include <cmath>
#include <stdexcept>

namespace billow::train {
namespace {

// Values of an epoch in the checkpoint's table.
constexpr int kEpochValues = 9;

torch::Tensor pack(const std::vector<Epoch>& epochs) {
  std::vector<double> v;
  for (const Epoch& e : epochs)
    v.insert(v.end(), {static_cast<double>(e.number), e.rate, e.seconds, e.loss, e.validation_loss, e.rmse_mm,
                       e.validation_rmse_mm, e.near_percent, e.validation_near_percent});
  return torch::tensor(v, torch::kFloat64).reshape({-1, kEpochValues});
}

std::vector<Epoch> unpack(const torch::Tensor& t) {
  std::vector<Epoch> epochs;
  for (int64_t i = 0; i < t.size(0); ++i) {
    const double* v = t.contiguous().data_ptr<double>() + i * kEpochValues;
    epochs.push_back({static_cast<int>(v[0]), v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8]});
  }
  return epochs;
}

void keep_best(TrainingState& state, const StageOptions& options) {
  const Epoch& now = state.epochs.back();
  const Epoch& best = state.epochs[static_cast<size_t>(state.best)];
  const bool first_with_surface =
      surface_terms_active(options, now.number) && !surface_terms_active(options, best.number);
  if (!state.best_parameters.empty() && !first_with_surface && now.validation_loss >= best.validation_loss)
    return;
  state.best = now.number;
  state.best_parameters.clear();
  for (const torch::Tensor& p : state.parameters)
    state.best_parameters.push_back(p.detach().to(torch::kCPU).clone());
}

}  // namespace

void save_checkpoint(const std::filesystem::path& path, TrainingState& state) {
  torch::serialize::OutputArchive archive;
  archive.write("fingerprint", c10::IValue(state.fingerprint));
  archive.write("best", c10::IValue(static_cast<int64_t>(state.best)));
  archive.write("epochs", pack(state.epochs));
  const auto& parameters = state.parameters;
  for (size_t i = 0; i < parameters.size(); ++i) {
    archive.write("parameter" + std::to_string(i), parameters[i].detach());
    archive.write("best" + std::to_string(i), state.best_parameters[i]);
  }
  for (size_t i = 0; i < state.adams.size(); ++i) {
    torch::serialize::OutputArchive adam;
    state.adams[i]->save(adam);
    archive.write("adam" + std::to_string(i), adam);
  }

  const std::filesystem::path temporary = path.string() + ".part";
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path());
  archive.save_to(temporary.string());
  std::filesystem::rename(temporary, path);
}

bool load_checkpoint(const std::filesystem::path& path, TrainingState& state) {
  if (!std::filesystem::exists(path)) return false;
  torch::serialize::InputArchive archive;
  c10::IValue fingerprint, best;
  torch::Tensor epochs;
  torch::NoGradGuard guard;
  try {
    archive.load_from(path.string(), state.parameters[0].device());  // the device of Adam's moments
    archive.read("fingerprint", fingerprint);
    archive.read("best", best);
    archive.read("epochs", epochs);
  } catch (const c10::Error& e) {
    throw std::runtime_error(path.string() + ": expected a training checkpoint, found other or damaged data");
  }
  if (fingerprint.toStringRef() != state.fingerprint)
    throw std::runtime_error(path.string() + ": expected a checkpoint of\n  " + state.fingerprint +
                             "\nfound one of\n  " + fingerprint.toStringRef() +
                             "\nRemove it to start again, or train with the same options and data.");
  state.best = static_cast<int>(best.toInt());
  state.epochs = unpack(epochs.cpu());
  auto& parameters = state.parameters;
  state.best_parameters.resize(parameters.size());
  for (size_t i = 0; i < parameters.size(); ++i) {
    torch::Tensor p;
    archive.read("parameter" + std::to_string(i), p);
    parameters[i].copy_(p);
    archive.read("best" + std::to_string(i), p);
    state.best_parameters[i] = p.cpu();
  }
  for (size_t i = 0; i < state.adams.size(); ++i) {
    torch::serialize::InputArchive adam;
    archive.read("adam" + std::to_string(i), adam);
    state.adams[i]->load(adam);
  }
  return true;
}

bool surface_terms_active(const StageOptions& options, int epoch) {
  return (options.collision.weight > 0 || has_rope_terms(options)) &&
         static_cast<float>(epoch) >= options.collision.begin * static_cast<float>(options.epochs);
}

void check_finite(double loss, const std::string& name, const Epoch& e, const TrainingState& state) {
  if (std::isfinite(loss)) return;
  char text[200];
  std::snprintf(text, sizeof text,
                ": the loss is not finite in epoch %d, at a learning rate of %.3g; the best epoch was %d. "
                "Try a lower rate.",
                e.number, e.rate, state.best);
  throw std::runtime_error(name + text);
}

StageResult run_epochs(const TrainingLoop& loop, const torch::Device& device) {
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
    state.epochs.back().seconds = seconds_since(start);
    keep_best(state, loop.options);
    if (!run.checkpoint.empty() && (e == epochs || seconds_since(saved) >= run.checkpoint_seconds))
      save_checkpoint(run.checkpoint, state), saved = Clock::now();
    if (run.report)
      run.report({loop.name, state.epochs.back(), epochs, state.best,
                  seconds_since(began) / (e - first + 1) * (epochs - e)});
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
