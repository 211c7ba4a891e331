#include "train/checkpoint.h"

#include <stdexcept>

namespace billow::train {
namespace {

// An epoch as a row of numbers.
constexpr int kNumbers = 9;

torch::Tensor pack(const std::vector<Epoch>& epochs) {
  std::vector<double> v;
  for (const Epoch& e : epochs)
    v.insert(v.end(), {static_cast<double>(e.number), e.rate, e.seconds, e.loss, e.validation_loss, e.rmse_mm,
                       e.validation_rmse_mm, e.near_percent, e.validation_near_percent});
  return torch::tensor(v, torch::kFloat64).reshape({-1, kNumbers});
}

std::vector<Epoch> unpack(const torch::Tensor& t) {
  std::vector<Epoch> epochs;
  for (int64_t i = 0; i < t.size(0); ++i) {
    const double* v = t.contiguous().data_ptr<double>() + i * kNumbers;
    epochs.push_back({static_cast<int>(v[0]), v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8]});
  }
  return epochs;
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

  const std::filesystem::path beside = path.string() + ".part";
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path());
  archive.save_to(beside.string());
  std::filesystem::rename(beside, path);
}

bool load_checkpoint(const std::filesystem::path& path, TrainingState& state) {
  if (!std::filesystem::exists(path)) return false;
  torch::serialize::InputArchive archive;
  c10::IValue fingerprint, best;
  torch::Tensor epochs;
  torch::NoGradGuard guard;
  try {
    archive.load_from(path.string(), state.parameters[0].device());  // where Adam's moments have to be
    archive.read("fingerprint", fingerprint);
    archive.read("best", best);
    archive.read("epochs", epochs);
  } catch (const c10::Error& e) {
    throw std::runtime_error(path.string() +
                             ": expected a checkpoint of a training, found other or damaged data");
  }
  if (fingerprint.toStringRef() != state.fingerprint)
    throw std::runtime_error(path.string() + ": expected a checkpoint of\n  " + state.fingerprint +
                             "\nfound one of\n  " + fingerprint.toStringRef() +
                             "\nRemove it to begin anew, or train with the same options and data.");
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

}  // namespace billow::train
