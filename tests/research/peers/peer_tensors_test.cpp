// What libtorch and onnxruntime are given is the garment: worked out here in plain loops, it gives the same cloth.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>

#include "files/whole_file.h"
#include "pack/sample_garment.h"
#include "research/peers/patch_tensors.h"

namespace billow::peers {
namespace {

// One of a stack of matrices, times a row.
std::vector<float> product(const std::vector<float>& row, const Tensor& stack, size_t which,
                           const Tensor& bias) {
  const auto rows = static_cast<size_t>(stack.shape[1]), columns = static_cast<size_t>(stack.shape[2]);
  std::vector<float> out(columns);
  for (size_t c = 0; c < columns; ++c) {
    out[c] = bias.values[which * columns + c];
    for (size_t r = 0; r < rows; ++r) out[c] += row[r] * stack.values[(which * rows + r) * columns + c];
  }
  return out;
}

std::vector<float> corners_by_loops(const PatchTensors& t, const PeerFrame& frame) {
  std::vector<float> corners;
  for (size_t p = 0; p < static_cast<size_t>(t.patches); ++p) {
    std::vector<float> z;
    for (size_t i = p * static_cast<size_t>(t.inputs); i < (p + 1) * static_cast<size_t>(t.inputs); ++i)
      z.push_back((frame.features.values[i] - t.mean.values[i]) * t.scale.values[i]);
    std::vector<float> c = product(z, t.linear, p, t.bias), h = z;
    for (size_t k = 0; k < t.weights.size(); ++k) {
      h = product(h, t.weights[k], p, t.biases[k]);
      if (k + 1 < t.weights.size())
        for (float& x : h) x = 0.5f * x * (1 + std::erf(x * std::sqrt(0.5f)));
    }
    for (size_t k = 0; k < c.size(); ++k) c[k] += h[k];
    const size_t components = c.size() / 3;
    for (size_t i = 0; i < static_cast<size_t>(t.corners); ++i)
      for (size_t axis = 0; axis < 3; ++axis) {
        const float* basis = &t.basis.values[(p * static_cast<size_t>(t.corners) + i) * (components + 4)];
        float x = basis[components] * frame.origin.values[3 * p + axis];
        for (size_t way = 0; way < 3; ++way) {
          float along = basis[components + 1 + way];
          for (size_t k = 0; k < components; ++k) along += basis[k] * c[way * components + k];
          x += along * frame.rotation.values[9 * p + 3 * way + axis];
        }
        corners.push_back(x);
      }
  }
  return corners;
}

TEST(PeerTensors, AreTheGarment) {
  pack::SampleOptions options;
  options.activation = learn::Activation::kGelu;
  const std::filesystem::path file = std::filesystem::temp_directory_path() /
                                     ("billow_peer_tensors_" + std::to_string(getpid()) + ".billow");
  files::write_whole_file(file, pack::pack_garment(pack::sample_garment(body::make_person(), options)));
  const learn::PatchModel model = read_patch_model(file);
  std::filesystem::remove(file);

  const PatchTensors t = make_tensors(model);
  const PeerFrame frame = make_frame(model);
  const std::vector<float> corners = corners_by_loops(t, frame);
  std::vector<float> vertices;
  for (size_t v = 0; v < static_cast<size_t>(t.vertices); ++v)
    for (size_t axis = 0; axis < 3; ++axis) {
      float sum = 0;
      for (size_t k = 0; k < static_cast<size_t>(t.sharing); ++k)
        sum += corners[3 * static_cast<size_t>(t.corners_of[v * static_cast<size_t>(t.sharing) + k]) + axis];
      vertices.push_back(sum);
    }
  EXPECT_EQ(t.vertices, 192);
  EXPECT_LT(max_error_mm(frame, vertices.data()), 0.01);
}

TEST(PeerTensors, OthersAreRefused) {
  const std::filesystem::path file = std::filesystem::temp_directory_path() /
                                     ("billow_peer_refused_" + std::to_string(getpid()) + ".billow");
  files::write_whole_file(file, pack::pack_garment(pack::sample_garment(body::make_person(), {})));
  EXPECT_THROW(read_patch_model(file), std::runtime_error) << "tanh";
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace billow::peers
