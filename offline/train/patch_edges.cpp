#include "train/patch_edges.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "parallel.h"
#include "train/edges.h"

namespace billow::train {
namespace {

using Eigen::Index;

learn::Matrix factor(const learn::PatchModel& model, uint32_t p,
                     const std::vector<std::array<uint32_t, 2>>& edges, double weight) {
  const learn::Patch& patch = model.patches[p];
  const Eigen::MatrixXd modes = model.bases[p].modes.cast<double>();
  const auto place = [&](uint32_t v) {  // vertices are in order
    const auto at = std::ranges::lower_bound(patch.vertices, v);
    return at != patch.vertices.end() && *at == v ? at - patch.vertices.begin() : -1;
  };
  Eigen::MatrixXd metric = Eigen::MatrixXd::Identity(modes.rows(), modes.rows());
  for (const auto& [a, b] : edges) {
    const Index i = place(a), j = i < 0 ? -1 : place(b);
    if (j < 0) continue;
    const double si = patch.shares[static_cast<size_t>(i)], sj = patch.shares[static_cast<size_t>(j)];
    const Eigen::VectorXd apart = modes.col(i) / std::sqrt(si) - modes.col(j) / std::sqrt(sj);
    metric += weight * std::sqrt(si * sj) * apart * apart.transpose();
  }
  return Eigen::MatrixXd(metric.llt().matrixL()).cast<float>();
}

}  // namespace

std::vector<learn::Matrix> edge_factors(const learn::PatchModel& model,
                                        const std::vector<std::array<uint32_t, 3>>& triangles,
                                        double weight) {
  const std::vector<std::array<uint32_t, 2>> edges = edges_of(triangles);
  const auto patches_of = model.patches_of_networks();
  std::vector<learn::Matrix> out(patches_of.size());
  for_each_in_parallel(out.size(),
                       [&](size_t n) { out[n] = factor(model, patches_of[n][0], edges, weight); });
  return out;
}

}  // namespace billow::train
