#include "save_model.h"

#include <fstream>
#include <stdexcept>

#include "files/npy.h"

namespace billow::tool {
namespace {

namespace fs = std::filesystem;

void save(const fs::path& file, const float* values, std::vector<size_t> shape) {
  size_t count = 1;
  for (size_t n : shape) count *= n;
  if (count == 0) return;
  files::NpyWriter npy(file, std::move(shape));
  npy.write({values, count});
  npy.finish();
}
void save(const fs::path& file, const learn::Matrix& m) {
  save(file, m.data(), {static_cast<size_t>(m.rows()), static_cast<size_t>(m.cols())});
}
void save(const fs::path& file, const learn::Vector& v) {
  save(file, v.data(), {static_cast<size_t>(v.size())});
}

void save(const fs::path& folder, const std::string& name, const learn::Stage& stage) {
  const auto file = [&](const std::string& what) { return folder / (name + "_" + what + ".npy"); };
  save(file("mean"), stage.basis.mean);
  save(file("modes"), stage.basis.modes);
  save(file("deviation"), stage.basis.deviation);
  const learn::Network& n = stage.network;
  save(file("input_mean"), n.mean);
  save(file("input_scale"), n.scale);
  save(file("linear"), n.linear);
  save(file("linear_bias"), n.bias);
  for (size_t k = 0; k < n.layers.size(); ++k) {
    save(file("weights" + std::to_string(k + 1)), n.layers[k].weights);
    save(file("bias" + std::to_string(k + 1)), n.layers[k].bias);
  }
}

// A folder, written beside and renamed.
template <class Write> void save_folder(const fs::path& path, Write write) {
  const fs::path beside = path.string() + ".part";
  fs::remove_all(beside);
  fs::create_directories(beside);
  write(beside);
  fs::remove_all(path);
  fs::rename(beside, path);
}

}  // namespace

void save_model(const learn::Model& model, const train::Record& record, const fs::path& path) {
  save_folder(path, [&](const fs::path& folder) {
    save(folder, "skinning", model.skinning);
    if (model.shape.basis.components() > 0) save(folder, "shape", model.shape);
    std::ofstream json(folder / "record.json");
    if (!(json << to_json(record) << "\n").flush())
      throw std::runtime_error((folder / "record.json").string() + ": could not be written");
  });
}

void save_gru(const learn::Gru& gru, const fs::path& path) {
  save_folder(path, [&](const fs::path& folder) {
    save(folder / "input_mean.npy", gru.mean);
    save(folder / "input_scale.npy", gru.scale);
    for (size_t k = 0; k < gru.chains.size(); ++k) {
      const learn::GruChain& chain = gru.chains[k];
      const std::pair<const char*, const learn::Layer*> layers[] = {
          {"input", &chain.input}, {"state", &chain.state}, {"output", &chain.output}};
      for (const auto& [name, layer] : layers) {
        const std::string stem = "chain" + std::to_string(k) + "_" + name;
        save(folder / (stem + "_weights.npy"), layer->weights);
        save(folder / (stem + "_bias.npy"), layer->bias);
      }
    }
  });
}

}  // namespace billow::tool
