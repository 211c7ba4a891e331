#include "research/peers/patch_tensors.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "pack/garment_asset.h"

namespace billow::peers {
namespace {

Tensor zeros(std::vector<int64_t> shape) {
  const int64_t size = std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
  return {std::move(shape), std::vector<float>(static_cast<size_t>(size))};
}

// Writes a matrix into the top left corner of entry `index` of a stack of matrices.
void put(Tensor& stack, size_t index, const learn::Matrix& m) {
  const auto columns = static_cast<Eigen::Index>(stack.shape[2]),
             rows = static_cast<Eigen::Index>(stack.shape[1]);
  Eigen::Map<learn::Matrix>(stack.values.data() + static_cast<Eigen::Index>(index) * rows * columns, rows,
                            columns)
      .topLeftCorner(m.rows(), m.cols()) = m;
}

}  // namespace

learn::PatchModel read_patch_model(const std::filesystem::path& file) {
  const pack::GarmentData packed = pack::read_garment_asset(file);
  const auto* model = std::get_if<learn::PatchModel>(&packed.model);
  if (model == nullptr || model->networks.at(0).activation != learn::Activation::kGelu)
    throw std::runtime_error(file.string() +
                             ": expected a garment with patch networks and gelu, found another");
  return *model;
}

PatchTensors make_tensors(const learn::PatchModel& model) {
  PatchTensors t;
  t.patches = static_cast<int64_t>(model.patches.size());
  t.vertices = static_cast<int64_t>(model.rest.size());
  const learn::Network& first = model.networks.at(0);
  t.inputs = first.mean.size();
  t.coefficients = model.bases[0].coefficients();
  std::vector<std::vector<int64_t>> corners(model.rest.size());
  for (const learn::Patch& p : model.patches)
    t.corners = std::max(t.corners, static_cast<int64_t>(p.vertices.size()));
  // Keep at least one unused, zero corner per patch as padding, for vertices of fewer patches than others.
  t.corners = (t.corners / 4 + 1) * 4;

  t.mean = zeros({t.patches, 1, t.inputs}), t.scale = zeros({t.patches, 1, t.inputs});
  t.linear = zeros({t.patches, t.inputs, t.coefficients}), t.bias = zeros({t.patches, 1, t.coefficients});
  for (size_t k = 0; k < first.layers.size(); ++k) {
    const int64_t outputs = first.layers[k].weights.rows();
    t.weights.push_back(zeros({t.patches, first.layers[k].weights.cols(), outputs}));
    t.biases.push_back(zeros({t.patches, 1, outputs}));
  }
  t.basis = zeros({t.patches, t.corners, model.weighted_basis(0).cols()});
  for (size_t p = 0; p < model.patches.size(); ++p) {
    const learn::Network& n = model.network_of(p);
    put(t.mean, p, n.mean.transpose()), put(t.scale, p, n.scale.transpose());
    put(t.linear, p, n.linear.transpose()), put(t.bias, p, n.bias.transpose());
    for (size_t k = 0; k < n.layers.size(); ++k)
      put(t.weights[k], p, n.layers[k].weights.transpose()),
          put(t.biases[k], p, n.layers[k].bias.transpose());
    put(t.basis, p, model.weighted_basis(p));
    const std::vector<uint32_t>& vertices = model.patches[p].vertices;
    for (size_t i = 0; i < vertices.size(); ++i)
      corners[vertices[i]].push_back(static_cast<int64_t>(p) * t.corners + static_cast<int64_t>(i));
  }
  for (const auto& c : corners) t.sharing = std::max(t.sharing, static_cast<int64_t>(c.size()));
  for (auto& c : corners) {
    c.resize(static_cast<size_t>(t.sharing), t.corners - 1);
    t.corners_of.insert(t.corners_of.end(), c.begin(), c.end());
  }
  return t;
}

PeerFrame make_frame(const learn::PatchModel& model) {
  // Displace the bones by up to 5 cm from rest.
  learn::PatchInputs inputs{learn::Matrix(1, 3 * static_cast<Eigen::Index>(model.bone_rest.size())),
                            learn::Matrix(1, 3)};
  for (Eigen::Index i = 0; i < inputs.bones.size(); ++i)
    inputs.bones(0, i) = 0.05f * std::sin(0.7f * static_cast<float>(i));
  inputs.up << 0, 1, 0;

  PeerFrame frame;
  const auto patches = static_cast<int64_t>(model.patches.size());
  frame.features = zeros({patches, 1, static_cast<int64_t>(model.features(0, inputs).cols())});
  frame.rotation = zeros({patches, 3, 3}), frame.origin = zeros({patches, 1, 3});
  const std::vector<learn::PatchFrame> patch_frames = model.patch_frames(inputs, 0);
  for (size_t p = 0; p < patch_frames.size(); ++p) {
    const auto row = [](V3 v) { return learn::Matrix(Eigen::RowVector3f(v.x, v.y, v.z)); };
    put(frame.features, p, model.features(p, inputs));
    learn::Matrix rotation(3, 3);
    rotation << row(patch_frames[p].along), row(patch_frames[p].across), row(patch_frames[p].normal);
    put(frame.rotation, p, rotation), put(frame.origin, p, row(patch_frames[p].origin));
  }
  learn::Matrix displaced(1, 3 * static_cast<Eigen::Index>(model.rest.size()));
  model(inputs, true, displaced);
  for (size_t v = 0; v < model.rest.size(); ++v) {
    const auto at = displaced.row(0).segment<3>(3 * static_cast<Eigen::Index>(v));
    frame.vertices.insert(frame.vertices.end(),
                          {model.rest[v].x + at[0], model.rest[v].y + at[1], model.rest[v].z + at[2]});
  }
  return frame;
}

double max_error_mm(const PeerFrame& frame, const float* vertices) {
  double error = 0;
  for (size_t i = 0; i < frame.vertices.size(); ++i)
    error = std::max(error, 1000 * std::fabs(double{frame.vertices[i]} - double{vertices[i]}));
  return error;
}

}  // namespace billow::peers
