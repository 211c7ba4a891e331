// billow-peer-libtorch: times a garment's networks and bases in libtorch, on one thread. Run by `billow
// bench`.
//
//     billow-peer-libtorch GARMENT.billow      prints JSON: ms (median of 200 frames), off_mm
#include <torch/torch.h>

#include <algorithm>
#include <ctime>
#include <iostream>

#include "research/peers/patch_tensors.h"

// torch::set_num_threads does not control the threads of OpenBLAS.
extern "C" __attribute__((weak)) void openblas_set_num_threads(int count);

namespace billow::peers {
namespace {

torch::Tensor to_torch(const Tensor& t) {
  return torch::from_blob(const_cast<float*>(t.values.data()), t.shape).clone();
}

struct Networks {
  torch::Tensor mean, scale, linear, bias, basis, corners_of;
  std::vector<torch::Tensor> weights, biases;
  int64_t patches, corners, vertices, sharing;

  explicit Networks(const PatchTensors& t)
      : mean(to_torch(t.mean)),
        scale(to_torch(t.scale)),
        linear(to_torch(t.linear)),
        bias(to_torch(t.bias)),
        basis(to_torch(t.basis)),
        corners_of(torch::tensor(t.corners_of)),
        patches(t.patches),
        corners(t.corners),
        vertices(t.vertices),
        sharing(t.sharing) {
    for (const Tensor& w : t.weights) weights.push_back(to_torch(w));
    for (const Tensor& b : t.biases) biases.push_back(to_torch(b));
  }

  torch::Tensor operator()(const torch::Tensor& features, const torch::Tensor& rotation,
                           const torch::Tensor& origin) const {
    const torch::Tensor z = (features - mean) * scale;
    torch::Tensor c = torch::baddbmm(bias, z, linear), h = z;
    for (size_t k = 0; k + 1 < weights.size(); ++k) h = torch::gelu(torch::baddbmm(biases[k], h, weights[k]));
    if (!weights.empty()) c += torch::baddbmm(biases.back(), h, weights.back());
    const torch::Tensor rotated = torch::bmm(c.view({patches, 3, -1}).transpose(1, 2), rotation);
    const torch::Tensor placed =
        torch::bmm(basis, torch::cat({rotated, origin, rotation}, 1)).view({patches * corners, 3});
    return placed.index_select(0, corners_of).view({vertices, sharing, 3}).sum(1);
  }
};

double thread_cpu_ms() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return 1e3 * static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_nsec);
}

void measure(const char* file) {
  torch::set_num_threads(1);
  if (openblas_set_num_threads) openblas_set_num_threads(1);
  const learn::PatchModel model = read_patch_model(file);
  const Networks networks(make_tensors(model));
  const PeerFrame frame = make_frame(model);
  const torch::Tensor features = to_torch(frame.features), rotation = to_torch(frame.rotation),
                      origin = to_torch(frame.origin);
  // Which of its two matrix libraries is faster depends on the machine: report the faster one.
  double best = 1e9, error_mm = 0;
  const torch::InferenceMode inference;
  for (const bool mkldnn : {false, true}) {
    at::globalContext().setUserEnabledMkldnn(mkldnn);
    std::vector<double> times;
    for (int k = 0; k < 220; ++k) {
      const double start = thread_cpu_ms();
      const torch::Tensor vertices = networks(features, rotation, origin);
      if (k >= 20) times.push_back(thread_cpu_ms() - start);  // after warm-up
      error_mm = std::max(error_mm, max_error_mm(frame, vertices.contiguous().data_ptr<float>()));
    }
    std::nth_element(times.begin(), times.begin() + 100, times.end());
    best = std::min(best, times[100]);
  }
  std::cout << "{\"ms\": " << best << ", \"off_mm\": " << error_mm << ", \"version\": \"" << TORCH_VERSION
            << "\"}\n";
}

}  // namespace
}  // namespace billow::peers

int main(int count, char** arguments) try {
  if (count != 2) {
    std::cerr << "usage: billow-peer-libtorch GARMENT.billow\n";
    return 2;
  }
  billow::peers::measure(arguments[1]);
} catch (const std::exception& e) {
  std::cerr << "billow-peer-libtorch: " << e.what() << "\n";
  return 1;
}
